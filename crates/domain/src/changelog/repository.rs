//! The repository of changelogs.

use super::{ChangelogEntry, ChangelogFilter, ContentChanges};
use crate::access::{BotScope, Operator, ProjectScope};
use crate::batch::Batch;
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::event::Event;
use crate::id::{BotId, ChangelogEntryId};

/// Changelogs in the database.
pub trait ChangelogRepository {
    /// Adds an entry to the bot's changelog, and the event of the same change, if it has one.
    fn record(
        &mut self,
        scope: &BotScope,
        entry: &ChangelogEntry,
        event: Option<&Event>,
    ) -> Result<(), StorageError>;

    /// Adds entries to the changelogs of bots of the project, all or none of them.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails, or one of the bots is not the project's.
    fn record_all(
        &mut self,
        scope: &ProjectScope,
        entries: &[ChangelogEntry],
    ) -> Result<(), StorageError>;

    /// Entries of the bot that match the filter, among its latest [`KEPT`](super::KEPT) about users and among as many
    /// others, newest first, at most `limit`, all of them older than `before` if that is given.
    fn changelog(
        &mut self,
        scope: &BotScope,
        filter: ChangelogFilter,
        before: Option<ChangelogEntryId>,
        limit: u32,
    ) -> Result<Batch<ChangelogEntry>, StorageError>;

    /// How many entries [`Self::changelog`] has in all.
    fn count_changelog(
        &mut self,
        scope: &BotScope,
        filter: ChangelogFilter,
    ) -> Result<u32, StorageError>;

    /// The changes since then of what the bot is made of, to which users and duplicates do not belong. A node
    /// whose clock is behind may add one later that has an earlier time.
    fn content_changes(
        &mut self,
        scope: &BotScope,
        since: Timestamp,
    ) -> Result<ContentChanges, StorageError>;

    /// Bots with more than [`KEPT`](super::KEPT) entries about users, or more than that about others.
    fn overgrown_changelogs(&mut self, operator: Operator) -> Result<Vec<BotId>, StorageError>;

    /// Removes at most `limit` of the bot's oldest entries beyond its latest [`KEPT`](super::KEPT) about users and as
    /// many others; returns their number.
    fn trim_changelog(
        &mut self,
        operator: Operator,
        bot: BotId,
        limit: u32,
    ) -> Result<u32, StorageError>;

    /// Removes at most `limit` entries of a bot that is being torn down; returns their number.
    fn remove_changelog(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;
}
