//! What came of fetching, stored in one unit.

use super::super::end::emit_end;
use super::super::{CrawlProgress, CrawlStatus, CrawlToDo, FoundPage, Page};
use crate::access::BotScope;
use crate::error::{DomainError, StorageError};
use crate::id::{CrawlId, PageSetId};
use crate::job::run::JobRun;
use crate::job::{Job, JobState};
use crate::lock::Lock;
use crate::store::Repositories;
use crate::unit::Unit;

/// Addresses and pages that are not stored yet.
#[derive(Debug, Clone, Default)]
pub(super) struct PendingPages {
    /// Addresses that are to be fetched.
    pub(super) found: Vec<FoundPage>,
    /// Pages that were fetched.
    pub(super) pages: Vec<Page>,
    /// Addresses that pages had before they turned out to be elsewhere.
    pub(super) moved: Vec<FoundPage>,
    /// Numbers of addresses that turned out to be others of pages.
    pub(super) aliases: Vec<u32>,
}

impl PendingPages {
    /// Whether there is nothing to store.
    pub(super) const fn is_empty(&self) -> bool {
        self.found.is_empty()
            && self.pages.is_empty()
            && self.moved.is_empty()
            && self.aliases.is_empty()
    }

    /// How many bytes of text its pages have.
    pub(super) fn bytes(&self) -> usize {
        self.pages.iter().map(Page::text_size).sum()
    }

    /// Stores it. A page may have been found and fetched since the last time, and one that moved leaves
    /// its address to another; the order heeds both.
    fn write(
        &self,
        tx: &mut dyn Repositories,
        scope: &BotScope,
        set: PageSetId,
    ) -> Result<(), StorageError> {
        tx.add_found_pages(scope, set, &self.found)?;
        tx.write_pages(scope, set, &self.pages)?;
        tx.add_found_pages(scope, set, &self.moved)?;
        tx.write_aliases(scope, set, &self.aliases)
    }
}

/// A batch, and how far the crawl is with it.
#[derive(Debug, Clone)]
pub(super) struct Advance {
    pub(super) crawl: CrawlId,
    pub(super) batch: PendingPages,
    pub(super) progress: CrawlProgress,
}

impl Advance {
    /// Stores it, if the crawl still runs; returns whether it does. An attempt that gets on is no failure, however the
    /// ones before it ended.
    pub(super) fn store(&self, unit: &mut Unit<'_>, run: &JobRun) -> Result<bool, DomainError> {
        let JobRun { operator, job, .. } = run;
        let found = unit.tx.crawl_to_do(*operator, self.crawl, Lock::Exclusive)?;
        let Some((scope, crawl)) = found.map(CrawlToDo::with_scope) else {
            return Ok(false);
        };
        if crawl.progress.status != CrawlStatus::Running {
            return Ok(false);
        }
        self.batch.write(unit.tx, &scope, crawl.page_set_id)?;
        unit.tx.update_crawl_progress(&scope, self.crawl, &self.progress)?;
        let now = unit.now();
        if !self.progress.status.is_going() {
            unit.tx.seal_page_set(&scope, crawl.page_set_id, now)?;
            emit_end(&mut unit.with_scope(scope.clone()), crawl.id, &self.progress)?;
        }
        if job.failures > 0 {
            let leased_until = Some(now.plus(unit.limits().job_lease));
            let state = JobState::Running;
            let job = Job { failures: 0, leased_until, state, ..job.clone() };
            unit.tx.update_job(*operator, &job)?;
        }
        Ok(true)
    }
}
