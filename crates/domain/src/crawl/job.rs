//! The jobs of crawls: doing them, and removing page sets to which nothing refers any more.

use super::end::emit_end;
use super::run::CrawlStep;
use super::{CrawlError, CrawlProgress, CrawlStatus, CrawlToDo, FoundPage, WebsiteCrawl};
use crate::access::{BotScope, Operator};
use crate::error::{DomainError, StorageError};
use crate::event::{EventData, EventType};
use crate::id::{CrawlId, PageSetId};
use crate::job::handler::JobHandler;
use crate::job::run::JobRun;
use crate::job::{JobKind, Queue, StepOutcome};
use crate::lock::Lock;
use crate::unit::{BotUnit, Unit};

/// Does a website-crawl.
pub const CRAWL: JobKind = JobKind::new("crawl");
/// Removes a page set to which no crawl refers.
pub const REMOVE_PAGE_SET: JobKind = JobKind::new("remove_page_set");

/// How many pages of an unused set one unit removes, so that other writers need not wait long.
const BATCH: u32 = 50;

pub(crate) struct Crawl;

impl JobHandler for Crawl {
    type Subject = CrawlId;

    const KIND: JobKind = CRAWL;
    const QUEUE: Queue = Queue::Crawls;
    const MAX_ATTEMPTS: Option<u32> = Some(3);
    const HAS_SLOTS: bool = true;
    /// A crawl that yields goes on with the pages that it has, so it need not wait again.
    const KEEPS_SLOT: bool = true;

    /// Goes on with a crawl for a while.
    async fn step(run: JobRun, id: CrawlId) -> Result<StepOutcome, DomainError> {
        let operator = run.operator;
        match run.write_leased(move |unit| begin(unit, operator, id)).await? {
            None => Ok(StepOutcome::LeaseLost),
            Some(StepStart::Not(outcome)) => Ok(outcome),
            Some(StepStart::Running(scope, crawl)) => {
                // The lease keeps other workers from changing what was found.
                let (set, project) = (crawl.page_set_id, scope.project_id());
                let found = run
                    .context
                    .read(run.job.project_id, move |unit| Ok(unit.tx.found_pages(&scope, set)?));
                let found = found.await?;
                CrawlStep::new(run, project, *crawl, found).run().await
            }
        }
    }

    fn is_wanted(
        unit: &mut Unit<'_>,
        operator: Operator,
        id: &CrawlId,
    ) -> Result<bool, DomainError> {
        let found = find(unit, operator, *id, Lock::None)?;
        Ok(found.is_some_and(|(_, crawl)| crawl.progress.status.is_going()))
    }

    fn has_free_slot(
        unit: &mut Unit<'_>,
        operator: Operator,
        id: &CrawlId,
    ) -> Result<bool, DomainError> {
        let found = find(unit, operator, *id, Lock::None)?;
        found.map_or(Ok(true), |(scope, _)| is_slot_free(&mut unit.with_scope(scope)))
    }

    /// The crawl waits again. What it has, and when it began, stays.
    fn release_slot(
        unit: &mut Unit<'_>,
        operator: Operator,
        id: &CrawlId,
    ) -> Result<bool, DomainError> {
        let found = find(unit, operator, *id, Lock::Exclusive)?;
        let is_running = |crawl: &WebsiteCrawl| crawl.progress.status == CrawlStatus::Running;
        let Some((scope, crawl)) = found.filter(|(_, crawl)| is_running(crawl)) else {
            return Ok(false);
        };
        let progress = CrawlProgress { status: CrawlStatus::Queued, ..crawl.progress };
        unit.tx.update_crawl_progress(&scope, crawl.id, &progress)?;
        Ok(true)
    }

