//! Writing records.

use std::sync::Arc;

use super::batch::{put_entries, write_records};
use super::{NewEntry, Record, UsedTokens};
use crate::access::{BotClaim, ProjectClaim};
use crate::context::Context;
use crate::error::DomainError;
use crate::id::UserId;
use crate::input::Valid;
use crate::lock::Lock;

/// What a chat runtime writes.
#[derive(Clone)]
pub struct RecorderService {
    context: Arc<Context>,
}

impl RecorderService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Writes all of these records in one unit of work, or none of them. Things of the same time are
    /// listed in the order of their records.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there. [`DomainError::RecordsRefused`] with every record
    /// that can't be written: [`DomainError::NotFound`] if it names a user whom the bot does not have,
    /// [`DomainError::UserRefused`] if another user, or an earlier record, has the guestId of a new one.
    pub async fn record(&self, claim: &BotClaim, records: Vec<Record>) -> Result<(), DomainError> {
        // The bot is not locked, so that a long batch does not block its changes. Foreign keys ensure that it
        // exists.
        self.context
            .write_claimed(claim, Lock::None, move |unit| {
                write_records(unit, records.iter(), false)
            })
            .await
    }

    /// Counts tokens that were used for a user.
    ///
    /// # Errors
    /// As [`Self::record`].
    pub async fn used(
        &self,
        claim: &BotClaim,
        user_id: UserId,
        tokens: u64,
    ) -> Result<(), DomainError> {
        self.record(claim, vec![UsedTokens { user_id, tokens }.into()]).await
    }

    /// Writes entries of a project itself, permanent ones included, all of them or none.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project is not there.
    pub async fn record_entries(
        &self,
        claim: &ProjectClaim,
        entries: Vec<Valid<NewEntry>>,
    ) -> Result<(), DomainError> {
        self.context
            .write_claimed(claim, Lock::None, move |unit| {
                let scope = (&unit.scope).into();
                put_entries(
                    &mut unit.with_scope(scope),
                    entries.iter().map(|entry| &**entry).collect(),
                )
            })
            .await
    }
}
