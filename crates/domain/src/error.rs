//! The errors of services ([`DomainError`]) and of the database ([`StorageError`]); a variant says what a caller can do.

use std::fmt;

use crate::access::ScopeSet;
use crate::archive::{ArchiveError, ArchiveRule};
use crate::blob::BlobError;
use crate::encryption::CipherError;
use crate::entity_tag::EntityTag;
use crate::user::UserRefusal;
use crate::violation::{ViolationCode, Violations};

/// Why a service did not do what it was asked to. A unit of work that failed has changed nothing, but after
/// [`StorageError::Unavailable`] that is unknown; calls of several units say what they leave. Methods of services
/// name the reasons of their own; every one of them also fails with [`DomainError::Storage`] if the database
/// does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DomainError {
    /// The input is wrong in the ways listed.
    #[error("the input is invalid")]
    Invalid(Violations),
    /// What was addressed is not there, or not for this caller.
    #[error("{0} not found")]
    NotFound(Resource),
    /// Of several documents that one request names, these are not there: each said by its identifier, or by
    /// its place in the body if what stands there is none.
    #[error("{} of the documents not found", .0.len())]
    DocumentsNotFound(Vec<String>),
    /// The token is missing, malformed, unknown, revoked, expired or of the other scheme.
    #[error("no valid token")]
    Unauthenticated,
    /// The token lacks a scope; the set names all that the operation asks for.
    #[error("a scope is missing")]
    MissingScope(ScopeSet),
    /// A token minted read-only was used for a write.
    #[error("the token is read-only")]
    ReadOnlyToken,
    /// Another resource already has a value that must be unique; the violations say which.
    #[error("already taken")]
    Taken(Violations),
    /// A quota of the project is used up.
    #[error("{0}")]
    QuotaExceeded(Quota),
    /// The project does as much at once as it may.
    #[error("{0}")]
    Busy(Busy),
    /// A body or file has more than this many bytes.
    #[error("more than {0} bytes")]
    BodyTooLarge(u64),
    /// The key is one of those that only the service itself writes.
    #[error("the key is permanent")]
    PermanentKey,
    /// A user could not be made or changed, for this reason.
    #[error("{0}")]
    UserRefused(UserRefusal),
    /// Nothing can be uploaded to a Fusion-View of this type, only to those of these types.
    #[error("nothing can be uploaded to this")]
    UploadNotSupported(Vec<String>),
    /// A file is of a type that is not taken here; the text says what is.
    #[error("{0}")]
    UnsupportedMediaType(String),
    /// An archive breaks a rule of the policy.
    #[error("the archive breaks the rule {}", .0.as_str())]
    BadArchive(ArchiveRule),
    /// Of several records, these were refused, and so nothing was written: each by its index, counted from
    /// 0, and the reason.
    #[error("{} of the records refused", .0.len())]
    RecordsRefused(Vec<(usize, DomainError)>),
    /// The precondition of a change does not hold; the tag is that of what is there, if anything is.
    #[error("the precondition does not hold")]
    PreconditionFailed(Option<EntityTag>),
    /// A change has a precondition, but there is nothing by which it could be evaluated.
    #[error("this can't be done under a precondition")]
    PreconditionNotSupported,
    /// The key of a request was used for another request.
    #[error("the key was used for another request")]
    IdempotencyKeyReused,
    /// Another attempt at a request with this key is being carried out.
    #[error("a request with this key is being carried out")]
    IdempotencyInProgress,
    /// Another attempt at a request with a key was answered.
    #[error("the request was answered before")]
    AlreadyAnswered,
    /// Not all events after a cursor are kept any more, or the feed never had it; from this cursor on they are.
    #[error("events after the cursor are not kept")]
    CursorExpired(u64),
    /// The webhook is disabled, so that nothing is sent to it.
    #[error("the webhook is disabled")]
    WebhookDisabled,
    /// The state that something is in does not allow this.
    #[error("{0}")]
    Refused(String),
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The extractor failed; the text is for the log.
    #[error("the extractor failed: {0}")]
    Extractor(String),
    /// The blob store failed.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// A secret could not be encrypted or decrypted.
    #[error(transparent)]
    Cipher(#[from] CipherError),
}

impl DomainError {
    /// A single violation of a body.
    #[must_use]
    pub fn invalid(
        pointer: impl Into<String>,
        code: ViolationCode,
        message: impl Into<String>,
    ) -> Self {
        Self::Invalid(Violations::one(pointer, code, message))
    }
}

impl From<ArchiveError> for DomainError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::NotAnArchive => {
                Self::UnsupportedMediaType("the file is no ZIP archive".to_owned())
            }
            ArchiveError::Bad(rule) => Self::BadArchive(rule),
            ArchiveError::Overloaded => Self::Storage(StorageError::Overloaded),
            ArchiveError::Unreadable(error) => Self::Blob(error),
        }
    }
}

impl From<Violations> for DomainError {
    fn from(violations: Violations) -> Self {
        Self::Invalid(violations)
    }
}

/// The kinds of thing that can be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// No such organisation.
    Organisation,
    /// No such project.
    Project,
    /// No such bot, or it is archived, trashed, demo, template, or not within the caller's reach.
    Bot,
    /// No such token.
    Token,
    /// The bot has no such skill.
    Skill,
    /// The bot has no such stage.
    Stage,
    /// The bot has no such Fusion-View.
    FusionView,
    /// The bot has no such website-crawl.
    WebsiteCrawl,
    /// The project has no such document.
    Document,
    /// Nothing is stored under this user, type and key.
    KeyvalEntry,
    /// The project has no such MaxAge rule.
    MaxAgeRule,
    /// The bot has no such user.
    User,
    /// The project has no such webhook.
    Webhook,
    /// The webhook has no such delivery, or it is not kept any more.
    Delivery,
    /// No such job, or it is done.
    Job,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Organisation => "organisation",
            Self::Project => "project",
            Self::Bot => "bot",
            Self::Token => "token",
            Self::Skill => "skill",
            Self::Stage => "stage",
            Self::FusionView => "Fusion-View",
            Self::WebsiteCrawl => "website-crawl",
            Self::Document => "document",
            Self::KeyvalEntry => "key-value entry",
            Self::MaxAgeRule => "MaxAge rule",
            Self::User => "user",
            Self::Webhook => "webhook",
            Self::Delivery => "delivery",
            Self::Job => "job",
        })
    }
}

