//! The queue between the callers of a store and its threads, in which tenants take turns.

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use domain::StorageError;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::memory::{ContentMemory, RequestMemory};
use domain::store::{BoxedUnit, Outcome};

use crate::engine::meters::Meters;
use crate::engine::owner_queues::{OwnerQueues, QueueOwner, TakenUnit};
use crate::engine::queue_bounds::QueueBounds;
use crate::engine::queued_unit::{Failure, QueuedUnit, UnitAnswer, deliver};
use crate::engine::tx::Tx;

/// A bounded queue that consists of one for each owner of units. These take turns by the time of their units.
///
/// Once it is closed, units are refused; the threads run what waits, and then find the queue ended.
pub struct UnitQueue {
    state: Mutex<QueueState>,
    /// As of [`QueueBounds`].
    short: Duration,
    memory: Arc<ContentMemory>,
    /// Signalled when a unit may be taken, or none will ever be.
    ready: Condvar,
}

struct QueueState {
    queues: OwnerQueues,
    /// Threads that wait for a unit; waking costs a system call.
    idle_threads: usize,
    is_closed: bool,
}

/// What came of waiting for a unit for a limited time.
pub enum Taken {
    /// This unit is to be run.
    Unit(QueuedUnit),
    /// None came in time.
    TimedOut,
    /// None will come any more.
    Closed,
}

/// What a thread is to run next.
pub enum Work<'a> {
    /// A unit in a transaction of its own.
    One(QueuedUnit, Running<'a>),
    /// Units, two at least, which may be run in one transaction.
    Batch(Vec<QueuedUnit>, RunningBatch<'a>),
}

/// Stands for units that run in one transaction.
pub struct RunningBatch<'a> {
    queue: &'a UnitQueue,
    /// Whose units they are, each once.
    owners: Vec<QueueOwner>,
}

impl RunningBatch<'_> {
    /// Queues units of the batch again that were not run, or were undone, as the next ones of their owners.
    /// Units of `isolated` join no others for a while, because they may make a transaction fail.
    pub fn requeue(self, units: Vec<QueuedUnit>, isolated: &[QueueOwner]) {
        let mut state = self.queue.state();
        state.queues.isolate(isolated);
        state.queues.push_first(units);
    }

    /// Whose units they are.
    pub fn owners(&self) -> &[QueueOwner] {
        &self.owners
    }
}

impl Drop for RunningBatch<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.queues.batch_ended(&self.owners);
        self.queue.wake(state);
    }
}

/// Stands for one running unit of its owner.
pub struct Running<'a> {
    queue: &'a UnitQueue,
    owner: QueueOwner,
    is_retry: bool,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.queues.ended(self.owner, self.is_retry);
        self.queue.wake(state);
    }
}

/// A queue that is closed when this is dropped: its threads run what waits and end, and nothing waits for them, because
/// the thread that drops it may be one that must not block.
pub struct OwnedQueue(Arc<UnitQueue>);

impl OwnedQueue {
    /// As [`UnitQueue::new`].
    pub fn new(bounds: QueueBounds, memory: Arc<ContentMemory>) -> Self {
        Self(Arc::new(UnitQueue::new(bounds, memory)))
    }

    /// The queue for a thread.
    pub fn share(&self) -> Arc<UnitQueue> {
        self.0.clone()
    }
}

impl Deref for OwnedQueue {
    type Target = UnitQueue;

    fn deref(&self) -> &UnitQueue {
        &self.0
    }
}

impl Drop for OwnedQueue {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl UnitQueue {
    /// A queue of units, whose reads take this memory.
    fn new(bounds: QueueBounds, memory: Arc<ContentMemory>) -> Self {
        let state =
            QueueState { queues: OwnerQueues::new(bounds), idle_threads: 0, is_closed: false };
        Self { state: Mutex::new(state), short: bounds.short, memory, ready: Condvar::new() }
    }

    /// Queues a unit and waits for its answer.
    ///
    /// # Errors
    /// The error of the unit; `Overloaded` at once if the queue or the share of the tenant is full, `Unavailable`
    /// if the queue is closed.
    pub async fn run(
        &self,
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
        meters: &Meters,
    ) -> UnitAnswer {
        // What an earlier unit of the same request has read is in the answer by now, or not needed.
        RequestMemory::keep(Vec::new());
        let (queued, answer) = QueuedUnit::new(mode, tenant, unit, self.memory.clone());
        if let Err(refusal) = self.add(queued) {
            let refusal = Err(refusal.into());
            meters.unit(mode, &refusal, Duration::ZERO);
            return refusal;
        }
        deliver(answer.await.unwrap_or_else(|_| Err(closed().into())))
    }

    fn add(&self, unit: QueuedUnit) -> Result<(), StorageError> {
        let owner = unit.owner();
        let mut state = self.state();
        if state.is_closed {
            return Err(closed());
        }
        if state.queues.are_full(owner) {
            // Units whose callers have gone must not keep others out until their turn.
            state.queues.drop_abandoned();
            if state.queues.are_full(owner) {
                return Err(StorageError::Overloaded);
            }
        }
        state.queues.push(unit);
        self.wake(state);
        Ok(())
    }

    /// Queues a unit again that was taken and has to be run again, even if the queue is full or closed: its
    /// caller still waits. It is run after a pause, and no other such unit of its tenant at the same time.
    pub fn requeue(&self, unit: QueuedUnit) {
        let mut state = self.state();
        state.queues.push_retry(unit);
        self.wake(state);
    }

