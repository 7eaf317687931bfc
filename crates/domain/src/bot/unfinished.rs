//! Copies of bots whose making has ended before they were finished.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use crate::job::Job;

/// The jobs that remove these copies. Each of them is due only after a time in which every copy is finished, and is
/// to be made due now.
#[derive(Clone, Default)]
pub(crate) struct UnfinishedCopies(Arc<Mutex<Vec<Job>>>);

/// Stands for a copy while it is being made.
pub(super) struct CopyInProgress {
    teardown: Option<Job>,
    unfinished: UnfinishedCopies,
}

impl UnfinishedCopies {
    /// Begins a copy that this job removes unless it is finished. It counts as unfinished if what is returned
    /// is dropped before: a step has failed, or the caller has gone.
    pub(super) fn begin(&self, teardown: Job) -> CopyInProgress {
        CopyInProgress { teardown: Some(teardown), unfinished: self.clone() }
    }

    /// Adds the job of another one.
    pub(super) fn add(&self, teardown: Job) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(teardown);
    }

    /// Takes all that were added since the last call.
    pub(super) fn take(&self) -> Vec<Job> {
        mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl CopyInProgress {
    /// Ends a copy that is finished.
    pub(super) fn finish(mut self) {
        self.teardown = None;
    }
}

impl Drop for CopyInProgress {
    fn drop(&mut self) {
        if let Some(teardown) = self.teardown.take() {
            self.unfinished.add(teardown);
        }
    }
}
