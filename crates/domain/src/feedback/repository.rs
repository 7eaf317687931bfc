//! The repository of message feedback.

use super::{Feedback, FeedbackFilter, FeedbackOrder};
use crate::access::BotScope;
use crate::batch::Batch;
use crate::clock::TimeCursor;
use crate::error::StorageError;
use crate::id::FeedbackId;

/// Message feedback in the database.
pub trait FeedbackRepository {
    /// Stores new feedback.
    fn insert_feedback(
        &mut self,
        scope: &BotScope,
        feedback: &Feedback,
    ) -> Result<(), StorageError>;

    /// Feedback of the bot that the filter means, in this order, at most `limit`, after `after` if that is given.
    fn feedback(
        &mut self,
        scope: &BotScope,
        filter: FeedbackFilter,
        order: FeedbackOrder,
        after: Option<TimeCursor<FeedbackId>>,
        limit: u32,
    ) -> Result<Batch<Feedback>, StorageError>;

    /// How many entries [`Self::feedback`] has in all, but at most `limit`.
    fn count_feedback(
        &mut self,
        scope: &BotScope,
        filter: FeedbackFilter,
        limit: u32,
    ) -> Result<u32, StorageError>;

    /// Removes at most `limit` entries of a bot that is being torn down; returns their number.
    fn remove_feedback(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;
}
