//! What skills ask of the database.

use super::Skill;
use crate::access::BotScope;
use crate::batch::Batch;
use crate::clock::Timestamp;
use crate::copy_step::CopyStep;
use crate::error::StorageError;
use crate::id::SkillId;

/// Skills in the database. A caller that changes one holds its bot exclusively.
pub trait SkillRepository {
    /// The bot's skill with this `skillId`, or else with this `_id`.
    fn skill(&mut self, scope: &BotScope, address: &str) -> Result<Option<Skill>, StorageError>;

    /// The bot's skill of exactly this name, by its identifier.
    fn skill_of_name(
        &mut self,
        scope: &BotScope,
        name: &str,
    ) -> Result<Option<SkillId>, StorageError>;

    /// The bot's skill of exactly this `skillId`, by its identifier.
    fn skill_of_skill_id(
        &mut self,
        scope: &BotScope,
        skill_id: &str,
    ) -> Result<Option<SkillId>, StorageError>;

    /// The bot's skills, oldest first, at most `limit`, after `after` if that is given.
    fn skills(
        &mut self,
        scope: &BotScope,
        after: Option<SkillId>,
        limit: u32,
    ) -> Result<Batch<Skill>, StorageError>;

    /// Those of the bot's skills with these identifiers, in any order.
    fn skills_with_ids(
        &mut self,
        scope: &BotScope,
        ids: &[SkillId],
    ) -> Result<Vec<Skill>, StorageError>;

    /// Stores a new skill.
    fn insert_skill(&mut self, scope: &BotScope, skill: &Skill) -> Result<(), StorageError>;

    /// Stores all fields of a skill that is there.
    fn update_skill(&mut self, scope: &BotScope, skill: &Skill) -> Result<(), StorageError>;

    /// Removes a skill that is there.
    fn delete_skill(&mut self, scope: &BotScope, id: SkillId) -> Result<(), StorageError>;

    /// Copies skills of one bot to another of the same project, in their order, under
    /// identifiers from `next_id` and made `now`. Their content does not leave the database. It goes on where
    /// `step` is, as far as that goes, and returns whether all are copied.
    fn copy_skills(
        &mut self,
        bots: (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        next_id: &mut dyn FnMut() -> SkillId,
    ) -> Result<bool, StorageError>;

    /// Removes at most `limit` skills of a bot that is being torn down; returns how many went.
    fn remove_skills(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;
}
