//! Skills in lists.

use super::Skill;
use crate::id::SkillId;
use crate::list::listed_of_bot;

listed_of_bot! {
    Skill of SkillId in Skill,
    filtered by (),
    called "name": |skill| &skill.fields.name,
    read by skills, skills_with_ids,
    changed by SkillCreated SkillUpdated
}
