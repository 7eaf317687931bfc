//! The latest events of projects, read once for all who follow them.
//!
//! Many readers follow the same project, and all of them want what has just happened. So it is read once and each takes
//! what it asks for. A reader that is further behind reads for itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use futures_util::lock;

use super::{EventFilter, EventPage, NumberedEvent};
use crate::clock::Timestamp;
use crate::id::ProjectId;

/// After what time it is looked whether something is new although nothing said so: a process may have ended before it
/// had said it.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// An event that many readers share, and what the first of them has made of it.
#[derive(Debug)]
pub struct SharedEvent {
    event: NumberedEvent,
    rendering: OnceLock<Box<[u8]>>,
}

impl SharedEvent {
    pub(super) const fn new(event: NumberedEvent) -> Self {
        Self { event, rendering: OnceLock::new() }
    }

    /// The event.
    #[must_use]
    pub const fn event(&self) -> &NumberedEvent {
        &self.event
    }

    /// The event as it is sent. Only the first reader makes that, so all must make the same of it.
    pub fn rendered(&self, render: impl FnOnce(&NumberedEvent) -> Vec<u8>) -> &[u8] {
        self.rendering.get_or_init(|| render(&self.event).into())
    }
}

/// The events of a project that were read last for those who follow it.
#[derive(Debug, Default)]
pub(super) struct Tail {
    /// After which number they are.
    after: u64,
    /// Up to which number events were read.
    pub(super) read_through: u64,
    /// Whether there were more.
    pub(super) has_more: bool,
    /// The version of the project's events before they were read.
    version: u64,
    /// When they were read; `None` if nothing was read yet.
    pub(super) read_at: Option<Timestamp>,
    events: Vec<Arc<SharedEvent>>,
}

impl Tail {
    /// What was read after this number, and the version before that.
    pub(super) fn of(page: EventPage, after: u64, (version, now): (u64, Timestamp)) -> Self {
        let EventPage { events, read_through, has_more } = page;
        let events = events.into_iter().map(SharedEvent::new).map(Arc::new).collect();
        Self { after, read_through, has_more, version, read_at: Some(now), events }
    }

    /// Whether events right after `after` are missing, because it was read from a later number on.
    pub(super) const fn starts_after(&self, after: u64) -> bool {
        self.read_at.is_some() && after < self.after
    }

    /// Whether there was nothing after this number when it was read, which was not long ago, and nothing has come
    /// since.
    pub(super) fn is_latest(&self, after: u64, version: u64, now: Timestamp) -> bool {
        self.read_through == after
            && !self.has_more
            && self.version >= version
            && self.read_at.is_some_and(|read_at| now < read_at.plus(LOOK_AGAIN))
    }

    /// Its events after this number that match.
    pub(super) fn after(&self, number: u64, filter: &EventFilter) -> Vec<Arc<SharedEvent>> {
        let first = self.events.partition_point(|shared| shared.event.number <= number);
        let later = self.events.get(first..).unwrap_or_default().iter();
        later.filter(|shared| filter.matches(&shared.event.event)).cloned().collect()
    }
}

/// The tail of a project. Those who follow it read one after the other.
pub(super) type SharedTail = Arc<lock::Mutex<Tail>>;

/// The tails of projects, as long as someone follows them.
#[derive(Default)]
pub(crate) struct Tails(Mutex<HashMap<ProjectId, Weak<lock::Mutex<Tail>>>>);

impl Tails {
    pub(super) fn of(&self, project: ProjectId) -> SharedTail {
        let mut tails = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tail) = tails.get(&project).and_then(Weak::upgrade) {
            return tail;
        }
        tails.retain(|_, tail| tail.strong_count() > 0);
        let tail = SharedTail::default();
        tails.insert(project, Arc::downgrade(&tail));
        tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_the_latest_until_something_comes_or_it_is_old() {
        let at = Timestamp::from_millis;
        let page = EventPage { events: Vec::new(), read_through: 7, has_more: false };
        let tail = Tail::of(page.clone(), 5, (3, at(1_000)));
        assert!(tail.is_latest(7, 3, at(1_000)));
        assert!(tail.is_latest(7, 2, at(5_999)));
        assert!(!tail.is_latest(7, 4, at(1_000)));
        assert!(!tail.is_latest(7, 3, at(6_000)));
        assert!(!tail.is_latest(6, 3, at(1_000)));
        assert!(!Tail::of(EventPage { has_more: true, ..page }, 5, (3, at(1_000))).is_latest(
            7,
            3,
            at(1_000)
        ));
        assert!(tail.starts_after(4) && !tail.starts_after(5));
        assert!(!Tail::default().starts_after(0) && !Tail::default().is_latest(0, 0, at(0)));
    }
}
