//! Many entries of changelogs in one statement of PostgreSQL.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::EntryRow;
use crate::sql::bulk::{InsertAll, array, statements};
use crate::sql::columns::IdColumn;
use crate::sql::id::Id;
use crate::sql::schema::changelog_entries as entries;

/// Stores entries of bots of a project.
pub(super) fn insert(
    db: &mut PgConnection,
    project_id: IdColumn,
    rows: &[EntryRow],
) -> QueryResult<usize> {
    let mut runs = statements(rows, size);
    runs.try_fold(0, |recorded, rows| Ok(recorded + insert_at_once(db, project_id, rows)?))
}

fn insert_at_once(
    db: &mut PgConnection,
    project_id: IdColumn,
    rows: &[EntryRow],
) -> QueryResult<usize> {
    // Most changes are one, which takes less this way.
    if let [row] = rows {
        return diesel::insert_into(entries::table).values(row).execute(db);
    }
    let insert = InsertAll {
        into: "changelog_entries (project_id, id, bot_id, at, actor_token_id, actor_name, \
               actor_scheme, action, resource, resource_id, changes)",
        same: (project_id.into_sql::<Id>(),),
        arrays: (
            array::<Id, _, _>(rows, |row| row.id),
            array::<Id, _, _>(rows, |row| row.bot_id),
            array::<BigInt, _, _>(rows, |row| row.at),
            array::<Nullable<Id>, _, _>(rows, |row| row.actor_token_id),
            array::<Nullable<Text>, _, _>(rows, |row| row.actor_name.as_deref()),
            array::<Nullable<Text>, _, _>(rows, |row| row.actor_scheme.as_deref()),
            array::<Text, _, _>(rows, |row| row.action.as_str()),
            array::<Text, _, _>(rows, |row| row.resource.as_str()),
            array::<Text, _, _>(rows, |row| row.resource_id.as_str()),
            array::<Text, _, _>(rows, |row| row.changes.as_str()),
        ),
    };
    insert.execute(db)
}

/// About how many bytes of text a row has; its identifiers and words are short.
fn size(row: &EntryRow) -> i64 {
    let actor_name = row.actor_name.as_ref().map_or(0, String::len);
    let size = 256 + actor_name + row.resource_id.len() + row.changes.len();
    i64::try_from(size).unwrap_or(i64::MAX)
}
