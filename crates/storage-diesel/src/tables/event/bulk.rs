//! Many events in one statement of PostgreSQL.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::EventRow;
use crate::sql::bulk::{InsertAll, array, statements};
use crate::sql::columns::IdColumn;
use crate::sql::id::Id;
use crate::sql::schema::events;

/// Stores events of a project, in their order.
pub(super) fn insert(
    db: &mut PgConnection,
    project_id: IdColumn,
    rows: &[EventRow],
) -> QueryResult<usize> {
    let mut runs = statements(rows, size);
    runs.try_fold(0, |added, rows| Ok(added + insert_at_once(db, project_id, rows)?))
}

fn insert_at_once(
    db: &mut PgConnection,
    project_id: IdColumn,
    rows: &[EventRow],
) -> QueryResult<usize> {
    // Most units have one, which takes less this way.
    if let [row] = rows {
        return diesel::insert_into(events::table).values(row).execute(db);
    }
    let insert = InsertAll {
        into: "events (project_id, id, at, type, bot_id, resource_id, actor_token_id, actor_scheme, \
               data)",
        same: (project_id.into_sql::<Id>(),),
        arrays: (
            array::<Id, _, _>(rows, |row| row.id),
            array::<BigInt, _, _>(rows, |row| row.at),
            array::<Text, _, _>(rows, |row| row.event_type.as_str()),
            array::<Nullable<Id>, _, _>(rows, |row| row.bot_id),
            array::<Text, _, _>(rows, |row| row.resource_id.as_str()),
            array::<Nullable<Id>, _, _>(rows, |row| row.actor_token_id),
            array::<Nullable<Text>, _, _>(rows, |row| row.actor_scheme.as_deref()),
            array::<Text, _, _>(rows, |row| row.data.as_str()),
        ),
    };
    insert.execute(db)
}

/// About how many bytes of text a row has; its identifiers and words are short.
fn size(row: &EventRow) -> i64 {
    i64::try_from(256 + row.resource_id.len() + row.data.len()).unwrap_or(i64::MAX)
}
