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
    /// done even while less of the disk is free than its reserve, so it must not add anything.
    pub(crate) async fn delete<F>(&self, work: F) -> Result<StepOutcome, DomainError>
    where
        F: Fn(&mut Unit<'_>) -> Result<StepOutcome, DomainError> + Send + 'static,
    {
        let step = self.context.delete(self.job.project_id, self.clone().while_leased(work));
        Ok(step.await?.unwrap_or(StepOutcome::LeaseLost))
    }

    /// Does a step of a job in one unit, unless another worker has the job by now.
    pub(crate) async fn write<F>(&self, work: F) -> Result<StepOutcome, DomainError>
    where
        F: Fn(&mut Unit<'_>) -> Result<StepOutcome, DomainError> + Send + 'static,
    {
        Ok(self.write_leased(work).await?.unwrap_or(StepOutcome::LeaseLost))
    }

    /// Runs a unit that is a part of a step; `None` if another worker has the job by now.
    pub(crate) async fn write_leased<T, F>(&self, work: F) -> Result<Option<T>, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut Unit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.context.write(self.job.project_id, self.clone().while_leased(work)).await
    }

    fn while_leased<T, F>(
        self,
        work: F,
    ) -> impl Fn(&mut Unit<'_>) -> Result<Option<T>, DomainError> + Send + 'static
    where
        F: Fn(&mut Unit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        move |unit| {
            if !unit.tx.lock_own_job(self.operator, &self.job)? {
                return Ok(None);
            }
            work(unit).map(Some)
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
