//! What the work of each project or client shares in this process.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::available_parallelism;

use crate::id::ProjectId;

/// A `T` for each `K`, like a semaphore for its work: made when it is needed, and forgotten when nobody has it.
pub struct PerKey<K, T> {
    make: fn() -> T,
    values: Mutex<BTreeMap<K, Weak<T>>>,
}

/// A `T` for each project.
pub type PerProject<T> = PerKey<ProjectId, T>;

impl<K: Ord, T> PerKey<K, T> {
    /// An empty map. `make` makes the value of a key when it is used for the first time.
    #[must_use]
    pub const fn new(make: fn() -> T) -> Self {
        Self { make, values: Mutex::new(BTreeMap::new()) }
    }

    /// That of one key.
    #[must_use]
    pub fn of(&self, key: K) -> Arc<T> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(its) = values.get(&key).and_then(Weak::upgrade) {
            return its;
        }
        values.retain(|_, its| its.strong_count() > 0);
        let its = Arc::new((self.make)());
        values.insert(key, Arc::downgrade(&its));
        its
    }
}

impl<K, T> fmt::Debug for PerKey<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerKey").finish_non_exhaustive()
    }
}

/// Half of the cores, and at least one: what the long work of one project uses at once, so that others need not wait
/// for all of it.
#[must_use]
pub fn half_of_the_cores() -> usize {
    available_parallelism().map_or(1, usize::from).div_ceil(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_share_nothing_and_idle_ones_are_forgotten() {
        let [one, other] = ["1", "2"].map(|last| {
            ProjectId::parse(&format!("00000000-0000-4000-8000-00000000000{last}")).unwrap()
        });
        let numbers = PerProject::new(|| 3);
        let of_one = numbers.of(one);
        assert!(Arc::ptr_eq(&of_one, &numbers.of(one)));
        assert!(!Arc::ptr_eq(&of_one, &numbers.of(other)));
        assert_eq!(*of_one, 3);
        drop(of_one);
        let _other = numbers.of(other);
        assert_eq!(numbers.values.lock().unwrap().len(), 1);
    }
}
