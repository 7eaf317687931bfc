//! What clients can do with website-crawls.

use std::sync::Arc;

use super::job::{Crawl, RemovePageSet};
use super::{CrawlFields, CrawlProgress, CrawlUrl, CreateCrawl, Page, UpdateCrawl, WebsiteCrawl};
use crate::access::{BotClaim, Operator};
use crate::changelog::{Action, ChangedResource, FieldChange};
use crate::context::Context;
use crate::error::{Busy, DomainError, Quota, Resource};
use crate::id::{CrawlId, PageSetId};
use crate::input::Valid;
use crate::job::Job;
use crate::job::handler::JobHandler as _;
use crate::list::list_methods;
use crate::lock::Lock;
use crate::text::NAME_MAX;
use crate::unit::BotUnit;

/// How many crawls a change of a skill looks at in one go.
const CASCADE_PAGE: u32 = 100;

/// Website-crawls.
#[derive(Clone)]
pub struct CrawlService {
    context: Arc<Context>,
}

impl CrawlService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// The crawl with this `_id`.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the crawl is not there.
    pub async fn get(&self, claim: &BotClaim, id: CrawlId) -> Result<WebsiteCrawl, DomainError> {
        self.context.look_up_claimed(claim, move |unit| find(unit, id, Lock::None)).await
    }

    /// Pages of a crawl by number, at most `limit` and a bounded number of bytes, after `after` if that
    /// is given. With them comes the number to go on after, or `None` if there are no more; while the
    /// crawl runs, those are the pages so far.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the crawl is not there.
    pub async fn pages(
        &self,
        claim: &BotClaim,
        id: CrawlId,
        after: Option<u32>,
        limit: u32,
    ) -> Result<(Vec<Page>, Option<u32>), DomainError> {
        self.context
            .read_claimed(claim, move |unit| {
                let crawl = unit.tx.crawl(&unit.scope, id, Lock::None)?;
                let crawl = crawl.ok_or(DomainError::NotFound(Resource::WebsiteCrawl))?;
                Ok(unit.tx.pages(&unit.scope, crawl.page_set_id, after, limit)?)
            })
            .await
    }

    /// Begins a crawl. If the bot crawls this address already, that crawl is returned as it is.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there, [`DomainError::QuotaExceeded`] if it has as many
    /// crawls as it may, [`DomainError::Busy`] if too many crawls of the project wait already.
    pub async fn create(
        &self,
        claim: &BotClaim,
        request: Valid<CreateCrawl>,
    ) -> Result<WebsiteCrawl, DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                // A body without an address was refused.
                let url = request.url.clone();
                let url = url.ok_or(DomainError::Refused("a crawl needs an address".to_owned()))?;
                if let Some(going) = unit.tx.going_crawl(&unit.scope, &url)? {
                    return Ok(going);
                }
                check_quota(unit)?;
                let now = unit.now();
                let mut fields = CrawlFields { name: name_of(&url), ..CrawlFields::default() };
                request.fields.apply(&mut fields);
                let crawl = WebsiteCrawl {
                    id: unit.next_id(),
                    bot_id: unit.scope.bot_id(),
                    url,
                    depth: request.depth,
                    fields,
                    progress: CrawlProgress::QUEUED,
                    page_set_id: unit.next_id(),
                    created_at: now,
                    updated_at: now,
                };
                unit.tx.insert_crawl(&unit.scope, &crawl)?;
                let job = Crawl::new_job(unit, &crawl.id);
                unit.enqueue(&job.of_project(unit.scope.project_id()))?;
                let what = (Action::Create, ChangedResource::Embedding);
                unit.record(what, crawl.id, &crawl.as_changes())?;
                Ok(crawl)
            })
            .await
    }

    /// The crawl that a job does, if it and its bot are still there.
    pub async fn of_job(
        &self,
        operator: Operator,
        job: &Job,
    ) -> Result<Option<WebsiteCrawl>, DomainError> {
        let Some(id) = CrawlId::parse(&job.subject) else {
            return Ok(None);
        };
        self.context
            .look_up(job.project_id, move |unit| {
                let found = unit.tx.crawl_to_do(operator, id, Lock::None)?;
                Ok(found.map(|found| found.crawl))
            })
            .await
    }

    /// Changes the fields that the update names, also while the crawl runs. An update that changes
    /// nothing leaves no trace.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the crawl is not there.
    pub async fn update(
        &self,
        claim: &BotClaim,
        id: CrawlId,
        request: Valid<UpdateCrawl>,
    ) -> Result<WebsiteCrawl, DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let before = find(unit, id, Lock::Exclusive)?;
                unit.check_precondition(&before)?;
                let mut crawl = before.clone();
                request.0.apply(&mut crawl.fields);
                update(unit, &before, crawl)
            })
            .await
    }

    /// Deletes a crawl. One that is queued or running is broken off.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the crawl is not there.
    pub async fn delete(&self, claim: &BotClaim, id: CrawlId) -> Result<CrawlId, DomainError> {
        self.context
            .delete_claimed(claim, Lock::Exclusive, move |unit| {
                let crawl = find(unit, id, Lock::Exclusive)?;
                unit.check_precondition(&crawl)?;
                unit.tx.delete_crawl(&unit.scope, crawl.id)?;
                release_page_set(unit, crawl.page_set_id)?;
                let what = (Action::Delete, ChangedResource::Embedding);
                let change = FieldChange::new("name", &crawl.fields.name, &None::<()>);
                unit.record(what, crawl.id, &[change])?;
                Ok(crawl.id)
            })
            .await
    }
}

