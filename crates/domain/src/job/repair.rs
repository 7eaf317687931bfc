//! Putting jobs right that are missing or have nothing to work on, for an operator who has checked them.

use super::service::JobService;
use super::{JobKind, JobState};
use crate::access::Operator;
use crate::audit::AuditedResource;
use crate::error::{DomainError, Resource};
use crate::id::{JobId, ProjectId};

impl JobService {
    /// Queues a job that should be there, due at once, unless it is. Every kind looks by itself whether anything is
    /// to be done to its subject.
    ///
    /// # Errors
    /// [`DomainError::Refused`] if the kind is not known, or the subject can't be one of it.
    pub async fn queue_missing(
        &self,
        operator: Operator,
        (kind, subject): (JobKind, String),
        project: Option<ProjectId>,
    ) -> Result<(), DomainError> {
        let kinds = self.kinds.clone();
        self.context
            .write(None, move |unit| {
                if unit.tx.has_open_job(operator, &kind, &subject)? {
                    return Ok(());
                }
                let new_job = kinds.get(&kind)?.new_job;
                let Some(job) = new_job(unit, &subject) else {
                    return Err(DomainError::Refused(format!("{subject:?} is no subject")));
                };
                unit.audit(AuditedResource::Job, job.id)?;
                unit.enqueue(&match project {
                    Some(project) => job.of_project(project),
                    None => job,
                })
            })
            .await
    }

    /// Forgets a job whose subject has gone.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such job.
    pub async fn discard(&self, operator: Operator, id: JobId) -> Result<(), DomainError> {
        self.context
            .delete(None, move |unit| {
                let found = unit.tx.job(operator, id)?;
                let job = found.ok_or(DomainError::NotFound(Resource::Job))?;
                // Its worker ends it.
                let now = unit.now();
                if job.state == JobState::Running && job.leased_until.is_some_and(|at| at > now) {
                    return Ok(());
                }
                unit.audit(AuditedResource::Job, job.id)?;
                Ok(unit.tx.delete_job(operator, &job)?)
            })
            .await
    }
}
