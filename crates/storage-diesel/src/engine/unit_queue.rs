//! The queue between the callers of a store and its threads, in which tenants take turns.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use domain::StorageError;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::store::BoxedUnit;

use crate::engine::meters::Meters;
use crate::engine::queued_unit::{Answer, QueuedUnit};

/// Whose units wait: a project's, or those of the service itself.
type Tenant = Option<ProjectId>;

/// What a queue holds at most. A bound of 0 counts as 1.
#[derive(Debug, Clone, Copy)]
pub struct QueueBounds {
    /// Units that wait.
    pub waiting: usize,
    /// Units of one tenant that wait.
    pub waiting_per_tenant: usize,
    /// Units of one tenant that run at once. Its others wait, even if threads are idle.
    pub running_per_tenant: usize,
}

impl QueueBounds {
    /// The bounds of a queue for so many units in front of so many threads: a tenant has a quarter of the
    /// one and half of the others.
    pub const fn of(waiting: usize, threads: usize) -> Self {
        Self {
            waiting,
            waiting_per_tenant: waiting.div_ceil(4),
            running_per_tenant: threads.div_ceil(2),
        }
    }
}

/// A bounded queue that has a line for each tenant and serves the lines round robin.
///
/// Once it is closed, units are refused; the threads run what waits, and then find the queue ended.
pub struct UnitQueue {
    bounds: QueueBounds,
    lines: Mutex<Lines>,
    /// Signalled when a unit may be taken, or none will ever be.
    ready: Condvar,
}

#[derive(Default)]
struct Lines {
    by_tenant: HashMap<Tenant, Line>,
    /// Tenants of which a unit may be taken, in the order of their turns, each once.
    turns: VecDeque<Tenant>,
    waiting: usize,
    /// Threads that wait for a unit; waking costs a system call.
    idle_threads: usize,
    is_closed: bool,
}

/// The units of one tenant.
#[derive(Default)]
struct Line {
    units: VecDeque<QueuedUnit>,
    running: usize,
    has_turn: bool,
}

/// What came of waiting for a unit for a limited time.
pub enum Taken {
    /// This unit is to be run.
    Unit(QueuedUnit),
    /// None came in time.
    TimedOut,
    /// None will come any more.
    Ended,
}

/// Stands for one running unit of its tenant.
pub struct Running<'a> {
    queue: &'a UnitQueue,
    tenant: Tenant,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut lines = self.queue.lines();
        if let Some(line) = lines.by_tenant.get_mut(&self.tenant) {
            line.running = line.running.saturating_sub(1);
        }
        self.queue.update_turn(lines, self.tenant);
    }
}

impl UnitQueue {
    pub fn new(bounds: QueueBounds) -> Self {
        let QueueBounds { waiting, waiting_per_tenant, running_per_tenant } = bounds;
        let bounds = QueueBounds {
            waiting: waiting.max(1),
            waiting_per_tenant: waiting_per_tenant.max(1),
            running_per_tenant: running_per_tenant.max(1),
        };
        Self { bounds, lines: Mutex::default(), ready: Condvar::new() }
    }

    /// Queues a unit and waits for its answer.
    ///
    /// # Errors
    /// The error of the unit; `Overloaded` at once if the queue or the tenant's line is full, `Unavailable`
    /// if the queue is closed.
    pub async fn run(
        &self,
        mode: Mode,
        tenant: Tenant,
        unit: BoxedUnit,
        meters: &Meters,
    ) -> Answer {
        let (queued, answer) = QueuedUnit::new(mode, tenant, unit);
        if let Err(refusal) = self.add(queued) {
            let refusal = Err(refusal.into());
            meters.unit(mode, &refusal, Duration::ZERO);
            return refusal;
        }
        answer.await.unwrap_or_else(|_| Err(closed().into()))
    }

    fn add(&self, unit: QueuedUnit) -> Result<(), StorageError> {
        let tenant = unit.tenant;
        let mut lines = self.lines();
        if lines.is_closed {
            return Err(closed());
        }
        if lines.are_full(tenant, self.bounds) {
            // Units whose callers have gone must not keep others out until their turn.
            lines.drop_abandoned();
            if lines.are_full(tenant, self.bounds) {
                return Err(StorageError::Overloaded);
            }
        }
        lines.push(unit);
        self.update_turn(lines, tenant);
        Ok(())
    }

    /// Queues a unit again that was taken, behind the others of its tenant, even if the queue is full or
    /// closed: its caller still waits.
    pub fn put_back(&self, unit: QueuedUnit) {
        let tenant = unit.tenant;
        let mut lines = self.lines();
        lines.push(unit);
        self.update_turn(lines, tenant);
    }

