//! The units that wait for a thread: a queue for each owner, and the order in which owners take turns.

mod batches;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use domain::id::ProjectId;
use domain::lock::Mode;

use crate::engine::queue_bounds::QueueBounds;
use crate::engine::queued_unit::QueuedUnit;
use crate::engine::turns::{Turn, Turns};

/// How long a tenant waits after a unit that has to be run again, before it runs one of those.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// How much time a unit counts for at least, so that queues with short units take turns one by one.
const LEAST_CHARGE: Duration = Duration::from_micros(100);

/// After how many units queues are forgotten that have none and whose owners need not wait for what they have had.
const FORGET_AFTER: u32 = 256;

/// How many units of a queue run at once while others of it have to be run again. Most of them wait for the
/// same row, and would keep a session each meanwhile.
const RUNNING_BESIDE_RETRIES: usize = 2;

/// Who has one of the queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QueueOwner {
    /// The clients of a project, and the jobs for which they wait.
    Project(ProjectId),
    /// The other jobs of a project.
    JobsOf(ProjectId),
    /// The service itself.
    Service,
    /// Look-ups of tokens and of what they are for, before it is known whose they are.
    LookUps,
}

/// All queues.
pub struct OwnerQueues {
    bounds: QueueBounds,
    by_owner: HashMap<QueueOwner, OwnerQueue>,
    /// Owners of queues of which a unit may be taken, each once.
    turns: Turns,
    /// Queues with units to be run again, and when the next of them may be.
    retries: Vec<(Instant, QueueOwner)>,
    /// Owners whose units join no others until then.
    isolated: Vec<(Instant, QueueOwner)>,
    /// Units to be taken until queues are forgotten.
    until_forgetting: u32,
    /// Units in all queues.
    pub waiting: usize,
}

/// The units of one owner.
#[derive(Default)]
struct OwnerQueue {
    units: VecDeque<QueuedUnit>,
    /// Units to be run again, because others were in their way. They are run one at a time.
    retries: VecDeque<QueuedUnit>,
    /// Whether the next of them may be run.
    is_retry_due: bool,
    is_retrying: bool,
    /// Whether units of it run in one transaction with others. Until that ends, no other one is taken: it would
    /// wait for what they hold.
    is_in_batch: bool,
    running: usize,
    has_turn: bool,
    /// How long its units took lately, on average.
    cost: Duration,
    /// How long the longest of them took, and a quarter less after each unit since. While that is long, none of its
    /// units joins others: short ones, such as those that are refused, may be mixed with long ones.
    longest: Duration,
    /// How much time it has had, see [`Turns`].
    had: Duration,
}

/// A unit that was taken out of its queue.
pub struct TakenUnit {
    pub unit: QueuedUnit,
    pub is_retry: bool,
}

impl QueuedUnit {
    /// Who has the queue in which it waits.
    pub fn owner(&self) -> QueueOwner {
        match (self.tenant, self.mode) {
            (Some(project), _) if self.is_background => QueueOwner::JobsOf(project),
            (Some(project), _) => QueueOwner::Project(project),
            (None, Mode::LookUp) => QueueOwner::LookUps,
            (None, Mode::Read | Mode::Write) => QueueOwner::Service,
        }
    }
}

impl OwnerQueues {
    pub fn new(bounds: QueueBounds) -> Self {
        let turns = Turns::new(bounds.short);
        let (by_owner, retries, isolated) = Default::default();
        Self {
            bounds: bounds.at_least_one(),
            by_owner,
            turns,
            retries,
            isolated,
            until_forgetting: FORGET_AFTER,
            waiting: 0,
        }
    }

    /// Whether there is no room for a unit of this owner.
    pub fn are_full(&self, owner: QueueOwner) -> bool {
        let in_queue = self.by_owner.get(&owner).map_or(0, OwnerQueue::waiting);
        self.waiting >= self.bounds.waiting || in_queue >= self.bounds.waiting_per_queue
    }

    /// Appends a unit to the queue of its owner.
    pub fn push(&mut self, unit: QueuedUnit) {
        let owner = unit.owner();
        self.waiting += 1;
        self.by_owner.entry(owner).or_default().units.push_back(unit);
        self.update_turn(owner);
    }

    /// Takes a unit back that must be run again after a pause.
    pub fn push_retry(&mut self, unit: QueuedUnit) {
        let owner = unit.owner();
        self.waiting += 1;
        let queue = self.by_owner.entry(owner).or_default();
        queue.retries.push_back(unit);
        queue.is_retry_due = false;
        self.retries.retain(|(_, retrying)| *retrying != owner);
        self.retries.push((Instant::now() + RETRY_PAUSE, owner));
        self.update_turn(owner);
    }

    /// The first unit of the owner whose turn it is. A unit whose caller has gone is dropped.
    pub fn pop(&mut self) -> Option<TakenUnit> {
        self.admit_retries();
        self.forget_idle();
        while let Some((turn, owner)) = self.turns.next() {
            if let Some(taken) = self.pop_of(turn, owner) {
                return Some(taken);
            }
        }
        None
    }

    /// As [`Self::pop`], of an owner whose units were short lately.
    pub fn pop_short(&mut self) -> Option<TakenUnit> {
        self.admit_retries();
        while let Some((turn, owner)) = self.turns.next_short() {
            if let Some(taken) = self.pop_of(turn, owner) {
                return Some(taken);
            }
        }
        None
    }

