//! What clients can do with website-crawls.

use std::sync::Arc;

use super::{CrawlProgress, CrawlUrl, CreateCrawl, Page, UpdateCrawl, WebsiteCrawl};
use crate::access::{BotClaim, BotScope, Operator};
use crate::changelog::{Action, ChangedResource, FieldChange};
use crate::context::Context;
use crate::error::{Busy, DomainError, Quota, Resource};
use crate::id::{CrawlId, PageSetId};
use crate::job::{Job, JobKind};
use crate::lock::Lock;
use crate::store::Repositories;
use crate::text::NAME_MAX;

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
    pub async fn get(&self, claim: &BotClaim, id: String) -> Result<WebsiteCrawl, DomainError> {
        self.context.look_up_of_bot(claim, move |tx, scope| find(tx, scope, &id, Lock::None)).await
    }

    /// Crawls of the bot, oldest first, at most `limit`, after `after` if that is given.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn page(
        &self,
        claim: &BotClaim,
        after: Option<CrawlId>,
        limit: u32,
    ) -> Result<Vec<WebsiteCrawl>, DomainError> {
        self.context.read_bot(claim, move |tx, scope| Ok(tx.crawls(scope, after, limit)?)).await
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
            .read_bot(claim, move |tx, scope| {
                let crawl = tx.crawl(scope, id, Lock::None)?;
                let crawl = crawl.ok_or(DomainError::NotFound(Resource::WebsiteCrawl))?;
                Ok(tx.pages(scope, crawl.page_set_id, after, limit)?)
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
        request: CreateCrawl,
    ) -> Result<WebsiteCrawl, DomainError> {
        let context = self.context.clone();
        let crawl = self
            .context
            .write_bot(claim, Lock::Exclusive, move |tx, scope| {
                // A body without an address was refused.
                let url = request.url.clone();
                let url = url.ok_or(DomainError::Refused("a crawl needs an address".to_owned()))?;
                if let Some(going) = tx.going_crawl(scope, &url)? {
                    return Ok(going);
                }
                check_room(tx, &context, scope)?;
                let now = context.clock.now();
                let crawl = WebsiteCrawl {
                    id: CrawlId::from_uuid(context.ids.next()),
                    bot_id: scope.bot_id(),
                    depth: request.depth,
                    skill_id: request.skill_id.clone(),
                    description: request.description.clone(),
                    name: request.name.clone().unwrap_or_else(|| name_of(&url)),
                    url,
                    active: true,
                    progress: CrawlProgress::QUEUED,
                    page_set_id: PageSetId::from_uuid(context.ids.next()),
                    created_at: now,
                    updated_at: now,
                };
                tx.insert_crawl(scope, &crawl)?;
                let job = Job::new(context.ids.next(), JobKind::Crawl, crawl.id, now);
                tx.insert_job(&job.of_project(scope.project_id()))?;
                let what = (Action::Create, ChangedResource::Embedding);
                context.record(tx, scope, what, crawl.id, &crawl.as_changes())?;
                Ok(crawl)
            })
            .await?;
        self.context.job_bell.ring();
        Ok(crawl)
    }

    /// The crawl that a job does, if it and its bot are still there.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn of_job(
        &self,
        operator: Operator,
        job: &Job,
    ) -> Result<Option<WebsiteCrawl>, DomainError> {
        let Some(id) = CrawlId::parse(&job.subject) else {
            return Ok(None);
        };
        let unit = move |tx: &mut dyn Repositories| {
            Ok(tx.crawl_to_do(operator, id, Lock::None)?.map(|found| found.crawl))
        };
        self.context.store.look_up(unit).await
    }

    /// Changes the fields that the update names, also while the crawl runs. An update that changes
    /// nothing leaves no trace.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the crawl is not there.
    pub async fn update(
        &self,
        claim: &BotClaim,
        id: String,
        request: UpdateCrawl,
    ) -> Result<WebsiteCrawl, DomainError> {
        let context = self.context.clone();
        self.context
            .write_bot(claim, Lock::Exclusive, move |tx, scope| {
                let before = find(tx, scope, &id, Lock::Exclusive)?;
                let mut crawl = before.clone();
                request.clone().apply(&mut crawl);
                update(tx, &context, scope, &before, crawl)
            })
            .await
    }

    /// Deletes a crawl. One that is queued or running is broken off.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the crawl is not there.
    pub async fn delete(&self, claim: &BotClaim, id: String) -> Result<CrawlId, DomainError> {
        let context = self.context.clone();
        self.context
            .write_bot(claim, Lock::Exclusive, move |tx, scope| {
                let crawl = find(tx, scope, &id, Lock::Exclusive)?;
                tx.delete_crawl(scope, crawl.id)?;
                release_page_set(tx, &context, scope, crawl.page_set_id)?;
                let what = (Action::Delete, ChangedResource::Embedding);
                let change = FieldChange::new("name", &crawl.name, &None::<()>);
                context.record(tx, scope, what, crawl.id, &[change])?;
                Ok(crawl.id)
            })
            .await
    }
}

