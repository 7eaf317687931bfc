//! Whole lists on their way, of which a project has so many at once.

use domain::id::ProjectId;
use domain::per_key::PerProject;
use domain::slots::{ProjectSlot, ProjectSlots};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// Of how many lists of a project the first items are read at once. The others wait, so that those that will be refused
/// are refused before anything is read for them.
const BEGINNING: usize = 16;

/// The whole lists of each project.
pub(super) struct WholeLists {
    begun: ProjectSlots,
    beginning: PerProject<Semaphore>,
}

/// A list whose first items are read.
pub(super) struct BeginningList {
    _permit: OwnedSemaphorePermit,
}

impl Default for WholeLists {
    fn default() -> Self {
        Self {
            begun: ProjectSlots::default(),
            beginning: PerProject::new(|| Semaphore::new(BEGINNING)),
        }
    }
}

impl WholeLists {
    /// Waits until the first items of a list may be read, which is to be [begun](Self::begin) if there is more.
    ///
    /// # Errors
    /// A refusal if the project has as many on their way as it may have.
    pub(super) async fn prepare(
        &self,
        project: ProjectId,
        most: usize,
    ) -> Result<BeginningList, Problem> {
        // It is never closed.
        let permit = self.beginning.of(project).acquire_owned().await.map_err(|_| refusal())?;
        if !self.begun.has_free_slot(project, most) {
            return Err(refusal());
        }
        Ok(BeginningList { _permit: permit })
    }

    /// Counts a list as on its way, for as long as the slot lives.
    ///
    /// # Errors
    /// As of [`Self::prepare`].
    pub(super) fn begin(&self, project: ProjectId, most: usize) -> Result<ProjectSlot, Problem> {
        self.begun.begin(project, most).ok_or_else(refusal)
    }
}

fn refusal() -> Problem {
    Problem::too_many_at_once("The project has", "whole lists")
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn what_will_be_refused_is_refused_before_it_is_read() {
        let lists = WholeLists::default();
        let [one, other] = ["1", "2"].map(|last| {
            ProjectId::parse(&format!("00000000-0000-4000-8000-00000000000{last}")).unwrap()
        });
        let prepare = |project| lists.prepare(project, 1).now_or_never();
        let mut beginning: Vec<_> = (0..BEGINNING).map(|_| prepare(one).unwrap()).collect();
        assert!(beginning.iter().all(Result::is_ok));
        let mut waiting = Box::pin(lists.prepare(one, 1));
        assert!(waiting.as_mut().now_or_never().is_none());
        assert!(prepare(other).unwrap().is_ok());

        let begun = lists.begin(one, 1).unwrap();
        assert!(lists.begin(one, 1).is_err());
        beginning.pop();
        assert!(waiting.now_or_never().unwrap().is_err());
        assert!(prepare(other).unwrap().is_ok());
        drop(begun);
        assert!(prepare(one).unwrap().is_ok());
    }
}
