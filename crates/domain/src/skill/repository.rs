//! The repository of skills.

use super::Skill;
use crate::access::BotScope;
use crate::bot_resource::bot_resource_methods;
use crate::error::StorageError;
use crate::id::SkillId;

/// Skills in the database. A caller that changes one has locked its bot exclusively.
pub trait SkillRepository {
    bot_resource_methods! { Skill, SkillId;
        page skills
        with_ids skills_with_ids
        insert insert_skill
        update update_skill
        delete delete_skill
        copy copy_skills
        remove remove_skills
    }

    /// The bot's skill with this `skillId`, or else with this `_id`.
    fn skill(
        &mut self,
        scope: &BotScope,
        id_or_skill_id: &str,
    ) -> Result<Option<Skill>, StorageError>;

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
}
