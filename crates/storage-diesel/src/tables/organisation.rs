//! Organisations in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::Operator;
use domain::clock::Timestamp;
use domain::id::OrganisationId;
use domain::organisation::{Organisation, OrganisationRepository};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, decode};
use crate::sql::schema::organisations;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = organisations)]
struct OrganisationRow {
    id: String,
    name: String,
    created_at: i64,
}

impl TryFrom<OrganisationRow> for Organisation {
    type Error = StorageError;

    fn try_from(row: OrganisationRow) -> Result<Self, StorageError> {
        Ok(Self {
            id: decode("organisations.id", &row.id, OrganisationId::parse(&row.id))?,
            name: row.name,
            created_at: Timestamp::from_millis(row.created_at),
        })
    }
}

impl OrganisationRepository for Tx<'_> {
    fn insert_organisation(
        &mut self,
        _: Operator,
        organisation: &Organisation,
    ) -> Result<(), StorageError> {
        let row = OrganisationRow {
            id: organisation.id.to_string(),
            name: organisation.name.clone(),
            created_at: organisation.created_at.millis(),
        };
        self.change_one("inserting an organisation", |db| on_db!(db, db => diesel::insert_into(organisations::table).values(row).execute(db)))
    }

    fn organisation(
        &mut self,
        _: Operator,
        id: OrganisationId,
    ) -> Result<Option<Organisation>, StorageError> {
        let query = organisations::table.filter(organisations::id.eq(id.to_string()));
        let row = self.query(|db| on_db!(db, db => query.select(OrganisationRow::as_select()).get_result(db).optional()))?;
        row.map(Organisation::try_from).transpose()
    }

    fn organisations(&mut self, _: Operator) -> Result<Vec<Organisation>, StorageError> {
        let query = organisations::table.order(organisations::id);
        let rows =
            self.query(|db| on_db!(db, db => query.select(OrganisationRow::as_select()).load(db)))?;
        rows.into_iter().map(Organisation::try_from).collect()
    }
}
