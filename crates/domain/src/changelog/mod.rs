//! The changelog of a bot: who changed what, written in the unit of work that changes it.

mod change;
mod service;

pub use change::FieldChange;
pub use service::ChangelogService;

use crate::access::{Actor, BotScope, Operator, ProjectScope};
use crate::choice;
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::{BotId, ChangelogEntryId};
use crate::json::Json;

/// How many entries of a bot are kept and shown: the latest 5000 (specification, section 8).
pub const KEPT: u32 = 5_000;

choice! {
    /// What was done.
    Action {
        Create "create",
        Update "update",
        Delete "delete",
        Duplicate "duplicate",
        Archive "archive",
        Trash "trash",
        Restore "restore",
        Upload "upload",
        Assign "assign",
        Unassign "unassign",
    }

    /// What it was done to.
    ChangedResource {
        Bot "bot",
        Skill "skill",
        Stage "stage",
        Fusion "fusion",
        Embedding "embedding",
        Document "document",
        User "user",
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangelogEntry {
    /// Its identifier; entries sort by it.
    pub id: ChangelogEntryId,
    /// The bot that was changed.
    pub bot_id: BotId,
    /// When.
    pub at: Timestamp,
    /// By whom; `None` for an operator or the service itself.
    pub actor: Option<Actor>,
    /// What was done.
    pub action: Action,
    /// To what kind of thing.
    pub resource: ChangedResource,
    /// To which one.
    pub resource_id: String,
    /// A JSON array of [`FieldChange`]s.
    pub changes: Json,
}

impl ChangelogEntry {
    /// The entry of a change that is made under this scope.
    #[must_use]
    pub fn new(
        id: ChangelogEntryId,
        at: Timestamp,
        scope: &BotScope,
        action: Action,
        resource: ChangedResource,
        resource_id: impl ToString,
        changes: &[FieldChange],
    ) -> Self {
        Self {
            id,
            bot_id: scope.bot_id(),
            at,
            actor: scope.actor().cloned(),
            action,
            resource,
            resource_id: resource_id.to_string(),
            changes: Json::of(&changes),
        }
    }
}

/// Changelogs in the database.
pub trait ChangelogRepository {
    /// Adds an entry to the bot's changelog.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn record(&mut self, scope: &BotScope, entry: &ChangelogEntry) -> Result<(), StorageError>;

    /// Adds entries to the changelogs of bots of the project, all or none of them.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails, or one of the bots is not the project's.
    fn record_all(
        &mut self,
        scope: &ProjectScope,
        entries: &[ChangelogEntry],
    ) -> Result<(), StorageError>;

    /// Entries of the bot among its latest [`KEPT`], newest first, at most `limit`, all of them
    /// older than `before` if that is given.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn changelog(
        &mut self,
        scope: &BotScope,
        before: Option<ChangelogEntryId>,
        limit: u32,
    ) -> Result<Vec<ChangelogEntry>, StorageError>;

    /// Bots with more than [`KEPT`] entries.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn overgrown_changelogs(&mut self, operator: Operator) -> Result<Vec<BotId>, StorageError>;

    /// Removes at most `limit` of the bot's oldest entries beyond its latest [`KEPT`]; returns how
    /// many went.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn trim_changelog(
        &mut self,
        operator: Operator,
        bot: BotId,
        limit: u32,
    ) -> Result<u32, StorageError>;

    /// Removes at most `limit` entries of a bot that is being torn down; returns how many went.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn remove_changelog(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;
}
