//! The key with which secrets are encrypted. The secrets are those of webhooks (`webhook/secret.rs`).

use diesel::prelude::*;
use domain::StorageError;
use domain::access::Operator;
use domain::encryption::{EncryptionKeyId, EncryptionRepository};
use domain::lock::Lock;

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, find_locked};
use crate::sql::columns::Stored;
use crate::sql::schema::installation;
use crate::tables::installation::ONLY;

#[derive(Queryable, Selectable)]
#[diesel(table_name = installation)]
struct KeyRow {
    encryption_key: <Option<EncryptionKeyId> as Stored>::Column,
}

impl EncryptionRepository for Tx<'_> {
    fn encryption_key(&mut self, lock: Lock) -> Result<Option<EncryptionKeyId>, StorageError> {
        let query = installation::table.find(ONLY);
        let row = find_locked!(self, lock, query, KeyRow)?;
        Ok(row.and_then(|row| Stored::from_column(row.encryption_key)))
    }

    fn set_encryption_key(
        &mut self,
        _: Operator,
        key: EncryptionKeyId,
    ) -> Result<(), StorageError> {
        let update = diesel::update(installation::table.find(ONLY))
            .set(installation::encryption_key.eq(key.to_column()));
        self.change_one("naming a key", |db| on_db!(db, db => update.execute(db)))
    }
}
