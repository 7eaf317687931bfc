//! Many events in one statement of PostgreSQL.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::event::Event;

use super::insertion;
use crate::engine::db::Dialect;
use crate::sql::bulk::{InsertAll, array, statements};
use crate::sql::columns::{IdColumn, Stored as _};
use crate::sql::id::Id;
use crate::sql::statement::Statement;

/// Stores events of a project, in their order.
pub(super) fn insert(
    db: &mut PgConnection,
    project_id: IdColumn,
    rows: &[Event],
) -> QueryResult<usize> {
    let mut runs = statements(rows, size);
    runs.try_fold(0, |added, rows| Ok(added + insert_at_once(db, project_id, rows)?))
}

fn insert_at_once(
    db: &mut PgConnection,
    project_id: IdColumn,
    rows: &[Event],
) -> QueryResult<usize> {
    // Most units have one, which takes less this way.
    if let [row] = rows {
        let insert: Statement<()> = insertion(Statement::new(""), row, Dialect::Postgres);
        return insert.execute(db);
    }
    let insert = InsertAll {
        into: "events (project_id, id, at, type, bot_id, resource_id, actor_token_id, actor_scheme, \
               data)",
        same: (project_id.into_sql::<Id>(),),
        arrays: (
            array::<Id, _, _>(rows, |row| row.id.to_column()),
            array::<BigInt, _, _>(rows, |row| row.at.millis()),
            array::<Text, _, _>(rows, |row| row.event_type.as_str()),
            array::<Nullable<Id>, _, _>(rows, |row| row.bot_id.map(|bot| bot.to_column())),
            array::<Text, _, _>(rows, |row| row.resource_id.as_str()),
            array::<Nullable<Id>, _, _>(rows, |row| {
                row.actor.map(|actor| actor.token_id.to_column())
            }),
            array::<Nullable<Text>, _, _>(rows, |row| row.actor.map(|actor| actor.scheme.as_str())),
            array::<Text, _, _>(rows, |row| row.data.as_str()),
        ),
    };
    insert.execute(db)
}

/// About how many bytes of text a row has; its identifiers and words are short.
fn size(row: &Event) -> i64 {
    i64::try_from(256 + row.resource_id.len() + row.data.as_str().len()).unwrap_or(i64::MAX)
}
