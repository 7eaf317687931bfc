//! The repository of stages.

use super::Stage;
use crate::access::BotScope;
use crate::bot_resource::bot_resource_methods;
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::StageId;

/// Stages in the database. A caller that changes one has locked its bot exclusively.
pub trait StageRepository {
    bot_resource_methods! { Stage, StageId;
        page stages
        with_ids stages_with_ids
        insert insert_stage
        update update_stage
        delete delete_stage
        copy copy_stages
        remove remove_stages
    }

    /// A stage of the bot.
    fn stage(&mut self, scope: &BotScope, id: StageId) -> Result<Option<Stage>, StorageError>;

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

    /// Stores the `skills` of stages that are there, and when they changed.
    fn update_skills_of_stages(
        &mut self,
        scope: &BotScope,
        lists: &[(StageId, Vec<String>)],
        now: Timestamp,
    ) -> Result<(), StorageError>;
}
