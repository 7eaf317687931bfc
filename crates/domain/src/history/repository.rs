//! The repository of history.

use super::{HistoryItem, SupervisorChat};
use crate::access::BotScope;
use crate::batch::Batch;
use crate::clock::TimeCursor;
use crate::error::StorageError;
use crate::id::{HistoryItemId, UserId};

/// History in the database. That of a user who was deleted is not there, but for those who clear up.
pub trait HistoryRepository {
    /// Stores an item of a user's history, and with the user that there is such an item and when the
    /// latest one was written that a supervisor may read.
    fn insert_history_item(
        &mut self,
        scope: &BotScope,
        item: &HistoryItem,
    ) -> Result<(), StorageError>;

    /// The chats of the bot, latest first by time, then identifier of the user, at most `limit`,
    /// after `after` if that is given. Users without an item that belongs to a chat have none.
    fn chats(
        &mut self,
        scope: &BotScope,
        after: Option<TimeCursor<UserId>>,
        limit: u32,
    ) -> Result<Vec<SupervisorChat>, StorageError>;

    /// The chat of one user; without items, if there are none. `None` if there is no such user.
    fn chat(
        &mut self,
        scope: &BotScope,
        user: UserId,
    ) -> Result<Option<SupervisorChat>, StorageError>;

    /// The items of a user's chat, oldest first by time, then identifier, at most `limit`, after
    /// `after` if that is given.
    fn chat_items(
        &mut self,
        scope: &BotScope,
        user: UserId,
        after: Option<TimeCursor<HistoryItemId>>,
        limit: u32,
    ) -> Result<Batch<HistoryItem>, StorageError>;

    /// Removes at most `limit` items of a user's history, or fewer if they are large; returns their number,
    /// and whether those were all.
    fn remove_history_of_user(
        &mut self,
        scope: &BotScope,
        user: UserId,
        limit: u32,
    ) -> Result<(u32, bool), StorageError>;

    /// Removes at most `limit` items of a bot that is being torn down; returns their number.
    fn remove_history(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;
}
