//! Bots: their configuration, their states, and what can be done to them as a whole
//! (`docs/api.md`, "The bot" and "States of a bot").

mod body;
mod change;
mod config;
mod copy;
mod duplicate;
mod job;
mod list;
mod operator;
mod original;
mod pending_config;
mod prepared_change;
mod repository;
mod service;
mod state;
mod tokens;
mod unfinished;

pub use body::{CreateBot, DeleteBot, DeleteMode, DuplicateBot, UpdateBot, delete_mode};
pub use config::{
    ActiveDocSearchType, BotConfig, BotConfigPatch, ChatMsgSourceOption, ReasoningEffort,
    SpeechRecognitionMode, TextVerbosity,
};
pub use job::TEARDOWN_BOT;
pub(crate) use job::TeardownBot;
pub use pending_config::REMOVE_CONFIG;
pub(crate) use pending_config::RemoveConfig;
pub use repository::{BotRepository, BotUnlessLarge, ConfigRepository, LargeBot};
pub use service::BotService;
pub use state::{BotState, ImpossibleTransition, Transition};
pub use tokens::BotWithTokens;
pub(crate) use unfinished::Unfinished;

use crate::choice;
use crate::clock::Timestamp;
use crate::id::{BotId, ProjectId};

choice! {
    /// What a bot is for. Demo and template bots are never found by the API.
    BotKind {
        Regular "regular",
        Demo "demo",
        Template "template",
    }
}

/// A bot of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Bot {
    /// Its identifier.
    pub id: BotId,
    /// Its project.
    pub project_id: ProjectId,
    /// What it is for.
    pub kind: BotKind,
    /// Whether it is there, in the archive or in the trash.
    pub state: BotState,
    /// Its configuration.
    pub config: BotConfig,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its configuration or its state changed last.
    pub updated_at: Timestamp,
}

impl Bot {
    /// Whether the API finds it.
    #[must_use]
    pub fn is_live(&self) -> bool {
        is_live(self.state, self.kind)
    }

    /// The same without its configuration.
    #[must_use]
    pub fn summary(&self) -> BotSummary {
        let Self { id, project_id, kind, state, config, created_at, updated_at } = self;
        BotSummary {
            id: *id,
            project_id: *project_id,
            kind: *kind,
            state: *state,
            name: config.name.clone(),
            created_at: *created_at,
            updated_at: *updated_at,
        }
    }
}

/// A bot without its configuration, which may be as long as a request can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotSummary {
    /// Its identifier.
    pub id: BotId,
    /// Its project.
    pub project_id: ProjectId,
    /// What it is for.
    pub kind: BotKind,
    /// Whether it is there, in the archive or in the trash.
    pub state: BotState,
    /// Its name.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its configuration or its state changed last.
    pub updated_at: Timestamp,
}

impl BotSummary {
    /// Whether the API finds it.
    #[must_use]
    pub fn is_live(&self) -> bool {
        is_live(self.state, self.kind)
    }
}

fn is_live(state: BotState, kind: BotKind) -> bool {
    state == BotState::Active && kind == BotKind::Regular
}
