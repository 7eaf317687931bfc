//! What a unit of work leaves to be done after its commit.

use std::cell::Cell;
use std::collections::HashSet;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::Timestamp;
use crate::context::Context;
use crate::id::{BotId, ExtractionId, ProjectId};
use crate::idempotency::{IdempotentRequest, StoredAnswer};
use crate::precondition::Precondition;

/// What a unit says of the answer to its request.
#[derive(Default)]
pub(super) enum AnswerOfUnit {
    /// That what it returns is what is answered.
    #[default]
    Returned,
    /// That a later unit of the request has the answer.
    Later,
    /// That it has done nothing of the request, all of which is left to a later unit.
    Nothing,
    /// The answer itself.
    Given(StoredAnswer),
}

/// What one run of a unit keeps, most of it to be done once it was committed.
#[derive(Default)]
pub(super) struct RunState {
    /// The time of the run, once it was read.
    pub(super) now: Cell<Option<Timestamp>>,
    /// What is still to be evaluated before anything is changed.
    pub(super) precondition: Option<Arc<Precondition>>,
    /// The request that the run carries out, while it does, if that has a key.
    pub(super) idempotent: Option<Arc<IdempotentRequest>>,
    /// What is answered.
    pub(super) answer: AnswerOfUnit,
    /// The bot of which content is in the answer.
    pub(super) answer_of_bot: Option<BotId>,
    /// The project of which an answer was stored.
    pub(super) project_with_answer: Option<ProjectId>,
    /// Bots whose changelog grew, and may have to be trimmed.
    pub(super) recorded: HashSet<BotId>,
    /// Projects that had events, of which the oldest may have to go.
    pub(super) projects_with_events: HashSet<ProjectId>,
    /// Whether there is a job that is due now.
    pub(super) notify_workers: bool,
    /// Extractions that ended.
    pub(super) ended_extractions: Vec<ExtractionId>,
}

/// What the last run of a unit left to be done. The unit and its caller share it: if the caller has gone
/// before the commit, it is done when the store drops the unit, which is after the commit.
///
/// It may be done after a unit that was rolled back, too. That does no harm: each effect only makes others look for work.
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
            self.context.grown_changelogs.mark(bot);
        }
        if let Some(project) = state.project_with_answer {
            self.context.projects_with_idempotency_keys.mark(project);
        }
        for project in state.projects_with_events {
            self.context.projects_with_events.mark(project);
        }
        if state.notify_workers {
            self.context.job_notify.notify();
        }
        for extraction in state.ended_extractions {
            self.context.extraction_waiters.notify(extraction);
        }
    }
}

impl Drop for Effects {
    fn drop(&mut self) {
        self.run();
    }
}
