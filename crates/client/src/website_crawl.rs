// Made of docs/openapi.json by `cargo xtask openapi`.

//! Website-crawl: the operations.

mod answers;
mod bodies;

pub use self::answers::*;
pub use self::bodies::*;

use reqwest::Method;
use serde::Serialize;
use uuid::Uuid;

use crate::shared::Deleted;
use crate::{BotClient, Page, ProjectClient, Result, Tagged};

impl BotClient {
    /// Lists the website-crawls of the bot, oldest first.
    ///
    /// Needs the scope embedding:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_website_crawls(
        &self,
        query: &ListWebsiteCrawlsQuery,
    ) -> Result<Page<WebsiteCrawl>> {
        let path = ["api", "external", "bot", "embedding"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Begins to crawl a site; if the bot crawls this address already, returns that crawl.
    ///
    /// Needs the scope embedding:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_website_crawl(
        &self,
        body: &CreateWebsiteCrawl,
    ) -> Result<Tagged<WebsiteCrawl>> {
        let path = ["api", "external", "bot", "embedding"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }

    /// Returns the website-crawl with the pages that it has so far.
    ///
    /// Needs the scope embedding:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_website_crawl(
        &self,
        scrape_id: Uuid,
    ) -> Result<Tagged<WebsiteCrawlWithPages>> {
        let path = ["api", "external", "bot", "embedding", &scrape_id.to_string()];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Changes the fields that the body names.
    ///
    /// Needs the scope embedding:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_website_crawl(
        &self,
        scrape_id: Uuid,
        body: &UpdateWebsiteCrawl,
    ) -> Result<Tagged<WebsiteCrawl>> {
        let path = ["api", "external", "bot", "embedding", &scrape_id.to_string()];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the website-crawl, and ends it if it still runs.
    ///
    /// Needs the scope embedding:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_website_crawl(&self, scrape_id: Uuid) -> Result<Deleted> {
        let path = ["api", "external", "bot", "embedding", &scrape_id.to_string()];
        self.http.request(Method::DELETE, &path)?.one().await
    }
}

impl ProjectClient {
    /// Lists the website-crawls of the bot, oldest first.
    ///
    /// Needs the scope embedding:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_website_crawls(
        &self,
        bot_id: Uuid,
        query: &ListWebsiteCrawlsQuery,
    ) -> Result<Page<WebsiteCrawl>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "embedding"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Begins to crawl a site; if the bot crawls this address already, returns that crawl.
    ///
    /// Needs the scope embedding:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_website_crawl(
        &self,
        bot_id: Uuid,
        body: &CreateWebsiteCrawl,
    ) -> Result<Tagged<WebsiteCrawl>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "embedding"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }

    /// Returns the website-crawl with the pages that it has so far.
    ///
    /// Needs the scope embedding:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_website_crawl(
        &self,
        bot_id: Uuid,
        scrape_id: Uuid,
    ) -> Result<Tagged<WebsiteCrawlWithPages>> {
        let path = [
            "api",
            "external",
            "projectapi",
            "bots",
            &bot_id.to_string(),
            "embedding",
            &scrape_id.to_string(),
        ];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Changes the fields that the body names.
    ///
    /// Needs the scope embedding:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_website_crawl(
        &self,
        bot_id: Uuid,
        scrape_id: Uuid,
        body: &UpdateWebsiteCrawl,
    ) -> Result<Tagged<WebsiteCrawl>> {
        let path = [
            "api",
            "external",
            "projectapi",
            "bots",
            &bot_id.to_string(),
            "embedding",
            &scrape_id.to_string(),
        ];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the website-crawl, and ends it if it still runs.
    ///
    /// Needs the scope embedding:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_website_crawl(&self, bot_id: Uuid, scrape_id: Uuid) -> Result<Deleted> {
        let path = [
            "api",
            "external",
            "projectapi",
            "bots",
            &bot_id.to_string(),
            "embedding",
            &scrape_id.to_string(),
        ];
        self.http.request(Method::DELETE, &path)?.one().await
    }
}

/// The query of `list_website_crawls`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListWebsiteCrawlsQuery {
    /// The order; descending with `-`, and by `_id` where that is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Only what has this in its name or URL, in whichever case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only what was changed at this time (RFC 3339) or day (UTC) or later, by `updatedAt` if `sort`
    /// does not say otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_since: Option<String>,
    /// Only crawls with this status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Answers in `X-Total-Count` how many items there are on all pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<bool>,
    /// Answers a page of at most so many items; `Link` leads to the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Goes on where a page ended, as its `Link` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
