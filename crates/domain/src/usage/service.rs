//! Reading usage statistics.

use std::sync::Arc;

use super::{DayRange, UsageKey, UsageStatistic};
use crate::access::BotClaim;
use crate::context::Context;
use crate::error::DomainError;

/// Usage statistics.
#[derive(Clone)]
pub struct UsageService {
    context: Arc<Context>,
}

impl UsageService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Statistics of the bot on these days, by day, kind and model, at most `limit`, after `after` if
    /// that is given.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn page(
        &self,
        claim: &BotClaim,
        days: DayRange,
        after: Option<UsageKey>,
        limit: u32,
    ) -> Result<Vec<UsageStatistic>, DomainError> {
        self.context
            .read_bot(claim, move |unit| {
                Ok(unit.tx.usage(&unit.scope, days, after.as_ref(), limit)?)
            })
            .await
    }
}
