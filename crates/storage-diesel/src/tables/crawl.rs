//! Website-crawls in the database.

use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::StorageError;
use domain::access::{BotScope, Operator};
use domain::batch::Batch;
use domain::clock::Timestamp;
use domain::copy_step::CopyStep;
use domain::crawl::{
    CrawlCounts, CrawlError, CrawlFields, CrawlProgress, CrawlRepository, CrawlStatus, CrawlToDo,
    CrawlUrl, WebsiteCrawl,
};
use domain::id::{BotId, CrawlId, PageSetId, ProjectId};
use domain::lock::Lock;

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, find_locked};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::conditions::conditions;
use crate::sql::row_macros::{FieldColumns as _, field_columns, table_row};
use crate::sql::schema::{bots, page_sets, projects, website_crawls as crawls};
use crate::sql::statement::Statement;
use crate::tables::bot_rows::{Copied, SMALL, after, of_bot, with_ids};

const COPIED: Copied = Copied {
    table: "website_crawls",
    columns: &[
        &["page_set_id", "url", "depth"],
        CrawlColumns::NAMES,
        &[
            "status",
            "error",
            "pages_scraped",
            "pages_failed",
            "bytes",
            "sitemaps_read",
            "started_at",
            "finished_at",
        ],
    ],
    size: SMALL,
    only: "finished_at IS NOT NULL AND EXISTS (SELECT 1 FROM page_sets WHERE \
           page_sets.project_id = website_crawls.project_id AND page_sets.id = page_set_id \
           AND sealed_at IS NOT NULL)",
    may_go: false,
    with: None,
};

