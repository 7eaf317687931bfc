//! How long events are kept.

use std::time::Duration;

use crate::clock::Timestamp;

/// What is kept of a project's events.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retention {
    pub(super) now: Timestamp,
    pub(super) keep: Duration,
    /// How many; 0 sets no bound.
    pub(super) most: u64,
}

impl Retention {
    /// Up to which number events go, given the numbers and times of the oldest ones and the number of the latest. The
    /// latest one always stays: the next number follows from it.
    pub(super) fn through(self, oldest: &[(u64, Timestamp)], latest: u64) -> Option<u64> {
        let before = self.now.minus(self.keep);
        let surplus = if self.most == 0 { 0 } else { latest.saturating_sub(self.most) };
        let goes = |(number, at): &&(u64, Timestamp)| {
            *number < latest && (*number <= surplus || *at < before)
        };
        oldest.iter().take_while(goes).last().map(|(number, _)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_old_or_surplus_goes_and_the_latest_stays() {
        let at = Timestamp::from_millis;
        let of = |most| Retention { now: at(1_000), keep: Duration::from_millis(500), most };
        let events = [(7, at(100)), (8, at(499)), (9, at(500)), (10, at(400)), (11, at(900))];
        for (most, latest, through) in [
            (0, 11, Some(8)),
            (5, 11, Some(8)),
            (3, 11, Some(8)),
            (2, 11, Some(10)),
            (1, 11, Some(10)),
            // There are more, which were not looked at.
            (1, 50, Some(11)),
            (0, 8, Some(7)),
            (0, 7, None),
        ] {
            assert_eq!(of(most).through(&events, latest), through, "{most} {latest}");
        }
        assert_eq!(of(0).through(&[], 0), None);
        assert_eq!(of(0).through(&[(3, at(999))], 3), None);
    }
}
