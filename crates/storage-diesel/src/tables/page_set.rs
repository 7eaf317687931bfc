//! Pages of website-crawls in the database.

mod write;

use diesel::dsl::exists;
use diesel::prelude::*;
use domain::StorageError;
use domain::access::{BotScope, Operator};
use domain::blob::Sha256;
use domain::clock::Timestamp;
use domain::crawl::{CrawlError, CrawlUrl, FoundPage, Page, PageSetRepository, PageState};
use domain::id::PageSetId;

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, decode, find_locked};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::json::to_json;
use crate::sql::schema::{page_sets as sets, pages, website_crawls as crawls};
use crate::sql::statement::Statement;
use crate::tables::bot_rows::{fitting, of_bot};

/// A page without its content, but with the size of it.
#[derive(Queryable, Selectable)]
#[diesel(table_name = pages)]
struct HeadRow {
    id: Option<IdColumn>,
    number: i64,
    url: String,
    depth: i64,
    status_code: Option<i64>,
    size: i64,
    content_hash: Option<String>,
    scraped_at: Option<i64>,
    error: Option<String>,
    title: Option<String>,
}

/// An address of a set: its number, itself, its depth, its state, and the hash of what is there.
type FoundRow = (i64, String, i64, String, Option<String>);

/// Where a set lies.
#[derive(Queryable, Selectable)]
#[diesel(table_name = sets)]
struct SetRow {
    project_id: IdColumn,
}

fn page(head: HeadRow, content: Option<String>) -> Result<Page, StorageError> {
    let id = head.id.unwrap_or_default();
    let hash = |text: String| decode("pages.content_hash", id, Sha256::parse(&text));
    let error = |word: String| decode("pages.error", id, CrawlError::parse(&word));
    let status = |code: i64| decode("pages.status_code", id, code.try_into().ok());
    let scraped_at = decode("pages.scraped_at", id, head.scraped_at)?;
    Ok(Page {
        id: Stored::from_column(id),
        number: decode("pages.number", id, head.number.try_into().ok())?,
        url: decode("pages.url", id, CrawlUrl::stored(&head.url))?,
        title: head.title,
        depth: decode("pages.depth", id, head.depth.try_into().ok())?,
        status_code: head.status_code.map(status).transpose()?,
        content,
        content_hash: head.content_hash.map(hash).transpose()?,
        scraped_at: Timestamp::from_millis(scraped_at),
        error: head.error.map(error).transpose()?,
    })
}

fn found(set: PageSetId, row: FoundRow) -> Result<FoundPage, StorageError> {
    let (number, url, depth, state, hash) = row;
    let hash = hash.map(|text| decode("pages.content_hash", set, Sha256::parse(&text)));
    Ok(FoundPage {
        content_hash: hash.transpose()?,
        number: decode("pages.number", set, number.try_into().ok())?,
        url: decode("pages.url", set, CrawlUrl::stored(&url))?,
        depth: decode("pages.depth", set, depth.try_into().ok())?,
        state: decode("pages.state", set, PageState::parse(&state))?,
    })
}

/// The pages of a set of the scope's project.
macro_rules! of_set {
    ($scope:expr, $set:expr) => {
        pages::table
            .filter(pages::project_id.eq($scope.project_id().to_column()))
            .filter(pages::page_set_id.eq($set.to_column()))
    };
}
#[cfg(feature = "sqlite")]
use of_set;

impl Tx<'_> {
    /// Whether a set is sealed to which a crawl of the scope's bot refers; `None` if there is none. It
    /// is read before the pages: in one statement with them, SQLite would begin with the crawls
    /// and put the pages in order once more.
    fn set_in_reach(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
    ) -> Result<Option<bool>, StorageError> {
        let referring = of_bot!(crawls, scope).filter(crawls::page_set_id.eq(set.to_column()));
        let query = sets::table
            .filter(sets::id.eq(set.to_column()))
            .filter(sets::project_id.eq(scope.project_id().to_column()))
            .filter(exists(referring))
            .select(sets::sealed_at.is_not_null());
        self.query(|db| on_db!(db, db => query.get_result(db).optional()))
    }

    /// Whether a set that is to be written to is sealed.
    fn is_sealed(&mut self, scope: &BotScope, set: PageSetId) -> Result<bool, StorageError> {
        let found = self.set_in_reach(scope, set)?;
        found.ok_or_else(|| broken("a page set of another bot was to be written to"))
    }

    /// Sees to it that a set can still be written to.
    fn check_open(&mut self, scope: &BotScope, set: PageSetId) -> Result<(), StorageError> {
        if self.is_sealed(scope, set)? {
            return Err(broken("a sealed page set was to be written to"));
        }
        Ok(())
    }

    /// The content of the pages that have these numbers, in their order.
    fn contents(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        (first, last): (i64, i64),
    ) -> Result<Vec<Option<String>>, StorageError> {
        let query = of_set!(scope, set)
            .filter(pages::number.between(first, last))
            .filter(pages::state.eq(PageState::Done.as_str()))
            .order(pages::number)
            .select(pages::content);
        self.query(|db| on_db!(db, db => query.load(db)))
    }
}

