//! `botyard job`

use anyhow::Result;
use domain::Botyard;
use domain::clock::Timestamp;
use domain::id::{JobId, ProjectId};
use domain::job::{Job, JobKind, JobState};
use serde::Serialize;

use crate::cli::JobCommand;
use crate::operator::OPERATOR;
use crate::output::Output;
use crate::pages::all;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobOutput {
    #[serde(rename = "_id")]
    id: JobId,
    kind: JobKind,
    subject: String,
    project_id: Option<ProjectId>,
    state: JobState,
    attempt: u32,
    failures: u32,
    run_at: Timestamp,
    leased_until: Option<Timestamp>,
    last_error: Option<String>,
    created_at: Timestamp,
}

impl From<Job> for JobOutput {
    fn from(job: Job) -> Self {
        let Job { id, kind, subject, project_id, state, attempt, failures, .. } = job;
        let Job { run_at, leased_until, last_error, created_at, .. } = job;
        Self {
            id,
            kind,
            subject,
            project_id,
            state,
            attempt,
            failures,
            run_at,
            leased_until,
            last_error,
            created_at,
        }
    }
}

impl JobOutput {
    fn line(&self) -> String {
        let Self { id, attempt, failures, run_at, .. } = self;
        let (kind, state) = (self.kind.as_str(), self.state.as_str());
        let subject = if self.subject.is_empty() { "-" } else { &self.subject };
        let mut line = format!(
            "{id}  {kind:15}  {state:7}  due {run_at}  attempt {attempt}, {failures} failed  {subject}"
        );
        if let Some(error) = &self.last_error {
            line.push_str("  ");
            line.push_str(error);
        }
        line
    }
}

/// Lists jobs or makes one due at once.
pub async fn run(output: Output, botyard: Botyard, command: JobCommand) -> Result<()> {
    match command {
        JobCommand::List => {
            let jobs = &botyard.jobs;
            let all = all(|after, limit| jobs.page(OPERATOR, after, limit), |job| job.id).await?;
            let all: Vec<_> = all.into_iter().map(JobOutput::from).collect();
            output.list(&all, JobOutput::line)?;
        }
        JobCommand::Retry { id } => {
            let job = botyard.jobs.retry(OPERATOR, id).await?;
            output.one(&JobOutput::from(job), JobOutput::line)?;
        }
    }
    Ok(())
}
