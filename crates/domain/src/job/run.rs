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
    /// Does a step of a job that removes something, in one unit, unless another worker has the job by now.
    pub(crate) async fn step<F>(&self, work: F) -> Result<StepOutcome, DomainError>
    where
        F: Fn(&mut Unit<'_>) -> Result<StepOutcome, DomainError> + Send + 'static,
    {
        let run = self.clone();
        self.context
            .remove(self.job.project_id, move |unit| {
                if unit.tx.holds_job(run.operator, &run.job)? {
                    work(unit)
                } else {
                    Ok(StepOutcome::LeaseLost)
                }
            })
            .await
    }
}
