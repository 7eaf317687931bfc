//! Units of work of requests that take effect once.

use std::any::Any;
use std::sync::Arc;

use crate::blob::Sha256;
use crate::error::{DomainError, StorageError};
use crate::id::BotId;
use crate::idempotency::{AnsweredBot, IdempotentOutcome, IdempotentRequest, LEASE, StoredAnswer};
use crate::unit::Unit;
use crate::unit::effects::AnswerOfUnit;

impl Unit<'_> {
    /// Does the work of a request. If that has a key, an earlier attempt is looked for before anything else, and what
    /// the unit returns is stored as the answer with what it changes. The answer goes with the bot `of_bot` if it shows
    /// content of one.
    ///
    /// # Errors
    /// [`DomainError::AlreadyAnswered`] if another attempt at the request was answered,
    /// [`DomainError::IdempotencyKeyReused`] if it was another request, [`DomainError::IdempotencyInProgress`] if
    /// another attempt is being carried out; what the work fails with.
    pub(crate) fn once<T: Any>(
        &mut self,
        request: Option<&Arc<IdempotentRequest>>,
        of_bot: Option<BotId>,
        work: impl FnOnce(&mut Self) -> Result<T, DomainError>,
    ) -> Result<T, DomainError> {
        let Some(request) = request else { return work(self) };
        check_is_first(self, request)?;
        self.state.answer_of_bot = of_bot;
        self.state.idempotent = Some(request.clone());
        let done = work(self)?;
        self.state.idempotent = None;
        let answer = match std::mem::take(&mut self.state.answer) {
            AnswerOfUnit::Nothing => return Ok(done),
            AnswerOfUnit::Later => None,
            AnswerOfUnit::Given(answer) => Some(answer),
            AnswerOfUnit::Returned => Some(StoredAnswer::Text(request.answer(&done)?)),
        };
        // What is refused has stored nothing by now, so it need not be undone. If another attempt was faster, this one
        // is undone.
        let now = self.now();
        let outcome = match &answer {
            None => IdempotentOutcome::Open(now.plus(LEASE)),
            Some(answer) => IdempotentOutcome::Answered {
                body: body_of(request)?,
                answer,
                of_bot: self.state.answer_of_bot,
            },
        };
        if !self.tx.store_idempotent_request(request, now, outcome)? {
            check_is_first(self, request)?;
            return Err(DomainError::IdempotencyInProgress);
        }
        match answer {
            None => request.record_open(),
            Some(answer) => request.record_stored(answer),
        }
        self.state.project_with_answer = Some(request.project_id());
        Ok(done)
    }
}

/// The hash of the body with which an earlier attempt at the request was answered; `None` if there is none, or it came
/// to no end.
///
/// # Errors
/// [`DomainError::IdempotencyKeyReused`] if the key was used for another method, path or query,
/// [`DomainError::IdempotencyInProgress`] if an earlier attempt is being carried out.
pub(crate) fn earlier(
    unit: &mut Unit<'_>,
    request: &IdempotentRequest,
) -> Result<Option<Sha256>, DomainError> {
    let Some(found) = unit.tx.idempotent_request(request)? else { return Ok(None) };
    if found.target != request.target() {
        return Err(DomainError::IdempotencyKeyReused);
    }
    let is_another = found.answered.is_none() && found.attempt != request.attempt();
    if is_another && found.lease_until > unit.now() {
        return Err(DomainError::IdempotencyInProgress);
    }
    Ok(found.answered)
}

fn check_is_first(unit: &mut Unit<'_>, request: &IdempotentRequest) -> Result<(), DomainError> {
    match earlier(unit, request)? {
        None => Ok(()),
        Some(body) if body == body_of(request)? => Err(DomainError::AlreadyAnswered),
        Some(_) => Err(DomainError::IdempotencyKeyReused),
    }
}

fn body_of(request: &IdempotentRequest) -> Result<Sha256, DomainError> {
    request.body().ok_or_else(|| {
        let text = "a request with a key was carried out before its body was read";
        StorageError::Broken(text.to_owned()).into()
    })
}

impl<S> Unit<'_, S> {
    /// Says what is answered, where that is not what the unit returns. It is made only if the request has a key.
    pub(crate) fn answer_with<T: Any>(
        &mut self,
        done: impl FnOnce(&mut Self) -> Result<T, DomainError>,
    ) -> Result<(), DomainError> {
        if let Some(request) = self.state.idempotent.clone() {
            let done = done(self)?;
            self.state.answer = AnswerOfUnit::Given(StoredAnswer::Text(request.answer(&done)?));
        }
        Ok(())
    }

    /// Whether the request has a key, so that what it is answered is stored.
    pub(crate) const fn stores_answer(&self) -> bool {
        self.state.idempotent.is_some()
    }

    /// Says that this bot is answered, which is read whenever the answer is given again.
    pub(crate) fn answer_with_bot(&mut self, bot: AnsweredBot) {
        self.state.answer = AnswerOfUnit::Given(StoredAnswer::Bot(bot));
        self.answer_shows(Some(bot.id));
    }

    /// Says what is answered when the request is repeated, where what the unit returns is shown once only.
    pub(crate) fn answer_repetitions_with<T: Any>(&mut self, done: &T) -> Result<(), DomainError> {
        if let Some(request) = self.state.idempotent.clone() {
            self.state.answer = AnswerOfUnit::Given(StoredAnswer::Text(request.answer(done)?));
            request.record_shown_once();
        }
        Ok(())
    }

    /// Says that a later unit of the request has the answer.
    pub(crate) fn answer_later(&mut self) {
        self.state.answer = AnswerOfUnit::Later;
    }

    /// Says that all of the request is left to a later unit, the evaluation of its precondition included. This one has
    /// changed nothing.
    pub(crate) fn did_nothing(&mut self) {
        self.state.answer = AnswerOfUnit::Nothing;
        self.state.precondition = None;
    }

    /// Says of which bot content is in the answer, where that is not the bot that the request is for.
    pub(crate) const fn answer_shows(&mut self, bot: Option<BotId>) {
        self.state.answer_of_bot = bot;
    }
}