    /// Waits for the unit whose turn it is. `None` once the queue is closed and empty.
    pub fn take(&self) -> Option<(QueuedUnit, Running<'_>)> {
        self.take_as(|state, taken| self.begin(state, taken))
    }

    /// Waits for the unit whose turn it is, and takes so many of those that wait behind it, itself included, as
    /// may join it in one transaction and have taken no more than this time lately. `None` once the queue is closed
    /// and empty.
    pub fn take_batch(&self, most: usize, time: Duration) -> Option<Work<'_>> {
        self.take_as(|mut state, taken| {
            let owner = taken.unit.owner();
            let may_lead = most > 1 && !taken.is_retry;
            let joining =
                if may_lead { state.queues.pop_joining(owner, most - 1, time) } else { vec![] };
            if joining.is_empty() {
                let (unit, running) = self.begin(state, taken);
                return Work::One(unit, running);
            }
            let units: Vec<_> = std::iter::once(taken.unit).chain(joining).collect();
            let owners: HashSet<_> = units.iter().map(QueuedUnit::owner).collect();
            let owners: Vec<_> = owners.into_iter().collect();
            state.queues.batch_begun(&owners);
            self.wake(state);
            Work::Batch(units, RunningBatch { queue: self, owners })
        })
    }

    /// Waits for the unit whose turn it is, and takes it in this way.
    fn take_as<'a, T>(
        &'a self,
        take: impl Fn(MutexGuard<'a, QueueState>, TakenUnit) -> T,
    ) -> Option<T> {
        let mut state = self.state();
        loop {
            if let Some(taken) = state.queues.pop() {
                return Some(take(state, taken));
            }
            if state.has_ended() {
                self.ready.notify_all();
                return None;
            }
            let next_retry = state.queues.next_retry();
            state = self.wait(state, next_retry);
        }
    }

    /// Counts a unit that was taken as running.
    fn begin<'a>(
        &'a self,
        mut state: MutexGuard<'a, QueueState>,
        taken: TakenUnit,
    ) -> (QueuedUnit, Running<'a>) {
        let TakenUnit { unit, is_retry } = taken;
        let owner = unit.owner();
        state.queues.begun(owner);
        self.wake(state);
        (unit, Running { queue: self, owner, is_retry })
    }

    /// As [`Self::take`], for so long, for a thread that runs all units by itself.
    pub fn take_within(&self, time: Duration) -> Taken {
        let until = Instant::now() + time;
        let mut state = self.state();
        loop {
            if let Some(taken) = state.queues.pop() {
                state.queues.ended(taken.unit.owner(), taken.is_retry);
                self.wake(state);
                return Taken::Unit(taken.unit);
            }
            if state.has_ended() {
                return Taken::Closed;
            }
            if Instant::now() >= until {
                return Taken::TimedOut;
            }
            let next = state.queues.next_retry().map_or(until, |retry| retry.min(until));
            state = self.wait(state, Some(next));
        }
    }

    /// As [`Self::take_within`], without waiting, and only a unit of a tenant whose units do not take long: it
    /// is run together with others, who wait for it.
    pub fn take_waiting(&self) -> Option<QueuedUnit> {
        let mut state = self.state();
        let taken = state.queues.pop_short()?;
        state.queues.ended(taken.unit.owner(), taken.is_retry);
        Some(taken.unit)
    }

    /// Runs a unit that was taken as [`QueuedUnit::attempt`], and notes how long its statements took, without the begin
    /// and the end of its transaction: these wait for the disk, and units that are committed together share them.
    pub fn attempt(&self, unit: &QueuedUnit, tx: &mut Tx<'_>) -> Result<Outcome, Failure> {
        let began = Instant::now();
        let ran = unit.attempt(tx);
        self.state().queues.took(unit.owner(), began.elapsed());
        ran
    }

    /// Notes that this owner wrote so much that to commit it took so long as well.
    pub fn committed_much(&self, owner: QueueOwner, time: Duration) {
        self.state().queues.committed_much(owner, time);
    }

    /// Whether a unit that took so long is not short, see [`QueueBounds::short`].
    pub fn is_long(&self, time: Duration) -> bool {
        time > self.short
    }

    /// How many units wait.
    pub fn waiting(&self) -> usize {
        self.state().queues.waiting
    }

    /// Refuses units from now on. Those in the queue are still run.
    pub fn close(&self) {
        self.state().is_closed = true;
        self.ready.notify_all();
    }

    /// Waits until there may be something to do, or until this time.
    fn wait<'a>(
        &self,
        mut state: MutexGuard<'a, QueueState>,
        until: Option<Instant>,
    ) -> MutexGuard<'a, QueueState> {
        state.idle_threads += 1;
        let mut state = match until {
            None => self.ready.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(until) => {
                let left = until.saturating_duration_since(Instant::now());
                let waited = self.ready.wait_timeout(state, left);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        state.idle_threads -= 1;
        state
    }

    /// Wakes a thread if there is a unit for one.
    fn wake(&self, state: MutexGuard<'_, QueueState>) {
        // A thread that waits without a limit must be woken for a retry, too.
        let is_any = state.queues.have_turn() || state.queues.next_retry().is_some();
        let (is_any, has_ended) = (is_any && state.idle_threads > 0, state.has_ended());
        drop(state);
        if has_ended {
            self.ready.notify_all();
        } else if is_any {
            self.ready.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    const fn has_ended(&self) -> bool {
        self.is_closed && self.queues.waiting == 0
    }
}

/// The error for a unit that came too late.
pub fn closed() -> StorageError {
    StorageError::Unavailable("the store is closed".to_owned())
}
