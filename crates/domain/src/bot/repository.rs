//! The repository of bots.

use super::{Bot, BotConfig, BotState, BotSummary};
use crate::access::{BotClaim, BotScope, Operator, ProjectScope};
use crate::batch::Batch;
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::{BotId, ConfigId, ProjectId};
use crate::lock::Lock;

/// A bot whose configuration was read only if it has at most 64 KiB.
#[derive(Debug, Clone, PartialEq)]
pub enum BotUnlessLarge {
    /// It has at most so many bytes.
    Small(Box<Bot>),
    /// It has more.
    Large(LargeBot),
}

impl BotUnlessLarge {
    /// Its stored configuration, if that is large.
    pub(super) const fn large_config(&self) -> Option<ConfigId> {
        match self {
            Self::Small(_) => None,
            Self::Large(bot) => Some(bot.config),
        }
    }
}

/// The state of a bot with a large configuration: as long as this is equal, the bot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargeBot {
    /// The stored configuration. It never changes: a bot that is changed gets another one.
    pub config: ConfigId,
    /// When the bot was changed last.
    pub updated_at: Timestamp,
}

/// Bots in the database. A deleted bot is not there, but for its teardown.
pub trait BotRepository {
    /// The claimed bot, locked as `lock` says, if it lies in the claimed project, is active, and is no
    /// demo or template. One look-up, whatever the reason why it is not found.
    fn live_bot(&mut self, claim: &BotClaim, lock: Lock) -> Result<Option<Bot>, StorageError>;

    /// As [`Self::live_bot`], but see [`BotUnlessLarge`].
    fn live_bot_unless_large(
        &mut self,
        claim: &BotClaim,
        lock: Lock,
    ) -> Result<Option<BotUnlessLarge>, StorageError>;

    /// As [`Self::live_bot`], without reading what the bot is like.
    fn has_live_bot(&mut self, claim: &BotClaim, lock: Lock) -> Result<bool, StorageError>;

    /// The live bots of a project, oldest first, at most `limit`, after `after` if that is given.
    fn live_bots(
        &mut self,
        scope: &ProjectScope,
        after: Option<BotId>,
        limit: u32,
    ) -> Result<Batch<Bot>, StorageError>;

    /// Those of the live bots of a project with these identifiers, in any order.
    fn live_bots_with_ids(
        &mut self,
        scope: &ProjectScope,
        ids: &[BotId],
    ) -> Result<Vec<Bot>, StorageError>;

    /// How many bots a project has, in any state and of any kind.
    fn count_bots(&mut self, scope: &ProjectScope) -> Result<u64, StorageError>;

    /// How many bots of the project are copies that are not shown yet: stored as deleted ones when they were
    /// made, and not gone since.
    fn count_unpublished_copies(&mut self, scope: &ProjectScope) -> Result<u64, StorageError>;

    /// Stores a new bot, with a configuration that is stored already if it is given.
    fn insert_bot(
        &mut self,
        scope: &ProjectScope,
        bot: &Bot,
        stored: Option<ConfigId>,
    ) -> Result<(), StorageError>;

    /// Stores a bot as deleted that is to have the configuration of another, but for its name, in the same project.
    /// However long that is, it takes about as long as [`Self::insert_bot`] for a short one.
    fn insert_copy(
        &mut self,
        original: &BotScope,
        id: BotId,
        at: Timestamp,
        config: &BotConfig,
    ) -> Result<(), StorageError>;

    /// Stores a bot's configuration, which was changed at this time, unless it is stored already. The one before stays
    /// if it was long. A name that is the one before need not be written again.
    fn update_bot(
        &mut self,
        scope: &BotScope,
        name_before: &str,
        config: (&BotConfig, Option<ConfigId>),
        at: Timestamp,
    ) -> Result<(), StorageError>;

    /// Stores a bot's state, which was changed at this time. A deleted bot is refused.
    fn set_bot_state(
        &mut self,
        scope: &BotScope,
        state: BotState,
        at: Timestamp,
    ) -> Result<(), StorageError>;

    /// Makes a bot active that was stored as a deleted one.
    fn show_bot(&mut self, scope: &ProjectScope, id: BotId) -> Result<(), StorageError>;

    /// How many bytes the texts of the bot's skills, stages, Fusion-Views and visual blocks have together.
    fn content_bytes(&mut self, scope: &BotScope) -> Result<u64, StorageError>;

    /// How many bytes the same of all bots of a project have, in any state, until the rows are removed.
    fn content_bytes_of_project(&mut self, scope: &ProjectScope) -> Result<u64, StorageError>;

    /// A bot that is being torn down, locked exclusively. No other look-up finds it.
    fn deleted_bot(
        &mut self,
        operator: Operator,
        id: BotId,
    ) -> Result<Option<BotSummary>, StorageError>;

    /// Removes the row of a deleted bot of which nothing else is left; returns its configuration if that is long, which
    /// stays.
    fn remove_deleted_bot(&mut self, scope: &BotScope) -> Result<Option<ConfigId>, StorageError>;

    /// A bot, whatever its state and kind, locked as `lock` says.
    fn bot_in_any_state(
        &mut self,
        operator: Operator,
        id: BotId,
        lock: Lock,
    ) -> Result<Option<BotSummary>, StorageError>;

    /// All bots of a project, whatever their state and kind, oldest first.
    fn bots_in_any_state(
        &mut self,
        operator: Operator,
        project: ProjectId,
    ) -> Result<Vec<BotSummary>, StorageError>;

    /// Bots that have been in the trash since before this time, at most `limit`.
    fn bots_trashed_before(
        &mut self,
        operator: Operator,
        time: Timestamp,
        limit: u32,
    ) -> Result<Vec<BotId>, StorageError>;
}

/// Large configurations in the database, apart from the bots that have them.
pub trait ConfigRepository {
    /// Stores a configuration that is empty and of no bot.
    fn insert_config(&mut self, scope: &ProjectScope, id: ConfigId) -> Result<(), StorageError>;

    /// Appends to the text of a configuration that is of no bot yet.
    fn append_to_config(
        &mut self,
        scope: &ProjectScope,
        id: ConfigId,
        text: &str,
    ) -> Result<(), StorageError>;

    /// Removes at most so many parts of a configuration, and it itself after the last, unless a bot has it; returns
    /// whether something is left to be removed.
    fn remove_unused_config(
        &mut self,
        scope: &ProjectScope,
        id: ConfigId,
        limit: u32,
    ) -> Result<bool, StorageError>;

    /// How many bytes the large configurations of the project have, each once.
    fn large_config_bytes(&mut self, scope: &ProjectScope) -> Result<u64, StorageError>;

    /// How many configurations of the project no bot has.
    fn count_unused_configs(&mut self, scope: &ProjectScope) -> Result<u64, StorageError>;
}
