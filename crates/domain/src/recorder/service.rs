//! Writing records.

use std::sync::Arc;

use super::batch::{Batch, put_entries};
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
    /// [`DomainError::NotFound`] if the bot is not there. [`DomainError::Record`] if one record can't
    /// be written: [`DomainError::NotFound`] if it names a user whom the bot does not have,
    /// [`DomainError::UserRefused`] if another user has the guestId of a new one.
    pub async fn record(&self, claim: &BotClaim, records: Vec<Record>) -> Result<(), DomainError> {
        // The bot is not locked, so that a long batch does not block its changes. Foreign keys ensure that it
        // exists.
        self.context
            .write_bot(claim, Lock::None, move |unit| {
                let mut batch = Batch::begin(unit, &records)?;
                for (index, record) in records.iter().enumerate() {
                    batch.write(record).map_err(|error| of_record(index, error))?;
                }
                batch.end()
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
            .write_project(claim, Lock::None, move |unit| {
                let scope = (&unit.scope).into();
                put_entries(
                    &mut unit.with_scope(scope),
                    entries.iter().map(|entry| &**entry).collect(),
                )
            })
            .await
    }
}

/// The error of one record. What the database says is not about the record, and decides whether the
/// unit is run again.
fn of_record(index: usize, error: DomainError) -> DomainError {
    if let DomainError::Storage(_) = error {
        return error;
    }
    DomainError::Record { index, error: Box::new(error) }
}
