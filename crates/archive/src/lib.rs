//! The archive policy: what a ZIP package must be like, found out without unpacking it.
//!
//! Readers of ZIP archives forgive much, and each forgives something else: what one of them shows
//! is not what the next one unpacks. So this crate reads the format by itself and forgives nothing
//! that leaves two readings open. Every byte of an accepted archive belongs to exactly one record,
//! every record says the same as its twin, and every entry holds what its records say.
//!
//! Start at [`ArchivePolicy`] and then at `policy.rs`, which has the order of the checks. The other
//! files follow the archive from its end: `end_record.rs`, `central.rs`, `local.rs`, `content.rs`.
//! What may be in a name stands in `names.rs`.

mod central;
mod content;
mod cp437;
mod end_record;
mod extra;
mod fields;
mod limits;
mod local;
mod names;
mod policy;
mod refusal;
mod source;
mod watch;

use std::sync::Arc;
use std::thread::available_parallelism;

use async_trait::async_trait;
use domain::archive::{Archive, ArchiveCheck, ArchiveError};
use domain::blob::{BlobError, Staged};
use domain::id::ProjectId;
use domain::per_key::{PerProject, half_of_the_cores};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

pub use limits::ArchiveLimits;

/// How many archives may wait for each that is looked through.
const WAITING_PER_CORE: usize = 32;

/// The policy with its bounds. As many archives are looked through at once as there are cores, of a project half as
/// many. Some others wait, and waiting does not count as time of the check; more are refused at once. Needs a tokio
/// runtime.
#[derive(Debug)]
pub struct ArchivePolicy {
    limits: ArchiveLimits,
    /// Half of the cores for each project, so that others need not wait for all of its archives.
    of_projects: PerProject<Semaphore>,
    running: Arc<Semaphore>,
    /// One for each archive that is looked through or waits.
    admitted: Arc<Semaphore>,
}

impl ArchivePolicy {
    /// A policy with these bounds.
    #[must_use]
    pub fn new(limits: ArchiveLimits) -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        let admitted = Arc::new(Semaphore::new(cores * (1 + WAITING_PER_CORE)));
        let of_projects = PerProject::new(|| Semaphore::new(half_of_the_cores()));
        Self { limits, of_projects, running: Arc::new(Semaphore::new(cores)), admitted }
    }
}

#[async_trait]
impl ArchiveCheck for ArchivePolicy {
    async fn check(
        &self,
        project: ProjectId,
        file: &Arc<dyn Staged>,
    ) -> Result<Archive, ArchiveError> {
        let _admission = self.admitted.try_acquire().map_err(|_| ArchiveError::Overloaded)?;
        let of_project = self.of_projects.of(project).acquire_owned().await;
        let permit = self.running.clone().acquire_owned().await;
        let (file, limits) = (file.clone(), self.limits);
        // Dropped with this future, and then the work ends at its next look at the watch.
        let stop = watch::StopOnDrop::default();
        let stopped = stop.flag();
        let work = spawn_blocking(move || {
            // Kept until the work has ended, even if its caller has gone.
            let _permits = (of_project, permit);
            policy::check(&*file, &limits, &watch::Watch::start(limits.time, stopped))
        });
        match work.await {
            Ok(outcome) => Ok(outcome?),
            Err(error) => Err(BlobError::Failed(format!("the check broke off: {error}")).into()),
        }
    }
}
