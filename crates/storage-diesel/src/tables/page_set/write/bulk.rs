//! Many pages in one statement of PostgreSQL.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Nullable, Text};

use super::Columns;
use crate::sql::bulk::{array, statements};
use crate::sql::columns::IdColumn;
use crate::sql::id::Id;

/// Writes many pages at once, given as an array for each column: its text is the same for any number of
/// them, so that a connection keeps it prepared, and all take one round trip. Only PostgreSQL has arrays.
#[derive(QueryId)]
struct WriteAll<A> {
    arrays: A,
    project_id: IdColumn,
    page_set_id: IdColumn,
}

impl<A: QueryFragment<Pg>> QueryFragment<Pg> for WriteAll<A> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "UPDATE pages SET state = 'done', id = new.id, url = new.url, \
             depth = new.depth, status_code = new.status_code, size = new.size, content_hash = new.content_hash, \
             scraped_at = new.scraped_at, error = new.error, title = new.title, \
             content = new.content FROM unnest(",
        );
        self.arrays.walk_ast(out.reborrow())?;
        out.push_sql(
            ") AS new (number, id, url, depth, status_code, size, content_hash, scraped_at, error, title, \
             content) WHERE pages.project_id = ",
        );
        out.push_bind_param::<Id, _>(&self.project_id)?;
        out.push_sql(" AND pages.page_set_id = ");
        out.push_bind_param::<Id, _>(&self.page_set_id)?;
        out.push_sql(" AND pages.number = new.number AND pages.state = 'pending'");
        Ok(())
    }
}

impl<A, C> RunQueryDsl<C> for WriteAll<A> {}

/// Writes pages into the places of pending addresses of a set of a project; returns how many there were.
pub(super) fn write(
    db: &mut PgConnection,
    (project_id, page_set_id): (IdColumn, IdColumn),
    rows: &[Columns<'_>],
) -> QueryResult<usize> {
    statements(rows, |row| row.size).try_fold(0, |written, rows| {
        let arrays = (
            array::<BigInt, _, _>(rows, |row| row.number),
            array::<Id, _, _>(rows, |row| row.id),
            array::<Text, _, _>(rows, |row| row.url),
            array::<BigInt, _, _>(rows, |row| row.depth),
            array::<Nullable<BigInt>, _, _>(rows, |row| row.status_code),
            array::<BigInt, _, _>(rows, |row| row.size),
            array::<Nullable<Text>, _, _>(rows, |row| row.content_hash.as_deref()),
            array::<BigInt, _, _>(rows, |row| row.scraped_at),
            array::<Nullable<Text>, _, _>(rows, |row| row.error),
            array::<Nullable<Text>, _, _>(rows, |row| row.title),
            array::<Nullable<Text>, _, _>(rows, |row| row.content),
        );
        Ok(written + WriteAll { arrays, project_id, page_set_id }.execute(db)?)
    })
}