    fn give_up(unit: &mut Unit<'_>, operator: Operator, id: &CrawlId) -> Result<(), DomainError> {
        let Some((scope, crawl)) = find(unit, operator, *id, Lock::Exclusive)? else {
            return Ok(());
        };
        let now = unit.now();
        if crawl.progress.status.is_going() {
            let progress = CrawlProgress {
                status: CrawlStatus::Failed,
                error: Some(CrawlError::Interrupted),
                finished_at: Some(now),
                ..crawl.progress
            };
            unit.tx.update_crawl_progress(&scope, crawl.id, &progress)?;
            emit_end(&mut unit.with_scope(scope.clone()), crawl.id, &progress)?;
        }
        Ok(unit.tx.seal_page_set(&scope, crawl.page_set_id, now)?)
    }
}

/// What a step of a crawl begins with.
enum StepStart {
    /// It does not begin.
    Not(StepOutcome),
    /// With a crawl, and the right to what its bot has.
    Running(BotScope, Box<WebsiteCrawl>),
}

fn begin(unit: &mut Unit<'_>, operator: Operator, id: CrawlId) -> Result<StepStart, DomainError> {
    let Some((scope, mut crawl)) = find(unit, operator, id, Lock::Exclusive)? else {
        return Ok(StepStart::Not(StepOutcome::Done));
    };
    let (now, set) = (unit.now(), crawl.page_set_id);
    match crawl.progress.status {
        CrawlStatus::Queued => {
            if !takes_slot(&mut unit.with_scope(scope.clone()))? {
                return Ok(StepStart::Not(StepOutcome::NoFreeSlot));
            }
            // One that waits again goes on with what it has.
            if crawl.progress.started_at.is_none() {
                crawl.progress.started_at = Some(now);
                let mut unit = unit.with_scope(scope.clone());
                unit.emit(EventType::CrawlStarted, id, &EventData::NONE)?;
                let start = FoundPage::pending(0, crawl.url.clone(), 0);
                unit.tx.add_found_pages(&scope, set, &[start])?;
            }
            crawl.progress.status = CrawlStatus::Running;
            unit.tx.update_crawl_progress(&scope, id, &crawl.progress)?;
            Ok(StepStart::Running(scope, Box::new(crawl)))
        }
        CrawlStatus::Running => Ok(StepStart::Running(scope, Box::new(crawl))),
        CrawlStatus::Finished | CrawlStatus::Failed | CrawlStatus::Cancelled => {
            unit.tx.seal_page_set(&scope, set, now)?;
            Ok(StepStart::Not(StepOutcome::Done))
        }
    }
}

/// Whether a crawl may begin. The project is locked, so that two do not take its last slot.
fn takes_slot(unit: &mut BotUnit<'_>) -> Result<bool, DomainError> {
    unit.scope.project_claim().resolve(unit.tx, Lock::Exclusive)?;
    is_slot_free(unit)
}

fn is_slot_free(unit: &mut BotUnit<'_>) -> Result<bool, DomainError> {
    let counts = unit.tx.crawl_counts(&unit.scope)?;
    let limits = unit.limits();
    Ok(counts.running_of_project < limits.crawls_per_project.into()
        && counts.running_of_bot < limits.crawls_per_bot.into())
}

/// The crawl that is to be done, and the right to what its bot has.
fn find(
    unit: &mut Unit<'_>,
    operator: Operator,
    id: CrawlId,
    lock: Lock,
) -> Result<Option<(BotScope, WebsiteCrawl)>, StorageError> {
    Ok(unit.tx.crawl_to_do(operator, id, lock)?.map(CrawlToDo::with_scope))
}

pub(crate) struct RemovePageSet;

impl JobHandler for RemovePageSet {
    type Subject = PageSetId;

    const KIND: JobKind = REMOVE_PAGE_SET;

    /// Removes the next batch of a page set to which no crawl refers, if that is so.
    async fn step(run: JobRun, set: PageSetId) -> Result<StepOutcome, DomainError> {
        let operator = run.operator;
        run.delete(move |unit| {
            let has_more = unit.tx.remove_unused_page_set(operator, set, BATCH)?;
            Ok(if has_more { StepOutcome::Continue } else { StepOutcome::Done })
        })
        .await
    }
}
