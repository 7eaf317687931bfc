//! What stages ask of the database.

use super::Stage;
use crate::access::BotScope;
use crate::batch::Batch;
use crate::clock::Timestamp;
use crate::copy_step::CopyStep;
use crate::error::StorageError;
use crate::id::StageId;

/// Stages in the database. A caller that changes one holds its bot exclusively.
pub trait StageRepository {
    /// A stage of the bot.
    fn stage(&mut self, scope: &BotScope, id: StageId) -> Result<Option<Stage>, StorageError>;

    /// The bot's stages, oldest first, at most `limit`, after `after` if that is given.
    fn stages(
        &mut self,
        scope: &BotScope,
        after: Option<StageId>,
        limit: u32,
    ) -> Result<Batch<Stage>, StorageError>;

    /// Those of the bot's stages with these identifiers, in any order.
    fn stages_with_ids(
        &mut self,
        scope: &BotScope,
        ids: &[StageId],
    ) -> Result<Vec<Stage>, StorageError>;

    /// The `skills` of those of the bot's stages that have this `skillId`, oldest first, at most
    /// `limit`, after `after` if that is given.
    fn stages_with_skill(
        &mut self,
        scope: &BotScope,
        skill_id: &str,
        after: Option<StageId>,
        limit: u32,
    ) -> Result<Vec<(StageId, Vec<String>)>, StorageError>;

    /// How many bytes the lists of skills of the bot's stages have, where each stage counts 4 KiB at least.
    fn skill_list_bytes(&mut self, scope: &BotScope) -> Result<u64, StorageError>;

    /// Stores a new stage.
    fn insert_stage(&mut self, scope: &BotScope, stage: &Stage) -> Result<(), StorageError>;

    /// Stores all fields of a stage that is there.
    fn update_stage(&mut self, scope: &BotScope, stage: &Stage) -> Result<(), StorageError>;

    /// Stores the `skills` of stages that are there, and when they changed.
    fn update_skills_of_stages(
        &mut self,
        scope: &BotScope,
        lists: &[(StageId, Vec<String>)],
        now: Timestamp,
    ) -> Result<(), StorageError>;

    /// Removes a stage that is there.
    fn delete_stage(&mut self, scope: &BotScope, id: StageId) -> Result<(), StorageError>;

    /// Copies stages of one bot to another of the same project, in their order, under
    /// identifiers from `next_id` and made `now`. Their content does not leave the database. It goes on where
    /// `step` is, as far as that goes, and returns whether all are copied.
    fn copy_stages(
        &mut self,
        bots: (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        next_id: &mut dyn FnMut() -> StageId,
    ) -> Result<bool, StorageError>;

    /// Removes at most `limit` stages of a bot that is being torn down; returns how many went.
    fn remove_stages(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;
}
