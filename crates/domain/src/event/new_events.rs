//! Wakes readers of this process that follow the events of a project.

use std::collections::{BTreeMap, HashSet};
use std::mem::take;
use std::sync::{Mutex, MutexGuard, PoisonError};

use event_listener::{Event, EventListener};

use crate::id::ProjectId;

/// How many projects are kept at least before those that no one listens to are forgotten.
const KEPT: usize = 64;

/// How many projects are recorded at most before all of them count as changed.
const CHANGED_MAX: usize = 10_000;

/// Wakes those who wait for new events of a project, or of any. A store notifies it.
#[derive(Debug, Default)]
pub struct NewEvents {
    projects: Mutex<Projects>,
    /// Notified with every project.
    any: Event,
}

/// Projects that may have new events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedProjects {
    /// These.
    These(Vec<ProjectId>),
    /// Any.
    All,
}

#[derive(Debug, Default)]
struct Projects {
    /// The greatest version given so far.
    latest: u64,
    awaited: BTreeMap<ProjectId, Awaited>,
    /// From how many projects on those that no one listens to are forgotten.
    full: usize,
    /// What [`NewEvents::changed`] has not returned yet; `None` if that was never called.
    changed: Option<Changed>,
}

#[derive(Debug, Default)]
struct Changed {
    all: bool,
    projects: HashSet<ProjectId>,
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

    /// Records a project, or all, for those who ask which have changed.
    fn record(&mut self, project: Option<ProjectId>) {
        let Some(changed) = &mut self.changed else { return };
        match project.filter(|_| !changed.all && changed.projects.len() < CHANGED_MAX) {
            Some(project) => drop(changed.projects.insert(project)),
            None => *changed = Changed { all: true, projects: HashSet::new() },
        }
    }
}

impl NewEvents {
    /// One that no one has notified yet.
    #[must_use]
    pub const fn new() -> Self {
        let projects = Projects { latest: 0, awaited: BTreeMap::new(), full: KEPT, changed: None };
        Self { projects: Mutex::new(projects), any: Event::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Projects> {
        self.projects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that this project may have new events, which can be read from now on.
    pub fn notify(&self, project: ProjectId) {
        let mut projects = self.lock();
        let version = projects.next_version();
        if let Some(awaited) = projects.awaited.get_mut(&project) {
            awaited.version = version;
            awaited.event.notify(usize::MAX);
        }
        projects.record(Some(project));
        drop(projects);
        self.any.notify(usize::MAX);
    }

    /// Says so of every project.
    pub fn notify_all(&self) {
        let mut projects = self.lock();
        let version = projects.next_version();
        for awaited in projects.awaited.values_mut() {
            awaited.version = version;
            awaited.event.notify(usize::MAX);
        }
        projects.record(None);
        drop(projects);
        self.any.notify(usize::MAX);
    }

    /// Says so of a project, or of every one.
    pub fn notify_of(&self, project: Option<ProjectId>) {
        match project {
            Some(project) => self.notify(project),
            None => self.notify_all(),
        }
    }

    /// Waits until projects may have new events that it has not returned yet; when it is called first, that holds for
    /// all of them. Each project is returned to one caller alone.
    pub async fn changed(&self) -> ChangedProjects {
        loop {
            let listener = {
                let mut projects = self.lock();
                let Some(changed) = &mut projects.changed else {
                    projects.changed = Some(Changed::default());
                    return ChangedProjects::All;
                };
                let Changed { all, projects } = take(changed);
                if all {
                    return ChangedProjects::All;
                }
                if !projects.is_empty() {
                    return ChangedProjects::These(projects.into_iter().collect());
                }
                self.any.listen()
            };
            listener.await;
        }
    }

    /// Listens from now on, and a version that grows whenever the project may have new events.
    pub(super) fn listen(&self, project: ProjectId) -> (EventListener, u64) {
        let mut projects = self.lock();
        let Projects { latest, awaited, full, .. } = &mut *projects;
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
    fn each_changed_project_is_returned_once() {
        let events = NewEvents::new();
        events.notify(project(1));
        assert_eq!(events.changed().now_or_never(), Some(ChangedProjects::All));
        assert_eq!(events.changed().now_or_never(), None);
        let mut waits = Box::pin(events.changed());
        assert_eq!(waits.as_mut().now_or_never(), None);
        events.notify(project(1));
        events.notify(project(1));
        assert_eq!(waits.now_or_never(), Some(ChangedProjects::These(vec![project(1)])));
        assert_eq!(events.changed().now_or_never(), None);
        events.notify(project(1));
        events.notify_all();
        events.notify(project(2));
        assert_eq!(events.changed().now_or_never(), Some(ChangedProjects::All));
        (0..=CHANGED_MAX as u128).for_each(|number| events.notify(project(number)));
        assert_eq!(events.changed().now_or_never(), Some(ChangedProjects::All));
        assert_eq!(events.changed().now_or_never(), None);
    }

    #[test]
    fn projects_that_no_one_listens_to_are_forgotten() {
        let events = NewEvents::new();
        let kept: Vec<_> = (0..100).map(|number| events.listen(project(number))).collect();
        for number in 100..10_000 {
            let _ = events.listen(project(number));
        }
        assert!(events.lock().awaited.len() <= 2 * kept.len());
        events.notify(project(99));
        assert_eq!(kept.into_iter().last().unwrap().0.now_or_never(), Some(()));
    }
}
