//! Jobs: work that is done later, noted in the unit of work that causes it.
//!
//! A job is a row. A worker claims it for the time of a lease and makes the lease longer while it
//! works; when the worker dies, the lease runs out and another takes over. So every job may run
//! twice, and each of its steps must bear that. What is done is forgotten; what failed for good
//! stays until an operator looks at it.

mod bell;
mod places;
mod put_down;
mod repository;
mod service;

pub(crate) use bell::Bell;
pub use repository::JobRepository;
pub use service::JobService;

use std::time::Duration;

use uuid::Uuid;

use crate::choice;
use crate::clock::Timestamp;
use crate::id::{JobId, ProjectId};
use crate::limits::Limits;

choice! {
    /// What a job does.
    JobKind {
        TeardownBot "teardown_bot",
        RemoveBlob "remove_blob",
        SweepBlobs "sweep_blobs",
        RemoveUsers "remove_users",
        CleanUp "clean_up",
        Crawl "crawl",
        RemovePageSet "remove_page_set",
        Extract "extract",
        RemoveChunks "remove_chunks",
    }

    /// Which workers do a job, so that those which take long do not keep the others waiting.
    Lane {
        Upkeep "upkeep",
        Crawls "crawls",
        Extractions "extractions",
    }

    /// Where a job is.
    JobState {
        Queued "queued",
        Running "running",
        Failed "failed",
    }
}

/// How far a step of a job got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// There is more to do.
    More,
    /// It has to wait: others of its kind have all the places.
    Later,
    /// It is done.
    Done,
    /// Another worker has the job by now; what this one did came to nothing.
    Lost,
}

impl JobKind {
    /// After how many attempts a job of this kind has failed for good; `None` for those that must be
    /// done in the end, however long it takes.
    #[must_use]
    pub const fn attempts(self) -> Option<u32> {
        match self {
            Self::TeardownBot
            | Self::RemoveBlob
            | Self::SweepBlobs
            | Self::RemoveUsers
            | Self::CleanUp
            | Self::RemovePageSet
            | Self::RemoveChunks => None,
            Self::Crawl | Self::Extract => Some(3),
        }
    }

    /// Which workers do jobs of this kind.
    #[must_use]
    pub const fn lane(self) -> Lane {
        match self {
            Self::Crawl => Lane::Crawls,
            Self::Extract => Lane::Extractions,
            Self::TeardownBot
            | Self::RemoveBlob
            | Self::SweepBlobs
            | Self::RemoveUsers
            | Self::CleanUp
            | Self::RemovePageSet
            | Self::RemoveChunks => Lane::Upkeep,
        }
    }

    /// Whether a project has few places for jobs of this kind, so that one may wait until another ends.
    #[must_use]
    pub const fn takes_place(self) -> bool {
        match self {
            Self::Crawl | Self::Extract => true,
            Self::TeardownBot
            | Self::RemoveBlob
            | Self::SweepBlobs
            | Self::RemoveUsers
            | Self::CleanUp
            | Self::RemovePageSet
            | Self::RemoveChunks => false,
        }
    }

    /// How long after it is done a job of this kind is due again; `None` for what is done once.
    #[must_use]
    pub const fn repeats_after(self, limits: &Limits) -> Option<Duration> {
        match self {
            Self::SweepBlobs => Some(Duration::from_secs(24 * 60 * 60)),
            Self::CleanUp => Some(limits.clean_up_interval),
            Self::TeardownBot
            | Self::RemoveBlob
            | Self::RemoveUsers
            | Self::Crawl
            | Self::RemovePageSet
            | Self::Extract
            | Self::RemoveChunks => None,
        }
    }
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
    /// How many times it was claimed; it never goes back. Whoever writes for a job says its attempt, so that a worker
    /// which lost its lease can't.
    pub attempt: u32,
    /// How many attempts in a row came to nothing.
    pub failures: u32,
    /// When it is due, or was.
    pub run_at: Timestamp,
    /// Until when its worker has it, while it runs.
    pub leased_until: Option<Timestamp>,
    /// Why the last attempt failed, for operators.
    pub last_error: Option<String>,
    /// When it was noted.
    pub created_at: Timestamp,
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

    /// Whether it has failed for good.
    #[must_use]
    pub fn is_hopeless(&self) -> bool {
        self.kind.attempts().is_some_and(|attempts| self.failures >= attempts)
    }

    /// How long to wait after a failed attempt: 2, 4, 8 … minutes, at most an hour.
    #[must_use]
    pub fn back_off(&self) -> Duration {
        const AT_MOST: u64 = 60;
        let minutes = 1_u64.checked_shl(self.failures).unwrap_or(AT_MOST).min(AT_MOST);
        Duration::from_secs(60 * minutes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_waits_longer_up_to_an_hour() {
        let job = Job::new(Uuid::nil(), JobKind::RemoveBlob, "", Timestamp::from_millis(0));
        let minutes = [1, 2, 3, 5, 6, 63, 64, u32::MAX].map(|failures| {
            let job = Job { failures, ..job.clone() };
            job.back_off().as_secs() / 60
        });
        assert_eq!(minutes, [2, 4, 8, 32, 60, 60, 60, 60]);
    }
}
