//! How much each tenant does at once in this process.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use crate::id::ProjectId;

/// How many things of one kind each `K` has in progress.
#[derive(Debug, Clone)]
pub struct Slots<K>(Arc<Mutex<HashMap<K, usize>>>);

/// One thing in progress, until it is dropped.
#[derive(Debug)]
pub struct Slot<K: Hash + Eq> {
    of: K,
    slots: Slots<K>,
}

/// How many things of one kind each project has in progress.
pub type ProjectSlots = Slots<ProjectId>;
/// One thing that a project has in progress.
pub type ProjectSlot = Slot<ProjectId>;

impl<K> Default for Slots<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Hash + Eq + Copy> Slots<K> {
    /// Counts one more in, for as long as the slot lives; `None` if it has `limit` of them already.
    #[must_use]
    pub fn begin(&self, of: K, limit: usize) -> Option<Slot<K>> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = slots.get(&of).copied().unwrap_or_default();
        if count >= limit {
            return None;
        }
        slots.insert(of, count + 1);
        Some(Slot { of, slots: Self(self.0.clone()) })
    }
}

impl<K: Hash + Eq> Slots<K> {
    /// Whether it has fewer than `limit` of them.
    #[must_use]
    pub fn has_free_slot(&self, of: K, limit: usize) -> bool {
        let slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slots.get(&of).copied().unwrap_or_default() < limit
    }
}

impl ProjectSlot {
    /// The project that does it.
    #[must_use]
    pub const fn project(&self) -> ProjectId {
        self.of
    }
}

impl<K: Hash + Eq> Drop for Slot<K> {
    fn drop(&mut self) {
        let mut slots = self.slots.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = slots.get_mut(&self.of) {
            *count -= 1;
            if *count == 0 {
                slots.remove(&self.of);
            }
        }
    }
}
