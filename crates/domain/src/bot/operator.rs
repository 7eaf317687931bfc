//! What operators do with bots, also with those that the API does not find.

use std::time::Duration;

use super::service::{BotService, step};
use super::tokens::BotWithTokens;
use super::{BotKind, BotState, BotSummary, CreateBot, Transition};
use crate::access::{BotClaim, BotScope, Operator, ProjectClaim};
use crate::audit::AuditedResource;
use crate::clock::Timestamp;
use crate::error::{DomainError, Resource};
use crate::id::{BotId, ProjectId};
use crate::input::Valid;
use crate::lock::Lock;
use crate::store::Repositories;

/// How many bots one round of purging the trash removes.
const PURGE_BATCH: u32 = 20;

impl BotService {
    /// Creates a demo or template bot, which the API will not find.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub async fn create_hidden(
        &self,
        _operator: Operator,
        claim: &ProjectClaim,
        request: Valid<CreateBot>,
        kind: BotKind,
    ) -> Result<BotWithTokens, DomainError> {
        self.create_of_kind(claim, request, kind).await
    }

    /// All bots of a project, whatever their state and kind, oldest first.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such project.
    pub async fn list_all(
        &self,
        operator: Operator,
        project: ProjectId,
    ) -> Result<Vec<BotSummary>, DomainError> {
        self.context
            .store
            .read(move |tx| {
                let found = tx.project(operator, project)?;
                found.ok_or(DomainError::NotFound(Resource::Project))?;
                Ok(tx.bots_in_any_state(operator, project)?)
            })
            .await
    }

    /// Removes bots that have been in the trash for longer than `keep`; returns their number.
    pub async fn purge_trash(
        &self,
        operator: Operator,
        keep: Duration,
    ) -> Result<u64, DomainError> {
        let before = self.context.clock.now().minus(keep);
        let mut purged = 0;
        loop {
            let find = move |tx: &mut dyn Repositories| {
                Ok(tx.bots_trashed_before(operator, before, PURGE_BATCH)?)
            };
            let found = self.context.store.read(find).await?;
            for bot in &found {
                match self.purge(operator, *bot, before).await {
                    Ok(()) => purged += 1,
                    // Another node purged the bot first, or it was restored: neither is an error.
                    Err(DomainError::NotFound(_) | DomainError::Refused(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            if found.len() < PURGE_BATCH as usize {
                return Ok(purged);
            }
        }
    }

    /// Removes one bot, if it still is in the trash and has been since before this time.
    async fn purge(
        &self,
        operator: Operator,
        id: BotId,
        before: Timestamp,
    ) -> Result<(), DomainError> {
        self.context
            .write(None, move |unit| {
                let (bot, scope) = any_bot(unit.tx, operator, id, Lock::Exclusive)?;
                if bot.updated_at >= before {
                    return Err(DomainError::Refused("it came into the trash just now".to_owned()));
                }
                step(&mut unit.with_scope(scope), bot.state, Transition::Purge).map(|_| ())
            })
            .await
    }

    /// The claim on a bot, whichever project it lies in.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there never was such a bot, or it is gone for good;
    /// [`DomainError::Refused`] if it is archived, in the trash, a demo or a template, because nothing is found
    /// with a claim on such a bot.
    pub async fn claim(&self, operator: Operator, id: BotId) -> Result<BotClaim, DomainError> {
        self.context
            .store
            .read(move |tx| {
                let (bot, scope) = any_bot(tx, operator, id, Lock::None)?;
                if bot.state != BotState::Active {
                    let state = bot.state.adjective();
                    return Err(DomainError::Refused(format!(
                        "the bot is {state}: restore it first"
                    )));
                }
                if bot.kind != BotKind::Regular {
                    let kind = bot.kind.as_str();
                    return Err(DomainError::Refused(format!("the bot is a {kind} bot")));
                }
                Ok(operator.bot_with_id(scope.organisation_id(), bot.project_id, bot.id))
            })
            .await
    }

    /// Brings a bot back from the archive or the trash.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such bot, [`DomainError::Refused`] if it is active.
    pub async fn restore(&self, operator: Operator, id: BotId) -> Result<BotSummary, DomainError> {
        self.context
            .write(None, move |unit| {
                let (bot, scope) = any_bot(unit.tx, operator, id, Lock::Exclusive)?;
                let state = step(&mut unit.with_scope(scope), bot.state, Transition::Restore)?;
                unit.audit(AuditedResource::Bot, id)?;
                Ok(BotSummary { state, updated_at: unit.now(), ..bot })
            })
            .await
    }
}

/// A bot that the API need not be able to find, locked as `lock` says, and the right to change it.
fn any_bot(
    tx: &mut dyn Repositories,
    operator: Operator,
    id: BotId,
    lock: Lock,
) -> Result<(BotSummary, BotScope), DomainError> {
    let found = tx.bot_in_any_state(operator, id, lock)?;
    let bot = found.ok_or(DomainError::NotFound(Resource::Bot))?;
    let scope = BotScope::of_operator(tx, operator, &bot)?;
    Ok((bot, scope))
}
