//! Reading and trimming changelogs.

use std::sync::Arc;

use super::ChangelogEntry;
use crate::access::{BotClaim, Operator};
use crate::context::Context;
use crate::error::DomainError;
use crate::id::ChangelogEntryId;

/// How many entries one unit of work removes, so that other writers need not wait.
const TRIM_BATCH: u32 = 500;

/// Changelogs.
#[derive(Clone)]
pub struct ChangelogService {
    context: Arc<Context>,
}

impl ChangelogService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Entries of the bot, newest first, at most `limit`, older than `before` if that is given.
    /// What lies beyond the latest [`super::KEPT`] is never shown.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn page(
        &self,
        claim: &BotClaim,
        before: Option<ChangelogEntryId>,
        limit: u32,
    ) -> Result<Vec<ChangelogEntry>, DomainError> {
        self.context
            .read_bot(claim, move |tx, _, scope| Ok(tx.changelog(scope, before, limit)?))
            .await
    }

    /// Removes what lies beyond the latest [`super::KEPT`] entries of every bot that was changed
    /// since the last call; returns how many entries went.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails; the bots not reached are then forgotten until
    /// their next change.
    pub async fn trim(&self, operator: Operator) -> Result<u64, DomainError> {
        let mut removed = 0;
        for bot in self.context.take_grown_changelogs() {
            loop {
                let unit = move |tx: &mut dyn crate::store::Repositories| {
                    Ok(tx.trim_changelog(operator, bot, TRIM_BATCH)?)
                };
                let batch = self.context.store.write(unit).await?;
                removed += u64::from(batch);
                if batch < TRIM_BATCH {
                    break;
                }
            }
        }
        Ok(removed)
    }
}
