//! How much long work of one kind each project has done at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::available_parallelism;

use domain::id::ProjectId;
use tokio::sync::Semaphore;

/// Permits of each project. Work that takes one keeps a core busy, which others then miss.
pub struct ProjectPermits {
    /// How many each project has.
    each: fn() -> usize,
    projects: Mutex<BTreeMap<ProjectId, Weak<Semaphore>>>,
}

impl ProjectPermits {
    /// So many permits for each project.
    pub const fn new(each: fn() -> usize) -> Self {
        Self { each, projects: Mutex::new(BTreeMap::new()) }
    }

    /// Those of one project.
    pub fn of(&self, project: ProjectId) -> Arc<Semaphore> {
        let mut projects = self.projects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(permits) = projects.get(&project).and_then(Weak::upgrade) {
            return permits;
        }
        projects.retain(|_, permits| permits.strong_count() > 0);
        let permits = Arc::new(Semaphore::new((self.each)()));
        projects.insert(project, Arc::downgrade(&permits));
        permits
    }
}

/// Half of the cores, and at least one.
pub fn half_of_the_cores() -> usize {
    available_parallelism().map_or(1, usize::from).div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_share_no_permits_and_idle_ones_are_forgotten() {
        let [one, other] = ["1", "2"].map(|last| {
            ProjectId::parse(&format!("00000000-0000-4000-8000-00000000000{last}")).unwrap()
        });
        let permits = ProjectPermits::new(|| 3);
        let of_one = permits.of(one);
        assert!(Arc::ptr_eq(&of_one, &permits.of(one)));
        assert!(!Arc::ptr_eq(&of_one, &permits.of(other)));
        assert_eq!(of_one.available_permits(), 3);
        drop(of_one);
        let _other = permits.of(other);
        assert_eq!(permits.projects.lock().unwrap().len(), 1);
    }
}
