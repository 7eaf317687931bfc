//! Writing records.

use std::sync::Arc;

use super::batch::{Batch, put_entries};
use super::{NewEntry, Record, UsedTokens};
use crate::access::{BotClaim, ProjectClaim};
use crate::audit::AuditedResource;
use crate::context::Context;
use crate::error::DomainError;
use crate::id::UserId;
use crate::input::Valid;
use crate::lock::Lock;

/// Where records come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Runtime,
    /// A person imports it.
    File,
}

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
        self.write(claim, records, Source::Runtime).await
    }

    /// The same for records of a file, which the [audit log](crate::audit) is to say.
    ///
    /// # Errors
    /// As [`Self::record`].
    pub async fn import(&self, claim: &BotClaim, records: Vec<Record>) -> Result<(), DomainError> {
        self.write(claim, records, Source::File).await
    }

    async fn write(
        &self,
        claim: &BotClaim,
        records: Vec<Record>,
        source: Source,
    ) -> Result<(), DomainError> {
        // The bot is not locked, so that a long batch does not block its changes. Foreign keys ensure that it
        // exists.
        self.context
            .write_bot(claim, Lock::None, move |unit| {
                if source == Source::File {
                    let bot = unit.scope.bot_id();
                    unit.audit(AuditedResource::Bot, bot)?;
                }
                let mut batch = Batch::begin(unit, &records)?;
                let mut refused = Vec::new();
                for (index, record) in records.iter().enumerate() {
                    match batch.write(record) {
                        Ok(()) => {}
                        // That is not about the record, and decides whether the unit is run again.
                        Err(error @ DomainError::Storage(_)) => return Err(error),
                        Err(error) => refused.push((index, error)),
                    }
                }
                if !refused.is_empty() {
                    return Err(DomainError::RecordsRefused(refused));
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
        self.write_entries(claim, entries, Source::Runtime).await
    }

    /// The same for entries of a file, which the [audit log](crate::audit) is to say.
    ///
    /// # Errors
    /// As [`Self::record_entries`].
    pub async fn import_entries(
        &self,
        claim: &ProjectClaim,
        entries: Vec<Valid<NewEntry>>,
    ) -> Result<(), DomainError> {
        self.write_entries(claim, entries, Source::File).await
    }

    async fn write_entries(
        &self,
        claim: &ProjectClaim,
        entries: Vec<Valid<NewEntry>>,
        source: Source,
    ) -> Result<(), DomainError> {
        self.context
            .write_project(claim, Lock::None, move |unit| {
                if source == Source::File {
                    let project = unit.scope.project_id();
                    unit.audit(AuditedResource::Project, project)?;
                }
                let scope = (&unit.scope).into();
                put_entries(
                    &mut unit.with_scope(scope),
                    entries.iter().map(|entry| &**entry).collect(),
                )
            })
            .await
    }
}
