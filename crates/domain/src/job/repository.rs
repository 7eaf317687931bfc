//! The repository of jobs.

use super::{Job, JobBacklog, JobKind, JobOwner};
use crate::access::{BotScope, Operator};
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::{JobId, ProjectId};

/// Jobs in the database.
pub trait JobRepository {
    /// Inserts a job.
    fn insert_job(&mut self, job: &Job) -> Result<(), StorageError>;

    /// Inserts a job, unless there is one with this id.
    fn insert_job_once(&mut self, operator: Operator, job: &Job) -> Result<(), StorageError>;

    /// Whether a job waits and was not claimed yet. If so, it is locked: no worker claims it before the unit ends.
    fn lock_unclaimed_job(&mut self, job: &Job) -> Result<bool, StorageError>;

    /// Deletes a job that was not claimed yet; returns whether there was one.
    fn withdraw_job(&mut self, job: &Job) -> Result<bool, StorageError>;

    /// Those of these kinds of which a job is due, of any owner or of this one; first the kind whose job has
    /// been due for longest. A job is due if it is queued and its time has come, or if it runs and its lease
    /// has run out. However many jobs there are, this looks at one of each kind.
    fn due_kinds(
        &mut self,
        operator: Operator,
        of: (&[JobKind], Option<JobOwner>),
        now: Timestamp,
    ) -> Result<Vec<JobKind>, StorageError>;

    /// The first owner of a job of these kinds that is due by then, of those who come after this one, or of
    /// all. If none of the first `limit` owners of jobs has one that is due, the last of these.
    fn next_job_owner(
        &mut self,
        operator: Operator,
        due: (&[JobKind], Timestamp),
        after: Option<JobOwner>,
        limit: u32,
    ) -> Result<Option<JobOwner>, StorageError>;

    /// Claims the job of this kind, of any owner or of this one, that has been due for longest, if there is
    /// one. It runs then, its attempt is counted, and its lease ends at `leased_until`; that the lease before
    /// it ran out counts as a failure. Two workers never get the same attempt, and neither waits for the other:
    /// a job that another worker is claiming is passed over.
    fn claim_job(
        &mut self,
        operator: Operator,
        of: (&JobKind, Option<JobOwner>),
        now: Timestamp,
        leased_until: Timestamp,
    ) -> Result<Option<Job>, StorageError>;

    /// Ends the leases of all jobs that run, at `now`.
    fn expire_leases(&mut self, operator: Operator, now: Timestamp) -> Result<(), StorageError>;

    /// Makes one job of this kind and project due that waits until a time after `now` and by `until`: the
    /// oldest, as if it had been due since it was created. Returns whether there was one.
    fn wake_job(
        &mut self,
        operator: Operator,
        of: (ProjectId, &JobKind),
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, StorageError>;

    /// Makes those of these jobs due `now` that are queued for later than `soon`. Those that run are updated as well,
    /// to lock them until the unit ends: a job that decides when it is due next then sees what the unit has changed.
    fn wake_jobs(
        &mut self,
        ids: &[JobId],
        now: Timestamp,
        soon: Timestamp,
    ) -> Result<(), StorageError>;

    /// Whether the caller's attempt still has the lease of the job. If so, the job is locked until the unit ends.
    fn lock_own_job(&mut self, operator: Operator, job: &Job) -> Result<bool, StorageError>;

    /// Makes the lease of a running attempt longer; returns whether it still was the one that runs.
    fn extend_lease(
        &mut self,
        operator: Operator,
        job: &Job,
        leased_until: Timestamp,
    ) -> Result<bool, StorageError>;

    /// Forgets a job that is done, unless another attempt runs by now.
    fn delete_job(&mut self, operator: Operator, job: &Job) -> Result<(), StorageError>;

    /// Stores state, failures, time, lease, last error and position of a job, unless it is at another
    /// attempt by now.
    fn update_job(&mut self, operator: Operator, job: &Job) -> Result<(), StorageError>;

    /// Stores how far a job is, unless it is at another attempt by now.
    fn set_job_position(
        &mut self,
        operator: Operator,
        job: &Job,
        position: &str,
    ) -> Result<(), StorageError>;

    /// Whether there is a job of this kind with this subject that has not failed for good.
    fn has_open_job(
        &mut self,
        operator: Operator,
        kind: &JobKind,
        subject: &str,
    ) -> Result<bool, StorageError>;

    /// Whether there is a job of this kind with this bot as its subject that has not failed for good.
    fn has_open_job_of_bot(
        &mut self,
        scope: &BotScope,
        kind: &JobKind,
    ) -> Result<bool, StorageError>;

    /// A job, locked.
    fn job(&mut self, operator: Operator, id: JobId) -> Result<Option<Job>, StorageError>;

    /// What waits of each of these kinds, and what was given up, in their order. Of neither more than `most` are
    /// counted, so that this takes no longer the more there are.
    fn job_backlogs(
        &mut self,
        operator: Operator,
        kinds: &[JobKind],
        most: u32,
    ) -> Result<Vec<JobBacklog>, StorageError>;

    /// Jobs of these kinds, oldest first, at most `limit`, after `after` if that is given.
    fn jobs(
        &mut self,
        operator: Operator,
        kinds: &[JobKind],
        after: Option<JobId>,
        limit: u32,
    ) -> Result<Vec<Job>, StorageError>;
}
