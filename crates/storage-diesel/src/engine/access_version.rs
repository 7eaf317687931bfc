//! The number behind `Store::access_version`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use domain::id::ProjectId;

use crate::engine::generation::Generation;

/// Grows with every change of tokens, and counts as known only while changes that other processes make
/// would be noticed.
pub struct AccessVersion {
    changes: Generation,
    started: Instant,
    /// Milliseconds from `started` to the latest moment at which other processes' changes were
    /// known, plus one; 0 if they are not known.
    confirmed: AtomicU64,
    max_age: Option<Duration>,
}

impl AccessVersion {
    /// A version that is not known yet. With a `max_age` it must be confirmed at least as often.
    pub fn new(max_age: Option<Duration>) -> Self {
        Self {
            changes: Generation::default(),
            started: Instant::now(),
            confirmed: AtomicU64::new(0),
            max_age,
        }
    }

    /// Something has changed in these projects.
    pub fn raise(&self, changed: impl IntoIterator<Item = ProjectId>) {
        let mut changed = changed.into_iter().map(Some).peekable();
        if changed.peek().is_some() {
            self.changes.raise(changed);
        }
    }

    /// Something may have changed in any project.
    pub fn raise_all(&self) {
        self.changes.raise([None]);
    }

    /// Up to now, every change by another process has been noticed.
    pub fn confirm(&self) {
        self.confirmed.store(self.age() + 1, Ordering::SeqCst);
    }

    /// Changes by other processes are not noticed any more.
    pub fn lose(&self) {
        self.confirmed.store(0, Ordering::SeqCst);
    }

    /// The number, if it can be relied on.
    pub fn current(&self) -> Option<u64> {
        self.is_known().then(|| self.changes.current())
    }

    /// The number since the latest change in a project, if it can be relied on.
    pub fn changed(&self, project: ProjectId) -> Option<u64> {
        self.is_known().then(|| self.changes.of_project(project))
    }

    fn is_known(&self) -> bool {
        let confirmed = self.confirmed.load(Ordering::SeqCst);
        let fresh = match self.max_age {
            None => true,
            Some(max_age) => {
                let max_age = u64::try_from(max_age.as_millis()).unwrap_or(u64::MAX);
                self.age().saturating_sub(confirmed) <= max_age
            }
        };
        confirmed > 0 && fresh
    }

    fn age(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_only_while_it_is_confirmed() {
        let version = AccessVersion::new(None);
        assert_eq!(version.current(), None);
        version.confirm();
        let before = version.current().unwrap();
        version.raise_all();
        assert!(version.current().unwrap() > before);
        version.lose();
        assert_eq!(version.current(), None);
    }

    #[test]
    fn a_confirmation_grows_old() {
        let version = AccessVersion::new(Some(Duration::from_millis(20)));
        version.confirm();
        assert!(version.current().is_some());
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(version.current(), None);
    }
}
