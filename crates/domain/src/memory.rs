//! The memory that contents take between the database and clients: bounded in all and for each project.
//!
//! A store reserves the bytes that a unit of work reads, before or while it reads them; a unit for which not enough
//! is free is run again later. The reservations of a unit belong to the request that it ran for, until that request
//! runs another unit or is answered.

use std::cell::RefCell;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use event_listener::Event;

use crate::id::ProjectId;

/// Reservations of at most so many bytes are not counted, because nearly all answers are small.
const UNCOUNTED_MAX: u64 = 16 << 10;
/// So many bytes are free for a project that has no reservation, whatever others have reserved.
const GUARANTEED: u64 = 1 << 20;

/// The memory for contents, and how much of it is reserved.
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

/// A reservation of memory, which ends when this is dropped.
#[derive(Debug)]
pub struct ReservedBytes {
    memory: Arc<ContentMemory>,
    project: ProjectId,
    bytes: u64,
}

impl Drop for ReservedBytes {
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

/// Not enough memory is free now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoFreeMemory;

impl ContentMemory {
    /// `most` bytes, of which a project can reserve half.
    #[must_use]
    pub fn new(most: u64) -> Arc<Self> {
        Arc::new(Self { most, used: Mutex::default(), released: Event::new() })
    }

    /// Reserves bytes for a project; `None` for at most 16 KiB, which are not counted. A project that has no
    /// reservation gets 1 MiB always, and more as long as not all is reserved, so that one large content is never
    /// refused for ever.
    ///
    /// # Errors
    /// If not enough is free.
    pub fn try_reserve(
        self: &Arc<Self>,
        project: ProjectId,
        bytes: u64,
    ) -> Result<Option<ReservedBytes>, NoFreeMemory> {
        if bytes <= UNCOUNTED_MAX {
            return Ok(None);
        }
        let used = self.used();
        let of_project = used.by_project.get(&project).copied().unwrap_or_default();
        let is_free = if of_project == 0 {
            bytes <= GUARANTEED || used.all < self.most
        } else {
            of_project + bytes <= self.most / 2 && used.all + bytes <= self.most
        };
        if !is_free {
            return Err(NoFreeMemory);
        }
        Ok(Some(self.reserved(used, project, bytes)))
    }

    /// As [`Self::try_reserve`], as soon as enough is free.
    pub async fn reserve_when_free(
        self: &Arc<Self>,
        project: ProjectId,
        bytes: u64,
    ) -> Option<ReservedBytes> {
        loop {
            let released = self.released.listen();
            if let Ok(reserved) = self.try_reserve(project, bytes) {
                return reserved;
            }
            released.await;
        }
    }

    /// Reserves bytes for a project, also if they are not free; `None` for at most 16 KiB.
    pub fn reserve(self: &Arc<Self>, project: ProjectId, bytes: u64) -> Option<ReservedBytes> {
        (bytes > UNCOUNTED_MAX).then(|| self.reserved(self.used(), project, bytes))
    }

    /// How many bytes are reserved.
    #[must_use]
    pub fn in_use(&self) -> u64 {
        self.used().all
    }

