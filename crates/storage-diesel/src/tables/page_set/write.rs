//! Pages that were fetched, written into the places of their addresses.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::StorageError;
use domain::access::BotScope;
use domain::crawl::{CrawlError, Page, PageState};
use domain::id::PageSetId;

use super::{all_of, of_set};
use crate::engine::db::Db;
use crate::engine::tx::{Tx, number};
use crate::sql::bulk::{array, statements};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::id::Id;
use crate::sql::kept::kept_update;
use crate::sql::schema::pages;

/// What becomes of an address when its page was fetched.
#[derive(AsChangeset)]
#[diesel(table_name = pages, primary_key(project_id, page_set_id, number), treat_none_as_null = true)]
struct Columns<'a> {
    number: i64,
    id: IdColumn,
    url: &'a str,
    depth: i64,
    state: &'static str,
    status_code: Option<i64>,
    size: i64,
    content_hash: Option<String>,
    scraped_at: i64,
    error: Option<&'static str>,
    title: Option<&'a str>,
    content: Option<&'a str>,
}

fn columns(page: &Page) -> Result<Columns<'_>, StorageError> {
    let texts = [page.title.as_ref(), page.content.as_ref()];
    let size: usize = texts.into_iter().flatten().map(String::len).sum();
    Ok(Columns {
        number: page.number.into(),
        id: page.id.to_column(),
        url: page.url.as_str(),
        depth: page.depth.into(),
        state: PageState::Done.as_str(),
        status_code: page.status_code.map(i64::from),
        size: number(size as u64)?,
        content_hash: page.content_hash.map(|hash| hash.to_string()),
        scraped_at: page.scraped_at.millis(),
        error: page.error.map(CrawlError::as_str),
        title: page.title.as_deref(),
        content: page.content.as_deref(),
    })
}

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

impl Tx<'_> {
    /// Writes pages into the places of pending addresses of a set that is in reach and open.
    pub(super) fn write_into(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        pages: &[Page],
    ) -> Result<(), StorageError> {
        let rows: Vec<_> = pages.iter().map(columns).collect::<Result<_, _>>()?;
        let written = self.query(|db| match db {
            Db::Pg(db) => statements(&rows, |row| row.size).try_fold(0, |written, rows| {
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
                let (project_id, page_set_id) = (scope.project_id().to_column(), set.to_column());
                Ok(written + WriteAll { arrays, project_id, page_set_id }.execute(&mut **db)?)
            }),
            // There is no round trip to save, and to take texts out of JSON takes far longer.
            Db::Sqlite(db) => rows.iter().try_fold(0, |written, row| {
                let one = of_set!(scope, set)
                    .filter(pages::number.eq(row.number))
                    .filter(pages::state.eq(PageState::Pending.as_str()));
                Ok(written + kept_update(one, row).execute(&mut **db)?)
            }),
        })?;
        all_of(written, pages.len())
    }
}
