//! Stages: what a bot offers at one point of a conversation (`docs/api.md`, "Stages").

mod body;
mod list;
mod repository;
mod service;

pub use body::{CreateStage, UpdateStage};
pub use repository::StageRepository;
pub use service::StageService;
pub(crate) use service::{rename_skill, take_skill_out};

use std::collections::HashSet;

use serde::Serialize;

use crate::clock::Timestamp;
use crate::entity_tag::{EntityTag, Tagged};
use crate::id::{BotId, StageId};
use crate::input::{Check, fields_of};
use crate::violation::ViolationCode;

/// How many characters an item of `skills` has at most, as a `skillId` does.
const SKILL_MAX: usize = 128;

fields_of! {
    /// What clients set on a stage.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    StageFields, StagePatch {
        /// What people read; the name where nothing else was said.
        generated title: String = "title".as_name();
        /// What it is called; the title where nothing else was said.
        generated name: String = "name".as_name();
        /// Whether it is left out of what people see.
        optional hidden: bool = "hidden";
        /// Whether it has a footer.
        optional footer: bool = "footer";
        /// Whether one of its skills must be used.
        optional force_skills: bool = "forceSkills";
        /// The `skillId`s of its skills, in their order, each once. There need not be such skills.
        optional skills: Vec<String> = "skills".documented_item_length(1, SKILL_MAX)
            .documented_unique()
            .check_items(check_skills);
        /// Script that runs when it begins.
        optional enter_js: String = "enterJS";
        /// Script that runs when it ends.
        optional exit_js: String = "exitJS";
        /// Script that decides whether it may begin.
        optional pre_condition_js: String = "preConditionJS";
    }
}

/// A stage of a bot. As JSON it is what clients see of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stage {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: StageId,
    /// Its bot.
    pub bot_id: BotId,
    /// What clients set.
    #[serde(flatten)]
    pub fields: StageFields,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it changed last.
    pub updated_at: Timestamp,
}

impl Tagged for Stage {
    fn entity_tag(&self) -> EntityTag {
        EntityTag::of(self)
    }
}

impl Stage {
    /// A stage with the fields that a request names. Of title and name, the one is the other where it is
    /// left out.
    fn new(id: StageId, bot_id: BotId, request: &StagePatch, now: Timestamp) -> Self {
        let mut fields = StageFields::default();
        request.apply(&mut fields);
        if request.title.is_keep() {
            fields.title.clone_from(&fields.name);
        } else if request.name.is_keep() {
            fields.name.clone_from(&fields.title);
        }
        Self { id, bot_id, fields, created_at: now, updated_at: now }
    }
}

/// Each item once, and none longer than a `skillId`.
fn check_skills(skills: &[(usize, String)], check: &mut Check<'_>) {
    let mut seen = HashSet::new();
    for (index, skill) in skills {
        let index = *index;
        if skill.is_empty() {
            let what = "must have at least one character";
            check.violation_of_item(index, ViolationCode::TooShort, what);
        } else if skill.chars().count() > SKILL_MAX {
            let what = format_args!("must have at most {SKILL_MAX} characters");
            check.violation_of_item(index, ViolationCode::TooLong, what);
        } else if !seen.insert(skill.as_str()) {
            check.violation_of_item(
                index,
                ViolationCode::DuplicateItem,
                "stands in the list already",
            );
        }
    }
}
