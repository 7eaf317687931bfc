//! A job while a worker has it.

use std::sync::Arc;

use super::{Job, StepOutcome};
use crate::access::Operator;
use crate::context::Context;
use crate::error::DomainError;
use crate::unit::Unit;

/// One attempt of a job, and what it works with.
#[derive(Clone)]
pub(crate) struct JobRun {
    pub(crate) context: Arc<Context>,
    pub(crate) operator: Operator,
    pub(crate) job: Job,
}

impl JobRun {
    /// Does a step of a job that only deletes, in one unit, unless another worker has the job by now. It is
    /// done even while the store has no room, so it must not add anything.
    pub(crate) async fn delete<F>(&self, work: F) -> Result<StepOutcome, DomainError>
    where
        F: Fn(&mut Unit<'_>) -> Result<StepOutcome, DomainError> + Send + 'static,
    {
        self.context.delete(self.job.project_id, self.clone().while_held(work)).await
    }

    /// Does a step of a job in one unit, unless another worker has the job by now.
    pub(crate) async fn write<F>(&self, work: F) -> Result<StepOutcome, DomainError>
    where
        F: Fn(&mut Unit<'_>) -> Result<StepOutcome, DomainError> + Send + 'static,
    {
        self.context.write(self.job.project_id, self.clone().while_held(work)).await
    }

    fn while_held<F>(
        self,
        work: F,
    ) -> impl Fn(&mut Unit<'_>) -> Result<StepOutcome, DomainError> + Send + 'static
    where
        F: Fn(&mut Unit<'_>) -> Result<StepOutcome, DomainError> + Send + 'static,
    {
        move |unit| {
            if unit.tx.lock_own_job(self.operator, &self.job)? {
                work(unit)
            } else {
                Ok(StepOutcome::LeaseLost)
            }
        }
    }

    /// How far the job is: what a step of this attempt or of an earlier one stored last.
    pub(crate) async fn position(&self) -> Result<Option<String>, DomainError> {
        let (operator, id) = (self.operator, self.job.id);
        let job = self.context.look_up(None, move |unit| Ok(unit.tx.job(operator, id)?)).await?;
        Ok(job.and_then(|job| job.position))
    }

    /// Stores how far the job is at the end of a step, unless another worker has it by now.
    pub(crate) async fn save_position(&self, position: String) -> Result<StepOutcome, DomainError> {
        let run = self.clone();
        self.delete(move |unit| {
            unit.tx.set_job_position(run.operator, &run.job, &position)?;
            Ok(StepOutcome::Continue)
        })
        .await
    }
}