impl PageSetRepository for Tx<'_> {
    fn pages(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        after: Option<u32>,
        limit: u32,
    ) -> Result<(Vec<Page>, Option<u32>), StorageError> {
        if self.set_in_reach(scope, set)?.is_none() {
            return Ok((Vec::new(), None));
        }
        let query = of_set!(scope, set)
            .filter(pages::number.gt(after.map_or(-1, i64::from)))
            .filter(pages::state.eq(PageState::Done.as_str()))
            .order(pages::number)
            .limit(i64::from(limit) + 1);
        let mut heads =
            self.query(|db| on_db!(db, db => query.select(HeadRow::as_select()).load(db)))?;
        let room = fitting(heads.iter().map(|head| head.size)).min(limit as usize);
        let is_cut = room < heads.len();
        heads.truncate(room);
        self.reserve_memory(heads.iter().map(|head| head.size).sum())?;
        let (Some(first), Some(last)) = (heads.first(), heads.last()) else {
            return Ok((Vec::new(), None));
        };
        let contents = self.contents(scope, set, (first.number, last.number))?;
        if contents.len() != heads.len() {
            return Err(broken("the pages of a set changed within a unit"));
        }
        let found = heads.into_iter().zip(contents).map(|(head, content)| page(head, content));
        let found: Vec<_> = found.collect::<Result<_, _>>()?;
        let next = found.last().filter(|_| is_cut).map(|page| page.number);
        Ok((found, next))
    }

    fn found_pages(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
    ) -> Result<Vec<FoundPage>, StorageError> {
        if self.set_in_reach(scope, set)?.is_none() {
            return Ok(Vec::new());
        }
        let query = of_set!(scope, set).order(pages::number).select((
            pages::number,
            pages::url,
            pages::depth,
            pages::state,
            pages::content_hash,
        ));
        let rows: Vec<FoundRow> = self.query(|db| on_db!(db, db => query.load(db)))?;
        rows.into_iter().map(|row| found(set, row)).collect()
    }

    fn add_found_pages(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        found: &[FoundPage],
    ) -> Result<(), StorageError> {
        if found.is_empty() {
            return Ok(());
        }
        self.check_open(scope, set)?;
        let members = found.iter();
        let members = members.map(|FoundPage { number, url, depth, state, .. }| {
            (number, url.as_str(), depth, state.as_str())
        });
        let members = to_json("pages", &members.collect::<Vec<_>>())?;
        let added = self.query(|db| {
            let add: Statement<()> = Statement::new(
                "INSERT INTO pages (project_id, page_set_id, number, url, depth, state, size) SELECT ",
            )
            .bind_all([scope.project_id().to_column(), set.to_column()])
            .sql(
                ", CAST(value->>0 AS BIGINT), value->>1, CAST(value->>2 AS BIGINT), value->>3, 0 \
                 FROM ",
            )
            .members(db.dialect(), members)
            .sql(" AS these");
            on_db!(db, db => add.execute(db))
        })?;
        all_of(added, found.len())
    }

    fn write_pages(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        pages: &[Page],
    ) -> Result<(), StorageError> {
        if pages.is_empty() {
            return Ok(());
        }
        self.check_open(scope, set)?;
        self.write_into(scope, set, pages)
    }

    fn write_aliases(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        numbers: &[u32],
    ) -> Result<(), StorageError> {
        if numbers.is_empty() {
            return Ok(());
        }
        self.check_open(scope, set)?;
        let members: Vec<_> = numbers.iter().map(|number| [number]).collect();
        let members = to_json("numbers", &members)?;
        let written = self.query(|db| {
            let write: Statement<()> = Statement::new(
                "UPDATE pages SET state = 'alias' WHERE project_id = ",
            )
            .bind(scope.project_id().to_column())
            .sql(" AND page_set_id = ")
            .bind(set.to_column())
            .sql(" AND state = 'pending' AND number IN (SELECT CAST(value->>0 AS BIGINT) FROM ")
            .members(db.dialect(), members)
            .sql(" AS these)");
            on_db!(db, db => write.execute(db))
        })?;
        all_of(written, numbers.len())
    }

    fn seal_page_set(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        if self.is_sealed(scope, set)? {
            return Ok(());
        }
        let others = of_set!(scope, set).filter(pages::state.ne(PageState::Done.as_str()));
        self.query(|db| on_db!(db, db => diesel::delete(others).execute(db)))?;
        let one = sets::table.filter(sets::id.eq(set.to_column()));
        let seal = diesel::update(one).set(sets::sealed_at.eq(now.millis()));
        self.change_one("sealing a page set", |db| on_db!(db, db => seal.execute(db)))
    }

    fn remove_unused_page_set(
        &mut self,
        _: Operator,
        set: PageSetId,
        limit: u32,
    ) -> Result<bool, StorageError> {
        let set = set.to_column();
        let one = sets::table.filter(sets::id.eq(set));
        let Some(SetRow { project_id }) = find_locked!(self, Lock::Exclusive, one, SetRow)? else {
            return Ok(false);
        };
        let referring = crawls::table
            .filter(crawls::project_id.eq(project_id))
            .filter(crawls::page_set_id.eq(set));
        let is_used = diesel::select(exists(referring));
        if self.query(|db| on_db!(db, db => is_used.get_result::<bool>(db)))? {
            return Ok(false);
        }
        let of_set = |begin: Statement<()>| {
            begin
                .sql(" FROM pages WHERE project_id = ")
                .bind(project_id)
                .sql(" AND page_set_id = ")
                .bind(set)
        };
        let removal = of_set(Statement::new("DELETE"));
        let removal = of_set(removal.sql(" AND number <= (SELECT max(number) FROM (SELECT number"))
            .sql(" ORDER BY number LIMIT ")
            .bind(i64::from(limit))
            .sql(") AS few)");
        let removed = self.query(|db| on_db!(db, db => removal.execute(db)))?;
        if removed >= limit as usize {
            return Ok(true);
        }
        let delete = diesel::delete(one);
        self.change_one("removing a page set", |db| on_db!(db, db => delete.execute(db)))?;
        Ok(false)
    }
}

/// Sees to it that a statement has changed as many rows as it was to.
fn all_of(changed: usize, meant: usize) -> Result<(), StorageError> {
    if changed != meant {
        return Err(broken(format!("{changed} of {meant} addresses of a page set were written")));
    }
    Ok(())
}
