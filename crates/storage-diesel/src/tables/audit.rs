//! The audit log in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::Operator;
use domain::audit::{AuditActor, AuditEntry, AuditRepository};
use domain::clock::{TimeCursor, Timestamp};
use domain::id::AuditEntryId;

use crate::engine::db::on_db;
use crate::engine::tx::Tx;
use crate::sql::keyset::{from_oldest, row_gt};
use crate::sql::row_macros::{field_columns, table_row};
use crate::sql::schema::audit_entries;

field_columns! {
    ActorColumns of AuditActor in audit_entries {
        always {
            command: String,
            uid: u32,
            user_name: String,
            sudo_user: Option<String>,
            host: String,
        }
    }
}

table_row! {
    AuditRow of AuditEntry in audit_entries {
        id: AuditEntryId,
        at: Timestamp,
        resource: String,
        subject: String,
    }
    embed { actor: ActorColumns, }
}

impl AuditRepository for Tx<'_> {
    fn insert_audit_entry(&mut self, _: Operator, entry: &AuditEntry) -> Result<(), StorageError> {
        let insert = diesel::insert_into(audit_entries::table).values(AuditRow::of(entry));
        self.change_one("recording for the audit log", |db| on_db!(db, db => insert.execute(db)))
    }

    fn audit_entries(
        &mut self,
        _: Operator,
        since: Timestamp,
        after: Option<TimeCursor<AuditEntryId>>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StorageError> {
        let order = (audit_entries::at, audit_entries::id);
        let query = audit_entries::table
            .filter(audit_entries::at.ge(since.millis()))
            .filter(row_gt(order, from_oldest(after)))
            .order(order)
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(AuditRow::as_select()).load(db)))?;
        Ok(rows.into_iter().map(AuditEntry::from).collect())
    }
}
