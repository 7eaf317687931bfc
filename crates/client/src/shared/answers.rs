// Made of docs/openapi.json by `cargo xtask openapi`.

//! What several resources have in common: what is in answers.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Timestamp;

/// The rule of the archive policy that an archive breaks (docs/security.md has the bounds).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ArchiveRule {
    /// `malformed`
    #[serde(rename = "malformed")]
    Malformed,
    /// `empty`
    #[serde(rename = "empty")]
    Empty,
    /// `leading_data`
    #[serde(rename = "leading_data")]
    LeadingData,
    /// `trailing_data`
    #[serde(rename = "trailing_data")]
    TrailingData,
    /// `multi_disk`
    #[serde(rename = "multi_disk")]
    MultiDisk,
    /// `headers_disagree`
    #[serde(rename = "headers_disagree")]
    HeadersDisagree,
    /// `overlapping_entries`
    #[serde(rename = "overlapping_entries")]
    OverlappingEntries,
    /// `unsupported_compression`
    #[serde(rename = "unsupported_compression")]
    UnsupportedCompression,
    /// `encrypted`
    #[serde(rename = "encrypted")]
    Encrypted,
    /// `too_many_entries`
    #[serde(rename = "too_many_entries")]
    TooManyEntries,
    /// `bad_name`
    #[serde(rename = "bad_name")]
    BadName,
    /// `name_too_long`
    #[serde(rename = "name_too_long")]
    NameTooLong,
    /// `too_deep`
    #[serde(rename = "too_deep")]
    TooDeep,
    /// `path_traversal`
    #[serde(rename = "path_traversal")]
    PathTraversal,
    /// `duplicate_name`
    #[serde(rename = "duplicate_name")]
    DuplicateName,
    /// `not_a_file`
    #[serde(rename = "not_a_file")]
    NotAFile,
    /// `entry_too_large`
    #[serde(rename = "entry_too_large")]
    EntryTooLarge,
    /// `too_large`
    #[serde(rename = "too_large")]
    TooLarge,
    /// `ratio_too_high`
    #[serde(rename = "ratio_too_high")]
    RatioTooHigh,
    /// `checksum_mismatch`
    #[serde(rename = "checksum_mismatch")]
    ChecksumMismatch,
    /// `took_too_long`
    #[serde(rename = "took_too_long")]
    TookTooLong,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl ArchiveRule {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Malformed => "malformed",
            Self::Empty => "empty",
            Self::LeadingData => "leading_data",
            Self::TrailingData => "trailing_data",
            Self::MultiDisk => "multi_disk",
            Self::HeadersDisagree => "headers_disagree",
            Self::OverlappingEntries => "overlapping_entries",
            Self::UnsupportedCompression => "unsupported_compression",
            Self::Encrypted => "encrypted",
            Self::TooManyEntries => "too_many_entries",
            Self::BadName => "bad_name",
            Self::NameTooLong => "name_too_long",
            Self::TooDeep => "too_deep",
            Self::PathTraversal => "path_traversal",
            Self::DuplicateName => "duplicate_name",
            Self::NotAFile => "not_a_file",
            Self::EntryTooLarge => "entry_too_large",
            Self::TooLarge => "too_large",
            Self::RatioTooHigh => "ratio_too_high",
            Self::ChecksumMismatch => "checksum_mismatch",
            Self::TookTooLong => "took_too_long",
            Self::Other(word) => word,
        }
    }
}

/// That one thing was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// Always true.
    pub deleted: bool,
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
}

/// How many things were deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct DeletedCount {
    /// How many there were.
    pub deleted: u64,
}

/// The type of an event: what happened.
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
    /// `webhook.created`
    #[serde(rename = "webhook.created")]
    WebhookCreated,
    /// `webhook.updated`
    #[serde(rename = "webhook.updated")]
    WebhookUpdated,
    /// `webhook.deleted`
    #[serde(rename = "webhook.deleted")]
    WebhookDeleted,
    /// `webhook.disabled`
    #[serde(rename = "webhook.disabled")]
    WebhookDisabled,
    /// `webhook.test`
    #[serde(rename = "webhook.test")]
    WebhookTest,
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
            Self::WebhookCreated => "webhook.created",
            Self::WebhookUpdated => "webhook.updated",
            Self::WebhookDeleted => "webhook.deleted",
            Self::WebhookDisabled => "webhook.disabled",
            Self::WebhookTest => "webhook.test",
            Self::Other(word) => word,
        }
    }
}

/// What a request failed for (RFC 9457).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// `urn:botyard:problem:` and the code.
    pub r#type: String,
    /// The code in words.
    pub title: String,
    /// The status of the answer.
    pub status: i64,
    /// What happened, as a sentence.
    pub detail: String,
    /// What happened, for programs: a stable word.
    pub code: String,
    /// Names the request in the log, as the header `X-Request-Id` does.
    pub request_id: String,
    /// The rule of the archive policy that was broken (`bad_archive`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<ArchiveRule>,
    /// The document that could not be made into chunks (`extraction_failed`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc_id: Option<Uuid>,
    /// From which cursor on all events are kept (`cursor_expired`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_cursor: Option<String>,
    /// The scopes that the operation needs (`missing_scope`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required_scopes: Option<Vec<Scope>>,
    /// Every violation of path, query and body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<Violation>>,
}

