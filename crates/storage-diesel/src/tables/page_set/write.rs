//! Pages that were fetched, written into the places of their addresses.

#[cfg(feature = "postgres")]
mod bulk;

use diesel::prelude::*;
use domain::StorageError;
use domain::access::BotScope;
use domain::crawl::{CrawlError, Page, PageState};
use domain::id::PageSetId;

use super::all_of;
#[cfg(feature = "sqlite")]
use super::of_set;
use crate::engine::db::Db;
use crate::engine::tx::{Tx, number};
#[cfg(feature = "sqlite")]
use crate::sql::cached_update::cached_update;
use crate::sql::columns::{IdColumn, Stored};
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
            #[cfg(feature = "postgres")]
            Db::Pg(db) => bulk::write(db, (scope.project_id().to_column(), set.to_column()), &rows),
            // There is no round trip to save, and to take texts out of JSON takes far longer.
            #[cfg(feature = "sqlite")]
            Db::Sqlite(db) => rows.iter().try_fold(0, |written, row| {
                let one = of_set!(scope, set)
                    .filter(pages::number.eq(row.number))
                    .filter(pages::state.eq(PageState::Pending.as_str()));
                Ok(written + cached_update(one, row).execute(&mut **db)?)
            }),
        })?;
        all_of(written, pages.len())
    }
}
