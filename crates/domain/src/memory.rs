//! The memory that contents take between the database and clients: bounded in all and for each project.
//!
//! A store holds the bytes that a unit of work reads, before or while it reads them; a unit that finds no
//! room is run again later. What a unit has read is held by the request that it ran for, until that runs
//! another unit or is answered.

use std::cell::RefCell;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use event_listener::Event;

use crate::id::ProjectId;

/// Up to so many bytes do not count, because nearly all answers are small.
const SMALL: u64 = 16 << 10;
/// A project that holds nothing has room for so many bytes, whatever others hold.
const FIRST: u64 = 1 << 20;

/// How many bytes of contents are in memory.
#[derive(Debug)]
pub struct ContentMemory {
    most: u64,
    used: Mutex<Used>,
    /// Notified when bytes are released.
    released: Event,
}

#[derive(Debug, Default)]
struct Used {
    all: u64,
    by_project: HashMap<ProjectId, u64>,
}

/// Bytes that count until this is dropped.
#[derive(Debug)]
pub struct HeldBytes {
    memory: Arc<ContentMemory>,
    project: ProjectId,
    bytes: u64,
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        let mut used = self.memory.used();
        used.all = used.all.saturating_sub(self.bytes);
        if let Some(of_project) = used.by_project.get_mut(&self.project) {
            *of_project = of_project.saturating_sub(self.bytes);
            if *of_project == 0 {
                used.by_project.remove(&self.project);
            }
        }
        drop(used);
        self.memory.released.notify(usize::MAX);
    }
}

impl ContentMemory {
    /// Room for `most` bytes, of which a project has half.
    #[must_use]
    pub fn new(most: u64) -> Arc<Self> {
        Arc::new(Self { most, used: Mutex::default(), released: Event::new() })
    }

    /// Holds bytes of a project, if there is room for them. A project that holds nothing has room for 1 MiB,
    /// and for anything as long as not all is used, so one large content is never refused for ever. `None` if
    /// there is no room, otherwise what counts, which is nothing for few bytes.
    pub fn try_hold(self: &Arc<Self>, project: ProjectId, bytes: u64) -> Option<Option<HeldBytes>> {
        if bytes <= SMALL {
            return Some(None);
        }
        let used = self.used();
        let of_project = used.by_project.get(&project).copied().unwrap_or_default();
        let has_room = if of_project == 0 {
            bytes <= FIRST || used.all < self.most
        } else {
            of_project + bytes <= self.most / 2 && used.all + bytes <= self.most
        };
        has_room.then(|| Some(self.held(used, project, bytes)))
    }

    /// As [`Self::try_hold`], as soon as there is room.
    pub async fn hold_when_free(
        self: &Arc<Self>,
        project: ProjectId,
        bytes: u64,
    ) -> Option<HeldBytes> {
        loop {
            let released = self.released.listen();
            if let Some(held) = self.try_hold(project, bytes) {
                return held;
            }
            released.await;
        }
    }

    /// Holds bytes of a project, whether or not there is room for them. `None` for few bytes.
    pub fn hold(self: &Arc<Self>, project: ProjectId, bytes: u64) -> Option<HeldBytes> {
        (bytes > SMALL).then(|| self.held(self.used(), project, bytes))
    }

    /// How many bytes are held.
    #[must_use]
    pub fn in_use(&self) -> u64 {
        self.used().all
    }

