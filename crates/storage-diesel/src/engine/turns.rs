//! Whose turn is next: the tenant that has had the least time, so that one whose units take long does not hold up those
//! with short ones. This is start-time fair queueing (Goyal, Vin and Cheng, 1996).

use std::collections::BTreeMap;
use std::time::Duration;

use crate::engine::owner_queues::QueueOwner;

/// When a turn is due: after so much time that every owner who waits has had, and in the order in which they came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    start: Duration,
    number: u64,
}

impl Turn {
    /// The time that its owner had to have had before it.
    pub const fn start(&self) -> Duration {
        self.start
    }
}

/// Owners of queues of which a unit may be taken, each once.
pub struct Turns {
    /// How long a short unit takes at most.
    limit: Duration,
    /// Those whose units were short.
    short: BTreeMap<Turn, QueueOwner>,
    /// Those whose units were long.
    long: BTreeMap<Turn, QueueOwner>,
    /// The start of the latest turn that was used. An owner who comes now counts as having had so much time: he
    /// can't save up what he did not use.
    now: Duration,
    /// Turns that were given.
    count: u64,
}

impl Turns {
    /// No turns. Units that take longer than this are long.
    pub const fn new(limit: Duration) -> Self {
        Self { limit, short: BTreeMap::new(), long: BTreeMap::new(), now: Duration::ZERO, count: 0 }
    }

    /// Whether a unit that took so long is long.
    pub fn is_long(&self, cost: Duration) -> bool {
        cost > self.limit
    }

    /// Gives a turn to an owner who has had so much time, and whose units take so long. Returns the time that he
    /// counts as having had.
    pub fn push(&mut self, owner: QueueOwner, had: Duration, cost: Duration) -> Duration {
        let start = had.max(self.now);
        self.count += 1;
        let turns = if self.is_long(cost) { &mut self.long } else { &mut self.short };
        turns.insert(Turn { start, number: self.count }, owner);
        start
    }

    /// Takes the turn that is due first.
    pub fn next(&mut self) -> Option<(Turn, QueueOwner)> {
        let first = |turns: &BTreeMap<Turn, QueueOwner>| turns.keys().next().copied();
        match (first(&self.short), first(&self.long)) {
            (Some(short), Some(long)) if long < short => self.long.pop_first(),
            (Some(_), _) => self.short.pop_first(),
            (None, _) => self.long.pop_first(),
        }
    }

    /// Takes the first turn of an owner with short units.
    pub fn next_short(&mut self) -> Option<(Turn, QueueOwner)> {
        self.short.pop_first()
    }

    /// The time that an owner who comes now counts as having had.
    pub const fn now(&self) -> Duration {
        self.now
    }

    /// Remembers that a turn was used.
    pub fn used(&mut self, turn: Turn) {
        self.now = self.now.max(turn.start);
    }

    /// Gives turns of owners with short units back that were not used.
    pub fn put_back(&mut self, turns: Vec<(Turn, QueueOwner)>) {
        self.short.extend(turns);
    }

    pub fn is_empty(&self) -> bool {
        self.short.is_empty() && self.long.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// Uses the next turn; whose it was.
    fn next(turns: &mut Turns) -> Option<QueueOwner> {
        let (turn, owner) = turns.next()?;
        turns.used(turn);
        Some(owner)
    }

    #[test]
    fn an_owner_with_long_units_waits_until_the_others_have_had_as_much_time() {
        let mut turns = Turns::new(MS);
        let [short, long] = [QueueOwner::Service, QueueOwner::LookUps];
        let (mut had_by_short, mut had_by_long) = (Duration::ZERO, Duration::ZERO);
        turns.push(short, had_by_short, MS);
        turns.push(long, had_by_long, 5 * MS);
        let mut order = Vec::new();
        for _ in 0..12 {
            let owner = next(&mut turns).unwrap();
            order.push(owner);
            if owner == short {
                had_by_short = turns.push(short, had_by_short + MS, MS);
            } else {
                had_by_long = turns.push(long, had_by_long + 5 * MS, 5 * MS);
            }
        }
        let expected: Vec<_> =
            [[short].as_slice(), &[long], &[short; 4], &[long], &[short; 5]].concat();
        assert_eq!(order, expected);
    }

    #[test]
    fn who_comes_late_has_saved_up_nothing() {
        let mut turns = Turns::new(MS);
        let [early, late] = [QueueOwner::Service, QueueOwner::LookUps];
        turns.push(early, 9 * MS, MS);
        assert_eq!(next(&mut turns), Some(early));
        assert_eq!(turns.push(late, Duration::ZERO, MS), 9 * MS);
        assert_eq!(turns.push(early, 10 * MS, MS), 10 * MS);
        assert_eq!([next(&mut turns), next(&mut turns)], [Some(late), Some(early)]);
        assert!(turns.is_empty());
    }

    #[test]
    fn turns_that_are_put_back_keep_their_place() {
        let mut turns = Turns::new(MS);
        let [first, second] = [QueueOwner::Service, QueueOwner::LookUps];
        turns.push(first, Duration::ZERO, MS);
        turns.push(second, Duration::ZERO, MS);
        let not_used = turns.next_short().unwrap();
        turns.put_back(vec![not_used]);
        assert_eq!(turns.next_short().map(|(_, owner)| owner), Some(first));
        turns.push(first, Duration::ZERO, 2 * MS);
        assert_eq!(turns.next_short().map(|(_, owner)| owner), Some(second));
        assert_eq!(turns.next_short(), None);
    }
}
