//! Website-crawls in the database.

use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::StorageError;
use domain::access::{BotScope, Operator};
use domain::clock::Timestamp;
use domain::crawl::{
    CrawlError, CrawlFields, CrawlProgress, CrawlRepository, CrawlStatus, CrawlToDo, CrawlUrl,
    CrawlsAtOnce, WebsiteCrawl,
};
use domain::id::{BotId, CrawlId, OrganisationId, PageSetId, ProjectId};
use domain::lock::Lock;

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, corrupt, decode, find_locked, number};
use crate::sql::conditions::conditions;
use crate::sql::schema::{bots, page_sets, projects, website_crawls as crawls};
use crate::sql::statement::Statement;
use crate::tables::rows::{Copied, after, of_bot};

const COPIED: Copied = Copied {
    table: "website_crawls",
    columns: "page_set_id, url, depth, skill_id, description, name, active, status, error, \
              pages_scraped, pages_failed, bytes, sitemaps_read, started_at, finished_at",
    only: "finished_at IS NOT NULL AND EXISTS (SELECT 1 FROM page_sets WHERE \
           page_sets.project_id = website_crawls.project_id AND page_sets.id = page_set_id \
           AND sealed_at IS NOT NULL)",
    may_go: false,
};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = crawls)]
struct CrawlRow {
    id: String,
    project_id: String,
    bot_id: String,
    page_set_id: String,
    url: String,
    depth: i64,
    #[diesel(embed)]
    particulars: ParticularColumns,
    #[diesel(embed)]
    progress: ProgressColumns,
    created_at: i64,
    updated_at: i64,
}

/// What clients change.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = crawls, treat_none_as_null = true)]
struct ParticularColumns {
    skill_id: Option<String>,
    description: Option<String>,
    name: String,
    active: bool,
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = crawls, treat_none_as_null = true)]
struct ProgressColumns {
    status: String,
    error: Option<String>,
    pages_scraped: i64,
    pages_failed: i64,
    bytes: i64,
    sitemaps_read: bool,
    started_at: Option<i64>,
    finished_at: Option<i64>,
}

impl TryFrom<CrawlRow> for WebsiteCrawl {
    type Error = StorageError;

    fn try_from(row: CrawlRow) -> Result<Self, StorageError> {
        let id = row.id.as_str();
        let set = PageSetId::parse(&row.page_set_id);
        let url = CrawlUrl::stored(&row.url);
        Ok(Self {
            id: decode("website_crawls.id", id, CrawlId::parse(id))?,
            bot_id: decode("website_crawls.bot_id", id, BotId::parse(&row.bot_id))?,
            url: decode("website_crawls.url", id, url)?,
            depth: decode("website_crawls.depth", id, row.depth.try_into().ok())?,
            progress: progress(id, &row.progress)?,
            page_set_id: decode("website_crawls.page_set_id", id, set)?,
            fields: CrawlFields {
                skill_id: row.particulars.skill_id,
                description: row.particulars.description,
                name: row.particulars.name,
                active: row.particulars.active,
            },
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        })
    }
}

fn progress(row: &str, columns: &ProgressColumns) -> Result<CrawlProgress, StorageError> {
    let status = CrawlStatus::parse(&columns.status);
    let error = |word: &String| decode("website_crawls.error", row, CrawlError::parse(word));
    let count = |column, count: i64| decode(column, row, count.try_into().ok());
    let bytes = columns.bytes.try_into().ok();
    Ok(CrawlProgress {
        status: decode("website_crawls.status", row, status)?,
        error: columns.error.as_ref().map(error).transpose()?,
        pages_scraped: count("website_crawls.pages_scraped", columns.pages_scraped)?,
        pages_failed: count("website_crawls.pages_failed", columns.pages_failed)?,
        bytes: decode("website_crawls.bytes", row, bytes)?,
        sitemaps_read: columns.sitemaps_read,
        started_at: columns.started_at.map(Timestamp::from_millis),
        finished_at: columns.finished_at.map(Timestamp::from_millis),
    })
}

fn progress_columns(progress: &CrawlProgress) -> Result<ProgressColumns, StorageError> {
    Ok(ProgressColumns {
        status: progress.status.as_str().to_owned(),
        error: progress.error.map(|error| error.as_str().to_owned()),
        pages_scraped: progress.pages_scraped.into(),
        pages_failed: progress.pages_failed.into(),
        bytes: number(progress.bytes)?,
        sitemaps_read: progress.sitemaps_read,
        started_at: progress.started_at.map(Timestamp::millis),
        finished_at: progress.finished_at.map(Timestamp::millis),
    })
}

