//! What the errors of the domain become.

use domain::blob::BlobError;
use domain::error::{DomainError, Quota, Resource, StorageError};
use domain::user::UserRefusal;

use super::{Problem, ProblemKind};

/// How many of the documents that are not there are named.
const MISSING_NAMED: usize = 5;

impl From<DomainError> for Problem {
    fn from(error: DomainError) -> Self {
        use ProblemKind as Kind;
        match error {
            DomainError::Invalid(violations) => violations.into(),
            DomainError::NotFound(resource) => {
                let kind = match resource {
                    Resource::Bot => Kind::BotNotFound,
                    Resource::Project => Kind::ProjectNotFound,
                    Resource::Skill => Kind::SkillNotFound,
                    Resource::Stage => Kind::StageNotFound,
                    Resource::FusionView => Kind::FusionViewNotFound,
                    Resource::WebsiteCrawl => Kind::WebsiteCrawlNotFound,
                    Resource::Document => Kind::DocumentNotFound,
                    Resource::KeyvalEntry => Kind::KeyvalEntryNotFound,
                    Resource::MaxAgeRule => Kind::MaxAgeRuleNotFound,
                    Resource::Webhook => Kind::WebhookNotFound,
                    Resource::Delivery => Kind::DeliveryNotFound,
                    Resource::User => Kind::UserNotFound,
                    // Only operators and workers look for these, and they do not come by HTTP.
                    Resource::Organisation | Resource::Token | Resource::Job => {
                        return Self::internal(format!("a request asked for a {resource}"));
                    }
                };
                Self::new(kind, format!("There is no such {resource}."))
            }
            DomainError::DocumentsNotFound(missing) => {
                Self::new(Kind::DocumentNotFound, no_such_documents(&missing))
            }
            DomainError::Unauthenticated => Self::new(
                Kind::Unauthenticated,
                "This request carries no valid token in the header that `WWW-Authenticate` names.",
            ),
            DomainError::MissingScope(scopes) => {
                let detail = format!("This operation needs a token with {scopes}.");
                Self::new(Kind::MissingScope, detail)
                    .with(|parts| parts.required_scopes = Some(scopes))
            }
            DomainError::ReadOnlyToken => {
                Self::new(Kind::ReadOnlyToken, "This token was minted for reading only.")
            }
            DomainError::Taken(violations) => Self::of_violations(Kind::Taken, violations),
            DomainError::QuotaExceeded(quota) => {
                let kind = match quota {
                    Quota::BotsPerProject(_)
                    | Quota::ContentPerBot(_)
                    | Quota::ContentPerProject(_)
                    | Quota::ConfigurationsPerProject(_)
                    | Quota::KeptCrawlsPerBot(_)
                    | Quota::SkillListsPerBot(_)
                    | Quota::DocumentsPerProject(_)
                    | Quota::MaxAgeRulesPerProject(_)
                    | Quota::WebhooksPerProject(_) => Kind::QuotaExceeded,
                    Quota::BlobBytesPerProject(_) => Kind::ProjectFull,
                };
                Self::new(kind, format!("The quota is used up: {quota}."))
            }
            DomainError::PermanentKey => {
                let detail = "A key that begins with `!` is permanent: it can't be written, and is \
                              deleted only with `keepPermanent=false`.";
                Self::new(Kind::PermanentKey, detail)
            }
            DomainError::UserRefused(refusal) => refusal.into(),
            DomainError::Busy(busy) => {
                Self::new(Kind::TooManyAtOnce, format!("Too much at once: {busy}."))
            }
            DomainError::BodyTooLarge(limit) => Self::part_too_large("A part of the body", limit),
            DomainError::UploadNotSupported(types) => {
                let types = if types.is_empty() { "none".to_owned() } else { types.join(", ") };
                let detail = format!(
                    "Fusion-Views of this type take no package. The types that do: {types}."
                );
                Self::new(Kind::UploadNotSupported, detail)
            }
            DomainError::UnsupportedMediaType(reason) => {
                Self::new(Kind::UnsupportedMediaType, format!("Unsupported: {reason}."))
            }
            DomainError::BadArchive(rule) => {
                let rule = rule.as_str();
                Self::new(Kind::BadArchive, format!("The archive breaks the rule `{rule}`."))
                    .with(|parts| parts.rule = Some(rule))
            }
            // No operation writes records.
            DomainError::RecordsRefused(_) => Self::internal(error.to_string()),
            DomainError::PreconditionFailed(current) => {
                Self::precondition_failed(current.map(|tag| tag.to_string()))
            }
            DomainError::PreconditionNotSupported => {
                let detail = "Nothing that this operation changes has an entity tag.";
                Self::new(Kind::BadPrecondition, detail)
            }
            DomainError::IdempotencyKeyReused => {
                let detail = "This key was used for another request: with another method, path, query or body.";
                Self::new(Kind::IdempotencyKeyReused, detail)
            }
            // One that was answered is given its answer again, if that is still there.
            DomainError::IdempotencyInProgress | DomainError::AlreadyAnswered => {
                let detail = "A request with this key is being carried out; try again.";
                Self::new(Kind::IdempotencyInProgress, detail)
                    .with(|parts| parts.retry_after = Some(1))
            }
            DomainError::CursorExpired(oldest) => {
                let detail = "Not all events after this cursor are kept, or there was never such a cursor; \
                              read what they are about anew.";
                Self::new(Kind::CursorExpired, detail)
                    .with(|parts| parts.oldest_cursor = Some(oldest))
            }
            DomainError::WebhookDisabled => {
                let detail = "The webhook is disabled, so nothing is sent to it; enable it first.";
                Self::new(Kind::WebhookDisabled, detail)
            }
            DomainError::Refused(reason) => Self::new(Kind::Refused, format!("Refused: {reason}.")),
            DomainError::Storage(error) => error.into(),
            DomainError::Extractor(cause) => Self::internal(cause),
            DomainError::Cipher(error) => Self::internal(error.to_string()),
            DomainError::Blob(BlobError::Full(cause)) => StorageError::Full(cause).into(),
            DomainError::Blob(error) => {
                let detail = "The file could not be stored or read; nothing was changed.";
                Self::new(Kind::BlobStoreFailed, detail)
                    .with(|parts| parts.cause = Some(error.to_string()))
            }
        }
    }
}

