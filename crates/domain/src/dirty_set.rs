//! What may have to be trimmed, because it has grown.

use std::collections::HashSet;
use std::hash::Hash;
use std::mem;
use std::sync::{Mutex, PoisonError};

/// What has grown by what this process did, since it was last taken.
pub(crate) struct DirtySet<T>(Mutex<HashSet<T>>);

impl<T> Default for DirtySet<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Eq + Hash> DirtySet<T> {
    /// Remembers that it has grown.
    pub(crate) fn mark(&self, thing: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(thing);
    }

    /// Those remembered since the last call.
    pub(crate) fn take(&self) -> Vec<T> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_iter().collect()
    }
}