fn particular_columns(crawl: &WebsiteCrawl) -> ParticularColumns {
    ParticularColumns {
        skill_id: crawl.fields.skill_id.clone(),
        description: crawl.fields.description.clone(),
        name: crawl.fields.name.clone(),
        active: crawl.fields.active,
    }
}

conditions! {
    /// What will still change by itself: indices `website_crawls_going`, `website_crawls_at_once`.
    Going of crawls = "(website_crawls.status IN ('queued', 'running'))";
}

/// A crawl of the scope's bot, by its identifier.
macro_rules! one {
    ($scope:expr, $id:expr) => {
        of_bot!(crawls, $scope).filter(crawls::id.eq($id.to_string()))
    };
}

fn crawls_of(rows: Vec<CrawlRow>) -> Result<Vec<WebsiteCrawl>, StorageError> {
    rows.into_iter().map(WebsiteCrawl::try_from).collect()
}

impl CrawlRepository for Tx<'_> {
    fn crawl(
        &mut self,
        scope: &BotScope,
        id: CrawlId,
        lock: Lock,
    ) -> Result<Option<WebsiteCrawl>, StorageError> {
        let row = find_locked!(self, lock, one!(scope, id), CrawlRow)?;
        row.map(WebsiteCrawl::try_from).transpose()
    }

    fn crawls(
        &mut self,
        scope: &BotScope,
        after_id: Option<CrawlId>,
        limit: u32,
    ) -> Result<Vec<WebsiteCrawl>, StorageError> {
        let query = of_bot!(crawls, scope)
            .filter(crawls::id.gt(after(after_id)))
            .order(crawls::id)
            .limit(i64::from(limit));
        crawls_of(self.query(|db| on_db!(db, db => query.select(CrawlRow::as_select()).load(db)))?)
    }

    fn going_crawl(
        &mut self,
        scope: &BotScope,
        url: &CrawlUrl,
    ) -> Result<Option<WebsiteCrawl>, StorageError> {
        let query = of_bot!(crawls, scope).filter(crawls::url.eq(url.as_str())).filter(Going);
        let row = self.query(
            |db| on_db!(db, db => query.select(CrawlRow::as_select()).get_result(db).optional()),
        )?;
        row.map(WebsiteCrawl::try_from).transpose()
    }

    fn crawls_at_once(&mut self, scope: &BotScope) -> Result<CrawlsAtOnce, StorageError> {
        let counts: Statement<(BigInt, BigInt, BigInt)> = Statement::new(
            "SELECT count(*) FILTER (WHERE status = 'queued'), \
             count(*) FILTER (WHERE status = 'running'), \
             count(*) FILTER (WHERE status = 'running' AND bot_id = ",
        )
        .bind(scope.bot_id().to_string())
        .sql(") FROM website_crawls WHERE project_id = ")
        .bind(scope.project_id().to_string())
        .sql(" AND status IN ('queued', 'running')");
        let (queued, running, of_bot): (i64, i64, i64) =
            self.query(|db| on_db!(db, db => counts.get_result(db)))?;
        let count = |count| u64::try_from(count).map_err(|_| corrupt("fewer than no crawls"));
        Ok(CrawlsAtOnce {
            queued_of_project: count(queued)?,
            running_of_project: count(running)?,
            running_of_bot: count(of_bot)?,
        })
    }

    fn count_crawls(&mut self, scope: &BotScope) -> Result<u64, StorageError> {
        let query = of_bot!(crawls, scope).count();
        let count: i64 = self.query(|db| on_db!(db, db => query.get_result(db)))?;
        u64::try_from(count).map_err(|_| corrupt("fewer than no crawls"))
    }

    fn insert_crawl(&mut self, scope: &BotScope, crawl: &WebsiteCrawl) -> Result<(), StorageError> {
        if crawl.bot_id != scope.bot_id() {
            return Err(corrupt("a crawl of another bot was to be stored"));
        }
        let row = CrawlRow {
            id: crawl.id.to_string(),
            project_id: scope.project_id().to_string(),
            bot_id: scope.bot_id().to_string(),
            page_set_id: crawl.page_set_id.to_string(),
            url: crawl.url.to_string(),
            depth: crawl.depth.into(),
            particulars: particular_columns(crawl),
            progress: progress_columns(&crawl.progress)?,
            created_at: crawl.created_at.millis(),
            updated_at: crawl.updated_at.millis(),
        };
        let set = (
            page_sets::id.eq(row.page_set_id.clone()),
            page_sets::project_id.eq(row.project_id.clone()),
            page_sets::created_at.eq(row.created_at),
        );
        let insert = diesel::insert_into(page_sets::table).values(set);
        self.change_one("inserting a page set", |db| on_db!(db, db => insert.execute(db)))?;
        let insert = diesel::insert_into(crawls::table).values(row);
        self.change_one("inserting a crawl", |db| on_db!(db, db => insert.execute(db)))
    }

    fn update_crawl(&mut self, scope: &BotScope, crawl: &WebsiteCrawl) -> Result<(), StorageError> {
        let updated_at = crawls::updated_at.eq(crawl.updated_at.millis());
        let update = diesel::update(one!(scope, crawl.id));
        let update = update.set((particular_columns(crawl), updated_at));
        self.change_one("updating a crawl", |db| on_db!(db, db => update.execute(db)))
    }

    fn update_crawl_progress(
        &mut self,
        scope: &BotScope,
        id: CrawlId,
        progress: &CrawlProgress,
    ) -> Result<(), StorageError> {
        let update = diesel::update(one!(scope, id)).set(progress_columns(progress)?);
        self.change_one(
            "updating the progress of a crawl",
            |db| on_db!(db, db => update.execute(db)),
        )
    }

    fn cancel_crawls(&mut self, scope: &BotScope, now: Timestamp) -> Result<(), StorageError> {
        let columns = (
            crawls::status.eq(CrawlStatus::Cancelled.as_str()),
            crawls::finished_at.eq(now.millis()),
        );
        let cancel = diesel::update(of_bot!(crawls, scope).filter(Going)).set(columns);
        self.query(|db| on_db!(db, db => cancel.execute(db)))?;
        Ok(())
    }

    fn delete_crawl(&mut self, scope: &BotScope, id: CrawlId) -> Result<(), StorageError> {
        let delete = diesel::delete(one!(scope, id));
        self.change_one("deleting a crawl", |db| on_db!(db, db => delete.execute(db)))
    }

    fn crawls_for_skill(
        &mut self,
        scope: &BotScope,
        skill_id: &str,
        limit: u32,
    ) -> Result<Vec<WebsiteCrawl>, StorageError> {
        let query = of_bot!(crawls, scope)
            .filter(crawls::skill_id.eq(skill_id))
            .order(crawls::id)
            .limit(i64::from(limit));
        crawls_of(self.query(|db| on_db!(db, db => query.select(CrawlRow::as_select()).load(db)))?)
    }

    fn copy_crawls(
        &mut self,
        from: &BotScope,
        to: &BotScope,
        now: Timestamp,
        next_id: &mut dyn FnMut() -> CrawlId,
    ) -> Result<(), StorageError> {
        self.copy_rows(&COPIED, (from, to), now, || next_id().to_string())
    }

    fn remove_crawls(
        &mut self,
        scope: &BotScope,
        limit: u32,
    ) -> Result<Vec<PageSetId>, StorageError> {
        let sets = self.remove_rows_telling("page_set_id", "website_crawls", scope, limit)?;
        let read = |id: String| decode("website_crawls.page_set_id", &id, PageSetId::parse(&id));
        sets.into_iter().flatten().map(read).collect()
    }

    fn crawl_to_do(
        &mut self,
        _: Operator,
        id: CrawlId,
        lock: Lock,
    ) -> Result<Option<CrawlToDo>, StorageError> {
        let query = crawls::table.filter(crawls::id.eq(id.to_string()));
        let Some(row) = find_locked!(self, lock, query, CrawlRow)? else {
            return Ok(None);
        };
        // Looked up after the crawl was locked: whoever deleted the bot meanwhile is heeded.
        let bot = bots::table
            .filter(bots::project_id.eq(row.project_id.clone()))
            .filter(bots::id.eq(row.bot_id.clone()))
            .filter(bots::removed_at.is_null());
        let query = projects::table
            .filter(projects::id.eq(row.project_id.clone()))
            .filter(exists(bot))
            .select(projects::organisation_id);
        let organisation: Option<String> =
            self.query(|db| on_db!(db, db => query.get_result(db).optional()))?;
        let Some(organisation) = organisation else {
            return Ok(None);
        };
        let project = ProjectId::parse(&row.project_id);
        let project_id = decode("website_crawls.project_id", &row.id, project)?;
        let organisation = OrganisationId::parse(&organisation);
        let organisation_id = decode("projects.organisation_id", &row.project_id, organisation)?;
        let crawl = row.try_into()?;
        Ok(Some(CrawlToDo { organisation_id, project_id, crawl }))
    }
}
