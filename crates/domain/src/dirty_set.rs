//! What may have to be trimmed, because it has grown.

use std::collections::{HashSet, VecDeque};
use std::hash::Hash;
use std::mem;
use std::sync::{Mutex, PoisonError};

use crate::error::DomainError;

/// One batch of rows that was removed.
pub(crate) struct TrimmedBatch {
    /// How many rows it had.
    pub(crate) removed: u32,
    /// Whether there may be more to remove.
    pub(crate) has_more: bool,
}

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

    /// Trims those remembered since the last call, a batch of each in turn, so that one that has grown much does not keep
    /// others waiting; returns how many rows were removed.
    ///
    /// # Errors
    /// The first of `trim_batch`. The next call goes on with those that were not trimmed to the end.
    pub(crate) async fn trim<F>(&self, trim_batch: impl Fn(T) -> F) -> Result<u64, DomainError>
    where
        T: Copy,
        F: Future<Output = Result<TrimmedBatch, DomainError>>,
    {
        let mut removed = 0;
        let mut things: VecDeque<T> = self.take().into();
        while let Some(thing) = things.pop_front() {
            match trim_batch(thing).await {
                Ok(batch) => {
                    removed += u64::from(batch.removed);
                    if batch.has_more {
                        things.push_back(thing);
                    }
                }
                Err(error) => {
                    things.into_iter().chain([thing]).for_each(|thing| self.mark(thing));
                    return Err(error);
                }
            }
        }
        Ok(removed)
    }

    fn take(&self) -> Vec<T> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_iter().collect()
    }
}
