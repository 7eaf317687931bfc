//! What has grown, and may have to be trimmed.

use std::collections::HashSet;
use std::hash::Hash;
use std::mem;
use std::sync::{Mutex, PoisonError};

/// Things of this process that have grown since they were last taken.
pub(crate) struct Grown<T>(Mutex<HashSet<T>>);

impl<T> Default for Grown<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Eq + Hash> Grown<T> {
    /// Remembers that it has grown.
    pub(crate) fn add(&self, thing: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(thing);
    }

    /// Those remembered since the last call.
    pub(crate) fn take(&self) -> Vec<T> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_iter().collect()
    }
}
