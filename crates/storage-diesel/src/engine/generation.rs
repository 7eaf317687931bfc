//! Counting what was committed, so that what was read before is known to be out of date.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::id::ProjectId;

/// How many numbers there are for projects.
const SHARES: usize = 256;

/// Counts the commits of this process, and what is noticed of others. It grows before the first unit of a
/// commit is answered, so a state that was read under the current number has all that was acknowledged.
pub struct Generation {
    number: AtomicU64,
    /// The number of the latest change on nobody's behalf.
    of_service: AtomicU64,
    /// Those of the latest changes of projects; several projects share one.
    of_projects: [AtomicU64; SHARES],
}

impl Default for Generation {
    fn default() -> Self {
        let (number, of_service) = (AtomicU64::default(), AtomicU64::default());
        Self { number, of_service, of_projects: [const { AtomicU64::new(0) }; SHARES] }
    }
}

impl Generation {
    /// There is a newer state, in which there are changes of these projects, or, for `None`, perhaps of all.
    pub fn raise(&self, changed: impl IntoIterator<Item = Option<ProjectId>>) {
        // First, so that who knows of a change of a project does not read a state without it.
        let number = self.number.fetch_add(1, Ordering::SeqCst) + 1;
        for project in changed {
            let latest = project.and_then(|project| self.share(project));
            latest.unwrap_or(&self.of_service).fetch_max(number, Ordering::SeqCst);
        }
    }

    /// The number of the current state.
    pub fn current(&self) -> u64 {
        self.number.load(Ordering::SeqCst)
    }

    /// The number of the latest state in which something of this project may have changed.
    pub fn of_project(&self, project: ProjectId) -> u64 {
        let own = self.share(project).map_or(0, |latest| latest.load(Ordering::SeqCst));
        self.of_service.load(Ordering::SeqCst).max(own)
    }

    fn share(&self, project: ProjectId) -> Option<&AtomicU64> {
        let last = project.uuid().as_bytes().last().copied();
        self.of_projects.get(usize::from(last.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_was_read_is_out_of_date_after_a_change_of_its_project_or_of_all() {
        let generation = Generation::default();
        let [one, other] = [1, 2].map(|last| ProjectId::from_uuid(Uuid::from_u128(last)));
        let is_current = |project, read| generation.of_project(project) <= read;
        let read = generation.current();
        generation.raise([]);
        assert!(generation.current() > read && is_current(one, read));
        generation.raise([Some(one)]);
        assert!(!is_current(one, read) && is_current(other, read));
        let read = generation.current();
        assert!(is_current(one, read));
        generation.raise([Some(other), None]);
        assert!(!is_current(one, read) && !is_current(other, read));
    }
}
