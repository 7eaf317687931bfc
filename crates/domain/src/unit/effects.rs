//! What a unit of work leaves to be done after its commit.

use std::cell::Cell;
use std::collections::HashSet;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::Timestamp;
use crate::context::Context;
use crate::id::{BotId, ExtractionId};
use crate::precondition::Precondition;

/// What one run of a unit keeps, most of it to be done once it was committed.
#[derive(Default)]
pub(super) struct RunState {
    /// The time of the run, once it was read.
    pub(super) now: Cell<Option<Timestamp>>,
    /// What is still to be judged before anything is changed.
    pub(super) precondition: Option<Arc<Precondition>>,
    /// Bots whose changelog grew, and may have to be trimmed.
    pub(super) recorded: HashSet<BotId>,
    /// Whether there is a job that is due now.
    pub(super) notify_workers: bool,
    /// Extractions that ended.
    pub(super) ended_extractions: Vec<ExtractionId>,
}

/// What the last run of a unit left to be done. The unit and its caller share it: if the caller has gone
/// before the commit, it is done when the store drops the unit, which is after the commit.
///
/// It may be done without need, after a unit that was undone: all of it only has others look.
pub(super) struct Effects {
    context: Arc<Context>,
    state: Mutex<RunState>,
}

impl Effects {
    pub(super) fn new(context: Arc<Context>) -> Arc<Self> {
        Arc::new(Self { context, state: Mutex::default() })
    }

    /// Replaces what an earlier run left, which was undone.
    pub(super) fn set(&self, state: RunState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// Does what is left, once.
    pub(super) fn run(&self) {
        let state = take(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner));
        for bot in state.recorded {
            self.context.changelog_grew(bot);
        }
        if state.notify_workers {
            self.context.job_notify.notify();
        }
        for extraction in state.ended_extractions {
            self.context.extraction_ends.notify(extraction);
        }
    }
}

impl Drop for Effects {
    fn drop(&mut self) {
        self.run();
    }
}
