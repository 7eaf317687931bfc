//! What a supervisor may read.

use std::sync::Arc;

use super::{HistoryItem, SupervisorChat};
use crate::access::BotClaim;
use crate::batch::Batch;
use crate::clock::TimeCursor;
use crate::context::Context;
use crate::error::{DomainError, Resource};
use crate::id::{HistoryItemId, UserId};
use crate::user::User;

/// Supervisor chats.
#[derive(Clone)]
pub struct SupervisorService {
    context: Arc<Context>,
}

impl SupervisorService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Chats of the bot, the one with the latest item first, at most `limit`, after `after` if that
    /// is given. Users without an item that belongs to a chat have none.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn chats(
        &self,
        claim: &BotClaim,
        after: Option<TimeCursor<UserId>>,
        limit: u32,
    ) -> Result<Vec<SupervisorChat>, DomainError> {
        self.context
            .read_claimed(claim, move |unit| Ok(unit.tx.chats(&unit.scope, after, limit)?))
            .await
    }

    /// The chat of one user, which may have no items.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the user is not there.
    pub async fn chat(
        &self,
        claim: &BotClaim,
        user: UserId,
    ) -> Result<SupervisorChat, DomainError> {
        self.context
            .read_claimed(claim, move |unit| {
                let chat = unit.tx.chat(&unit.scope, user)?;
                chat.ok_or(DomainError::NotFound(Resource::User))
            })
            .await
    }

    /// Items of a user's chat, oldest first, at most `limit`, after `after` if that is given; none if
    /// there is no such user.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn items(
        &self,
        claim: &BotClaim,
        user: UserId,
        after: Option<TimeCursor<HistoryItemId>>,
        limit: u32,
    ) -> Result<Batch<HistoryItem>, DomainError> {
        self.context
            .read_claimed(claim, move |unit| {
                Ok(unit.tx.chat_items(&unit.scope, user, after, limit)?)
            })
            .await
    }

    /// Users with a history item that a supervisor may read, oldest first, at most `limit`, after
    /// `after` if that is given.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn users(
        &self,
        claim: &BotClaim,
        after: Option<TimeCursor<UserId>>,
        limit: u32,
    ) -> Result<Batch<User>, DomainError> {
        self.context
            .read_claimed(claim, move |unit| Ok(unit.tx.users(&unit.scope, true, after, limit)?))
            .await
    }
}