    fn reserved(
        self: &Arc<Self>,
        mut used: MutexGuard<'_, Used>,
        project: ProjectId,
        bytes: u64,
    ) -> ReservedBytes {
        used.all += bytes;
        *used.by_project.entry(project).or_default() += bytes;
        ReservedBytes { memory: self.clone(), project, bytes }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reservations of one request. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct RequestMemory(Arc<Mutex<Vec<ReservedBytes>>>);

thread_local! {
    /// The request that this thread works on.
    static CURRENT: RefCell<Option<RequestMemory>> = const { RefCell::new(None) };
}

impl RequestMemory {
    /// Runs a part of the request's work: it is the current request for that time.
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

    /// A future of which each poll is run as [`Self::during`] does.
    pub fn during_all<F>(&self, future: F) -> DuringAll<F> {
        DuringAll { memory: self.clone(), future }
    }

    /// The request that this thread works on, for another thread that does a part of that work.
    #[must_use]
    pub fn current() -> Self {
        CURRENT.with_borrow(|current| current.clone().unwrap_or_default())
    }

    /// Ends the reservations of the request.
    pub fn release(&self) {
        drop(std::mem::take(&mut *self.reserved()));
    }

    /// Takes the reservations from the current request. The caller keeps them for as long as the contents are in
    /// memory.
    #[must_use]
    pub fn take() -> Vec<ReservedBytes> {
        CURRENT.with_borrow(|current| {
            current
                .as_ref()
                .map(|current| std::mem::take(&mut *current.reserved()))
                .unwrap_or_default()
        })
    }

    /// How many bytes are reserved for the current request.
    #[must_use]
    pub fn bytes() -> u64 {
        CURRENT.with_borrow(|current| {
            let of_request = |current: &Self| current.reserved().iter().map(|one| one.bytes).sum();
            current.as_ref().map_or(0, of_request)
        })
    }

    /// The project for which the current request has reserved memory.
    #[must_use]
    pub fn project() -> Option<ProjectId> {
        CURRENT.with_borrow(|current| Some(current.as_ref()?.reserved().first()?.project))
    }

    /// Gives reservations to the current request, and ends those that it had. Without a request they end.
    pub fn keep(reserved: Vec<ReservedBytes>) {
        let before = CURRENT.with_borrow(|current| {
            let current = current.as_ref()?;
            Some(std::mem::replace(&mut *current.reserved(), reserved))
        });
        drop(before);
    }

    /// Gives reservations to the current request beside those that it has. Without a request they end.
    pub fn keep_also(reserved: Vec<ReservedBytes>) {
        let mut all = Self::take();
        all.extend(reserved);
        Self::keep(all);
    }

    fn reserved(&self) -> MutexGuard<'_, Vec<ReservedBytes>> {
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
        let reserve = |number, bytes| memory.try_reserve(project(number), bytes);
        let first = reserve(1, MIB).unwrap();
        let second = reserve(1, 3 * MIB).unwrap();
        assert!(reserve(1, MIB).is_err());
        assert!(reserve(1, UNCOUNTED_MAX).unwrap().is_none());
        let of_another = reserve(2, 4 * MIB).unwrap();
        assert!(reserve(3, MIB + 1).is_err(), "all is reserved");
        assert!(reserve(3, MIB).unwrap().is_some(), "the first MiB of a project is free");
        drop((first, of_another));
        assert!(reserve(1, MIB).unwrap().is_some());
        drop(second);
        assert_eq!(memory.in_use(), 0);
        assert!(memory.used().by_project.is_empty());
    }

    #[test]
    fn one_content_may_be_larger_than_all() {
        let memory = ContentMemory::new(8 * MIB);
        let large = memory.try_reserve(project(1), 20 * MIB).unwrap();
        assert!(memory.try_reserve(project(1), 20 * MIB).is_err());
        assert!(memory.try_reserve(project(2), 2 * MIB).is_err());
        drop(large);
        assert!(memory.try_reserve(project(2), 2 * MIB).is_ok());
        let forced = memory.reserve(project(1), 20 * MIB);
        assert_eq!(memory.in_use(), 20 * MIB);
        drop(forced);
    }

    #[test]
    fn memory_is_reserved_as_soon_as_enough_is_free() {
        let memory = ContentMemory::new(8 * MIB);
        let (first, second) =
            (memory.reserve(project(1), 3 * MIB), memory.reserve(project(1), MIB));
        let mut waiting = Box::pin(memory.reserve_when_free(project(1), MIB));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(first);
        assert!(waiting.now_or_never().flatten().is_some());
        drop(second);
    }

    #[test]
    fn what_was_taken_from_a_request_is_reserved_until_it_is_dropped() {
        let memory = ContentMemory::new(8 * MIB);
        let request = RequestMemory::default();
        request.during(|| {
            RequestMemory::keep(memory.reserve(project(1), MIB).into_iter().collect());
            let taken = RequestMemory::take();
            RequestMemory::keep(Vec::new());
            assert_eq!(memory.in_use(), MIB);
            drop(taken);
        });
        assert_eq!(memory.in_use(), 0);
    }

    #[test]
    fn a_request_has_the_reservations_of_its_last_unit() {
        let memory = ContentMemory::new(8 * MIB);
        let read =
            |bytes| RequestMemory::keep(memory.reserve(project(1), bytes).into_iter().collect());
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
