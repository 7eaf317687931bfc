// Made of docs/openapi.json by `cargo xtask openapi`.

//! Event: what is in answers.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Timestamp;
use crate::shared::Scheme;

/// Something that has happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The same however often it is read.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its place among the events of the project, for `after`.
    pub cursor: String,
    /// What has happened.
    pub r#type: EventType,
    /// When.
    pub at: Timestamp,
    /// Its project.
    pub project_id: Uuid,
    /// The bot with which it happened; `null` for what is the project's.
    pub bot_id: Option<Uuid>,
    /// What it has happened to.
    pub resource: EventResource,
    /// The `_id` of what it has happened to.
    pub resource_id: String,
    /// The token by which it was done; `null` for an operator or a job.
    pub actor: Option<EventActor>,
    /// What else there is to say; the members depend on the type.
    pub data: EventData,
}

/// The token by which something was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct EventActor {
    /// The `_id` of the token.
    pub token_id: Uuid,
    /// What the token is bound to.
    pub scheme: Scheme,
}

/// What events of some types have beside what all have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct EventData {
    /// `bot.duplicated`: the copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_id: Option<Uuid>,
    /// `bot.created` of a copy: the bot of which it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_id: Option<Uuid>,
    /// `crawl.finished`, `crawl.failed`: pages with content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_scraped: Option<u32>,
    /// `crawl.finished`, `crawl.failed`: pages that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_failed: Option<u32>,
    /// `document.uploaded`, `document.replaced`: the bytes of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// `document.extracted`: the chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_count: Option<u32>,
    /// `crawl.finished`, `crawl.failed`, `document.extraction_failed`: what went wrong, in the word of
    /// the crawl or the extraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `keyval.expired`: the rule by which entries went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<Uuid>,
    /// `users.imported`, `feedback.imported`, `keyval.expired`: how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// What it has happened to: a word of the changelog, or one of those that have no changelog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EventResource {
    /// `bot`
    #[serde(rename = "bot")]
    Bot,
    /// `skill`
    #[serde(rename = "skill")]
    Skill,
    /// `stage`
    #[serde(rename = "stage")]
    Stage,
    /// `fusion`
    #[serde(rename = "fusion")]
    Fusion,
    /// `embedding`
    #[serde(rename = "embedding")]
    Embedding,
    /// `document`
    #[serde(rename = "document")]
    Document,
    /// `user`
    #[serde(rename = "user")]
    User,
    /// `feedback`
    #[serde(rename = "feedback")]
    Feedback,
    /// `keyval`
    #[serde(rename = "keyval")]
    Keyval,
    /// `token`
    #[serde(rename = "token")]
    Token,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl EventResource {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Bot => "bot",
            Self::Skill => "skill",
            Self::Stage => "stage",
            Self::Fusion => "fusion",
            Self::Embedding => "embedding",
            Self::Document => "document",
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Keyval => "keyval",
            Self::Token => "token",
            Self::Other(word) => word,
        }
    }
}

/// What stands for a token once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct EventTicket {
    /// The ticket, for the parameter `ticket`.
    pub ticket: String,
    /// When it is not valid any more.
    pub expires_at: Timestamp,
}