fn find(
    tx: &mut dyn Repositories,
    scope: &BotScope,
    id: &str,
    lock: Lock,
) -> Result<WebsiteCrawl, DomainError> {
    let found = CrawlId::parse(id).map(|id| tx.crawl(scope, id, lock)).transpose()?;
    found.flatten().ok_or(DomainError::NotFound(Resource::WebsiteCrawl))
}

/// What a crawl is called that was given no name: its host, as far as a name goes.
fn name_of(url: &CrawlUrl) -> String {
    url.host().chars().take(NAME_MAX).collect()
}

/// Whether the bot may have one more crawl, and one more of the project can wait. The project is held, so
/// that crawls of several bots do not take its last place at once.
fn check_room(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &BotScope,
) -> Result<(), DomainError> {
    let quota = context.limits.kept_crawls_per_bot;
    if quota > 0 && tx.count_crawls(scope)? >= quota {
        return Err(DomainError::QuotaExceeded(Quota::KeptCrawlsPerBot(quota)));
    }
    scope.project_claim().resolve(tx, Lock::Exclusive)?;
    let limit = context.limits.queued_crawls_per_project;
    if tx.crawls_at_once(scope)?.queued_of_project >= limit.into() {
        return Err(DomainError::Busy(Busy::QueuedCrawls(limit)));
    }
    Ok(())
}

fn update(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &BotScope,
    before: &WebsiteCrawl,
    mut crawl: WebsiteCrawl,
) -> Result<WebsiteCrawl, DomainError> {
    let changes = crawl.changes_since(before);
    if !changes.is_empty() {
        crawl.updated_at = context.clock.now();
        tx.update_crawl(scope, &crawl)?;
        let what = (Action::Update, ChangedResource::Embedding);
        context.record(tx, scope, what, crawl.id, &changes)?;
    }
    Ok(crawl)
}

/// Puts a skill's new `skillId` in the place of its old one in every crawl of the bot.
pub(crate) fn rename_skill(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &BotScope,
    old: &str,
    new: &str,
) -> Result<(), DomainError> {
    loop {
        let page = tx.crawls_for_skill(scope, old, CASCADE_PAGE)?;
        for before in &page {
            let crawl = WebsiteCrawl { skill_id: Some(new.to_owned()), ..before.clone() };
            update(tx, context, scope, before, crawl)?;
        }
        if page.len() < CASCADE_PAGE as usize {
            return Ok(());
        }
    }
}

/// Notes, in the unit that takes a reference to a page set away, that it may have been the last. A job
/// removes the set if nothing refers to it.
pub(crate) fn release_page_set(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &BotScope,
    set: PageSetId,
) -> Result<(), DomainError> {
    let job = Job::new(context.ids.next(), JobKind::RemovePageSet, set, context.clock.now());
    Ok(tx.insert_job(&job.of_project(scope.project_id()))?)
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