/// What a project may have only so many of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quota {
    /// Bots of a project, in any state: setting `limits.bots_per_project`.
    BotsPerProject(u64),
    /// MaxAge rules of a project: setting `limits.max_age_rules_per_project`.
    MaxAgeRulesPerProject(u32),
    /// Webhooks of a project: setting `limits.webhooks_per_project`.
    WebhooksPerProject(u32),
    /// Bytes of the skills, stages, Fusion-Views and visual blocks of a bot: setting `limits.content_per_bot`.
    ContentPerBot(u64),
    /// Bytes of the same of all bots of a project: setting `limits.content_per_project`.
    ContentPerProject(u64),
    /// Bytes of the large configurations of all bots of a project: setting `limits.content_per_project`.
    ConfigurationsPerProject(u64),
    /// Bytes of the lists of skills in the stages of a bot: setting `limits.skill_lists_per_bot`.
    SkillListsPerBot(u64),
    /// Website-crawls of a bot, ended ones included: setting `limits.kept_crawls_per_bot`.
    KeptCrawlsPerBot(u64),
    /// Documents of a project: setting `limits.documents_per_project`.
    DocumentsPerProject(u64),
    /// Bytes of all blobs of a project: setting `limits.blob_bytes_per_project`.
    BlobBytesPerProject(u64),
}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BotsPerProject(limit) => write!(f, "a project holds at most {limit} bots"),
            Self::MaxAgeRulesPerProject(limit) => {
                write!(f, "a project holds at most {limit} MaxAge rules")
            }
            Self::WebhooksPerProject(limit) => {
                write!(f, "a project holds at most {limit} webhooks")
            }
            Self::ContentPerBot(limit) => {
                let what = "the skills, stages, Fusion-Views and visual blocks of a bot";
                write!(f, "{what} have at most {limit} bytes")
            }
            Self::ContentPerProject(limit) => {
                let what = "the skills, stages, Fusion-Views and visual blocks of a project's bots";
                write!(f, "{what} have at most {limit} bytes")
            }
            Self::ConfigurationsPerProject(limit) => {
                let what = "the configurations of more than 64 KiB of a project's bots";
                write!(f, "{what} have at most {limit} bytes")
            }
            Self::SkillListsPerBot(limit) => {
                let what = "the lists of skills in the stages of a bot";
                write!(
                    f,
                    "{what} have at most {limit} bytes, where each stage counts 4096 at least"
                )
            }
            Self::KeptCrawlsPerBot(limit) => {
                write!(f, "a bot holds at most {limit} website-crawls")
            }
            Self::DocumentsPerProject(limit) => {
                write!(f, "a project holds at most {limit} documents")
            }
            Self::BlobBytesPerProject(limit) => {
                write!(f, "the files of a project have at most {limit} bytes")
            }
        }
    }
}

/// What a project may do only so much of at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Busy {
    /// Uploads in progress: setting `limits.uploads_per_project`.
    Uploads(usize),
    /// Duplicates of large bots that are being made: setting `limits.duplicates_per_project`.
    Duplicates(u32),
    /// Website-crawls that wait for their turn: setting `limits.queued_crawls_per_project`.
    QueuedCrawls(u32),
    /// Extractions that wait for their turn: setting `limits.queued_extractions_per_project`.
    QueuedExtractions(u32),
    /// A skill that is being renamed in the copies of documents that its bot has.
    SkillOfCopies,
    /// Large configurations that are being stored or removed.
    Configurations(u32),
}

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uploads(limit) => write!(f, "a project has at most {limit} uploads at once"),
            Self::Duplicates(limit) => {
                write!(
                    f,
                    "a project has at most {limit} duplicates of large bots that are being made"
                )
            }
            Self::QueuedCrawls(limit) => {
                write!(f, "a project has at most {limit} website-crawls that wait")
            }
            Self::QueuedExtractions(limit) => {
                write!(f, "a project has at most {limit} extractions that wait")
            }
            Self::SkillOfCopies => {
                f.write_str("a skill of the bot is still being renamed in its documents")
            }
            Self::Configurations(limit) => {
                let what = "large configurations that are being stored or removed";
                write!(f, "a project has at most {limit} {what}")
            }
        }
    }
}

/// What the database can fail with, by what the caller can do about it. The texts are for the log
/// and never reach a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageError {
    /// Too much work waits already; nothing was done, try again.
    #[error("too many units of work wait for the database")]
    Overloaded,
    /// The unit collided with others more often than it is repeated; nothing was done, try again.
    #[error("the unit of work collided with others: {0}")]
    Contended(String),
    /// The disk is full; nothing was done.
    #[error("the database has no room left: {0}")]
    Full(String),
    /// The database does not answer. Whether a unit that was being committed took place is unknown.
    #[error("the database is out of reach: {0}")]
    Unavailable(String),
    /// The unit of work panicked and was rolled back.
    #[error("the unit of work panicked: {0}")]
    Panicked(String),
    /// A statement failed, or a row holds what it must not: a defect.
    #[error("the database failed: {0}")]
    Broken(String),
}
