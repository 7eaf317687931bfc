//! Skills: the if-then rules of a bot (`docs/api.md`, "Skills").

mod body;
mod list;
mod repository;
mod service;
mod skill_id;

pub use body::{CreateSkill, UpdateSkill};
pub use repository::SkillRepository;
pub use service::SkillService;
pub(crate) use skill_id::SkillReference;

use serde::Serialize;

use crate::choice;
use crate::clock::Timestamp;
use crate::entity_tag::{EntityTag, Tagged};
use crate::id::{BotId, SkillId};
use crate::input::{Check, fields_of};
use crate::json::JsonObject;
use crate::text::{DESCRIPTION_MAX, LONG_TEXT_MAX};
use crate::violation::ViolationCode;

choice! {
    /// In which order a skill gives its answers.
    AnswerMode {
        Sequence "sequence",
        SequenceLoop "sequenceloop",
        Random "random",
    }
}

fields_of! {
    /// What clients set on a skill.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    SkillFields, SkillPatch {
        /// What people call it; no other skill of the bot has the same name.
        required name: String = "name".as_name();
        /// What stages and paths call it; no other skill of the bot has the same. Its `_id` where nothing
        /// else was said.
        generated skill_id: String = "skillId".documented_pattern(skill_id::PATTERN, (1, skill_id::MAX))
            .check(|id, check| skill_id::check(id, check));
        /// What it is for.
        optional description: String = "description".at_most(DESCRIPTION_MAX);
        /// Whether it is in use.
        defaulted(true) enabled: bool = "enabled";
        /// The rule itself.
        optional content: String = "content";
        /// What it asks the model for: at most 1 MiB of JSON.
        optional params: Vec<JsonObject> = "params".check(|params, check| check_params(params, check));
        /// What it answers when it is called.
        optional tool_call_answer: Vec<String> = "toolCallAnswer";
        /// In which order.
        defaulted(AnswerMode::Sequence) answer_mode: AnswerMode = "answerMode";
    }
}

/// A skill of a bot. As JSON it is what clients see of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Skill {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: SkillId,
    /// Its bot.
    pub bot_id: BotId,
    /// What clients set.
    #[serde(flatten)]
    pub fields: SkillFields,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it changed last.
    pub updated_at: Timestamp,
}

impl Tagged for Skill {
    fn entity_tag(&self) -> EntityTag {
        EntityTag::of(self)
    }
}

impl Skill {
    /// A skill with the fields that a request names. Its `skillId` is its identifier where that is not
    /// among them.
    fn new(id: SkillId, bot_id: BotId, request: &SkillPatch, now: Timestamp) -> Self {
        let mut fields = SkillFields { skill_id: id.to_string(), ..SkillFields::default() };
        request.apply(&mut fields);
        Self { id, bot_id, fields, created_at: now, updated_at: now }
    }
}

fn check_params(params: &[JsonObject], check: &mut Check<'_>) {
    if params.iter().map(|param| param.as_str().len()).sum::<usize>() > LONG_TEXT_MAX {
        check.violation(ViolationCode::TooLong, "must take at most 1 MiB of JSON in all");
    }
}
