//! Doing a crawl.
//!
//! A step of the job fetches several pages at once and stores what came of them in units of its own, one
//! at a time; whatever comes while one is being stored goes into the next. What was fetched and not
//! stored yet is fetched again by whoever goes on.

mod batch;
mod ends;
mod frontier;
mod settle;
mod step;

use std::sync::Arc;

pub(crate) use ends::{give_up, is_wanted, put_back, remove_page_set};

use self::ends::find;
use self::step::Step;
use super::{CrawlStatus, CrawlToDo, FoundPage, WebsiteCrawl};
use crate::access::{BotScope, Operator};
use crate::context::Context;
use crate::error::DomainError;
use crate::id::CrawlId;
use crate::job::{Job, Progress};
use crate::lock::Lock;
use crate::store::Repositories;

/// Goes on with a crawl for a while.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) async fn run(
    context: &Arc<Context>,
    operator: Operator,
    job: &Job,
    id: CrawlId,
) -> Result<Progress, DomainError> {
    let (unit_context, unit_job) = (context.clone(), job.clone());
    let begun =
        context.store.write(move |tx| begin(tx, &unit_context, operator, &unit_job, id)).await?;
    match begun {
        Begun::Not(progress) => Ok(progress),
        Begun::Running(scope, crawl) => {
            // The job is held by its lease, so nobody else changes what was found.
            let set = crawl.page_set_id;
            let unit = move |tx: &mut dyn Repositories| Ok(tx.found_pages(&scope, set)?);
            let found = context.store.read(unit).await?;
            Step::new(context.clone(), operator, job.clone(), *crawl, found).run().await
        }
    }
}

/// How a step begins.
enum Begun {
    /// Not at all.
    Not(Progress),
    /// With a crawl, and the right to what its bot has.
    Running(BotScope, Box<WebsiteCrawl>),
}

fn begin(
    tx: &mut dyn Repositories,
    context: &Context,
    operator: Operator,
    job: &Job,
    id: CrawlId,
) -> Result<Begun, DomainError> {
    if !tx.holds_job(operator, job)? {
        return Ok(Begun::Not(Progress::Lost));
    }
    let found = tx.crawl_to_do(operator, id, Lock::Exclusive)?;
    let Some((scope, mut crawl)) = found.map(CrawlToDo::with_scope) else {
        return Ok(Begun::Not(Progress::Done));
    };
    let (now, set) = (context.clock.now(), crawl.page_set_id);
    match crawl.progress.status {
        CrawlStatus::Queued => {
            if !takes_place(tx, context, &scope)? {
                return Ok(Begun::Not(Progress::Later));
            }
            // One that was put back goes on with what it has.
            if crawl.progress.started_at.is_none() {
                crawl.progress.started_at = Some(now);
                let start = FoundPage::pending(0, crawl.url.clone(), 0);
                tx.add_found_pages(&scope, set, &[start])?;
            }
            crawl.progress.status = CrawlStatus::Running;
            tx.update_crawl_progress(&scope, id, &crawl.progress)?;
            Ok(Begun::Running(scope, Box::new(crawl)))
        }
        CrawlStatus::Running => Ok(Begun::Running(scope, Box::new(crawl))),
        CrawlStatus::Finished | CrawlStatus::Failed | CrawlStatus::Cancelled => {
            tx.seal_page_set(&scope, set, now)?;
            Ok(Begun::Not(Progress::Done))
        }
    }
}

/// Whether a crawl may begin. The project is held, so that two do not take its last place.
fn takes_place(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &BotScope,
) -> Result<bool, DomainError> {
    scope.project_claim().resolve(tx, Lock::Exclusive)?;
    is_place_free(tx, context, scope)
}

fn is_place_free(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &BotScope,
) -> Result<bool, DomainError> {
    let at_once = tx.crawls_at_once(scope)?;
    let limits = &context.limits;
    Ok(at_once.running_of_project < limits.crawls_per_project.into()
        && at_once.running_of_bot < limits.crawls_per_bot.into())
}

/// Whether there is a place for a crawl at the moment, or none is needed.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) fn has_place(
    tx: &mut dyn Repositories,
    context: &Context,
    operator: Operator,
    subject: &str,
) -> Result<bool, DomainError> {
    let found = find(tx, operator, subject, Lock::None)?;
    found.map_or(Ok(true), |(scope, _)| is_place_free(tx, context, &scope))
}
