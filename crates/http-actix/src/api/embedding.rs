//! The website-crawls of a bot: `{bot}/embedding[/{scrapeId}]`.

use actix_web::http::Method;
use domain::access::BotClaim;
use domain::blob::Sha256;
use domain::clock::Timestamp;
use domain::crawl::{
    CrawlError, CrawlFilter, CrawlService, CrawlStatus, CreateCrawl, Page, UpdateCrawl,
    WebsiteCrawl,
};
use domain::entity_tag::Tagged as _;
use domain::error::DomainError;
use domain::id::{BotId, CrawlId, PageId};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::body::{BodySize, HttpBody, Json};
use crate::openapi::choice::{CrawlErrorSchema, CrawlStatusSchema};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::operation::{Operation, on_bot};
use crate::pipeline::path_param::PathParam;
use crate::pipeline::query::{NoQuery, QueryParams};
use crate::pipeline::scopes::{EmbeddingRead, EmbeddingWrite};
use crate::pipeline::target::{OnBot, OnSubresource};
use crate::problem::Problem;
use crate::reply::{Deleted, List, ListParams, Nested, Searchable, Source, TaggedAnswer, WithTag};

/// A website-crawl, by its `_id`.
pub(crate) struct ScrapeParam;

impl PathParam for ScrapeParam {
    const NAME: &'static str = "scrapeId";
    const DESCRIPTION: &'static str = "The `_id` of a website-crawl.";

    type Value = CrawlId;
}

type OnCrawl<S> = OnSubresource<S, ScrapeParam>;

/// The operations on website-crawls.
pub(crate) fn operations() -> Vec<Operation> {
    let (all, one) = ("/embedding", "/embedding/{scrapeId}");
    let listed = ("listWebsiteCrawls", "Lists the website-crawls of the bot, oldest first");
    let created = (
        "createWebsiteCrawl",
        "Begins to crawl a site; if the bot crawls this address already, returns that crawl",
    );
    let got = ("getWebsiteCrawl", "Returns the website-crawl with the pages that it has so far");
    let updated = ("updateWebsiteCrawl", "Changes the fields that the body names");
    let deleted = ("deleteWebsiteCrawl", "Deletes the website-crawl, and ends it if it still runs");
    let operations = [
        on_bot(Method::GET, all, listed, reads(list)),
        on_bot(Method::POST, all, created, changes(create, TaggedAnswer::<CrawlView>::of)),
        on_bot(Method::GET, one, got, reads(get)),
        on_bot(Method::PUT, one, updated, changes(update, TaggedAnswer::<CrawlView>::of))
            .map(Operation::takes_if_match),
        on_bot(Method::DELETE, one, deleted, changes(delete, Deleted::answer))
            .map(Operation::takes_if_match),
    ];
    operations.into_iter().flatten().collect()
}

async fn list(
    call: Call<OnBot<EmbeddingRead>, ListParams<WebsiteCrawl>>,
) -> Result<List<CrawlView>, Problem> {
    List::found(call.query, call.target.claim, &call.botyard.crawls, &call.botyard.events).await
}

impl Searchable for WebsiteCrawl {
    const SEARCH: &'static str = "Only what has this in its name or URL, in whichever case.";

    fn filter(params: &mut QueryParams) -> CrawlFilter {
        let description = "Only crawls with this status.";
        let status = params.word("status", CrawlStatus::WORDS, CrawlStatus::parse, description);
        CrawlFilter { status }
    }
}

async fn create(
    call: Call<OnBot<EmbeddingWrite>, NoQuery, Json<CreateCrawl>>,
) -> Result<WebsiteCrawl, Problem> {
    Ok(call.botyard.crawls.create(&call.target.claim, call.body.0).await?)
}

async fn get(
    call: Call<OnCrawl<EmbeddingRead>>,
) -> Result<WithTag<Nested<CrawlWithPages>>, Problem> {
    let crawls = &call.botyard.crawls;
    let crawl = crawls.get(&call.target.claim, call.target.id).await?;
    let tag = crawl.entity_tag();
    let pages = Source::new(crawls, (call.target.claim, crawl.id), pages);
    let answer = Nested::new(&CrawlView::from(crawl), "pages", pages, PageView::from);
    WithTag::made_by(&call.head, tag, async || answer.start().await).await
}

async fn pages(
    crawls: &CrawlService,
    (claim, id): &(BotClaim, CrawlId),
    after: Option<u32>,
    limit: u32,
) -> Result<(Vec<Page>, Option<u32>), DomainError> {
    crawls.pages(claim, *id, after, limit).await
}

