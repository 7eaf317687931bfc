//! The repository of website-crawls.

use super::{CrawlProgress, CrawlUrl, FoundPage, Page, WebsiteCrawl};
use crate::access::{BotScope, Operator};
use crate::batch::Batch;
use crate::clock::Timestamp;
use crate::copy_step::CopyStep;
use crate::error::StorageError;
use crate::id::{CrawlId, OrganisationId, PageSetId, ProjectId};
use crate::lock::Lock;

/// Numbers of crawls that are queued or running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrawlCounts {
    /// Crawls of the project that wait.
    pub queued_of_project: u64,
    /// Crawls of the project that run.
    pub running_of_project: u64,
    /// Crawls of the bot that run.
    pub running_of_bot: u64,
}

/// A crawl that a job is about, and where its bot lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlToDo {
    /// The organisation of its bot.
    pub organisation_id: OrganisationId,
    /// The project of its bot.
    pub project_id: ProjectId,
    /// The crawl.
    pub crawl: WebsiteCrawl,
}

impl CrawlToDo {
    /// The right to what its bot has, and the crawl.
    pub(crate) fn with_scope(self) -> (BotScope, WebsiteCrawl) {
        let Self { organisation_id, project_id, crawl } = self;
        (BotScope::at(organisation_id, project_id, crawl.bot_id, None), crawl)
    }
}

/// Website-crawls in the database. A caller that makes, changes or deletes one for a client has locked its
/// bot exclusively.
pub trait CrawlRepository {
    /// A crawl of the bot.
    fn crawl(
        &mut self,
        scope: &BotScope,
        id: CrawlId,
        lock: Lock,
    ) -> Result<Option<WebsiteCrawl>, StorageError>;

    /// Crawls of the bot, oldest first, at most `limit`, after `after` if that is given.
    fn crawls(
        &mut self,
        scope: &BotScope,
        after: Option<CrawlId>,
        limit: u32,
    ) -> Result<Batch<WebsiteCrawl>, StorageError>;

    /// Those of the bot's crawls with these identifiers, in any order.
    fn crawls_with_ids(
        &mut self,
        scope: &BotScope,
        ids: &[CrawlId],
    ) -> Result<Vec<WebsiteCrawl>, StorageError>;

    /// The queued or running crawl of the bot that begins with this page.
    fn going_crawl(
        &mut self,
        scope: &BotScope,
        url: &CrawlUrl,
    ) -> Result<Option<WebsiteCrawl>, StorageError>;

    /// Counts the crawls of the bot and of its project that are queued or running.
    fn crawl_counts(&mut self, scope: &BotScope) -> Result<CrawlCounts, StorageError>;

    /// How many crawls the bot has.
    fn count_crawls(&mut self, scope: &BotScope) -> Result<u64, StorageError>;

    /// Stores a new crawl, and a new page set without pages for it.
    fn insert_crawl(&mut self, scope: &BotScope, crawl: &WebsiteCrawl) -> Result<(), StorageError>;

    /// Stores name, description, skill, `active` and time of change of a crawl, not its progress.
    fn update_crawl(&mut self, scope: &BotScope, crawl: &WebsiteCrawl) -> Result<(), StorageError>;

    /// Stores the progress of a crawl, nothing else.
    fn update_crawl_progress(
        &mut self,
        scope: &BotScope,
        id: CrawlId,
        progress: &CrawlProgress,
    ) -> Result<(), StorageError>;

    /// Ends every queued and running crawl of the bot as cancelled.
    fn cancel_crawls(
        &mut self,
        scope: &BotScope,
        now: Timestamp,
    ) -> Result<Vec<CrawlId>, StorageError>;

    /// Deletes a crawl. Its page set stays.
    fn delete_crawl(&mut self, scope: &BotScope, id: CrawlId) -> Result<(), StorageError>;

    /// Crawls of the bot that are for this skill, oldest first, at most `limit`.
    fn crawls_for_skill(
        &mut self,
        scope: &BotScope,
        skill_id: &str,
        limit: u32,
    ) -> Result<Vec<WebsiteCrawl>, StorageError>;

    /// Copies the crawls of a bot that have ended, their sets sealed, to another bot of the project, in their
    /// order, under identifiers from `next_id` and made `now`. The copies refer to the same page sets. It goes on where
    /// `step` is, as far as that goes, and returns whether all are copied.
    fn copy_crawls(
        &mut self,
        bots: (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        next_id: &mut dyn FnMut() -> CrawlId,
    ) -> Result<bool, StorageError>;

    /// Removes at most `limit` crawls of the bot; returns the page sets that they referred to.
    fn remove_crawls(
        &mut self,
        scope: &BotScope,
        limit: u32,
    ) -> Result<Vec<PageSetId>, StorageError>;

    /// A crawl, regardless of its bot, unless that was deleted for good; with [`Lock::Exclusive`], the crawl is
    /// held, the bot is not.
    fn crawl_to_do(
        &mut self,
        operator: Operator,
        id: CrawlId,
        lock: Lock,
    ) -> Result<Option<CrawlToDo>, StorageError>;
}

/// Pages of crawls in the database. Sets belong to the project; a scope reaches those that a crawl of its bot
/// refers to.
pub trait PageSetRepository {
    /// Pages of a set that were fetched, in the order of their numbers, at most `limit`, after `after` if that is
    /// given, and fewer if together they are large. Also, after which to go on, unless these were the last.
    fn pages(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        after: Option<u32>,
        limit: u32,
    ) -> Result<(Vec<Page>, Option<u32>), StorageError>;

    /// Every address in a set, in the order of their numbers.
    fn found_pages(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
    ) -> Result<Vec<FoundPage>, StorageError>;

    /// Adds addresses to a set.
    fn add_found_pages(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        found: &[FoundPage],
    ) -> Result<(), StorageError>;

    /// Stores pages in the places of the pending addresses that have their numbers.
    fn write_pages(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        pages: &[Page],
    ) -> Result<(), StorageError>;

    /// Marks pending addresses as other addresses of pages that have numbers of their own.
    fn write_aliases(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        numbers: &[u32],
    ) -> Result<(), StorageError>;

    /// Removes from a set what is no page, and notes that it never changes again.
    fn seal_page_set(
        &mut self,
        scope: &BotScope,
        set: PageSetId,
        now: Timestamp,
    ) -> Result<(), StorageError>;

    /// Removes at most `limit` pages of a set to which no crawl refers, and the set after its last page; returns
    /// whether there is more to remove.
    fn remove_unused_page_set(
        &mut self,
        operator: Operator,
        set: PageSetId,
        limit: u32,
    ) -> Result<bool, StorageError>;
}