    /// Waits for the unit whose turn it is. `None` once the queue is closed and empty.
    pub fn take(&self) -> Option<(QueuedUnit, Running<'_>)> {
        let mut lines = self.lines();
        loop {
            if let Some(unit) = lines.pop() {
                let tenant = unit.tenant;
                lines.by_tenant.entry(tenant).or_default().running += 1;
                self.update_turn(lines, tenant);
                return Some((unit, Running { queue: self, tenant }));
            }
            if lines.has_ended() {
                self.ready.notify_all();
                return None;
            }
            lines.idle_threads += 1;
            lines = self.ready.wait(lines).unwrap_or_else(PoisonError::into_inner);
            lines.idle_threads -= 1;
        }
    }

    /// As [`Self::take`], for so long, for a thread that runs all units by itself.
    pub fn take_within(&self, time: Duration) -> Taken {
        let until = Instant::now() + time;
        let mut lines = self.lines();
        loop {
            if let Some(unit) = lines.pop() {
                let tenant = unit.tenant;
                self.update_turn(lines, tenant);
                return Taken::Unit(unit);
            }
            if lines.has_ended() {
                return Taken::Ended;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Taken::TimedOut;
            }
            lines.idle_threads += 1;
            let waited = self.ready.wait_timeout(lines, left);
            lines = waited.unwrap_or_else(PoisonError::into_inner).0;
            lines.idle_threads -= 1;
        }
    }

    /// As [`Self::take_within`], without waiting.
    pub fn take_waiting(&self) -> Option<QueuedUnit> {
        let mut lines = self.lines();
        let unit = lines.pop()?;
        self.update_turn(lines, unit.tenant);
        Some(unit)
    }

    /// How many units wait.
    pub fn waiting(&self) -> usize {
        self.lines().waiting
    }

    /// Refuses units from now on. Those in the queue are still run.
    pub fn close(&self) {
        self.lines().is_closed = true;
        self.ready.notify_all();
    }

    /// Gives the tenant its turn if a unit of it may be taken, and wakes a thread if there is a unit for one.
    fn update_turn(&self, mut lines: MutexGuard<'_, Lines>, tenant: Tenant) {
        lines.update_turn(tenant, self.bounds.running_per_tenant);
        let is_any = !lines.turns.is_empty() && lines.idle_threads > 0;
        let has_ended = lines.has_ended();
        drop(lines);
        if has_ended {
            self.ready.notify_all();
        } else if is_any {
            self.ready.notify_one();
        }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn are_full(&self, tenant: Tenant, bounds: QueueBounds) -> bool {
        let of_tenant = self.by_tenant.get(&tenant).map_or(0, |line| line.units.len());
        self.waiting >= bounds.waiting || of_tenant >= bounds.waiting_per_tenant
    }

    fn push(&mut self, unit: QueuedUnit) {
        self.waiting += 1;
        self.by_tenant.entry(unit.tenant).or_default().units.push_back(unit);
    }

    /// The first unit, whose caller still waits, of the tenant whose turn it is.
    fn pop(&mut self) -> Option<QueuedUnit> {
        while let Some(tenant) = self.turns.pop_front() {
            let Some(line) = self.by_tenant.get_mut(&tenant) else {
                continue;
            };
            line.has_turn = false;
            while let Some(unit) = line.units.pop_front() {
                self.waiting -= 1;
                if !unit.is_abandoned() {
                    return Some(unit);
                }
            }
            self.forget_if_idle(tenant);
        }
        None
    }

    /// Appends the tenant to the turns, if a unit of it may be taken and it has no turn yet.
    fn update_turn(&mut self, tenant: Tenant, running_per_tenant: usize) {
        let Some(line) = self.by_tenant.get_mut(&tenant) else {
            return;
        };
        let may_run = !line.units.is_empty() && line.running < running_per_tenant;
        if may_run && !line.has_turn {
            line.has_turn = true;
            self.turns.push_back(tenant);
        }
        self.forget_if_idle(tenant);
    }

    fn forget_if_idle(&mut self, tenant: Tenant) {
        let line = self.by_tenant.get(&tenant);
        if line.is_some_and(|line| line.units.is_empty() && line.running == 0 && !line.has_turn) {
            self.by_tenant.remove(&tenant);
        }
    }

    fn drop_abandoned(&mut self) {
        for line in self.by_tenant.values_mut() {
            line.units.retain(|unit| !unit.is_abandoned());
        }
        self.waiting = self.by_tenant.values().map(|line| line.units.len()).sum();
    }

    const fn has_ended(&self) -> bool {
        self.is_closed && self.waiting == 0
    }
}

/// The error for a unit that came too late.
pub fn closed() -> StorageError {
    StorageError::Unavailable("the store is closed".to_owned())
}
