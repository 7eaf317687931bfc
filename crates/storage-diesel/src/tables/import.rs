//! Imports in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::BotScope;
use domain::blob::Sha256;
use domain::clock::Timestamp;
use domain::import::{ImportPosition, ImportRepository};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, number};
use crate::sql::columns::Stored as _;
use crate::sql::schema::imports;

/// The bot's file of this hash.
macro_rules! import_of {
    ($scope:expr, $sha256:expr) => {
        imports::table
            .filter(imports::project_id.eq($scope.project_id().to_column()))
            .filter(imports::sha256.eq($sha256.to_string()))
            .filter(imports::bot_id.eq($scope.bot_id().to_column()))
    };
}

impl ImportRepository for Tx<'_> {
    fn import_position(
        &mut self,
        scope: &BotScope,
        sha256: Sha256,
    ) -> Result<Option<ImportPosition>, StorageError> {
        let columns = (imports::records, imports::is_complete, imports::updated_at);
        let query = import_of!(scope, sha256).select(columns);
        let found: Option<(i64, bool, i64)> =
            self.look_up(|db| on_db!(db, db => query.first(db).optional()))?;
        Ok(found.map(|(records, is_complete, updated_at)| ImportPosition {
            sha256,
            records: records.unsigned_abs(),
            is_complete,
            updated_at: Timestamp::from_millis(updated_at),
        }))
    }

    fn advance_import(
        &mut self,
        scope: &BotScope,
        before: u64,
        position: ImportPosition,
    ) -> Result<bool, StorageError> {
        let columns = (
            imports::records.eq(number(position.records)?),
            imports::is_complete.eq(position.is_complete),
            imports::updated_at.eq(position.updated_at.millis()),
        );
        let changed = if before == 0 {
            let row = (
                imports::project_id.eq(scope.project_id().to_column()),
                imports::sha256.eq(position.sha256.to_string()),
                imports::bot_id.eq(scope.bot_id().to_column()),
                columns,
            );
            let insert = diesel::insert_into(imports::table).values(row).on_conflict_do_nothing();
            self.query(|db| on_db!(db, db => insert.execute(db)))?
        } else {
            let before = imports::records.eq(number(before)?);
            let row = import_of!(scope, position.sha256).filter(before);
            self.query(|db| on_db!(db, db => diesel::update(row).set(columns).execute(db)))?
        };
        Ok(changed == 1)
    }

    fn forget_import(
        &mut self,
        scope: &BotScope,
        sha256: Sha256,
        records: u64,
    ) -> Result<bool, StorageError> {
        let row = import_of!(scope, sha256).filter(imports::records.eq(number(records)?));
        let removed = self.query(|db| on_db!(db, db => diesel::delete(row).execute(db)))?;
        Ok(removed == 1)
    }

    fn forget_old_imports(
        &mut self,
        scope: &BotScope,
        before: Timestamp,
    ) -> Result<(), StorageError> {
        let old = imports::table
            .filter(imports::project_id.eq(scope.project_id().to_column()))
            .filter(imports::is_complete.eq(true))
            .filter(imports::updated_at.lt(before.millis()));
        self.query(|db| on_db!(db, db => diesel::delete(old).execute(db)))?;
        Ok(())
    }
}
