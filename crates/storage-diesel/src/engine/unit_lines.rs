//! The units that wait for a thread: a line for each tenant, and the order in which tenants take turns.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use domain::id::ProjectId;
use domain::lock::Mode;

use crate::engine::queued_unit::QueuedUnit;
use crate::engine::turns::Turns;

/// How long a tenant waits after a unit that has to be run again, before it runs one of those.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// How many units of a line run at once while others of it have to be run again. Most of them wait for the
/// same row, and would keep a session each meanwhile.
const RUNNING_BESIDE_RETRIES: usize = 2;

/// When a unit that reads is long, and one that writes, which waits for the disk as well.
pub const LONG_READ: Duration = Duration::from_millis(3);
pub const LONG_WRITE: Duration = Duration::from_millis(15);

/// Who waits in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineOwner {
    Project(ProjectId),
    /// The service itself.
    Service,
    /// Look-ups of tokens and of what they are for, before it is known whose they are.
    LookUps,
}

/// What a queue holds at most. A bound of 0 counts as 1.
#[derive(Debug, Clone, Copy)]
pub struct QueueBounds {
    /// Units that wait.
    pub waiting: usize,
    /// Units of one line that wait.
    pub waiting_per_line: usize,
    /// Units of one line that run at once. Its others wait, even if threads are idle.
    pub running_per_line: usize,
    /// Units that take longer than this are long.
    pub long: Duration,
    /// Units of one line that run at once while its units are long. They keep a core of the database busy, or of
    /// this machine, which others then miss.
    pub running_long: usize,
}

impl QueueBounds {
    /// The bounds of a queue for `waiting` units in front of `threads` threads: a line has a quarter of the
    /// one and half of the others, an eighth while its units are long.
    pub const fn of(waiting: usize, threads: usize, long: Duration) -> Self {
        Self {
            waiting,
            waiting_per_line: waiting.div_ceil(4),
            running_per_line: threads.div_ceil(2),
            long,
            running_long: threads / 8,
        }
    }

    /// The same bounds, each at least 1.
    pub fn at_least_one(self) -> Self {
        Self {
            waiting: self.waiting.max(1),
            waiting_per_line: self.waiting_per_line.max(1),
            running_per_line: self.running_per_line.max(1),
            running_long: self.running_long.max(1),
            ..self
        }
    }
}

/// All lines.
pub struct Lines {
    bounds: QueueBounds,
    by_owner: HashMap<LineOwner, Line>,
    /// Owners of lines of which a unit may be taken, each once.
    turns: Turns,
    /// Lines with units to be run again, and when the next of them may be.
    retries: Vec<(Instant, LineOwner)>,
    /// Units in all lines.
    pub waiting: usize,
}

/// The units of one owner.
#[derive(Default)]
struct Line {
    units: VecDeque<QueuedUnit>,
    /// Units to be run again, because others were in their way. They are run one at a time.
    retries: VecDeque<QueuedUnit>,
    /// Whether the next of them may be run.
    is_retry_due: bool,
    is_retrying: bool,
    running: usize,
    has_turn: bool,
    /// How long its units took lately.
    cost: Duration,
}

/// A unit that was taken out of its line.
pub struct TakenUnit {
    pub unit: QueuedUnit,
    pub is_retry: bool,
}

impl QueuedUnit {
    /// Whose line it waits in.
    pub fn owner(&self) -> LineOwner {
        match (self.tenant, self.mode) {
            (Some(project), _) => LineOwner::Project(project),
            (None, Mode::LookUp) => LineOwner::LookUps,
            (None, Mode::Read | Mode::Write) => LineOwner::Service,
        }
    }
}

impl Lines {
    pub fn new(bounds: QueueBounds) -> Self {
        let (by_owner, turns, retries) = Default::default();
        Self { bounds: bounds.at_least_one(), by_owner, turns, retries, waiting: 0 }
    }

    /// Whether there is no room for a unit of this owner.
    pub fn are_full(&self, owner: LineOwner) -> bool {
        let in_line = self.by_owner.get(&owner).map_or(0, Line::waiting);
        self.waiting >= self.bounds.waiting || in_line >= self.bounds.waiting_per_line
    }

