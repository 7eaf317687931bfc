//! The repository of usage statistics.

use super::{DayRange, UsageKey, UsageStatistic};
use crate::access::BotScope;
use crate::error::StorageError;

/// Usage statistics in the database.
pub trait UsageRepository {
    /// Adds to the bot's statistic of this day, kind and model, or stores it as a new one if there is
    /// none. Whole numbers stop at 2^53 − 1. Of several writers at once, none is lost.
    fn add_usage(
        &mut self,
        scope: &BotScope,
        statistic: &UsageStatistic,
    ) -> Result<(), StorageError>;

    /// Statistics of the bot by day, kind and model, bytewise, at most `limit`, after `after` if that
    /// is given.
    fn usage(
        &mut self,
        scope: &BotScope,
        days: DayRange,
        after: Option<&UsageKey>,
        limit: u32,
    ) -> Result<Vec<UsageStatistic>, StorageError>;

    /// How many entries [`Self::usage`] has in all, but at most `limit`.
    fn count_usage(
        &mut self,
        scope: &BotScope,
        days: DayRange,
        limit: u32,
    ) -> Result<u32, StorageError>;

    /// Removes at most `limit` statistics of a bot that is being torn down; returns their number.
    fn remove_usage(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;
}