async fn update(
    call: Call<OnCrawl<EmbeddingWrite>, NoQuery, Json<UpdateCrawl>>,
) -> Result<WebsiteCrawl, Problem> {
    Ok(call.botyard.crawls.update(&call.target.claim, call.target.id, call.body.0).await?)
}

async fn delete(call: Call<OnCrawl<EmbeddingWrite>>) -> Result<CrawlId, Problem> {
    Ok(call.botyard.crawls.delete(&call.target.claim, call.target.id).await?)
}

impl HttpBody for CreateCrawl {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"url": "https://www.example.com/help/", "depth": 2, "name": "Help pages"})
    }
}

impl HttpBody for UpdateCrawl {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"active": false, "description": "Outdated since the move."})
    }
}

/// A website-crawl as clients see it, without its pages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebsiteCrawl)]
pub(crate) struct CrawlView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: CrawlId,
    #[schema(value_type = String, format = Uuid)]
    bot_id: BotId,
    /// The page it begins with, normalised.
    url: String,
    /// How many link hops it goes from there.
    depth: u8,
    /// The `skillId` of the skill that it is for. There need not be such a skill.
    skill_id: Option<String>,
    /// What people say about it.
    description: Option<String>,
    /// What it is called.
    name: String,
    /// Whether its pages are in use.
    active: bool,
    /// How far it is.
    #[schema(value_type = CrawlStatusSchema)]
    status: CrawlStatus,
    /// Why it failed, or why it ended before it had every page.
    #[schema(value_type = Option<CrawlErrorSchema>)]
    error: Option<CrawlError>,
    /// How many pages it has content of.
    pages_scraped: u32,
    /// How many pages it could not read.
    pages_failed: u32,
    /// When it began; `null` while it is queued for the first time.
    #[schema(value_type = Option<String>, format = DateTime)]
    started_at: Option<Timestamp>,
    /// When it ended; `null` while it has not.
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was changed last; its own progress does not count.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<WebsiteCrawl> for CrawlView {
    fn from(crawl: WebsiteCrawl) -> Self {
        Self {
            id: crawl.id,
            bot_id: crawl.bot_id,
            url: crawl.url.to_string(),
            depth: crawl.depth,
            skill_id: crawl.fields.skill_id,
            description: crawl.fields.description,
            name: crawl.fields.name,
            active: crawl.fields.active,
            status: crawl.progress.status,
            error: crawl.progress.error_of_ended(),
            pages_scraped: crawl.progress.pages_scraped,
            pages_failed: crawl.progress.pages_failed,
            started_at: crawl.progress.started_at,
            finished_at: crawl.progress.finished_at,
            created_at: crawl.created_at,
            updated_at: crawl.updated_at,
        }
    }
}

/// A website-crawl with its pages.
#[derive(Serialize, ToSchema)]
#[schema(as = WebsiteCrawlWithPages)]
pub(crate) struct CrawlWithPages {
    #[serde(flatten)]
    #[schema(inline)]
    crawl: CrawlView,
    /// In the order in which they were found; while it runs, those that it has so far.
    pages: Vec<PageView>,
}

/// A page of a website-crawl.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CrawledPage)]
struct PageView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: PageId,
    /// Where it is: after redirects, and as it says itself.
    url: String,
    /// Its title, if it has one.
    title: Option<String>,
    /// How many link hops from the start it was found.
    depth: u8,
    /// The status of the last answer; `null` if there was none.
    status_code: Option<u16>,
    /// Its main content as Markdown; `null` beside an `error`.
    content: Option<String>,
    /// The SHA-256 of `content`, 64 hexadecimal digits.
    #[schema(value_type = Option<String>, pattern = "^[0-9a-f]{64}$")]
    content_hash: Option<Sha256>,
    /// When it was read.
    #[schema(value_type = String, format = DateTime)]
    scraped_at: Timestamp,
    /// Why there is no content.
    #[schema(value_type = Option<CrawlErrorSchema>)]
    error: Option<CrawlError>,
}

impl From<Page> for PageView {
    fn from(page: Page) -> Self {
        Self {
            id: page.id,
            url: page.url.to_string(),
            title: page.title,
            depth: page.depth,
            status_code: page.status_code,
            content: page.content,
            content_hash: page.content_hash,
            scraped_at: page.scraped_at,
            error: page.error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_says_what_every_error_means() {
        let document = include_str!("../../../../docs/api.md");
        let (_, section) = document.split_once("\n### Errors of crawls and pages\n").unwrap();
        let (section, _) = section.split_once("\n#").unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        let documented: Vec<_> = rows.map(|(word, _)| word).skip(1).collect();
        assert_eq!(documented, CrawlError::WORDS);
    }
}
