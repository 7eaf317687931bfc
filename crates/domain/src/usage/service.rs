//! Reading usage statistics.

use std::sync::Arc;

use super::{DayRange, UsageKey, UsageStatistic};
use crate::access::BotClaim;
use crate::context::Context;
use crate::error::DomainError;
use crate::list::COUNTED_MAX;
use crate::unit::BotUnit;

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
            .read_claimed(claim, move |unit| {
                Ok(unit.tx.usage(&unit.scope, days, after.as_ref(), limit)?)
            })
            .await
    }

    /// How many statistics there are on these days; `None` if more than [`COUNTED_MAX`].
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn count(
        &self,
        claim: &BotClaim,
        days: DayRange,
    ) -> Result<Option<u32>, DomainError> {
        let count = move |unit: &mut BotUnit<'_>| {
            let count = unit.tx.count_usage(&unit.scope, days, COUNTED_MAX + 1)?;
            Ok(Some(count).filter(|count| *count <= COUNTED_MAX))
        };
        self.context.read_claimed(claim, count).await
    }
}