table_row! {
    CrawlRow of WebsiteCrawl in crawls {
        id: CrawlId,
        bot_id: BotId,
        page_set_id: PageSetId,
        url: CrawlUrl,
        depth: u8,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    embed { fields: CrawlColumns, progress: ProgressColumns, }
    beside { project_id: ProjectId }
}

field_columns! {
    CrawlColumns of CrawlFields in crawls {
        always {
            name: String,
            active: bool,
        }
        optional {
            description: String,
            skill_id: String,
        }
    }
}

field_columns! {
    ProgressColumns of CrawlProgress in crawls {
        always {
            status: CrawlStatus,
            pages_scraped: u32,
            pages_failed: u32,
            bytes: u64,
            sitemaps_read: bool,
        }
        optional {
            error: CrawlError,
            started_at: Timestamp,
            finished_at: Timestamp,
        }
    }
}

conditions! {
    /// What will still change by itself: indices `website_crawls_going`, `website_crawls_at_once`,
    /// `website_crawls_by_status`.
    Going of crawls = "(website_crawls.status IN ('queued', 'running'))";
}

/// A crawl of the scope's bot, by its identifier.
macro_rules! one {
    ($scope:expr, $id:expr) => {
        of_bot!(crawls, $scope).filter(crawls::id.eq($id.to_column()))
    };
}

impl CrawlRepository for Tx<'_> {
    fn crawl(
        &mut self,
        scope: &BotScope,
        id: CrawlId,
        lock: Lock,
    ) -> Result<Option<WebsiteCrawl>, StorageError> {
        let row = find_locked!(self, lock, one!(scope, id), CrawlRow)?;
        Ok(row.map(Into::into))
    }

    fn crawls(
        &mut self,
        scope: &BotScope,
        after_id: Option<CrawlId>,
        limit: u32,
    ) -> Result<Batch<WebsiteCrawl>, StorageError> {
        let query = of_bot!(crawls, scope)
            .filter(crawls::id.gt(after(after_id)))
            .order(crawls::id)
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(CrawlRow::as_select()).load(db)))?;
        let is_last = rows.len() < limit as usize;
        Ok(Batch::new(rows, is_last).map(Into::into))
    }

    fn crawls_with_ids(
        &mut self,
        scope: &BotScope,
        ids: &[CrawlId],
    ) -> Result<Vec<WebsiteCrawl>, StorageError> {
        let rows: Vec<CrawlRow> =
            with_ids!(self, of_bot!(crawls, scope), crawls::id, ids, CrawlRow)?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    fn going_crawl(
        &mut self,
        scope: &BotScope,
        url: &CrawlUrl,
    ) -> Result<Option<WebsiteCrawl>, StorageError> {
        let query = of_bot!(crawls, scope).filter(crawls::url.eq(url.as_str())).filter(Going);
        let row = self.look_up(
            |db| on_db!(db, db => query.select(CrawlRow::as_select()).get_result(db).optional()),
        )?;
        Ok(row.map(Into::into))
    }

    fn crawl_counts(&mut self, scope: &BotScope) -> Result<CrawlCounts, StorageError> {
        let counts: Statement<(BigInt, BigInt, BigInt)> = Statement::new(
            "SELECT count(*) FILTER (WHERE status = 'queued'), \
             count(*) FILTER (WHERE status = 'running'), \
             count(*) FILTER (WHERE status = 'running' AND bot_id = ",
        )
        .bind(scope.bot_id().to_column())
        .sql(") FROM website_crawls WHERE project_id = ")
        .bind(scope.project_id().to_column())
        .sql(" AND status IN ('queued', 'running')");
        let (queued, running, of_bot): (i64, i64, i64) =
            self.look_up(|db| on_db!(db, db => counts.get_result(db)))?;
        let count = |count| u64::try_from(count).map_err(|_| broken("fewer than no crawls"));
        Ok(CrawlCounts {
            queued_of_project: count(queued)?,
            running_of_project: count(running)?,
            running_of_bot: count(of_bot)?,
        })
    }

    fn count_crawls(&mut self, scope: &BotScope) -> Result<u64, StorageError> {
        let query = of_bot!(crawls, scope).count();
        let count: i64 = self.look_up(|db| on_db!(db, db => query.get_result(db)))?;
        u64::try_from(count).map_err(|_| broken("fewer than no crawls"))
    }

    fn insert_crawl(&mut self, scope: &BotScope, crawl: &WebsiteCrawl) -> Result<(), StorageError> {
        if crawl.bot_id != scope.bot_id() {
            return Err(broken("a crawl of another bot was to be stored"));
        }
        let row = CrawlRow::of(crawl, scope.project_id());
        let set = (
            page_sets::id.eq(row.page_set_id),
            page_sets::project_id.eq(row.project_id),
            page_sets::created_at.eq(row.created_at),
        );
        let insert = diesel::insert_into(page_sets::table).values(set);
        self.change_one("inserting a page set", |db| on_db!(db, db => insert.execute(db)))?;
        let insert = diesel::insert_into(crawls::table).values(row);
        self.change_one("inserting a crawl", |db| on_db!(db, db => insert.execute(db)))
    }

    fn update_crawl(&mut self, scope: &BotScope, crawl: &WebsiteCrawl) -> Result<(), StorageError> {
        let updated_at = crawls::updated_at.eq(crawl.updated_at.to_column());
        let update = diesel::update(one!(scope, crawl.id));
        let update = update.set((CrawlColumns::of(&crawl.fields), updated_at));
        self.change_one("updating a crawl", |db| on_db!(db, db => update.execute(db)))
    }

    fn update_crawl_progress(
        &mut self,
        scope: &BotScope,
        id: CrawlId,
        progress: &CrawlProgress,
    ) -> Result<(), StorageError> {
        let update = diesel::update(one!(scope, id)).set(ProgressColumns::of(progress));
        self.change_one(
            "updating the progress of a crawl",
            |db| on_db!(db, db => update.execute(db)),
        )
    }

    fn cancel_crawls(
        &mut self,
        scope: &BotScope,
        now: Timestamp,
    ) -> Result<Vec<CrawlId>, StorageError> {
        let columns = (
            crawls::status.eq(CrawlStatus::Cancelled.to_column()),
            crawls::finished_at.eq(now.to_column()),
        );
        let cancel = diesel::update(of_bot!(crawls, scope).filter(Going)).set(columns);
        let cancel = cancel.returning(crawls::id);
        let mut ids: Vec<IdColumn> = self.query(|db| on_db!(db, db => cancel.load(db)))?;
        ids.sort_unstable();
        Ok(ids.into_iter().map(Stored::from_column).collect())
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
        let rows =
            self.query(|db| on_db!(db, db => query.select(CrawlRow::as_select()).load(db)))?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    fn copy_crawls(
        &mut self,
        bots: (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        next_id: &mut dyn FnMut() -> CrawlId,
    ) -> Result<bool, StorageError> {
        self.copy_rows(&COPIED, bots, now, step, || next_id().to_column())
    }

    fn remove_crawls(
        &mut self,
        scope: &BotScope,
        limit: u32,
    ) -> Result<Vec<PageSetId>, StorageError> {
        let sets =
            self.remove_rows_telling("page_set_id", ("website_crawls", SMALL), scope, limit)?;
        Ok(sets.into_iter().flatten().map(Stored::from_column).collect())
    }

    fn crawl_to_do(
        &mut self,
        _: Operator,
        id: CrawlId,
        lock: Lock,
    ) -> Result<Option<CrawlToDo>, StorageError> {
        let query = crawls::table.filter(crawls::id.eq(id.to_column()));
        let Some(row) = find_locked!(self, lock, query, CrawlRow)? else {
            return Ok(None);
        };
        // Looked up after the crawl was locked, so that a deletion of the bot meanwhile is seen.
        let bot = bots::table
            .filter(bots::project_id.eq(row.project_id))
            .filter(bots::id.eq(row.bot_id))
            .filter(bots::deleted_at.is_null());
        let query = projects::table
            .filter(projects::id.eq(row.project_id))
            .filter(exists(bot))
            .select(projects::organisation_id);
        let organisation: Option<IdColumn> =
            self.query(|db| on_db!(db, db => query.get_result(db).optional()))?;
        let Some(organisation) = organisation else {
            return Ok(None);
        };
        let organisation_id = Stored::from_column(organisation);
        let project_id = Stored::from_column(row.project_id);
        let crawl = row.into();
        Ok(Some(CrawlToDo { organisation_id, project_id, crawl }))
    }
}
