//! When entries were read last: collected in memory and written every 500 ms, because a write for
//! each read would cost more than the read.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{EntryAddress, KeyvalScope};
use crate::clock::Timestamp;

/// That an entry was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Whose entry.
    pub scope: KeyvalScope,
    /// The address of the entry.
    pub address: EntryAddress,
    /// When it was read.
    pub at: Timestamp,
}

/// How many entries are remembered at most. Beyond that, an access to any other entry is dropped, because
/// the database takes nothing at the moment and memory is bounded.
const PENDING_MAX: usize = 40_000;

/// The accesses that the database does not know of yet; of each entry, the latest. One stays here
/// until it was written, so that a caller that asks meanwhile does not miss it.
#[derive(Default)]
pub(crate) struct AccessTimes {
    pending: Mutex<HashMap<(KeyvalScope, EntryAddress), Timestamp>>,
    is_flushing: AtomicBool,
}

/// The permission to write accesses because there are too many. Dropping it lets another caller have it.
pub(crate) struct FlushPermit<'a>(&'a AtomicBool);

impl Drop for FlushPermit<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl AccessTimes {
    /// Remembers an access; returns how many entries are remembered now.
    pub(crate) fn record(&self, Access { scope, address, at }: Access) -> usize {
        let mut pending = self.pending();
        let is_full = pending.len() >= PENDING_MAX;
        match pending.entry((scope, address)) {
            Entry::Occupied(mut known) => {
                let latest = at.max(*known.get());
                known.insert(latest);
            }
            Entry::Vacant(unknown) if !is_full => drop(unknown.insert_entry(at)),
            Entry::Vacant(_) => {}
        }
        pending.len()
    }

    /// All that is remembered, in the order of the table, so that units which write the same entries do not
    /// wait for each other in a circle.
    pub(crate) fn waiting(&self) -> Vec<Access> {
        let mut accesses: Vec<_> = {
            let pending = self.pending();
            let accesses = pending.iter();
            accesses
                .map(|((scope, address), at)| Access {
                    scope: *scope,
                    address: address.clone(),
                    at: *at,
                })
                .collect()
        };
        accesses.sort_by_cached_key(|Access { scope, address, .. }| {
            (scope.project_id(), scope.owner_id(), address.clone())
        });
        accesses
    }

    /// Forgets these, which were written. An entry that was read once more meanwhile stays remembered.
    pub(crate) fn written(&self, accesses: &[Access]) {
        let mut pending = self.pending();
        for Access { scope, address, at } in accesses {
            if let Entry::Occupied(known) = pending.entry((*scope, address.clone()))
                && known.get() <= at
            {
                known.remove();
            }
        }
    }

    /// Whether an access to the entry at this time or later is remembered.
    pub(crate) fn was_read_since(
        &self,
        scope: KeyvalScope,
        address: &EntryAddress,
        time: Timestamp,
    ) -> bool {
        self.pending().get(&(scope, address.clone())).is_some_and(|at| *at >= time)
    }

    /// Gives leave to write accesses because there are too many, to one at a time.
    pub(crate) fn flush_permit(&self) -> Option<FlushPermit<'_>> {
        let was_free = !self.is_flushing.swap(true, Ordering::Acquire);
        was_free.then_some(FlushPermit(&self.is_flushing))
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<(KeyvalScope, EntryAddress), Timestamp>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ProjectId;

    fn access(key: &str, at: i64) -> Access {
        Access {
            scope: KeyvalScope::sample(ProjectId::from_uuid(uuid::Uuid::from_u128(1))),
            address: EntryAddress {
                user_id: "u".to_owned(),
                entry_type: "t".to_owned(),
                key: key.to_owned(),
            },
            at: Timestamp::from_millis(at),
        }
    }

    #[test]
    fn of_each_entry_the_latest_access_is_kept_until_it_was_written() {
        let times = AccessTimes::default();
        for (key, at, count) in [("b", 5, 1), ("a", 1, 2), ("b", 7, 2), ("b", 6, 2)] {
            assert_eq!(times.record(access(key, at)), count);
        }
        let waiting = times.waiting();
        assert_eq!(waiting, [access("a", 1), access("b", 7)]);
        let was_read_since = |key: &str, at: i64| {
            let Access { scope, address, at } = access(key, at);
            times.was_read_since(scope, &address, at)
        };
        assert!(was_read_since("b", 7) && !was_read_since("b", 8) && !was_read_since("c", 0));
        times.record(access("a", 2));
        times.written(&waiting);
        assert_eq!(times.waiting(), [access("a", 2)]);
        assert!(!was_read_since("b", 7));
    }

    #[test]
    fn there_is_an_end_to_what_is_noted() {
        let times = AccessTimes::default();
        for number in 0..PENDING_MAX + 5 {
            times.record(access(&number.to_string(), 1));
        }
        assert_eq!(times.record(access("0", 2)), PENDING_MAX);
        let Access { scope, address, at } = access("0", 2);
        assert!(times.was_read_since(scope, &address, at));
    }

    #[test]
    fn one_at_a_time_relieves() {
        let times = AccessTimes::default();
        let one = times.flush_permit();
        assert!(one.is_some() && times.flush_permit().is_none());
        drop(one);
        assert!(times.flush_permit().is_some());
    }
}