/// What has happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EventType {
    /// `bot.created`
    #[serde(rename = "bot.created")]
    BotCreated,
    /// `bot.updated`
    #[serde(rename = "bot.updated")]
    BotUpdated,
    /// `bot.duplicated`
    #[serde(rename = "bot.duplicated")]
    BotDuplicated,
    /// `bot.archived`
    #[serde(rename = "bot.archived")]
    BotArchived,
    /// `bot.trashed`
    #[serde(rename = "bot.trashed")]
    BotTrashed,
    /// `bot.restored`
    #[serde(rename = "bot.restored")]
    BotRestored,
    /// `bot.deleted`
    #[serde(rename = "bot.deleted")]
    BotDeleted,
    /// `skill.created`
    #[serde(rename = "skill.created")]
    SkillCreated,
    /// `skill.updated`
    #[serde(rename = "skill.updated")]
    SkillUpdated,
    /// `skill.deleted`
    #[serde(rename = "skill.deleted")]
    SkillDeleted,
    /// `stage.created`
    #[serde(rename = "stage.created")]
    StageCreated,
    /// `stage.updated`
    #[serde(rename = "stage.updated")]
    StageUpdated,
    /// `stage.deleted`
    #[serde(rename = "stage.deleted")]
    StageDeleted,
    /// `fusion.created`
    #[serde(rename = "fusion.created")]
    FusionCreated,
    /// `fusion.updated`
    #[serde(rename = "fusion.updated")]
    FusionUpdated,
    /// `fusion.deleted`
    #[serde(rename = "fusion.deleted")]
    FusionDeleted,
    /// `fusion.package_uploaded`
    #[serde(rename = "fusion.package_uploaded")]
    FusionPackageUploaded,
    /// `crawl.created`
    #[serde(rename = "crawl.created")]
    CrawlCreated,
    /// `crawl.started`
    #[serde(rename = "crawl.started")]
    CrawlStarted,
    /// `crawl.updated`
    #[serde(rename = "crawl.updated")]
    CrawlUpdated,
    /// `crawl.finished`
    #[serde(rename = "crawl.finished")]
    CrawlFinished,
    /// `crawl.failed`
    #[serde(rename = "crawl.failed")]
    CrawlFailed,
    /// `crawl.cancelled`
    #[serde(rename = "crawl.cancelled")]
    CrawlCancelled,
    /// `crawl.deleted`
    #[serde(rename = "crawl.deleted")]
    CrawlDeleted,
    /// `document.uploaded`
    #[serde(rename = "document.uploaded")]
    DocumentUploaded,
    /// `document.replaced`
    #[serde(rename = "document.replaced")]
    DocumentReplaced,
    /// `document.extraction_requested`
    #[serde(rename = "document.extraction_requested")]
    DocumentExtractionRequested,
    /// `document.extracted`
    #[serde(rename = "document.extracted")]
    DocumentExtracted,
    /// `document.extraction_failed`
    #[serde(rename = "document.extraction_failed")]
    DocumentExtractionFailed,
    /// `document.deleted`
    #[serde(rename = "document.deleted")]
    DocumentDeleted,
    /// `document.assigned`
    #[serde(rename = "document.assigned")]
    DocumentAssigned,
    /// `document.unassigned`
    #[serde(rename = "document.unassigned")]
    DocumentUnassigned,
    /// `user.created`
    #[serde(rename = "user.created")]
    UserCreated,
    /// `user.updated`
    #[serde(rename = "user.updated")]
    UserUpdated,
    /// `user.deleted`
    #[serde(rename = "user.deleted")]
    UserDeleted,
    /// `users.imported`
    #[serde(rename = "users.imported")]
    UsersImported,
    /// `feedback.created`
    #[serde(rename = "feedback.created")]
    FeedbackCreated,
    /// `feedback.imported`
    #[serde(rename = "feedback.imported")]
    FeedbackImported,
    /// `keyval.expired`
    #[serde(rename = "keyval.expired")]
    KeyvalExpired,
    /// `token.minted`
    #[serde(rename = "token.minted")]
    TokenMinted,
    /// `token.revoked`
    #[serde(rename = "token.revoked")]
    TokenRevoked,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl EventType {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::BotCreated => "bot.created",
            Self::BotUpdated => "bot.updated",
            Self::BotDuplicated => "bot.duplicated",
            Self::BotArchived => "bot.archived",
            Self::BotTrashed => "bot.trashed",
            Self::BotRestored => "bot.restored",
            Self::BotDeleted => "bot.deleted",
            Self::SkillCreated => "skill.created",
            Self::SkillUpdated => "skill.updated",
            Self::SkillDeleted => "skill.deleted",
            Self::StageCreated => "stage.created",
            Self::StageUpdated => "stage.updated",
            Self::StageDeleted => "stage.deleted",
            Self::FusionCreated => "fusion.created",
            Self::FusionUpdated => "fusion.updated",
            Self::FusionDeleted => "fusion.deleted",
            Self::FusionPackageUploaded => "fusion.package_uploaded",
            Self::CrawlCreated => "crawl.created",
            Self::CrawlStarted => "crawl.started",
            Self::CrawlUpdated => "crawl.updated",
            Self::CrawlFinished => "crawl.finished",
            Self::CrawlFailed => "crawl.failed",
            Self::CrawlCancelled => "crawl.cancelled",
            Self::CrawlDeleted => "crawl.deleted",
            Self::DocumentUploaded => "document.uploaded",
            Self::DocumentReplaced => "document.replaced",
            Self::DocumentExtractionRequested => "document.extraction_requested",
            Self::DocumentExtracted => "document.extracted",
            Self::DocumentExtractionFailed => "document.extraction_failed",
            Self::DocumentDeleted => "document.deleted",
            Self::DocumentAssigned => "document.assigned",
            Self::DocumentUnassigned => "document.unassigned",
            Self::UserCreated => "user.created",
            Self::UserUpdated => "user.updated",
            Self::UserDeleted => "user.deleted",
            Self::UsersImported => "users.imported",
            Self::FeedbackCreated => "feedback.created",
            Self::FeedbackImported => "feedback.imported",
            Self::KeyvalExpired => "keyval.expired",
            Self::TokenMinted => "token.minted",
            Self::TokenRevoked => "token.revoked",
            Self::Other(word) => word,
        }
    }
}
