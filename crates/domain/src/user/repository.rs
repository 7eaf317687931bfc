//! The repository of users.

use super::User;
use crate::access::BotScope;
use crate::batch::Batch;
use crate::clock::{TimeCursor, Timestamp};
use crate::error::StorageError;
use crate::id::{BotId, OrganisationId, ProjectId, UserId};
use crate::lock::Lock;

/// An active bot of an organisation, as a list of its users names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotOfOrganisation {
    /// The bot.
    pub id: BotId,
    /// Its name.
    pub name: String,
    /// Its project.
    pub project_id: ProjectId,
}

/// Users in the database. One who was deleted is not there, but for those who clear up.
pub trait UserRepository {
    /// The bot's user, locked as `lock` says.
    fn user(
        &mut self,
        scope: &BotScope,
        id: UserId,
        lock: Lock,
    ) -> Result<Option<User>, StorageError>;

    /// The bot's user with this guestId, compared byte by byte.
    fn user_of_guest(
        &mut self,
        scope: &BotScope,
        guest_id: &str,
    ) -> Result<Option<User>, StorageError>;

    /// Users of the bot by time of creation, then identifier, at most `limit`, after `after` if that
    /// is given; if `supervised`, only those with a history item that a supervisor may read.
    fn users(
        &mut self,
        scope: &BotScope,
        supervised: bool,
        after: Option<TimeCursor<UserId>>,
        limit: u32,
    ) -> Result<Batch<User>, StorageError>;

    /// Those of the bot's users with these identifiers, in any order.
    fn users_with_ids(
        &mut self,
        scope: &BotScope,
        ids: &[UserId],
    ) -> Result<Vec<User>, StorageError>;

    /// Stores a new user, unless another one of the bot has the guestId; returns whether it did.
    fn insert_user(&mut self, scope: &BotScope, user: &User) -> Result<bool, StorageError>;

    /// Stores guestId, fields, stats and time of change of a user. The caller has
    /// made sure, while it held the bot, that no other user has the guestId.
    fn update_user(&mut self, scope: &BotScope, user: &User) -> Result<(), StorageError>;

    /// Marks those of these users as deleted who are there; returns who that was, by identifier, with their
    /// guestIds.
    fn delete_users(
        &mut self,
        scope: &BotScope,
        ids: &[UserId],
        now: Timestamp,
    ) -> Result<Vec<(UserId, String)>, StorageError>;

    /// A deleted user of the bot whose rows are still there, and since when; `None` if there is none.
    fn deleted_user(
        &mut self,
        scope: &BotScope,
    ) -> Result<Option<(UserId, Timestamp)>, StorageError>;

    /// Removes the row of a deleted user of whom nothing else is left.
    fn remove_deleted_user(&mut self, scope: &BotScope, id: UserId) -> Result<(), StorageError>;

    /// The active bots of an organisation, by identifier, at most `limit`, after `after` if that is
    /// given; neither demo nor template ones.
    fn bots_of_organisation(
        &mut self,
        organisation: OrganisationId,
        after: Option<BotId>,
        limit: u32,
    ) -> Result<Vec<BotOfOrganisation>, StorageError>;

    /// Removes at most `limit` users of a bot that is being torn down, deleted ones included; returns
    /// their number.
    fn remove_users(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;
}