fn no_such_documents(missing: &[String]) -> String {
    let named: Vec<_> =
        missing.iter().take(MISSING_NAMED).map(|name| format!("`{name}`")).collect();
    let others = match missing.len().saturating_sub(MISSING_NAMED) {
        0 => String::new(),
        others => format!(" and {others} more"),
    };
    format!("There is no such document: {}{others}.", named.join(", "))
}

impl From<UserRefusal> for Problem {
    fn from(refusal: UserRefusal) -> Self {
        let (kind, detail) = match refusal {
            UserRefusal::NoGuestId => {
                (ProblemKind::GuestIdMissing, "A user needs a `guestId` that is not empty.")
            }
            UserRefusal::GuestIdTaken | UserRefusal::GuestIdRepeated => {
                (ProblemKind::GuestIdTaken, "Another user of this bot has this `guestId`.")
            }
            UserRefusal::NoUser => {
                (ProblemKind::UserMissing, "The body names no user by `_id` or `userId`.")
            }
            UserRefusal::UnknownUser => (ProblemKind::UserUnknown, "There is no such user."),
        };
        Self::new(kind, detail)
    }
}

impl From<StorageError> for Problem {
    fn from(error: StorageError) -> Self {
        let cause = error.to_string();
        let (kind, detail) = match error {
            StorageError::Overloaded => {
                (ProblemKind::Overloaded, "Too much work is waiting; try again.")
            }
            StorageError::Contended(_) => {
                (ProblemKind::Contended, "Others changed the same thing meanwhile; try again.")
            }
            StorageError::Full(_) => {
                (ProblemKind::StorageFull, "There is no room left; nothing was changed.")
            }
            StorageError::Unavailable(_) => (
                ProblemKind::StorageUnavailable,
                "The database does not answer. A change may have taken place or not.",
            ),
            StorageError::Panicked(_) | StorageError::Broken(_) => return Self::internal(cause),
        };
        Self::new(kind, detail).with(|parts| parts.cause = Some(cause))
    }
}
