//! Every kind of problem that is not a violation of one field.

use actix_web::http::StatusCode;

/// Declares every kind of problem: its code, its status and its title. The comment says what happened, also in
/// the API document.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident $code:literal $status:ident $title:literal,)+) => {
        /// A kind of problem that is not a violation of one field.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ProblemKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl ProblemKind {
            /// Every kind there is; `docs/errors.md` lists the same.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// The stable word.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$kind => $code,)+ }
            }

            /// The HTTP status.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$kind => StatusCode::$status,)+ }
            }

            /// A short title, the same for every occurrence.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$kind => $title,)+ }
            }

            /// What happened, as a sentence.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$kind => concat!($($doc),+).trim_ascii_start(),)+ }
            }
        }
    };
}

kinds! {
    /// The head of the request is not HTTP/1.1.
    MalformedRequest "malformed_request" BAD_REQUEST "Malformed request",
    /// The body ended early or was framed wrongly.
    BrokenBody "broken_body" BAD_REQUEST "Broken body",
    /// The token is missing, unknown, expired or revoked.
    Unauthenticated "unauthenticated" UNAUTHORIZED "No valid token",
    /// The token lacks a scope.
    MissingScope "missing_scope" FORBIDDEN "Missing scope",
    /// The token may only read.
    ReadOnlyToken "read_only_token" FORBIDDEN "Read-only token",
    /// The project has as many of something as it may.
    QuotaExceeded "quota_exceeded" FORBIDDEN "Quota exceeded",
    /// The key is one of those that only the service itself writes.
    PermanentKey "permanent_key" FORBIDDEN "Permanent key",
    /// A user can't be without a guestId.
    GuestIdMissing "guest_id_missing" FORBIDDEN "guestId missing",
    /// Another user of the bot has the guestId.
    GuestIdTaken "guest_id_taken" FORBIDDEN "guestId taken",
    /// The body names no user.
    UserMissing "user_missing" FORBIDDEN "User missing",
    /// The bot has no such user.
    UserUnknown "user_unknown" FORBIDDEN "User unknown",
    /// A browser asked whether it may call, and it may not.
    CorsRefused "cors_refused" FORBIDDEN "Not allowed by CORS",
    /// The path is none of this API's.
    UnknownPath "unknown_path" NOT_FOUND "Unknown path",
    /// No such bot for this caller.
    BotNotFound "bot_not_found" NOT_FOUND "Bot not found",
    /// No such project for this caller.
    ProjectNotFound "project_not_found" NOT_FOUND "Project not found",
    /// The bot has no such skill.
    SkillNotFound "skill_not_found" NOT_FOUND "Skill not found",
    /// The bot has no such stage.
    StageNotFound "stage_not_found" NOT_FOUND "Stage not found",
    /// The bot has no such Fusion-View.
    FusionViewNotFound "fusion_view_not_found" NOT_FOUND "Fusion-View not found",
    /// The bot has no such website-crawl.
    WebsiteCrawlNotFound "website_crawl_not_found" NOT_FOUND "Website-crawl not found",
    /// The project has no such document.
    DocumentNotFound "document_not_found" NOT_FOUND "Document not found",
    /// Nothing is stored under this user, type and key.
    KeyvalEntryNotFound "keyval_entry_not_found" NOT_FOUND "Key-value entry not found",
    /// The project has no such MaxAge rule.
    MaxAgeRuleNotFound "max_age_rule_not_found" NOT_FOUND "MaxAge rule not found",
    /// The project has no such webhook.
    WebhookNotFound "webhook_not_found" NOT_FOUND "Webhook not found",
    /// The webhook has no such delivery, or it is not kept any more.
    DeliveryNotFound "delivery_not_found" NOT_FOUND "Delivery not found",
    /// The bot has no such user.
    UserNotFound "user_not_found" NOT_FOUND "User not found",
    /// The path is known, the method is not.
    MethodNotAllowed "method_not_allowed" METHOD_NOT_ALLOWED "Method not allowed",
    /// The client sends its request too slowly.
    TooSlow "too_slow" REQUEST_TIMEOUT "Too slow",
    /// The state of the thing does not allow this.
    Refused "refused" CONFLICT "Refused",
    /// The webhook is disabled, so nothing is sent to it.
    WebhookDisabled "webhook_disabled" CONFLICT "Webhook disabled",
    /// A request with this Idempotency-Key is being carried out.
    IdempotencyInProgress "idempotency_in_progress" CONFLICT "Request in progress",
    /// Another resource already has a value that must be unique; `errors` names each.
    Taken "taken" CONFLICT "Already taken",
    /// Not all events after the cursor are kept; from `oldestCursor` on they are.
    CursorExpired "cursor_expired" GONE "Cursor expired",
    /// What is addressed is not in the state that the request asks for.
    PreconditionFailed "precondition_failed" PRECONDITION_FAILED "Precondition failed",
    /// The body is larger than the operation takes.
    BodyTooLarge "body_too_large" PAYLOAD_TOO_LARGE "Body too large",
    /// The files of the project have as many bytes as they may.
    ProjectFull "project_full" PAYLOAD_TOO_LARGE "Project full",
    /// Path and query, or one segment, are longer than allowed.
    UriTooLong "uri_too_long" URI_TOO_LONG "URI too long",
    /// Request bodies are taken as they are, not compressed.
    UnsupportedContentEncoding "unsupported_content_encoding" UNSUPPORTED_MEDIA_TYPE
        "Unsupported content encoding",
    /// The body or a file in it is of a type that is not taken.
    UnsupportedMediaType "unsupported_media_type" UNSUPPORTED_MEDIA_TYPE "Unsupported media type",
    /// What is addressed takes no uploads.
    UploadNotSupported "upload_not_supported" UNSUPPORTED_MEDIA_TYPE "Upload not supported",
    /// The part of a file that is asked for lies beyond its end.
    RangeNotSatisfiable "range_not_satisfiable" RANGE_NOT_SATISFIABLE "Range not satisfiable",
    /// `If-Match` or `If-None-Match` is malformed, or can't be evaluated here.
    BadPrecondition "bad_precondition" UNPROCESSABLE_ENTITY "Bad precondition",
    /// `Idempotency-Key` is no key.
    BadIdempotencyKey "bad_idempotency_key" UNPROCESSABLE_ENTITY "Bad idempotency key",
    /// The Idempotency-Key was used for another request.
    IdempotencyKeyReused "idempotency_key_reused" UNPROCESSABLE_ENTITY "Idempotency key reused",
    /// Several different violations in one input; `errors` names each.
    InvalidBody "invalid_body" UNPROCESSABLE_ENTITY "Invalid body",
    /// The form is malformed or goes beyond a limit.
    BadForm "bad_form" UNPROCESSABLE_ENTITY "Bad form",
    /// The archive breaks a rule of the policy; `rule` names it.
    BadArchive "bad_archive" UNPROCESSABLE_ENTITY "Bad archive",
    /// The token sends more requests than its rate allows.
    RateLimited "rate_limited" TOO_MANY_REQUESTS "Too many requests",
    /// The project does as much of something at once as it may.
    TooManyAtOnce "too_many_at_once" TOO_MANY_REQUESTS "Too many at once",
    /// The head of the request has too many lines or bytes.
    HeadTooLarge "head_too_large" REQUEST_HEADER_FIELDS_TOO_LARGE "Head too large",
    /// A defect of the service. The log has the cause under the request id.
    Internal "internal" INTERNAL_SERVER_ERROR "Internal error",
    /// The blob store failed.
    BlobStoreFailed "blob_store_failed" INTERNAL_SERVER_ERROR "Blob store failed",
    /// The document `docId` could not be made into chunks.
    ExtractionFailed "extraction_failed" INTERNAL_SERVER_ERROR "Extraction failed",
    /// More work waits than the service takes on.
    Overloaded "overloaded" SERVICE_UNAVAILABLE "Overloaded",
    /// The change collided with others more often than it was repeated.
    Contended "contended" SERVICE_UNAVAILABLE "Contended",
    /// The database has no room left.
    StorageFull "storage_full" SERVICE_UNAVAILABLE "Storage full",
    /// The database does not answer; an unanswered change may have taken place.
    StorageUnavailable "storage_unavailable" SERVICE_UNAVAILABLE "Storage unavailable",
    /// The request took longer than requests may take.
    Timeout "timeout" SERVICE_UNAVAILABLE "Timeout",
    /// The service is going down or not up yet.
    NotReady "not_ready" SERVICE_UNAVAILABLE "Not ready",
}