list_methods! {
    CrawlService {
        items: "Crawls", item: WebsiteCrawl, id: CrawlId,
        parent: "bot", claim: BotClaim,
    }
}

fn find(unit: &mut BotUnit<'_>, id: CrawlId, lock: Lock) -> Result<WebsiteCrawl, DomainError> {
    let found = unit.tx.crawl(&unit.scope, id, lock)?;
    found.ok_or(DomainError::NotFound(Resource::WebsiteCrawl))
}

/// What a crawl is called that was given no name: its host, as far as a name goes.
fn name_of(url: &CrawlUrl) -> String {
    url.host().chars().take(NAME_MAX).collect()
}

/// Whether the bot may have one more crawl, and one more of the project can wait. The project is locked, so
/// that crawls of several bots do not take its last slot at once.
fn check_quota(unit: &mut BotUnit<'_>) -> Result<(), DomainError> {
    let quota = unit.limits().kept_crawls_per_bot;
    if quota > 0 && unit.tx.count_crawls(&unit.scope)? >= quota {
        return Err(DomainError::QuotaExceeded(Quota::KeptCrawlsPerBot(quota)));
    }
    unit.scope.project_claim().resolve(unit.tx, Lock::Exclusive)?;
    let limit = unit.limits().queued_crawls_per_project;
    if unit.tx.crawl_counts(&unit.scope)?.queued_of_project >= limit.into() {
        return Err(DomainError::Busy(Busy::QueuedCrawls(limit)));
    }
    Ok(())
}

fn update(
    unit: &mut BotUnit<'_>,
    before: &WebsiteCrawl,
    mut crawl: WebsiteCrawl,
) -> Result<WebsiteCrawl, DomainError> {
    let changes = crawl.fields.changes_since(&before.fields);
    if !changes.is_empty() {
        crawl.updated_at = unit.now();
        unit.tx.update_crawl(&unit.scope, &crawl)?;
        let what = (Action::Update, ChangedResource::Embedding);
        unit.record(what, crawl.id, &changes)?;
    }
    Ok(crawl)
}

/// Puts a skill's new `skillId` in the place of its old one in every crawl of the bot.
pub(crate) fn rename_skill(
    unit: &mut BotUnit<'_>,
    old: &str,
    new: &str,
) -> Result<(), DomainError> {
    loop {
        let page = unit.tx.crawls_for_skill(&unit.scope, old, CASCADE_PAGE)?;
        for before in &page {
            let mut crawl = before.clone();
            crawl.fields.skill_id = Some(new.to_owned());
            update(unit, before, crawl)?;
        }
        if page.len() < CASCADE_PAGE as usize {
            return Ok(());
        }
    }
}

/// Notes, in the unit that takes a reference to a page set away, that it may have been the last. A job
/// removes the set if nothing refers to it.
pub(crate) fn release_page_set(unit: &mut BotUnit<'_>, set: PageSetId) -> Result<(), DomainError> {
    let job = RemovePageSet::new_job(unit, &set);
    unit.enqueue(&job.of_project(unit.scope.project_id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_without_a_name_is_called_by_its_host() {
        let name =
            |host: &str| name_of(&CrawlUrl::parse(&format!("http://{host}/x"), false).unwrap());
        assert_eq!(name("Www.Example.com:8080"), "www.example.com");
        let host = "a.".repeat(126) + "b";
        assert_eq!(Some(name(&host).as_str()), host.get(..NAME_MAX));
    }
}
