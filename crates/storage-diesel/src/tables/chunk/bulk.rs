//! Many chunks in one statement of PostgreSQL.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::ChunkRow;
use crate::sql::bulk::{InsertAll, array, statements};
use crate::sql::columns::IdColumn;
use crate::sql::id::Id;

/// Stores chunks of an extraction of a project.
pub(super) fn insert(
    db: &mut PgConnection,
    (project_id, extraction_id): (IdColumn, IdColumn),
    rows: &[ChunkRow],
) -> QueryResult<usize> {
    statements(rows, |row| row.size).try_fold(0, |inserted, rows| {
        let insert = InsertAll {
            into: "chunks (project_id, extraction_id, id, number, char_start, char_end, page, \
                   size, heading, text)",
            same: (project_id.into_sql::<Id>(), extraction_id.into_sql::<Id>()),
            arrays: (
                array::<Id, _, _>(rows, |row| row.id),
                array::<BigInt, _, _>(rows, |row| row.number),
                array::<BigInt, _, _>(rows, |row| row.char_start),
                array::<BigInt, _, _>(rows, |row| row.char_end),
                array::<Nullable<BigInt>, _, _>(rows, |row| row.page),
                array::<BigInt, _, _>(rows, |row| row.size),
                array::<Nullable<Text>, _, _>(rows, |row| row.heading.as_deref()),
                array::<Text, _, _>(rows, |row| row.text.as_str()),
            ),
        };
        Ok(inserted + insert.execute(db)?)
    })
}
