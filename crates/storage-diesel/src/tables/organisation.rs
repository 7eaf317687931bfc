//! Organisations in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::Operator;
use domain::clock::Timestamp;
use domain::id::OrganisationId;
use domain::organisation::{Organisation, OrganisationRepository};

use crate::engine::db::on_db;
use crate::engine::tx::Tx;
use crate::sql::columns::Stored;
use crate::sql::row_macros::table_row;
use crate::sql::schema::organisations;

table_row! {
    OrganisationRow of Organisation in organisations {
        id: OrganisationId,
        name: String,
        created_at: Timestamp,
    }
}

impl OrganisationRepository for Tx<'_> {
    fn insert_organisation(
        &mut self,
        _: Operator,
        organisation: &Organisation,
    ) -> Result<(), StorageError> {
        let row = OrganisationRow::of(organisation);
        self.change_one("inserting an organisation", |db| on_db!(db, db => diesel::insert_into(organisations::table).values(row).execute(db)))
    }

    fn organisation(
        &mut self,
        _: Operator,
        id: OrganisationId,
    ) -> Result<Option<Organisation>, StorageError> {
        let query = organisations::table.filter(organisations::id.eq(id.to_column()));
        let row = self.query(|db| on_db!(db, db => query.select(OrganisationRow::as_select()).get_result(db).optional()))?;
        Ok(row.map(Organisation::from))
    }

    fn organisations(&mut self, _: Operator) -> Result<Vec<Organisation>, StorageError> {
        let query = organisations::table.order(organisations::id);
        let rows =
            self.query(|db| on_db!(db, db => query.select(OrganisationRow::as_select()).load(db)))?;
        Ok(rows.into_iter().map(Organisation::from).collect())
    }
}
