//! Whose turn is next: tenants whose units take long do not hold up those with short ones.

use std::collections::VecDeque;
use std::time::Duration;

use crate::engine::unit_lines::LineOwner;

/// Owners of lines of which a unit may be taken, each once.
pub struct Turns {
    /// How long a short unit takes at most.
    limit: Duration,
    /// Those whose units were short, in the order of their turns.
    short: VecDeque<LineOwner>,
    /// Those whose units were long.
    long: VecDeque<LineOwner>,
    /// Whether one of those comes next, so that they get on as well.
    long_is_next: bool,
}

impl Turns {
    /// No turns. Units that take longer than this are long.
    pub const fn new(limit: Duration) -> Self {
        Self { limit, short: VecDeque::new(), long: VecDeque::new(), long_is_next: false }
    }

    /// Whether a unit that took so long is long.
    pub fn is_long(&self, cost: Duration) -> bool {
        cost > self.limit
    }

    /// Appends an owner, by how long his units take.
    pub fn push(&mut self, owner: LineOwner, cost: Duration) {
        let turns = if self.is_long(cost) { &mut self.long } else { &mut self.short };
        turns.push_back(owner);
    }

    /// The owner whose turn it is: one with short units and one with long units alternate.
    pub fn next(&mut self) -> Option<LineOwner> {
        let (first, second) = if self.long_is_next {
            (&mut self.long, &mut self.short)
        } else {
            (&mut self.short, &mut self.long)
        };
        let owner = first.pop_front().or_else(|| second.pop_front())?;
        self.long_is_next = !self.long_is_next;
        Some(owner)
    }

    /// The next owner with short units.
    pub fn next_short(&mut self) -> Option<LineOwner> {
        self.short.pop_front()
    }

    /// Puts owners with short units, in this order, before all others of them.
    pub fn put_first(&mut self, owners: Vec<LineOwner>) {
        for owner in owners.into_iter().rev() {
            self.short.push_front(owner);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.short.is_empty() && self.long.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_units_come_in_turn_with_short_ones_and_never_between_them() {
        let limit = Duration::from_millis(1);
        let mut turns = Turns::new(limit);
        let [short, long] = [LineOwner::Service, LineOwner::LookUps];
        for _ in 0..3 {
            turns.push(short, limit);
            turns.push(long, limit * 2);
        }
        let taken = [turns.next(), turns.next(), turns.next_short(), turns.next_short()];
        assert_eq!(taken, [Some(short), Some(long), Some(short), Some(short)]);
        assert_eq!(turns.next_short(), None);
        assert_eq!([turns.next(), turns.next()], [Some(long); 2]);
        assert!(turns.is_empty());
    }
}
