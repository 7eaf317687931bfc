//! Which units are run in one transaction.

use std::time::{Duration, Instant};

use super::{OwnerQueue, OwnerQueues, QueueOwner};
use crate::engine::queued_unit::QueuedUnit;

/// For how long units of an owner join no others after one of them made a transaction fail.
const APART: Duration = Duration::from_secs(1);

impl OwnerQueues {
    /// The units of projects that may be run in one transaction with this one, which was just taken: so many at
    /// most, as many as take no more than this time with it, by what the units of their projects took lately, and each
    /// project in its turn. All their queues count as running until [`Self::batch_ended`].
    pub fn pop_joining(
        &mut self,
        first: QueueOwner,
        most: usize,
        time: Duration,
    ) -> Vec<QueuedUnit> {
        let mut joining = Vec::new();
        if !self.may_join(first) {
            return joining;
        }
        let mut left = time.saturating_sub(self.cost(first));
        self.update_turn(first);
        let mut staying = Vec::new();
        while joining.len() < most {
            let Some((turn, owner)) = self.turns.next_short() else {
                break;
            };
            let cost = self.cost(owner);
            if cost > left || !self.may_join(owner) {
                staying.push((turn, owner));
            } else if let Some(taken) = self.pop_of(turn, owner) {
                joining.push(taken.unit);
                left = left.saturating_sub(cost);
                self.update_turn(owner);
            }
        }
        self.turns.put_back(staying);
        joining
    }

    /// How long a unit of this owner takes, by what the last ones took.
    fn cost(&self, owner: QueueOwner) -> Duration {
        self.by_owner.get(&owner).map_or(Duration::ZERO, |queue| queue.cost)
    }

    /// Whether units of this owner may be run in one transaction with others, which wait for them and fail with
    /// them. Those of jobs may not: clients would wait for them.
    fn may_join(&self, owner: QueueOwner) -> bool {
        let is_short = |queue: &OwnerQueue| !self.turns.is_long(queue.longest);
        let goes_on = |queue: &OwnerQueue| queue.retries.is_empty() && !queue.is_retrying;
        let queue = self.by_owner.get(&owner);
        matches!(owner, QueueOwner::Project(_))
            && queue.is_some_and(|queue| is_short(queue) && goes_on(queue))
            && !self.isolated.iter().any(|(_, isolated)| *isolated == owner)
    }

    /// Counts these owners' units as running in one transaction.
    pub fn batch_begun(&mut self, owners: &[QueueOwner]) {
        for owner in owners {
            self.by_owner.entry(*owner).or_default().is_in_batch = true;
        }
    }

    /// The transaction with units of these owners has ended.
    pub fn batch_ended(&mut self, owners: &[QueueOwner]) {
        for owner in owners {
            if let Some(queue) = self.by_owner.get_mut(owner) {
                queue.is_in_batch = false;
            }
            self.update_turn(*owner);
        }
    }

    /// Takes units back that were not run, to be the next ones of their queues.
    pub fn push_first(&mut self, units: Vec<QueuedUnit>) {
        for unit in units.into_iter().rev() {
            let owner = unit.owner();
            self.waiting += 1;
            self.by_owner.entry(owner).or_default().units.push_front(unit);
            self.update_turn(owner);
        }
    }

    /// Keeps units of these owners from joining others for a while.
    pub fn isolate(&mut self, owners: &[QueueOwner]) {
        let until = Instant::now() + APART;
        self.isolated.retain(|(_, owner)| !owners.contains(owner));
        self.isolated.extend(owners.iter().map(|owner| (until, *owner)));
    }
}
