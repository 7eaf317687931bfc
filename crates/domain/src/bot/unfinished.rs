//! Copies of bots and stored configurations that were begun and will not be finished.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::job::Job;

/// Up to this difference between the clocks of nodes, no change of the bot goes unnoticed, and nothing is removed
/// while it is being made.
pub(super) const CLOCK_TOLERANCE: Duration = Duration::from_secs(10 * 60);

/// The jobs that remove them. Each of them is due only after a time in which everything is finished, and is to be made
/// due now.
#[derive(Clone, Default)]
pub(crate) struct Unfinished(Arc<Mutex<Vec<Job>>>);

/// Stands for something while it is being made.
pub(super) struct RemovalGuard {
    removal: Option<Job>,
    unfinished: Unfinished,
}

impl Unfinished {
    /// Begins something that this job removes unless it is finished. It counts as unfinished if what is returned
    /// is dropped before: a step has failed, or the caller has gone.
    pub(super) fn begin(&self, removal: Job) -> RemovalGuard {
        RemovalGuard { removal: Some(removal), unfinished: self.clone() }
    }

    /// Adds the job of another one.
    pub(super) fn add(&self, removal: Job) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(removal);
    }

    /// Takes all that were added since the last call.
    pub(super) fn take(&self) -> Vec<Job> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl RemovalGuard {
    /// Ends what is finished.
    pub(super) fn finish(mut self) {
        self.removal = None;
    }
}

impl Drop for RemovalGuard {
    fn drop(&mut self) {
        if let Some(removal) = self.removal.take() {
            self.unfinished.add(removal);
        }
    }
}
