//! Skills: the if-then rules of a bot (specification, section 2.4).

mod body;
mod repository;
mod service;
mod skill_id;

pub use body::{CreateSkill, SkillPatch, UpdateSkill};
pub use repository::SkillRepository;
pub use service::SkillService;
pub(crate) use skill_id::check_reference;

use crate::changelog::FieldChange;
use crate::choice;
use crate::clock::Timestamp;
use crate::id::{BotId, SkillId};
use crate::json::JsonObject;

choice! {
    /// In which order a skill gives its answers.
    AnswerMode {
        Sequence "sequence",
        SequenceLoop "sequenceloop",
        Random "random",
    }
}

/// A skill of a bot.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    /// Its identifier.
    pub id: SkillId,
    /// Its bot.
    pub bot_id: BotId,
    /// What people call it; no other skill of the bot has the same name.
    pub name: String,
    /// What stages and paths call it; no other skill of the bot has the same.
    pub skill_id: String,
    /// What it is for.
    pub description: Option<String>,
    /// Whether it is in use.
    pub enabled: bool,
    /// The rule itself.
    pub content: Option<String>,
    /// What it asks the model for.
    pub params: Option<Vec<JsonObject>>,
    /// What it answers when it is called.
    pub tool_call_answer: Option<Vec<String>>,
    /// In which order.
    pub answer_mode: AnswerMode,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it changed last.
    pub updated_at: Timestamp,
}

impl Skill {
    /// A skill that nothing was said about yet. Its `skillId` is its identifier.
    fn new(id: SkillId, bot_id: BotId, now: Timestamp) -> Self {
        Self {
            id,
            bot_id,
            name: String::new(),
            skill_id: id.to_string(),
            description: None,
            enabled: true,
            content: None,
            params: None,
            tool_call_answer: None,
            answer_mode: AnswerMode::Sequence,
            created_at: now,
            updated_at: now,
        }
    }

    /// How many bytes its long texts have.
    fn text_size(&self) -> usize {
        let texts = [&self.description, &self.content].into_iter().flatten();
        let params = self.params.iter().flatten().map(|param| param.as_str().len() + 1);
        let answers = self.tool_call_answer.iter().flatten().map(|answer| answer.len() + 3);
        texts.map(String::len).chain(params).chain(answers).sum()
    }

    /// What differs from an earlier state.
    fn changes_since(&self, before: &Self) -> Vec<FieldChange> {
        let changes = [
            FieldChange::between("name", &before.name, &self.name),
            FieldChange::between("skillId", &before.skill_id, &self.skill_id),
            FieldChange::between("description", &before.description, &self.description),
            FieldChange::between("enabled", &before.enabled, &self.enabled),
            FieldChange::between("content", &before.content, &self.content),
            FieldChange::between("params", &before.params, &self.params),
            FieldChange::between(
                "toolCallAnswer",
                &before.tool_call_answer,
                &self.tool_call_answer,
            ),
            FieldChange::between("answerMode", &before.answer_mode, &self.answer_mode),
        ];
        changes.into_iter().flatten().collect()
    }

    /// Every field that is set, as a change from nothing.
    fn as_changes(&self) -> Vec<FieldChange> {
        let nothing = None::<()>;
        let required = [
            FieldChange::new("name", &nothing, &self.name),
            FieldChange::new("skillId", &nothing, &self.skill_id),
            FieldChange::new("enabled", &nothing, &self.enabled),
            FieldChange::new("answerMode", &nothing, &self.answer_mode),
        ];
        let optional = [
            FieldChange::between("description", &None, &self.description),
            FieldChange::between("content", &None, &self.content),
            FieldChange::between("params", &None, &self.params),
            FieldChange::between("toolCallAnswer", &None, &self.tool_call_answer),
        ];
        required.into_iter().chain(optional.into_iter().flatten()).collect()
    }
}
