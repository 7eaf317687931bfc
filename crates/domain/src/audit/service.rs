//! Reading the audit log, and recording what no other service does.

use std::sync::Arc;

use super::{AuditEntry, AuditedResource};
use crate::access::Operator;
use crate::clock::{TimeCursor, Timestamp};
use crate::context::Context;
use crate::error::DomainError;
use crate::id::AuditEntryId;

/// The audit log.
#[derive(Clone)]
pub struct AuditService {
    context: Arc<Context>,
}

impl AuditService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Records something that was done to the database as a whole, such as a migration, if these services know who
    /// acts.
    pub async fn record(&self, subjects: Vec<String>) -> Result<(), DomainError> {
        self.context
            .write(None, move |unit| {
                subjects
                    .iter()
                    .try_for_each(|subject| unit.audit(AuditedResource::Database, subject))
            })
            .await
    }

    /// Entries since this time, oldest first, at most `limit`, after `after` if that is given.
    pub async fn page(
        &self,
        operator: Operator,
        since: Timestamp,
        after: Option<TimeCursor<AuditEntryId>>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, DomainError> {
        self.context
            .read(None, move |unit| Ok(unit.tx.audit_entries(operator, since, after, limit)?))
            .await
    }
}
