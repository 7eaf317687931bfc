//! Indexes are dropped before many rows are stored, and made again afterwards: one that is made of all rows at once is
//! sorted first, whereas rows that come in another order change a page of it each.

use diesel::prelude::*;
use diesel::sql_types::Text;

use super::error::TransferError;
use super::side::Side;
use super::tables::TABLES;
use crate::engine::db::{Dialect, on_db};

/// An index, as the statement that makes it.
#[derive(QueryableByName)]
pub(crate) struct Index {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    definition: String,
}

/// Those that no constraint is made of. The others stay, because references are checked by them.
const OF_POSTGRES: &str = "SELECT of_index.relname::text AS name, pg_get_indexdef(indexrelid) AS definition \
    FROM pg_index JOIN pg_class AS of_index ON of_index.oid = indexrelid \
    JOIN pg_class AS of_table ON of_table.oid = indrelid \
    WHERE of_table.oid = to_regclass($1) \
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid) ORDER BY name";
const OF_SQLITE: &str = "SELECT name, sql AS definition FROM sqlite_schema \
    WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ? ORDER BY name";

/// Drops the indexes of all tables; returns what makes them again.
pub(crate) fn drop_all(side: &mut Side) -> Result<Vec<Index>, TransferError> {
    let mut all = Vec::new();
    for table in TABLES {
        let query = match side.connection.lend().dialect() {
            Dialect::Postgres => OF_POSTGRES,
            Dialect::Sqlite => OF_SQLITE,
        };
        let query = diesel::sql_query(query).bind::<Text, _>(table.name);
        let indexes: QueryResult<Vec<Index>> =
            on_db!(&mut side.connection.lend(), db => query.load(db));
        let indexes =
            indexes.map_err(|error| TransferError::in_table(&side.database, table, error))?;
        all.extend(indexes);
    }
    for Index { name, .. } in &all {
        side.execute(&format!("DROP INDEX {name}"))?;
    }
    Ok(all)
}

/// Makes them again.
pub(crate) fn create(side: &mut Side, indexes: &[Index]) -> Result<(), TransferError> {
    indexes.iter().try_for_each(|index| side.execute(&index.definition))
}
