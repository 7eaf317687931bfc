//! The repository of requests with an `Idempotency-Key`.

use super::{AnswerText, IdempotentRequest, StoredAnswer};
use crate::access::{BotScope, Operator};
use crate::blob::Sha256;
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::{BotId, IdempotentRequestId, ProjectId};

/// What the database has of a request with a key, but for its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRequest {
    /// The attempt that has the key.
    pub attempt: IdempotentRequestId,
    /// The hash of method, path and query.
    pub target: Sha256,
    /// Until when the attempt has the key without an answer.
    pub lease_until: Timestamp,
    /// The hash of the body of a request that was answered; `None` while it is carried out.
    pub answered: Option<Sha256>,
}

/// What becomes of a request with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdempotentOutcome<'a> {
    /// A later unit of work goes on with it, until this time.
    Open(Timestamp),
    /// It was answered.
    Answered {
        /// The hash of its body.
        body: Sha256,
        /// The answer.
        answer: &'a StoredAnswer,
        /// The bot of which content is in the answer. It goes with that bot. An answer that shows a large bot has it.
        of_bot: Option<BotId>,
    },
}

/// Requests with keys in the database.
pub trait IdempotencyRepository {
    /// The request of this token that has this key, if there is one.
    fn idempotent_request(
        &mut self,
        request: &IdempotentRequest,
    ) -> Result<Option<StoredRequest>, StorageError>;

    /// The answer to the request of this token that has this key, if it was answered.
    fn stored_answer(
        &mut self,
        request: &IdempotentRequest,
    ) -> Result<Option<StoredAnswer>, StorageError>;

    /// Stores what becomes of a request, if its key is free: if no other has it but the same attempt, or one that was
    /// not answered and whose time is over by now. Waits for units that store another at the same time. Returns whether
    /// it was stored.
    fn store_idempotent_request(
        &mut self,
        request: &IdempotentRequest,
        now: Timestamp,
        outcome: IdempotentOutcome<'_>,
    ) -> Result<bool, StorageError>;

    /// Stores another answer to a request that was answered, if it still has its key.
    fn replace_answer(
        &mut self,
        request: &IdempotentRequest,
        answer: &AnswerText,
    ) -> Result<(), StorageError>;

    /// Gives a key back that the request has; one that was answered keeps it, unless `even_if_answered`.
    fn release_key(
        &mut self,
        request: &IdempotentRequest,
        even_if_answered: bool,
    ) -> Result<(), StorageError>;

    /// Projects with more requests than so many, or whose answers have more bytes than so many; 0 stands for no bound.
    fn overgrown_idempotent_requests(
        &mut self,
        operator: Operator,
        kept: (u64, u64),
    ) -> Result<Vec<ProjectId>, StorageError>;

    /// Removes at most `limit` of the oldest requests, all of them from before this time; returns their number.
    fn remove_old_idempotent_requests(
        &mut self,
        operator: Operator,
        before: Timestamp,
        limit: u32,
    ) -> Result<u32, StorageError>;

    /// The newest of the project's requests that it has beyond so many, or beyond those whose answers have so many
    /// bytes; 0 stands for no bound.
    fn surplus_idempotent_request(
        &mut self,
        operator: Operator,
        project: ProjectId,
        kept: (u64, u64),
    ) -> Result<Option<IdempotentRequestId>, StorageError>;

    /// Removes at most `limit` of the project's oldest requests, none of them newer than `last`; returns their number.
    fn trim_idempotent_requests(
        &mut self,
        operator: Operator,
        project: ProjectId,
        last: IdempotentRequestId,
        limit: u32,
    ) -> Result<u32, StorageError>;

    /// Removes at most `limit` answers that show content of a bot that is being torn down; returns their number.
    fn remove_idempotent_requests_of_bot(
        &mut self,
        scope: &BotScope,
        limit: u32,
    ) -> Result<u32, StorageError>;
}
