//! The repository of the audit log.

use super::AuditEntry;
use crate::access::Operator;
use crate::clock::{TimeCursor, Timestamp};
use crate::error::StorageError;
use crate::id::AuditEntryId;

/// The audit log in the database.
pub trait AuditRepository {
    /// Stores a new entry.
    fn insert_audit_entry(
        &mut self,
        operator: Operator,
        entry: &AuditEntry,
    ) -> Result<(), StorageError>;

    /// Entries since this time, oldest first by time, then identifier, at most `limit`, after `after` if that is
    /// given.
    fn audit_entries(
        &mut self,
        operator: Operator,
        since: Timestamp,
        after: Option<TimeCursor<AuditEntryId>>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StorageError>;
}
