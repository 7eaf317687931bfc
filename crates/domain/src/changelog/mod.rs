//! The changelog of a bot: who changed what, written in the unit of work that changes it.

mod change;
mod repository;
mod service;

pub use change::FieldChange;
pub use repository::ChangelogRepository;
pub use service::ChangelogService;

use std::collections::HashSet;

use crate::access::{Actor, BotScope};
use crate::choice;
use crate::clock::{TimeRange, Timestamp};
use crate::id::{BotId, ChangelogEntryId};
use crate::json::Json;

/// How many entries of a bot are kept and shown: the latest 5000 about users, and as many about everything else, so
/// that visitors can't wash out who changed the bot (`docs/api.md`, "Changelog entries").
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

/// Which entries of a changelog are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ChangelogFilter {
    /// Only of this resource.
    pub resource: Option<ChangedResource>,
    /// Only where this was done.
    pub action: Option<Action>,
    /// Only from these times.
    pub times: TimeRange,
}

/// The entries about the latest changes of what a bot is made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentChanges(HashSet<ChangelogEntryId>);

impl ContentChanges {
    /// Whether there is a change that was not there before. One that was there before and is not there any more
    /// was trimmed, so the number of changes says nothing.
    #[must_use]
    pub fn has_more_than(&self, before: &Self) -> bool {
        !self.0.is_subset(&before.0)
    }
}

impl FromIterator<ChangelogEntryId> for ContentChanges {
    fn from_iter<I: IntoIterator<Item = ChangelogEntryId>>(entries: I) -> Self {
        Self(entries.into_iter().collect())
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangelogEntry {
    /// Its identifier; entries sort by it.
    pub id: ChangelogEntryId,
    /// The bot that was changed.
    pub bot_id: BotId,
    /// When the change was made.
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
    /// The entry of a change that is made under this scope. Of a user it has no values, which are data of a person:
    /// they would stay after the user is deleted.
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
        let changes = match resource {
            ChangedResource::User => {
                Json::of(&changes.iter().map(FieldChange::masked).collect::<Vec<_>>())
            }
            ChangedResource::Bot
            | ChangedResource::Skill
            | ChangedResource::Stage
            | ChangedResource::Fusion
            | ChangedResource::Embedding
            | ChangedResource::Document => Json::of(&changes),
        };
        Self {
            id,
            bot_id: scope.bot_id(),
            at,
            actor: scope.actor().cloned(),
            action,
            resource,
            resource_id: resource_id.to_string(),
            changes,
        }
    }

    /// The entry of users that were made in one go, which counts them.
    #[must_use]
    pub fn of_new_users(
        id: ChangelogEntryId,
        at: Timestamp,
        scope: &BotScope,
        count: usize,
    ) -> Self {
        let (action, resource) = (Action::Create, ChangedResource::User);
        let change = FieldChange::new("count", &None::<()>, &count);
        let entry = Self::new(id, at, scope, action, resource, scope.bot_id(), &[]);
        Self { changes: Json::of(&[change]), ..entry }
    }
}
