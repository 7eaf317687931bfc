//! A request with an `Idempotency-Key`, from its head to its answer.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::IdempotencyKey;
use crate::blob::Sha256;
use crate::clock::Timestamp;
use crate::entity_tag::EntityTag;
use crate::error::{DomainError, StorageError};
use crate::id::{BotId, IdempotentRequestId, ProjectId, TokenId};

/// What is stored of an answer, so that it can be given again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredAnswer {
    /// All of it.
    Text(AnswerText),
    /// The bot that it shows, if that has a large configuration: to store megabytes once more takes as long as to change
    /// the bot. It is read whenever the answer is given again.
    Bot(AnsweredBot),
}

/// A bot that was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnsweredBot {
    /// Which one.
    pub id: BotId,
    /// When it had been changed last.
    pub updated_at: Timestamp,
}

/// An answer as it goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerText {
    /// The entity tag of what it shows, if it has one.
    pub entity_tag: Option<EntityTag>,
    /// Its body, which is JSON.
    pub body: String,
}

/// Makes the answer of what the service returns, if that is of the type that the operation answers with.
type Answerer = dyn Fn(&dyn Any) -> Option<AnswerText> + Send + Sync;

/// A request with an `Idempotency-Key`, which belongs to the token that sent it. One of these stands for one attempt: it
/// is given to the claim by which the request is carried out.
pub struct IdempotentRequest {
    project_id: ProjectId,
    token_id: TokenId,
    key: IdempotencyKey,
    /// The hash of its method, path and query.
    target: Sha256,
    /// The hash of its body, which is known once that was read.
    body: OnceLock<Sha256>,
    /// Which attempt this is.
    attempt: IdempotentRequestId,
    answerer: Box<Answerer>,
    /// What was stored last as the answer to this attempt, by a unit that need not have been committed.
    stored: Mutex<Option<StoredAnswer>>,
    /// Whether a unit may have left the key taken and without an answer.
    is_open: AtomicBool,
    /// Whether the answer to this attempt shows something that is not stored.
    is_shown_once: AtomicBool,
}

impl IdempotentRequest {
    pub(crate) fn new<T: 'static>(
        (project_id, token_id): (ProjectId, TokenId),
        (key, target): (IdempotencyKey, Sha256),
        attempt: IdempotentRequestId,
        answer: impl Fn(&T) -> Option<AnswerText> + Send + Sync + 'static,
    ) -> Self {
        Self {
            project_id,
            token_id,
            key,
            target,
            body: OnceLock::new(),
            attempt,
            answerer: Box::new(move |done| answer(done.downcast_ref::<T>()?)),
            stored: Mutex::default(),
            is_open: AtomicBool::default(),
            is_shown_once: AtomicBool::default(),
        }
    }

    /// The project of the token.
    #[must_use]
    pub const fn project_id(&self) -> ProjectId {
        self.project_id
    }

    /// The token.
    #[must_use]
    pub const fn token_id(&self) -> TokenId {
        self.token_id
    }

    /// The key.
    #[must_use]
    pub const fn key(&self) -> &IdempotencyKey {
        &self.key
    }

    /// The hash of its method, path and query.
    #[must_use]
    pub const fn target(&self) -> Sha256 {
        self.target
    }

    /// Which attempt this is.
    #[must_use]
    pub const fn attempt(&self) -> IdempotentRequestId {
        self.attempt
    }

    /// Says what the body was, once it was read.
    pub fn set_body(&self, hash: Sha256) {
        self.body.get_or_init(|| hash);
    }

    /// Takes what was stored as the answer to this attempt, once a service has carried the request out.
    #[must_use]
    pub fn take_stored(&self) -> Option<StoredAnswer> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn record_stored(&self, answer: StoredAnswer) {
        *self.stored.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    }

    /// The hash of its body, once that was read.
    #[must_use]
    pub fn body(&self) -> Option<Sha256> {
        self.body.get().copied()
    }

    /// The answer of what was done.
    pub(crate) fn answer(&self, done: &dyn Any) -> Result<AnswerText, DomainError> {
        (self.answerer)(done).ok_or_else(|| {
            StorageError::Broken("what was done has no answer that could be stored".to_owned())
                .into()
        })
    }

    /// Whether the answer to this attempt shows something that is not stored, so that it is not given again.
    #[must_use]
    pub fn is_shown_once(&self) -> bool {
        self.is_shown_once.load(Ordering::Relaxed)
    }

    pub(crate) fn record_shown_once(&self) {
        self.is_shown_once.store(true, Ordering::Relaxed);
    }

    pub(crate) fn record_open(&self) {
        self.is_open.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for IdempotentRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { project_id, token_id, key, attempt, .. } = self;
        let mut shown = f.debug_struct("IdempotentRequest");
        shown.field("project_id", project_id).field("token_id", token_id);
        shown.field("key", key).field("attempt", attempt).finish_non_exhaustive()
    }
}
