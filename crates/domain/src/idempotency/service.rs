//! What can be done with requests that have keys, beside carrying them out.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{AnswerText, AnsweredBot, IdempotencyKey, IdempotentRequest, StoredAnswer};
use crate::access::{Operator, Principal};
use crate::blob::Sha256;
use crate::bot::{BotService, BotWithTokens};
use crate::context::Context;
use crate::dirty_set::TrimmedBatch;
use crate::error::{DomainError, Resource, StorageError};
use crate::id::{IdempotentRequestId, ProjectId};
use crate::store::Repositories;
use crate::unit::{Unit, earlier};

/// How many requests one unit of work removes, so that other writers need not wait long.
const REMOVE_BATCH: u32 = 200;

/// How many requests a project keeps while less of the disk is free than its reserve, and how many bytes of them.
const KEPT_WITHOUT_FREE_SPACE: (u64, u64) = (1_000, 1 << 20);

/// An answer that is given again.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerAgain<T> {
    /// As it was stored.
    Text(AnswerText),
    /// What the service returns now.
    Anew(T),
}

/// Requests that take effect once.
#[derive(Clone)]
pub struct IdempotencyService {
    context: Arc<Context>,
}

impl IdempotencyService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// An attempt at a request with a key: `target` is the hash of its method, path and query, and `answer` makes what
    /// is answered of what the service returns, of whose type there is no other in the request.
    #[must_use]
    pub fn attempt<T: 'static>(
        &self,
        principal: &Principal,
        key: IdempotencyKey,
        target: Sha256,
        answer: impl Fn(&T) -> Option<AnswerText> + Send + Sync + 'static,
    ) -> Arc<IdempotentRequest> {
        let attempt = self.context.ids.next().into();
        Arc::new(principal.attempt(attempt, (key, target), answer))
    }

    /// The hash of the body with which an earlier attempt at the request was answered; `None` if it has to be carried
    /// out.
    ///
    /// # Errors
    /// [`DomainError::IdempotencyKeyReused`] if the key was used for another method, path or query,
    /// [`DomainError::IdempotencyInProgress`] if an earlier attempt is being carried out.
    pub async fn find(
        &self,
        request: &Arc<IdempotentRequest>,
    ) -> Result<Option<Sha256>, DomainError> {
        let sought = request.clone();
        self.context.look_up(Some(request.project_id()), move |unit| earlier(unit, &sought)).await
    }

    /// What an earlier attempt at the request was answered, where `T` is what the service returns.
    ///
    /// # Errors
    /// [`DomainError::IdempotencyInProgress`] if it is there no more; [`DomainError::NotFound`] if it shows a large bot
    /// that is there no more.
    pub async fn answer<T: 'static>(
        &self,
        principal: &Principal,
        request: &Arc<IdempotentRequest>,
    ) -> Result<AnswerAgain<T>, DomainError> {
        let sought = request.clone();
        let find = move |unit: &mut Unit<'_>| {
            unit.tx.stored_answer(&sought)?.ok_or(DomainError::IdempotencyInProgress)
        };
        match self.context.read(Some(request.project_id()), find).await? {
            StoredAnswer::Text(text) => Ok(AnswerAgain::Text(text)),
            StoredAnswer::Bot(answered) => {
                let bot: Box<dyn Any> = Box::new(self.answered_bot(principal, answered).await?);
                let again = bot.downcast().map(|again| AnswerAgain::Anew(*again));
                again.map_err(|_| {
                    let text = "the answer to a request shows a bot, which is none of its answers";
                    StorageError::Broken(text.to_owned()).into()
                })
            }
        }
    }

    /// The bot that was answered, as it is now. To a token that can't reach it otherwise, such as that of the bot of which
    /// it is a copy, only the state is shown that it had.
    async fn answered_bot(
        &self,
        principal: &Principal,
        AnsweredBot { id, updated_at }: AnsweredBot,
    ) -> Result<BotWithTokens, DomainError> {
        let bots = BotService::new(self.context.clone());
        if let Some(claim) = principal.own_bot().filter(|own| own.bot_id() == id) {
            return bots.get(&claim).await;
        }
        if let Some(claim) = principal.bot_of_project(id) {
            return bots.get(&claim).await;
        }
        let BotWithTokens { bot, tokens: _ } = bots.get(&principal.claim(id)).await?;
        if bot.updated_at != updated_at {
            return Err(DomainError::NotFound(Resource::Bot));
        }
        Ok(BotWithTokens { bot, tokens: Vec::new() })
    }

    /// Stores what was answered in place of what was stored with the effect: the request has waited for something
    /// since.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn answer_instead(
        &self,
        request: &Arc<IdempotentRequest>,
        answer: AnswerText,
    ) -> Result<(), DomainError> {
        let answered = request.clone();
        self.context
            .write(Some(request.project_id()), move |unit| {
                Ok(unit.tx.replace_answer(&answered, &answer)?)
            })
            .await
    }

    /// Gives the key of a request back that was refused after some of its units of work, so that the next attempt is
    /// carried out.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails; the key is free when its lease ends.
    pub async fn release(&self, request: &Arc<IdempotentRequest>) -> Result<(), DomainError> {
        if !request.is_open() {
            return Ok(());
        }
        self.release_key(request, false).await
    }

    /// Forgets a request that was refused after its effect, so that the next attempt is carried out.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn forget(&self, request: &Arc<IdempotentRequest>) -> Result<(), DomainError> {
        self.release_key(request, true).await
    }

    async fn release_key(
        &self,
        request: &Arc<IdempotentRequest>,
        even_if_answered: bool,
    ) -> Result<(), DomainError> {
        let released = request.clone();
        self.context
            .delete(Some(request.project_id()), move |unit| {
                Ok(unit.tx.release_key(&released, even_if_answered)?)
            })
            .await
    }

    /// Removes requests from before [`Limits::idempotency_keep`](crate::Limits::idempotency_keep); returns how many
    /// went.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn remove_old(&self, operator: Operator) -> Result<u64, DomainError> {
        let before = self.context.clock.now().minus(self.context.limits.idempotency_keep);
        let mut removed = 0;
        loop {
            let unit = move |tx: &mut dyn Repositories| {
                Ok(tx.remove_old_idempotent_requests(operator, before, REMOVE_BATCH)?)
            };
            let batch = self.context.store.write(unit).await?;
            removed += u64::from(batch);
            if batch == 0 {
                return Ok(removed);
            }
        }
    }

    /// Puts every project that has more requests than it may keep on the list for [`Self::trim`], whichever process
    /// stored them. That looks through all of them, so it is for the start of a service.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn mark_overgrown_for_trim(&self, operator: Operator) -> Result<(), DomainError> {
        let kept = self.kept();
        let find =
            move |tx: &mut dyn Repositories| Ok(tx.overgrown_idempotent_requests(operator, kept)?);
        for project in self.context.store.read(find).await? {
            self.context.projects_with_idempotency_keys.mark(project);
        }
        Ok(())
    }

    /// How many requests a project keeps, and how many bytes of them. While less of the disk is free than its reserve,
    /// they are few, because requests with a key that only delete something are carried out all the same.
    fn kept(&self) -> (u64, u64) {
        let limits = &self.context.limits;
        let kept = (limits.idempotency_keys_per_project, limits.idempotency_bytes_per_project);
        if self.context.store.has_free_space() {
            return kept;
        }
        let least = |limit: u64, few: u64| if limit == 0 { few } else { limit.min(few) };
        (least(kept.0, KEPT_WITHOUT_FREE_SPACE.0), least(kept.1, KEPT_WITHOUT_FREE_SPACE.1))
    }

    /// Removes the oldest requests of projects that had new ones since the last call, as far as they have more than
    /// [`Limits`](crate::Limits) lets them keep; returns their number.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails; the next call goes on with the projects that were not reached.
    pub async fn trim(&self, operator: Operator) -> Result<u64, DomainError> {
        let kept = self.kept();
        // Up to which request each project is trimmed. It is looked for once, because that goes through all that the
        // project has, and because a project that stores more meanwhile must not keep this from coming to its end.
        let ends = &Mutex::new(HashMap::new());
        let trim_batch = |project| async move {
            let known = ends.lock().unwrap_or_else(PoisonError::into_inner).get(&project).copied();
            let end = match known {
                Some(end) => Some(end),
                None => self.surplus(operator, project, kept).await?,
            };
            let Some(end) = end else {
                return Ok(TrimmedBatch { removed: 0, has_more: false });
            };
            ends.lock().unwrap_or_else(PoisonError::into_inner).insert(project, end);
            let trim = move |tx: &mut dyn Repositories| {
                Ok(tx.trim_idempotent_requests(operator, project, end, REMOVE_BATCH)?)
            };
            let removed = self.context.store.write(trim).await?;
            Ok(TrimmedBatch { removed, has_more: removed > 0 })
        };
        self.context.projects_with_idempotency_keys.trim(trim_batch).await
    }

    /// The newest request that a project has beyond those that it may keep.
    async fn surplus(
        &self,
        operator: Operator,
        project: ProjectId,
        kept: (u64, u64),
    ) -> Result<Option<IdempotentRequestId>, DomainError> {
        let find = move |tx: &mut dyn Repositories| {
            Ok(tx.surplus_idempotent_request(operator, project, kept)?)
        };
        self.context.store.read(find).await
    }
}
