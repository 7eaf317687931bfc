//! How crawls end that were given up, and page sets that nothing refers to any more.

use std::sync::Arc;

use super::super::{CrawlError, CrawlProgress, CrawlStatus, CrawlToDo};
use crate::access::Operator;
use crate::context::Context;
use crate::error::DomainError;
use crate::id::{CrawlId, PageSetId};
use crate::job::{Job, Progress};
use crate::store::{Lock, Repositories};

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
    let id = CrawlId::parse(subject);
    let found = id.map(|id| tx.crawl_to_do(operator, id, Lock::None)).transpose()?.flatten();
    Ok(found.is_some_and(|found| found.crawl.progress.status.is_going()))
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
    let Some(id) = CrawlId::parse(&job.subject) else {
        return Ok(());
    };
    if !tx.holds_job(operator, job)? {
        return Ok(());
    }
    let found = tx.crawl_to_do(operator, id, Lock::Exclusive)?;
    let Some((scope, crawl)) = found.map(CrawlToDo::with_scope) else {
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
        tx.update_crawl_progress(&scope, id, &progress)?;
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
