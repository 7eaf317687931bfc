//! The installation in the database: a table of one row.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::Operator;
use domain::clock::Timestamp;
use domain::id::InstallationId;
use domain::installation::{Installation, InstallationRepository};

use crate::engine::db::on_db;
use crate::engine::tx::Tx;
use crate::sql::row_macros::table_row;
use crate::sql::schema::installation;

/// The number of the only row.
pub(super) const ONLY: i64 = 1;

table_row! {
    #[derive(AsChangeset)]
    #[diesel(primary_key(number), treat_none_as_null = true)]
    InstallationRow of Installation in installation {
        id: InstallationId,
        marked_at: Option<Timestamp>,
    }
}

impl InstallationRepository for Tx<'_> {
    fn installation(&mut self, _: Operator) -> Result<Option<Installation>, StorageError> {
        let query = installation::table.find(ONLY);
        let found = self.look_up(
            |db| on_db!(db, db => query.select(InstallationRow::as_select()).first(db).optional()),
        )?;
        Ok(found.map(Installation::from))
    }

    fn insert_installation_once(
        &mut self,
        _: Operator,
        begun: &Installation,
    ) -> Result<(), StorageError> {
        let values = (installation::number.eq(ONLY), InstallationRow::of(begun));
        let once = diesel::insert_into(installation::table).values(values);
        let once = once.on_conflict(installation::number).do_nothing();
        self.query(|db| on_db!(db, db => once.execute(db)))?;
        Ok(())
    }

    fn update_installation(
        &mut self,
        _: Operator,
        changed: &Installation,
    ) -> Result<(), StorageError> {
        let update =
            diesel::update(installation::table.find(ONLY)).set(InstallationRow::of(changed));
        self.change_one("changing the installation", |db| on_db!(db, db => update.execute(db)))
    }
}
