//! Reading and trimming changelogs.

use std::sync::Arc;

use super::{ChangelogEntry, ChangelogFilter};
use crate::access::{BotClaim, Operator};
use crate::batch::Batch;
use crate::context::Context;
use crate::dirty_set::TrimmedBatch;
use crate::error::DomainError;
use crate::id::ChangelogEntryId;
use crate::store::Repositories;

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

    /// Entries of the bot that match the filter, newest first, at most `limit`, older than `before` if that is given.
    /// What lies beyond the latest [`super::KEPT`] is never shown.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn page(
        &self,
        claim: &BotClaim,
        filter: ChangelogFilter,
        before: Option<ChangelogEntryId>,
        limit: u32,
    ) -> Result<Batch<ChangelogEntry>, DomainError> {
        self.context
            .read_claimed(claim, move |unit| {
                Ok(unit.tx.changelog(&unit.scope, filter, before, limit)?)
            })
            .await
    }

    /// How many entries match the filter.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn count(
        &self,
        claim: &BotClaim,
        filter: ChangelogFilter,
    ) -> Result<Option<u32>, DomainError> {
        self.context
            .read_claimed(claim, move |unit| {
                Ok(Some(unit.tx.count_changelog(&unit.scope, filter)?))
            })
            .await
    }

    /// Puts every bot whose changelog is too long on the list for [`Self::trim`], whichever
    /// process made it grow. That looks through all changelogs, so it is for the start of a service;
    /// later changes of this process come on the list by themselves.
    pub async fn mark_overgrown_for_trim(&self, operator: Operator) -> Result<(), DomainError> {
        let find = move |tx: &mut dyn Repositories| Ok(tx.overgrown_changelogs(operator)?);
        for bot in self.context.store.read(find).await? {
            self.context.grown_changelogs.mark(bot);
        }
        Ok(())
    }

    /// Removes what lies beyond the latest [`super::KEPT`] entries of every bot that was changed
    /// since the last call; returns their number.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails; the next call goes on with the bots that were
    /// not reached.
    pub async fn trim(&self, operator: Operator) -> Result<u64, DomainError> {
        let trim_batch = |bot| async move {
            let unit =
                move |tx: &mut dyn Repositories| Ok(tx.trim_changelog(operator, bot, TRIM_BATCH)?);
            let removed = self.context.store.write(unit).await?;
            Ok(TrimmedBatch { removed, has_more: removed >= TRIM_BATCH })
        };
        self.context.grown_changelogs.trim(trim_batch).await
    }
}
