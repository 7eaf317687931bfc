//! Visual blocks: what the chat runtime shows beside an answer. No endpoint reads or writes them, but
//! they go with their skill and their bot.

mod body;
mod repository;
mod service;

pub use body::NewVisualBlock;
pub use repository::VisualBlockRepository;
pub use service::VisualBlockService;

use crate::clock::Timestamp;
use crate::id::{BotId, VisualBlockId};
use crate::json::Json;
use crate::skill::Skill;

/// A visual block of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisualBlock {
    /// Its identifier.
    pub id: VisualBlockId,
    /// Its bot.
    pub bot_id: BotId,
    /// What it is found by; no other block of the bot has the same name.
    pub name: String,
    /// What it shows.
    pub content: Json,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it changed last.
    pub updated_at: Timestamp,
}

impl VisualBlock {
    /// A block as it is when there was none of its name before.
    pub(crate) fn new(
        id: VisualBlockId,
        bot_id: BotId,
        NewVisualBlock { name, content }: &NewVisualBlock,
        now: Timestamp,
    ) -> Self {
        let (name, content) = (name.clone(), content.clone());
        Self { id, bot_id, name, content, created_at: now, updated_at: now }
    }
}

/// The names that the blocks of a skill can have.
pub(crate) fn names_of_skill(skill: &Skill) -> [String; 2] {
    [format!("ifthen_{}", skill.fields.skill_id), format!("ifthen_{}", skill.id)]
}