    fn held(
        self: &Arc<Self>,
        mut used: MutexGuard<'_, Used>,
        project: ProjectId,
        bytes: u64,
    ) -> HeldBytes {
        used.all += bytes;
        *used.by_project.entry(project).or_default() += bytes;
        HeldBytes { memory: self.clone(), project, bytes }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one request holds. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct RequestMemory(Arc<Mutex<Vec<HeldBytes>>>);

thread_local! {
    /// The request that this thread works on.
    static CURRENT: RefCell<Option<RequestMemory>> = const { RefCell::new(None) };
}

impl RequestMemory {
    /// Runs a part of the request's work. What its units read meanwhile is held by it.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Puts the request back that was current before, after a panic as well.
        struct Before(Option<RequestMemory>);

        impl Drop for Before {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }

        let _before = Before(CURRENT.replace(Some(self.clone())));
        work()
    }

    /// A future of which each part is run as [`Self::during`] does.
    pub fn during_all<F>(&self, future: F) -> DuringAll<F> {
        DuringAll { memory: self.clone(), future }
    }

    /// The request that this thread works on, for another thread that does a part of that work.
    #[must_use]
    pub fn current() -> Self {
        CURRENT.with_borrow(|current| current.clone().unwrap_or_default())
    }

    /// Releases what the request holds.
    pub fn release(&self) {
        drop(std::mem::take(&mut *self.held()));
    }

    /// What the current request holds, which it does not hold any more. The caller keeps it for as long as
    /// the contents are in memory.
    #[must_use]
    pub fn take() -> Vec<HeldBytes> {
        CURRENT.with_borrow(|current| {
            current.as_ref().map(|current| std::mem::take(&mut *current.held())).unwrap_or_default()
        })
    }

    /// How many bytes the current request holds.
    #[must_use]
    pub fn bytes() -> u64 {
        CURRENT.with_borrow(|current| {
            let of_request = |current: &Self| current.held().iter().map(|held| held.bytes).sum();
            current.as_ref().map_or(0, of_request)
        })
    }

    /// Of which project the contents are that the current request holds.
    #[must_use]
    pub fn project() -> Option<ProjectId> {
        CURRENT.with_borrow(|current| Some(current.as_ref()?.held().first()?.project))
    }

    /// Has the current request hold these bytes instead of what it held before. Without a request they are
    /// released.
    pub fn keep(held: Vec<HeldBytes>) {
        let released = CURRENT.with_borrow(|current| {
            let current = current.as_ref()?;
            Some(std::mem::replace(&mut *current.held(), held))
        });
        drop(released);
    }

    /// Has the current request hold these bytes as well. Without a request they are released.
    pub fn keep_also(held: Vec<HeldBytes>) {
        let mut all = Self::take();
        all.extend(held);
        Self::keep(all);
    }

    fn held(&self) -> MutexGuard<'_, Vec<HeldBytes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`RequestMemory::during_all`].
#[derive(Debug)]
pub struct DuringAll<F> {
    memory: RequestMemory,
    future: F,
}

impl<F: Future + Unpin> Future for DuringAll<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        this.memory.during(|| Pin::new(&mut this.future).poll(context))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use uuid::Uuid;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn project(number: u128) -> ProjectId {
        ProjectId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn a_project_has_half_of_the_memory() {
        let memory = ContentMemory::new(8 * MIB);
        let hold = |number, bytes| memory.try_hold(project(number), bytes);
        let first = hold(1, MIB).unwrap();
        let second = hold(1, 3 * MIB).unwrap();
        assert!(hold(1, MIB).is_none());
        assert!(hold(1, SMALL).unwrap().is_none(), "few bytes do not count");
        let of_another = hold(2, 4 * MIB).unwrap();
        assert!(hold(3, MIB + 1).is_none(), "all is used");
        assert!(hold(3, MIB).unwrap().is_some(), "a project that holds nothing gets on");
        drop((first, of_another));
        assert!(hold(1, MIB).unwrap().is_some());
        drop(second);
        assert_eq!(memory.in_use(), 0);
        assert!(memory.used().by_project.is_empty());
    }

    #[test]
    fn one_content_may_be_larger_than_all() {
        let memory = ContentMemory::new(8 * MIB);
        let large = memory.try_hold(project(1), 20 * MIB).unwrap();
        assert!(memory.try_hold(project(1), 20 * MIB).is_none());
        assert!(memory.try_hold(project(2), 2 * MIB).is_none());
        drop(large);
        assert!(memory.try_hold(project(2), 2 * MIB).is_some());
        let forced = memory.hold(project(1), 20 * MIB);
        assert_eq!(memory.in_use(), 20 * MIB);
        drop(forced);
    }

    #[test]
    fn who_waits_gets_room_as_soon_as_there_is_some() {
        let memory = ContentMemory::new(8 * MIB);
        let (first, second) = (memory.hold(project(1), 3 * MIB), memory.hold(project(1), MIB));
        let mut waiting = Box::pin(memory.hold_when_free(project(1), MIB));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(first);
        assert!(waiting.now_or_never().flatten().is_some());
        drop(second);
    }

    #[test]
    fn what_was_taken_from_a_request_counts_until_it_is_dropped() {
        let memory = ContentMemory::new(8 * MIB);
        let request = RequestMemory::default();
        request.during(|| {
            RequestMemory::keep(memory.hold(project(1), MIB).into_iter().collect());
            let taken = RequestMemory::take();
            RequestMemory::keep(Vec::new());
            assert_eq!(memory.in_use(), MIB);
            drop(taken);
        });
        assert_eq!(memory.in_use(), 0);
    }

    #[test]
    fn a_request_holds_what_its_last_unit_read() {
        let memory = ContentMemory::new(8 * MIB);
        let read =
            |bytes| RequestMemory::keep(memory.hold(project(1), bytes).into_iter().collect());
        read(MIB);
        assert_eq!(memory.in_use(), 0, "there is no request");
        let (one, other) = (RequestMemory::default(), RequestMemory::default());
        one.during(|| {
            read(MIB);
            other.during(|| read(2 * MIB));
            assert_eq!(memory.in_use(), 3 * MIB);
            read(4 * MIB);
        });
        assert_eq!(memory.in_use(), 6 * MIB);
        let reading = one.during_all(Box::pin(async { read(MIB) }));
        reading.now_or_never().unwrap();
        assert_eq!(memory.in_use(), 3 * MIB);
        drop((one, other));
        assert_eq!(memory.in_use(), 0);
    }
}
