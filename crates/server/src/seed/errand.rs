//! A job that is added while samples are filled in, and done at once instead of by a server later on.

use anyhow::Result;
use domain::Botyard;
use domain::id::JobId;
use domain::job::{Job, JobKind};

use crate::operator::OPERATOR;
use crate::pages::all;

/// Takes the job of something that was begun just now, unless another worker has it already.
pub async fn take(botyard: &Botyard, kind: JobKind, subject: &str) -> Result<Option<Job>> {
    // It was added after its subject, and identifiers grow.
    let after = JobId::parse(subject);
    let jobs = all(|at, limit| botyard.jobs.page(OPERATOR, at.or(after), limit), |job| job.id);
    let mut jobs = jobs.await?.into_iter();
    let Some(job) = jobs.find(|job| job.kind == kind && job.subject == subject) else {
        return Ok(None);
    };
    Ok(botyard.jobs.claim_new(OPERATOR, job.id).await?)
}
