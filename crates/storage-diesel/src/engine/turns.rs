//! Whose turn is next: tenants whose units take long do not hold up those with short ones.

use std::collections::VecDeque;
use std::time::Duration;

use crate::engine::unit_lines::LineOwner;

/// A unit that takes longer than this is long. One commit takes about as long.
const LONG: Duration = Duration::from_millis(1);

/// Owners of lines of which a unit may be taken, each once.
#[derive(Default)]
pub struct Turns {
    /// Those whose units were short, in the order of their turns.
    short: VecDeque<LineOwner>,
    /// Those whose units were long.
    long: VecDeque<LineOwner>,
    /// Whether one of those comes next, so that they get on as well.
    long_is_next: bool,
}

impl Turns {
    /// Whether a unit that took so long is long.
    pub fn is_long(cost: Duration) -> bool {
        cost > LONG
    }

    /// Appends an owner, by how long his units take.
    pub fn push(&mut self, owner: LineOwner, cost: Duration) {
        let turns = if Self::is_long(cost) { &mut self.long } else { &mut self.short };
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

    pub fn is_empty(&self) -> bool {
        self.short.is_empty() && self.long.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_units_come_in_turn_with_short_ones_and_never_between_them() {
        let mut turns = Turns::default();
        let [short, long] = [LineOwner::Service, LineOwner::LookUps];
        for _ in 0..3 {
            turns.push(short, LONG);
            turns.push(long, LONG * 2);
        }
        let taken = [turns.next(), turns.next(), turns.next_short(), turns.next_short()];
        assert_eq!(taken, [Some(short), Some(long), Some(short), Some(short)]);
        assert_eq!(turns.next_short(), None);
        assert_eq!([turns.next(), turns.next()], [Some(long); 2]);
        assert!(turns.is_empty());
    }
}
