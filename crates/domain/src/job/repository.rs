//! What jobs ask of the database.

use super::{Job, JobKind};
use crate::access::Operator;
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::{JobId, ProjectId};

/// Jobs in the database.
pub trait JobRepository {
    /// Inserts a job.
    fn insert_job(&mut self, job: &Job) -> Result<(), StorageError>;

    /// Inserts a job, unless there is one with this id.
    fn insert_job_once(&mut self, operator: Operator, job: &Job) -> Result<(), StorageError>;

    /// Deletes a job that was not claimed yet; returns whether there was one.
    fn withdraw_job(&mut self, job: &Job) -> Result<bool, StorageError>;

    /// Claims the job of these kinds, of none of these projects, that has been due for longest, if
    /// there is one: a queued one whose time has come, or a running one whose lease has run out,
    /// which counts as a failure. It runs then, its attempt is counted, and its lease ends at
    /// `leased_until`. Two workers never get the same
    /// attempt, and neither waits for the other.
    fn claim_job(
        &mut self,
        operator: Operator,
        of: (&[JobKind], &[ProjectId]),
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

    /// Whether this attempt of the job still is the one that runs. If so, it is held until the unit
    /// ends.
    fn holds_job(&mut self, operator: Operator, job: &Job) -> Result<bool, StorageError>;

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

    /// A job, held.
    fn job(&mut self, operator: Operator, id: JobId) -> Result<Option<Job>, StorageError>;

    /// Jobs of these kinds, oldest first, at most `limit`, after `after` if that is given.
    fn jobs(
        &mut self,
        operator: Operator,
        kinds: &[JobKind],
        after: Option<JobId>,
        limit: u32,
    ) -> Result<Vec<Job>, StorageError>;
}
