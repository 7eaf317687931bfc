//! What becomes of crawls whose jobs fail, and of page sets that nothing refers to any more.

use std::sync::Arc;

use super::super::{CrawlError, CrawlProgress, CrawlStatus, CrawlToDo, WebsiteCrawl};
use crate::access::{BotScope, Operator};
use crate::context::Context;
use crate::error::{DomainError, StorageError};
use crate::id::{CrawlId, PageSetId};
use crate::job::{Job, Progress};
use crate::lock::Lock;
use crate::store::Repositories;

/// How many pages of an unused set one unit removes, so that other writers need not wait long.
const BATCH: u32 = 50;

/// Whether a crawl is still to be done.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) fn is_wanted(
    tx: &mut dyn Repositories,
    operator: Operator,
    subject: &str,
) -> Result<bool, DomainError> {
    let found = find(tx, operator, subject, Lock::None)?;
    Ok(found.is_some_and(|(_, crawl)| crawl.progress.status.is_going()))
}

/// Says that a crawl waits again which did not get on; returns whether it had a place. What it has, and
/// when it began, stays.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) fn put_back(
    tx: &mut dyn Repositories,
    operator: Operator,
    subject: &str,
) -> Result<bool, DomainError> {
    let found = find(tx, operator, subject, Lock::Exclusive)?;
    let is_running = |crawl: &WebsiteCrawl| crawl.progress.status == CrawlStatus::Running;
    let Some((scope, crawl)) = found.filter(|(_, crawl)| is_running(crawl)) else {
        return Ok(false);
    };
    let progress = CrawlProgress { status: CrawlStatus::Queued, ..crawl.progress };
    tx.update_crawl_progress(&scope, crawl.id, &progress)?;
    Ok(true)
}

/// The crawl that is to be done, and the right to what its bot has.
pub(super) fn find(
    tx: &mut dyn Repositories,
    operator: Operator,
    subject: &str,
    lock: Lock,
) -> Result<Option<(BotScope, WebsiteCrawl)>, StorageError> {
    let id = CrawlId::parse(subject);
    let found = id.map(|id| tx.crawl_to_do(operator, id, lock)).transpose()?;
    Ok(found.flatten().map(CrawlToDo::with_scope))
}

/// Ends a crawl whose job is given up.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) fn give_up(
    tx: &mut dyn Repositories,
    context: &Context,
    operator: Operator,
    job: &Job,
) -> Result<(), DomainError> {
    if !tx.holds_job(operator, job)? {
        return Ok(());
    }
    let Some((scope, crawl)) = find(tx, operator, &job.subject, Lock::Exclusive)? else {
        return Ok(());
    };
    let now = context.clock.now();
    if crawl.progress.status.is_going() {
        let progress = CrawlProgress {
            status: CrawlStatus::Failed,
            error: Some(CrawlError::Interrupted),
            finished_at: Some(now),
            ..crawl.progress
        };
        tx.update_crawl_progress(&scope, crawl.id, &progress)?;
    }
    Ok(tx.seal_page_set(&scope, crawl.page_set_id, now)?)
}

/// Removes the next batch of a page set to which no crawl refers, if that is so.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) async fn remove_page_set(
    context: &Arc<Context>,
    operator: Operator,
    job: &Job,
    set: PageSetId,
) -> Result<Progress, DomainError> {
    let unit = move |tx: &mut dyn Repositories| {
        let is_left = tx.remove_unused_page_set(operator, set, BATCH)?;
        Ok(if is_left { Progress::More } else { Progress::Done })
    };
    context.step(operator, job, unit).await
}
