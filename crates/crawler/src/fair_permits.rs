//! Permits of which no project keeps others waiting for long.

use std::sync::Arc;

use domain::id::ProjectId;
use domain::per_key::PerProject;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Permits for what all crawls share. They are given in the order in which they are asked for, and a project has and
/// waits for no more than its share, so that others wait for as many of each project at most.
#[derive(Debug)]
pub(crate) struct FairPermits {
    of_projects: PerProject<Semaphore>,
    all: Arc<Semaphore>,
}

/// A permit: lasts until it is dropped.
#[derive(Debug)]
pub(crate) struct FairPermit {
    _of_project: Option<OwnedSemaphorePermit>,
    _of_all: Option<OwnedSemaphorePermit>,
}

impl FairPermits {
    /// So many permits, of which `share` makes those of one project.
    pub(crate) fn new(all: usize, share: fn() -> Semaphore) -> Self {
        Self { of_projects: PerProject::new(share), all: Arc::new(Semaphore::new(all)) }
    }

    /// Waits for a permit, for a project or for what all projects share.
    pub(crate) async fn take(&self, project: Option<ProjectId>) -> FairPermit {
        // In this order, so that what waits for others of its project holds no permit of all.
        let of_project = match project {
            Some(project) => self.of_projects.of(project).acquire_owned().await.ok(),
            None => None,
        };
        FairPermit { _of_project: of_project, _of_all: self.all.clone().acquire_owned().await.ok() }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use tokio::time::{sleep, timeout};

    use super::*;

    const A_WHILE: Duration = Duration::from_secs(60);

    /// Some project.
    pub(crate) fn project(number: u8) -> Option<ProjectId> {
        ProjectId::parse(&format!("00000000-0000-4000-8000-00000000000{number}"))
    }

    #[tokio::test(start_paused = true)]
    async fn a_project_has_its_share_and_no_more() {
        let permits = FairPermits::new(3, || Semaphore::new(2));
        let take = async |of| timeout(A_WHILE, permits.take(of)).await.ok();
        let first = take(project(1)).await;
        let _second = take(project(1)).await.unwrap();
        assert!(first.is_some() && take(project(1)).await.is_none());
        let _of_other = take(project(2)).await.unwrap();
        assert!(take(project(2)).await.is_none() && take(None).await.is_none());
        drop(first);
        assert!(take(None).await.is_some() && take(project(1)).await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_project_with_many_keeps_others_waiting_for_one() {
        let permits = Arc::new(FairPermits::new(1, || Semaphore::new(1)));
        for _ in 0..100 {
            let permits = permits.clone();
            tokio::spawn(async move {
                let _permit = permits.take(project(1)).await;
                sleep(A_WHILE).await;
            });
        }
        tokio::task::yield_now().await;
        // The one that has begun, and at most one more.
        assert!(timeout(A_WHILE * 2 + A_WHILE / 2, permits.take(project(2))).await.is_ok());
    }
}
