//! Stages: what a bot offers at one point of a conversation (specification, section 2.5).

mod body;
mod repository;
mod service;

pub use body::{CreateStage, StagePatch, UpdateStage};
pub use repository::StageRepository;
pub use service::StageService;
pub(crate) use service::replace_skill;

use crate::changelog::FieldChange;
use crate::clock::Timestamp;
use crate::id::{BotId, StageId};

/// A stage of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Its identifier.
    pub id: StageId,
    /// Its bot.
    pub bot_id: BotId,
    /// What people read; the name where nothing else was said.
    pub title: String,
    /// What it is called; the title where nothing else was said.
    pub name: String,
    /// Whether it is left out of what people see.
    pub hidden: Option<bool>,
    /// Whether it has a footer.
    pub footer: Option<bool>,
    /// Whether one of its skills must be used.
    pub force_skills: Option<bool>,
    /// The `skillId`s of its skills, in their order, each once. There need not be such skills.
    pub skills: Option<Vec<String>>,
    /// Script that runs when it begins.
    pub enter_js: Option<String>,
    /// Script that runs when it ends.
    pub exit_js: Option<String>,
    /// Script that decides whether it may begin.
    pub pre_condition_js: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it changed last.
    pub updated_at: Timestamp,
}

impl Stage {
    /// How many bytes its long texts have.
    fn text_size(&self) -> usize {
        let scripts = [&self.enter_js, &self.exit_js, &self.pre_condition_js].into_iter().flatten();
        let skills = self.skills.iter().flatten().map(|skill| skill.len() + 3);
        scripts.map(String::len).chain(skills).sum()
    }

    /// What differs from an earlier state.
    fn changes_since(&self, before: &Self) -> Vec<FieldChange> {
        let names = [
            FieldChange::between("title", &before.title, &self.title),
            FieldChange::between("name", &before.name, &self.name),
        ];
        names.into_iter().flatten().chain(self.other_changes_since(before)).collect()
    }

    /// Every field that is set, as a change from nothing.
    fn as_changes(&self) -> Vec<FieldChange> {
        let nothing = None::<()>;
        let names = [
            FieldChange::new("title", &nothing, &self.title),
            FieldChange::new("name", &nothing, &self.name),
        ];
        let bare = Self {
            hidden: None,
            footer: None,
            force_skills: None,
            skills: None,
            enter_js: None,
            exit_js: None,
            pre_condition_js: None,
            ..self.clone()
        };
        names.into_iter().chain(self.other_changes_since(&bare)).collect()
    }

    fn other_changes_since(&self, before: &Self) -> impl Iterator<Item = FieldChange> {
        let changes = [
            FieldChange::between("hidden", &before.hidden, &self.hidden),
            FieldChange::between("footer", &before.footer, &self.footer),
            FieldChange::between("forceSkills", &before.force_skills, &self.force_skills),
            FieldChange::between("skills", &before.skills, &self.skills),
            FieldChange::between("enterJS", &before.enter_js, &self.enter_js),
            FieldChange::between("exitJS", &before.exit_js, &self.exit_js),
            FieldChange::between(
                "preConditionJS",
                &before.pre_condition_js,
                &self.pre_condition_js,
            ),
        ];
        changes.into_iter().flatten()
    }
}