    /// Uses up the turn of this owner, unless it was given before the time was known that an earlier unit took: then
    /// the owner gets a later one.
    fn pop_of(&mut self, turn: Turn, owner: QueueOwner) -> Option<TakenUnit> {
        let queue = self.by_owner.get_mut(&owner)?;
        if queue.had > turn.start() {
            queue.had = self.turns.push(owner, queue.had, queue.longest);
            return None;
        }
        self.turns.used(turn);
        queue.has_turn = false;
        if queue.is_in_batch {
            // It got its turn before that was so, and gets another one afterwards.
            return None;
        }
        while let Some(taken) = queue.pop() {
            self.waiting -= 1;
            if !taken.unit.is_abandoned() {
                queue.is_retrying |= taken.is_retry;
                return Some(taken);
            }
        }
        self.forget_if_idle(owner);
        None
    }

    /// When the next unit may be taken that waits for its pause to end.
    pub fn next_retry(&self) -> Option<Instant> {
        self.retries.iter().map(|(at, _)| *at).min()
    }

    /// Counts a unit that was taken as running.
    pub fn begun(&mut self, owner: QueueOwner) {
        self.by_owner.entry(owner).or_default().running += 1;
        self.update_turn(owner);
    }

    /// Counts a running unit as ended.
    pub fn ended(&mut self, owner: QueueOwner, was_retry: bool) {
        if let Some(queue) = self.by_owner.get_mut(&owner) {
            queue.running = queue.running.saturating_sub(1);
            queue.is_retrying &= !was_retry;
        }
        self.update_turn(owner);
    }

    /// Notes how long a unit of this owner took.
    pub fn took(&mut self, owner: QueueOwner, time: Duration) {
        let now = self.turns.now();
        // There may be no queue any more, because its last unit was taken.
        let queue = self.by_owner.entry(owner).or_default();
        queue.cost = (queue.cost * 3 + time) / 4;
        queue.longest = time.max(queue.longest * 3 / 4);
        queue.had = queue.had.max(now) + time.max(LEAST_CHARGE);
    }

    /// Notes that this owner wrote so much that to commit it took so long as well.
    pub fn committed_much(&mut self, owner: QueueOwner, time: Duration) {
        let now = self.turns.now();
        let queue = self.by_owner.entry(owner).or_default();
        queue.longest = queue.longest.max(time);
        queue.had = queue.had.max(now) + time;
    }

    /// Gives an owner the next turn, if a unit of its queue may be taken and it has no turn yet.
    pub fn update_turn(&mut self, owner: QueueOwner) {
        let Some(queue) = self.by_owner.get_mut(&owner) else {
            return;
        };
        let most = match owner {
            QueueOwner::LookUps => usize::MAX,
            // On PostgreSQL its processes keep the cores busy that clients miss.
            QueueOwner::JobsOf(_) => self.bounds.running_long,
            QueueOwner::Project(_) | QueueOwner::Service if queue.cost > self.bounds.long => {
                self.bounds.running_long
            }
            QueueOwner::Project(_) => self.bounds.running_per_project,
            QueueOwner::Service => self.bounds.running_per_queue,
        };
        let most = if queue.retries.is_empty() { most } else { most.min(RUNNING_BESIDE_RETRIES) };
        if queue.has_next() && queue.running < most && !queue.has_turn && !queue.is_in_batch {
            queue.has_turn = true;
            queue.had = self.turns.push(owner, queue.had, queue.longest);
        }
        self.forget_if_idle(owner);
    }

    /// Whether a unit may be taken.
    pub fn have_turn(&self) -> bool {
        !self.turns.is_empty()
    }

    /// Drops units whose callers have gone.
    pub fn drop_abandoned(&mut self) {
        for queue in self.by_owner.values_mut() {
            queue.units.retain(|unit| !unit.is_abandoned());
            queue.retries.retain(|unit| !unit.is_abandoned());
        }
        self.waiting = self.by_owner.values().map(OwnerQueue::waiting).sum();
    }

    /// Gives a turn to queues whose pause has ended, and lets those join others again whose isolation has.
    fn admit_retries(&mut self) {
        if self.retries.is_empty() && self.isolated.is_empty() {
            return;
        }
        let now = Instant::now();
        self.isolated.retain(|(until, _)| *until > now);
        let due: Vec<_> = self.retries.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, owner) in due {
            if let Some(queue) = self.by_owner.get_mut(&owner) {
                queue.is_retry_due = true;
            }
            self.update_turn(owner);
        }
    }

    /// Forgets a queue without units, unless its owner still has to wait for what he has had.
    fn forget_if_idle(&mut self, owner: QueueOwner) {
        let now = self.turns.now();
        let queue = self.by_owner.get(&owner);
        if queue.is_some_and(|queue| queue.is_idle() && queue.had <= now) {
            self.by_owner.remove(&owner);
        }
    }

    /// The same for all queues, now and then.
    fn forget_idle(&mut self) {
        self.until_forgetting = self.until_forgetting.saturating_sub(1);
        if self.until_forgetting == 0 {
            self.until_forgetting = FORGET_AFTER;
            let now = self.turns.now();
            self.by_owner.retain(|_, queue| !queue.is_idle() || queue.had > now);
        }
    }
}

impl OwnerQueue {
    fn is_idle(&self) -> bool {
        self.waiting() == 0 && self.running == 0 && !self.has_turn && !self.is_in_batch
    }

    fn waiting(&self) -> usize {
        self.units.len() + self.retries.len()
    }

    fn may_retry(&self) -> bool {
        !self.retries.is_empty() && self.is_retry_due && !self.is_retrying
    }

    fn has_next(&self) -> bool {
        !self.units.is_empty() || self.may_retry()
    }

    fn pop(&mut self) -> Option<TakenUnit> {
        let (from, is_retry) =
            if self.may_retry() { (&mut self.retries, true) } else { (&mut self.units, false) };
        Some(TakenUnit { unit: from.pop_front()?, is_retry })
    }
}
