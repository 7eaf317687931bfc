//! Many copies of documents in one statement of PostgreSQL.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::CopyRow;
use crate::sql::bulk::{InsertAll, array, statements};
use crate::sql::columns::IdColumn;
use crate::sql::id::Id;

/// Stores copies that a bot of a project has.
pub(in super::super) fn insert_copies(
    db: &mut PgConnection,
    of: (IdColumn, IdColumn),
    rows: &[CopyRow],
) -> QueryResult<usize> {
    let mut runs = statements(rows, size);
    runs.try_fold(0, |inserted, rows| Ok(inserted + insert_at_once(db, of, rows)?))
}

fn insert_at_once(
    db: &mut PgConnection,
    (project_id, bot_id): (IdColumn, IdColumn),
    rows: &[CopyRow],
) -> QueryResult<usize> {
    let insert = InsertAll {
        into: "bot_documents (project_id, bot_id, id, document_id, skill_id, function_name, \
               created_at, updated_at)",
        same: (project_id.into_sql::<Id>(), bot_id.into_sql::<Id>()),
        arrays: (
            array::<Id, _, _>(rows, |row| row.id),
            array::<Id, _, _>(rows, |row| row.document_id),
            array::<Nullable<Text>, _, _>(rows, |row| row.skill_id.as_deref()),
            array::<Nullable<Text>, _, _>(rows, |row| row.function_name.as_deref()),
            array::<BigInt, _, _>(rows, |row| row.created_at),
            array::<BigInt, _, _>(rows, |row| row.updated_at),
        ),
    };
    insert.execute(db)
}

/// About how many bytes of text a copy has.
fn size(row: &CopyRow) -> i64 {
    let texts = [row.skill_id.as_ref(), row.function_name.as_ref()];
    let size: usize = texts.into_iter().flatten().map(String::len).sum();
    i64::try_from(size + 128).unwrap_or(i64::MAX)
}
