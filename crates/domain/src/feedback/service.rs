//! Reading message feedback.

use std::sync::Arc;

use super::{Feedback, FeedbackFilter, FeedbackOrder};
use crate::access::BotClaim;
use crate::batch::Batch;
use crate::clock::TimeCursor;
use crate::context::Context;
use crate::error::DomainError;
use crate::id::FeedbackId;
use crate::list::COUNTED_MAX;
use crate::unit::BotUnit;

/// Message feedback.
#[derive(Clone)]
pub struct FeedbackService {
    context: Arc<Context>,
}

impl FeedbackService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Feedback of the bot that the filter means, in this order, at most `limit`, after `after` if that is given.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn page(
        &self,
        claim: &BotClaim,
        filter: FeedbackFilter,
        order: FeedbackOrder,
        after: Option<TimeCursor<FeedbackId>>,
        limit: u32,
    ) -> Result<Batch<Feedback>, DomainError> {
        self.context
            .read_claimed(claim, move |unit| {
                Ok(unit.tx.feedback(&unit.scope, filter, order, after, limit)?)
            })
            .await
    }

    /// How much feedback matches the filter; `None` if it is more than [`COUNTED_MAX`].
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn count(
        &self,
        claim: &BotClaim,
        filter: FeedbackFilter,
    ) -> Result<Option<u32>, DomainError> {
        let count = move |unit: &mut BotUnit<'_>| {
            let count = unit.tx.count_feedback(&unit.scope, filter, COUNTED_MAX + 1)?;
            Ok(Some(count).filter(|count| *count <= COUNTED_MAX))
        };
        self.context.read_claimed(claim, count).await
    }
}