    /// Appends a unit to the line of its owner.
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
        let line = self.by_owner.entry(owner).or_default();
        line.retries.push_back(unit);
        line.is_retry_due = false;
        self.retries.retain(|(_, retrying)| *retrying != owner);
        self.retries.push((Instant::now() + RETRY_PAUSE, owner));
        self.update_turn(owner);
    }

    /// The first unit of the owner whose turn it is. A unit whose caller has gone is dropped.
    pub fn pop(&mut self) -> Option<TakenUnit> {
        self.admit_retries();
        while let Some(owner) = self.turns.next() {
            if let Some(taken) = self.pop_of(owner) {
                return Some(taken);
            }
        }
        None
    }

    /// As [`Self::pop`], of an owner whose units were short lately.
    pub fn pop_short(&mut self) -> Option<TakenUnit> {
        self.admit_retries();
        while let Some(owner) = self.turns.next_short() {
            let cost = self.by_owner.get(&owner).map_or(Duration::ZERO, |line| line.cost);
            if Turns::is_long(cost) {
                // It got its turn before that was known.
                self.turns.push(owner, cost);
            } else if let Some(taken) = self.pop_of(owner) {
                return Some(taken);
            }
        }
        None
    }

    /// Uses up the turn of this owner.
    fn pop_of(&mut self, owner: LineOwner) -> Option<TakenUnit> {
        let line = self.by_owner.get_mut(&owner)?;
        line.has_turn = false;
        while let Some(taken) = line.pop() {
            self.waiting -= 1;
            if !taken.unit.is_abandoned() {
                line.is_retrying |= taken.is_retry;
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
    pub fn begun(&mut self, owner: LineOwner) {
        self.by_owner.entry(owner).or_default().running += 1;
        self.update_turn(owner);
    }

    /// Counts a running unit as ended.
    pub fn ended(&mut self, owner: LineOwner, was_retry: bool) {
        if let Some(line) = self.by_owner.get_mut(&owner) {
            line.running = line.running.saturating_sub(1);
            line.is_retrying &= !was_retry;
        }
        self.update_turn(owner);
    }

    /// Notes how long a unit of this owner took.
    pub fn took(&mut self, owner: LineOwner, time: Duration) {
        if let Some(line) = self.by_owner.get_mut(&owner) {
            line.cost = time.max(line.cost / 2);
        }
    }

    /// Gives an owner the next turn, if a unit of its line may be taken and it has no turn yet.
    pub fn update_turn(&mut self, owner: LineOwner) {
        let Some(line) = self.by_owner.get_mut(&owner) else {
            return;
        };
        let most = match owner {
            LineOwner::LookUps => usize::MAX,
            LineOwner::Project(_) | LineOwner::Service if line.cost > self.bounds.long => {
                self.bounds.running_long
            }
            LineOwner::Project(_) | LineOwner::Service => self.bounds.running_per_line,
        };
        let most = if line.retries.is_empty() { most } else { most.min(RUNNING_BESIDE_RETRIES) };
        if line.has_next() && line.running < most && !line.has_turn {
            line.has_turn = true;
            self.turns.push(owner, line.cost);
        }
        self.forget_if_idle(owner);
    }

    /// Whether a unit may be taken.
    pub fn have_turn(&self) -> bool {
        !self.turns.is_empty()
    }

    /// Drops units whose callers have gone.
    pub fn drop_abandoned(&mut self) {
        for line in self.by_owner.values_mut() {
            line.units.retain(|unit| !unit.is_abandoned());
            line.retries.retain(|unit| !unit.is_abandoned());
        }
        self.waiting = self.by_owner.values().map(Line::waiting).sum();
    }

    /// Gives a turn to lines whose pause has ended.
    fn admit_retries(&mut self) {
        if self.retries.is_empty() {
            return;
        }
        let now = Instant::now();
        let due: Vec<_> = self.retries.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, owner) in due {
            if let Some(line) = self.by_owner.get_mut(&owner) {
                line.is_retry_due = true;
            }
            self.update_turn(owner);
        }
    }

    fn forget_if_idle(&mut self, owner: LineOwner) {
        let line = self.by_owner.get(&owner);
        if line.is_some_and(|line| line.waiting() == 0 && line.running == 0 && !line.has_turn) {
            self.by_owner.remove(&owner);
        }
    }
}

impl Line {
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

#[cfg(test)]
mod tests {
    use domain::store::Outcome;
    use tokio::sync::oneshot::Receiver;
    use uuid::Uuid;

    use super::*;
    use crate::engine::queued_unit::Answer;

    /// Lines, and the callers of their units, who wait.
    struct Setting(Lines, Vec<Receiver<Answer>>);

    impl Setting {
        fn new(running_per_line: usize) -> Self {
            let bounds = QueueBounds {
                waiting: 100,
                waiting_per_line: 50,
                running_per_line,
                long: Duration::from_millis(5),
                running_long: 1,
            };
            Self(Lines::new(bounds), Vec::new())
        }

        fn unit(&mut self, mode: Mode, project: Option<u128>) -> QueuedUnit {
            let tenant = project.map(|number| ProjectId::from_uuid(Uuid::from_u128(number)));
            let unit =
                Box::new(|_: &mut dyn domain::store::Repositories| Ok(Box::new(()) as Outcome));
            let memory = domain::memory::ContentMemory::new(0);
            let (unit, caller) = QueuedUnit::new(mode, tenant, unit, memory);
            self.1.push(caller);
            unit
        }

        fn push(&mut self, mode: Mode, project: Option<u128>) {
            let unit = self.unit(mode, project);
            self.0.push(unit);
        }

        /// Takes a unit and counts it as running; whose it is, and whether it is run again.
        fn take(&mut self) -> Option<(LineOwner, bool)> {
            let taken = self.0.pop()?;
            self.0.begun(taken.unit.owner());
            Some((taken.unit.owner(), taken.is_retry))
        }

        /// Waits until the pause of all units that are to be run again is over.
        fn pause(&self) {
            let until = self.0.retries.iter().map(|(at, _)| *at).max();
            if let Some(until) = until {
                std::thread::sleep(until.saturating_duration_since(Instant::now()));
            }
        }
    }

    fn project(number: u128) -> LineOwner {
        LineOwner::Project(ProjectId::from_uuid(Uuid::from_u128(number)))
    }

    #[test]
    fn look_ups_of_tokens_do_not_wait_for_units_of_the_service() {
        let mut setting = Setting::new(1);
        for mode in [Mode::Read, Mode::Read, Mode::LookUp, Mode::LookUp] {
            setting.push(mode, None);
        }
        let taken: Vec<_> = std::iter::from_fn(|| setting.take()).collect();
        let expected = [LineOwner::Service, LineOwner::LookUps, LineOwner::LookUps];
        assert_eq!(taken, expected.map(|owner| (owner, false)));
    }

    #[test]
    fn a_line_with_long_units_has_few_threads() {
        let mut setting = Setting::new(3);
        for _ in 0..8 {
            setting.push(Mode::Read, Some(1));
        }
        assert_eq!(setting.take(), Some((project(1), false)));
        setting.0.took(project(1), Duration::from_millis(9));
        setting.0.ended(project(1), false);
        assert_eq!(setting.take(), Some((project(1), false)));
        assert_eq!(setting.take(), None);
        setting.0.took(project(1), Duration::ZERO);
        setting.0.ended(project(1), false);
        // What was long is forgotten after a while.
        for _ in 0..3 {
            assert_eq!(setting.take(), Some((project(1), false)));
        }
        assert_eq!(setting.take(), None);
    }

    #[test]
    fn a_unit_of_an_owner_with_long_ones_joins_no_others() {
        let mut setting = Setting::new(4);
        for project in [1, 2, 2, 1] {
            setting.push(Mode::Write, Some(project));
        }
        assert_eq!(setting.take(), Some((project(1), false)));
        setting.0.took(project(1), Duration::from_millis(7));
        let joining: Vec<_> = std::iter::from_fn(|| {
            let taken = setting.0.pop_short()?;
            setting.0.update_turn(taken.unit.owner());
            Some(taken.unit.owner())
        })
        .collect();
        assert_eq!(joining, [project(2); 2]);
        assert_eq!(setting.take(), Some((project(1), false)));
    }

    #[test]
    fn units_that_must_be_run_again_pause_and_are_run_one_at_a_time() {
        let mut setting = Setting::new(4);
        for project in [1, 1, 2] {
            let unit = setting.unit(Mode::Write, Some(project));
            setting.0.push_retry(unit);
        }
        assert_eq!(setting.take(), None);
        assert_eq!(setting.0.waiting, 3);
        setting.pause();
        assert_eq!(setting.take(), Some((project(1), true)));
        assert_eq!(setting.take(), Some((project(2), true)));
        assert_eq!(setting.take(), None);
        setting.0.ended(project(1), true);
        assert_eq!(setting.take(), Some((project(1), true)));
        setting.0.ended(project(1), true);
        setting.0.ended(project(2), true);
        assert_eq!((setting.0.waiting, setting.0.by_owner.len()), (0, 0));
    }

    #[test]
    fn a_line_with_units_to_be_run_again_has_few_threads() {
        let mut setting = Setting::new(4);
        let unit = setting.unit(Mode::Write, Some(1));
        setting.0.push_retry(unit);
        for _ in 0..6 {
            setting.push(Mode::Write, Some(1));
        }
        assert_eq!(setting.take(), Some((project(1), false)));
        assert_eq!(setting.take(), Some((project(1), false)));
        assert_eq!(setting.take(), None);
        setting.0.ended(project(1), false);
        setting.pause();
        // After that none is to be run again, so the line has its threads back.
        assert_eq!(setting.take(), Some((project(1), true)));
        for _ in 0..2 {
            assert_eq!(setting.take(), Some((project(1), false)));
        }
        assert_eq!(setting.take(), None);
    }
}
