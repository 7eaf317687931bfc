//! Wakes readers of this process that follow the events of a project.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use event_listener::{Event, EventListener};

use crate::id::ProjectId;

/// How many projects are kept at least before those that no one listens to are forgotten.
const KEPT: usize = 64;

/// Wakes those who wait for new events of a project. A store notifies it.
#[derive(Debug, Default)]
pub struct NewEvents(Mutex<Projects>);

#[derive(Debug, Default)]
struct Projects {
    /// The greatest version given so far.
    latest: u64,
    awaited: BTreeMap<ProjectId, Awaited>,
    /// From how many projects on those that no one listens to are forgotten.
    full: usize,
}

#[derive(Debug)]
struct Awaited {
    version: u64,
    event: Event,
}

impl Projects {
    const fn next_version(&mut self) -> u64 {
        self.latest += 1;
        self.latest
    }
}

impl NewEvents {
    /// One that no one has notified yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(Projects { latest: 0, awaited: BTreeMap::new(), full: KEPT }))
    }

    /// Says that this project may have new events, which can be read from now on.
    pub fn notify(&self, project: ProjectId) {
        let mut projects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let version = projects.next_version();
        if let Some(awaited) = projects.awaited.get_mut(&project) {
            awaited.version = version;
            awaited.event.notify(usize::MAX);
        }
    }

    /// Says so of every project.
    pub fn notify_all(&self) {
        let mut projects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let version = projects.next_version();
        for awaited in projects.awaited.values_mut() {
            awaited.version = version;
            awaited.event.notify(usize::MAX);
        }
    }

    /// Says so of a project, or of every one.
    pub fn notify_of(&self, project: Option<ProjectId>) {
        match project {
            Some(project) => self.notify(project),
            None => self.notify_all(),
        }
    }

    /// Listens from now on, and a version that grows whenever the project may have new events.
    pub(super) fn listen(&self, project: ProjectId) -> (EventListener, u64) {
        let mut projects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Projects { latest, awaited, full } = &mut *projects;
        if awaited.len() >= *full {
            awaited.retain(|_, awaited| awaited.event.total_listeners() > 0);
            *full = KEPT.max(2 * awaited.len());
        }
        let awaited = awaited.entry(project).or_insert_with(|| {
            *latest += 1;
            Awaited { version: *latest, event: Event::new() }
        });
        (awaited.event.listen(), awaited.version)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use uuid::Uuid;

    use super::*;

    fn project(number: u128) -> ProjectId {
        ProjectId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn who_listens_is_woken_by_its_project_alone() {
        let events = NewEvents::new();
        let (mut listener, version) = events.listen(project(1));
        events.notify(project(2));
        assert_eq!((&mut listener).now_or_never(), None);
        assert_eq!(events.listen(project(1)).1, version);
        events.notify(project(1));
        assert_eq!(listener.now_or_never(), Some(()));
        let (listener, later) = events.listen(project(1));
        assert!(later > version);
        events.notify_all();
        assert_eq!(listener.now_or_never(), Some(()));
        assert!(events.listen(project(1)).1 > later);
    }

    #[test]
    fn projects_that_no_one_listens_to_are_forgotten() {
        let events = NewEvents::new();
        let kept: Vec<_> = (0..100).map(|number| events.listen(project(number))).collect();
        for number in 100..10_000 {
            let _ = events.listen(project(number));
        }
        assert!(events.0.lock().unwrap().awaited.len() <= 2 * kept.len());
        events.notify(project(99));
        assert_eq!(kept.into_iter().last().unwrap().0.now_or_never(), Some(()));
    }
}
