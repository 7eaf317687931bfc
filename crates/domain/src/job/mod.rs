//! Jobs: work that is done later, added in the unit of work that causes it.
//!
//! A job is a row. A worker claims it for the time of a lease and makes the lease longer while it
//! works; when the worker dies, the lease runs out and another takes over. So every job may run
//! twice, and each of its steps must bear that. What is done is forgotten; what failed for good
//! stays until an operator looks at it.
//!
//! What a kind of job does is said where its concept is: a `job.rs` implements [`handler::JobHandler`],
//! and `services.rs` registers it. Nothing here knows a concept.

pub(crate) mod handler;
mod kind;
mod notify;
pub(crate) mod registry;
mod release;
mod repair;
mod repository;
pub(crate) mod run;
mod service;
mod slots;
pub(crate) mod subject;
mod turns;

pub use kind::JobKind;
pub(crate) use notify::JobNotify;
pub use repository::JobRepository;
pub use service::JobService;

use std::time::Duration;

use uuid::Uuid;

use crate::choice;
use crate::clock::Timestamp;
use crate::id::{JobId, ProjectId};

/// How long a job waits that found no slot, if it is not woken before.
pub(crate) const DEFERRED: Duration = Duration::from_secs(5);

choice! {
    /// Which workers do a job, so that those which take long do not keep the others waiting.
    Queue {
        Maintenance "maintenance",
        Crawls "crawls",
        Extractions "extractions",
        Webhooks "webhooks",
    }

    /// Where a job is.
    JobState {
        Queued "queued",
        Running "running",
        Failed "failed",
    }
}

impl Queue {
    /// Whether clients wait for jobs of this queue.
    pub(crate) const fn is_awaited(self) -> bool {
        // The answer to an upload waits for its text.
        matches!(self, Self::Extractions)
    }
}

/// Whose job it is. Owners have an order: projects by their ids, then the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobOwner {
    /// A project.
    Project(ProjectId),
    /// The service itself: the job is of no project.
    Service,
}

/// What a step of a job came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepOutcome {
    /// There is more to do.
    Continue,
    /// There is nothing to do until a time that the kind of job says.
    Waiting,
    /// It has to wait: others of its kind have all the slots.
    NoFreeSlot,
    /// It is done.
    Done,
    /// It has ended and is not to be tried again, but what it was for could not be had, for a reason that lies in its
    /// subject: a file that can't be read, a site without a page. One of a few words that say which.
    Unsuccessful(&'static str),
    /// Another worker has the job by now; the work of this one is dropped.
    LeaseLost,
}

/// A piece of work that is done later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its identifier.
    pub id: JobId,
    /// What it does.
    pub kind: JobKind,
    /// To what: the identifier of a bot, of a blob, of a crawl; empty for what concerns the whole
    /// installation.
    pub subject: String,
    /// The project that it is done for, if it is one.
    pub project_id: Option<ProjectId>,
    /// Where it is.
    pub state: JobState,
    /// How many times it was claimed after it had waited; it never goes back. Each write for a job names the attempt
    /// that it belongs to, so that a worker which lost its lease can't write any more.
    pub attempt: u32,
    /// How many attempts in a row have failed.
    pub failures: u32,
    /// When it is due, or was.
    pub run_at: Timestamp,
    /// Until when its worker has it, while it runs.
    pub leased_until: Option<Timestamp>,
    /// Why the last attempt failed, for operators.
    pub last_error: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// How far it is, if it goes through much in many steps: what a later attempt goes on from.
    pub position: Option<String>,
}

impl Job {
    /// A job that is due at once.
    #[must_use]
    pub fn new(id: Uuid, kind: JobKind, subject: impl ToString, now: Timestamp) -> Self {
        Self {
            id: JobId::from_uuid(id),
            kind,
            subject: subject.to_string(),
            project_id: None,
            state: JobState::Queued,
            attempt: 0,
            failures: 0,
            run_at: now,
            leased_until: None,
            last_error: None,
            created_at: now,
            position: None,
        }
    }

    /// The same job, due at another time.
    #[must_use]
    pub fn due(self, run_at: Timestamp) -> Self {
        Self { run_at, ..self }
    }

    /// The same job, for a project.
    #[must_use]
    pub fn of_project(self, project: ProjectId) -> Self {
        Self { project_id: Some(project), ..self }
    }

    /// How long to wait after a failed attempt: 2, 4, 8 … minutes, at most an hour.
    #[must_use]
    pub fn back_off(&self) -> Duration {
        const AT_MOST: u64 = 60;
        let minutes = 1_u64.checked_shl(self.failures).unwrap_or(AT_MOST).min(AT_MOST);
        Duration::from_secs(60 * minutes)
    }
}

/// The jobs of one kind that are not being done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobBacklog {
    /// The kind.
    pub kind: JobKind,
    /// How many wait: to be claimed, for a slot, for another attempt, or for their time.
    pub queued: u64,
    /// How many were given up, and stay until an operator has them tried again.
    pub failed: u64,
    /// When the one became due, or becomes due, that is due first of all that are not given up. A running job
    /// becomes due when its lease runs out.
    pub first_due: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_waits_longer_up_to_an_hour() {
        let job = Job::new(Uuid::nil(), JobKind::new("test"), "", Timestamp::from_millis(0));
        let minutes = [1, 2, 3, 5, 6, 63, 64, u32::MAX].map(|failures| {
            let job = Job { failures, ..job.clone() };
            job.back_off().as_secs() / 60
        });
        assert_eq!(minutes, [2, 4, 8, 32, 60, 60, 60, 60]);
    }
}