/// Whether a token is bound to one bot, or to one project and all its bots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Scheme {
    /// `APIKeyHeader`
    #[serde(rename = "APIKeyHeader")]
    APIKeyHeader,
    /// `APIKeyHeaderProject`
    #[serde(rename = "APIKeyHeaderProject")]
    APIKeyHeaderProject,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl Scheme {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::APIKeyHeader => "APIKeyHeader",
            Self::APIKeyHeaderProject => "APIKeyHeaderProject",
            Self::Other(word) => word,
        }
    }
}

/// One permission of a token (`docs/api.md`, "Tokens and scopes").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Scope {
    /// `bot:read`
    #[serde(rename = "bot:read")]
    BotRead,
    /// `bot:write`
    #[serde(rename = "bot:write")]
    BotWrite,
    /// `bots:read`
    #[serde(rename = "bots:read")]
    BotsRead,
    /// `bots:write`
    #[serde(rename = "bots:write")]
    BotsWrite,
    /// `changelog:read`
    #[serde(rename = "changelog:read")]
    ChangelogRead,
    /// `embedding:read`
    #[serde(rename = "embedding:read")]
    EmbeddingRead,
    /// `embedding:write`
    #[serde(rename = "embedding:write")]
    EmbeddingWrite,
    /// `events:read`
    #[serde(rename = "events:read")]
    EventsRead,
    /// `stats:read`
    #[serde(rename = "stats:read")]
    StatsRead,
    /// `fusion:read`
    #[serde(rename = "fusion:read")]
    FusionRead,
    /// `fusion:write`
    #[serde(rename = "fusion:write")]
    FusionWrite,
    /// `skills:read`
    #[serde(rename = "skills:read")]
    SkillsRead,
    /// `skills:write`
    #[serde(rename = "skills:write")]
    SkillsWrite,
    /// `stages:read`
    #[serde(rename = "stages:read")]
    StagesRead,
    /// `stages:write`
    #[serde(rename = "stages:write")]
    StagesWrite,
    /// `supervisor:read`
    #[serde(rename = "supervisor:read")]
    SupervisorRead,
    /// `projectdoc:read`
    #[serde(rename = "projectdoc:read")]
    ProjectdocRead,
    /// `projectdoc:write`
    #[serde(rename = "projectdoc:write")]
    ProjectdocWrite,
    /// `projectdoc:chunk`
    #[serde(rename = "projectdoc:chunk")]
    ProjectdocChunk,
    /// `webhooks:read`
    #[serde(rename = "webhooks:read")]
    WebhooksRead,
    /// `webhooks:write`
    #[serde(rename = "webhooks:write")]
    WebhooksWrite,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl Scope {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::BotRead => "bot:read",
            Self::BotWrite => "bot:write",
            Self::BotsRead => "bots:read",
            Self::BotsWrite => "bots:write",
            Self::ChangelogRead => "changelog:read",
            Self::EmbeddingRead => "embedding:read",
            Self::EmbeddingWrite => "embedding:write",
            Self::EventsRead => "events:read",
            Self::StatsRead => "stats:read",
            Self::FusionRead => "fusion:read",
            Self::FusionWrite => "fusion:write",
            Self::SkillsRead => "skills:read",
            Self::SkillsWrite => "skills:write",
            Self::StagesRead => "stages:read",
            Self::StagesWrite => "stages:write",
            Self::SupervisorRead => "supervisor:read",
            Self::ProjectdocRead => "projectdoc:read",
            Self::ProjectdocWrite => "projectdoc:write",
            Self::ProjectdocChunk => "projectdoc:chunk",
            Self::WebhooksRead => "webhooks:read",
            Self::WebhooksWrite => "webhooks:write",
            Self::Other(word) => word,
        }
    }
}

/// A user as clients see it; all other members are free.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its bot.
    pub bot_id: Uuid,
    /// What the chat runtime calls the user.
    pub guest_id: String,
    /// What the user has used since the last reset.
    pub stats: UserStats,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// The members that no field is for, by their names.
    #[serde(flatten)]
    pub others: serde_json::Map<String, serde_json::Value>,
}

/// What a user has used since the last reset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct UserStats {
    /// How many messages the user wrote.
    pub messages: u64,
    /// How many tokens that took.
    pub tokens: u64,
    /// When the user wrote last; `null` for never.
    pub last_active_at: Option<Timestamp>,
    /// When the numbers were set to 0 last; `null` for never.
    pub reset_at: Option<Timestamp>,
}

/// One thing that is wrong with a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// JSON Pointer (RFC 6901) to the value; empty for the whole.
    pub pointer: String,
    /// What it is a part of.
    pub r#in: ViolationIn,
    /// What is wrong, for programs: a stable word.
    pub code: String,
    /// What is wrong, as a sentence.
    pub message: String,
}

/// What it is a part of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ViolationIn {
    /// `body`
    #[serde(rename = "body")]
    Body,
    /// `query`
    #[serde(rename = "query")]
    Query,
    /// `path`
    #[serde(rename = "path")]
    Path,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl ViolationIn {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Body => "body",
            Self::Query => "query",
            Self::Path => "path",
            Self::Other(word) => word,
        }
    }
}
