// Made of docs/openapi.json by `cargo xtask openapi`.

//! Website-crawl: what is in answers.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Timestamp;

/// Why a page has no content, or why a crawl came to an end before it had every page. The words say
/// nothing about networks that a client does not see anyway: an address that does not answer and
/// one that refuses are the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum CrawlError {
    /// `blocked_address`
    #[serde(rename = "blocked_address")]
    BlockedAddress,
    /// `blocked_port`
    #[serde(rename = "blocked_port")]
    BlockedPort,
    /// `dns_failed`
    #[serde(rename = "dns_failed")]
    DnsFailed,
    /// `unreachable`
    #[serde(rename = "unreachable")]
    Unreachable,
    /// `tls_failed`
    #[serde(rename = "tls_failed")]
    TlsFailed,
    /// `timeout`
    #[serde(rename = "timeout")]
    Timeout,
    /// `too_large`
    #[serde(rename = "too_large")]
    TooLarge,
    /// `broken_off`
    #[serde(rename = "broken_off")]
    BrokenOff,
    /// `too_many_redirects`
    #[serde(rename = "too_many_redirects")]
    TooManyRedirects,
    /// `bad_redirect`
    #[serde(rename = "bad_redirect")]
    BadRedirect,
    /// `off_site`
    #[serde(rename = "off_site")]
    OffSite,
    /// `disallowed`
    #[serde(rename = "disallowed")]
    Disallowed,
    /// `http_error`
    #[serde(rename = "http_error")]
    HttpError,
    /// `unsupported_type`
    #[serde(rename = "unsupported_type")]
    UnsupportedType,
    /// `bad_content`
    #[serde(rename = "bad_content")]
    BadContent,
    /// `page_limit`
    #[serde(rename = "page_limit")]
    PageLimit,
    /// `byte_limit`
    #[serde(rename = "byte_limit")]
    ByteLimit,
    /// `time_limit`
    #[serde(rename = "time_limit")]
    TimeLimit,
    /// `interrupted`
    #[serde(rename = "interrupted")]
    Interrupted,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl CrawlError {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::BlockedAddress => "blocked_address",
            Self::BlockedPort => "blocked_port",
            Self::DnsFailed => "dns_failed",
            Self::Unreachable => "unreachable",
            Self::TlsFailed => "tls_failed",
            Self::Timeout => "timeout",
            Self::TooLarge => "too_large",
            Self::BrokenOff => "broken_off",
            Self::TooManyRedirects => "too_many_redirects",
            Self::BadRedirect => "bad_redirect",
            Self::OffSite => "off_site",
            Self::Disallowed => "disallowed",
            Self::HttpError => "http_error",
            Self::UnsupportedType => "unsupported_type",
            Self::BadContent => "bad_content",
            Self::PageLimit => "page_limit",
            Self::ByteLimit => "byte_limit",
            Self::TimeLimit => "time_limit",
            Self::Interrupted => "interrupted",
            Self::Other(word) => word,
        }
    }
}

/// Where a crawl is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum CrawlStatus {
    /// `queued`
    #[serde(rename = "queued")]
    Queued,
    /// `running`
    #[serde(rename = "running")]
    Running,
    /// `finished`
    #[serde(rename = "finished")]
    Finished,
    /// `failed`
    #[serde(rename = "failed")]
    Failed,
    /// `cancelled`
    #[serde(rename = "cancelled")]
    Cancelled,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl CrawlStatus {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Other(word) => word,
        }
    }
}

/// A page of a website-crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct CrawledPage {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Where it is: after redirects, and as it says itself.
    pub url: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// How many link hops from the start it was found.
    pub depth: u32,
    /// The status of the last answer; `null` if there was none.
    pub status_code: Option<u32>,
    /// Its main content as Markdown; `null` beside an `error`.
    pub content: Option<String>,
    /// The SHA-256 of `content`, 64 hexadecimal digits.
    pub content_hash: Option<String>,
    /// When it was read.
    pub scraped_at: Timestamp,
    /// Why there is no content.
    pub error: Option<CrawlError>,
}

/// A website-crawl as clients see it, without its pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct WebsiteCrawl {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its bot.
    pub bot_id: Uuid,
    /// The page it begins with, normalised.
    pub url: String,
    /// How many link hops it goes from there.
    pub depth: u32,
    /// The `skillId` of the skill that it is for. There need not be such a skill.
    pub skill_id: Option<String>,
    /// What people say about it.
    pub description: Option<String>,
    /// What it is called.
    pub name: String,
    /// Whether its pages are in use.
    pub active: bool,
    /// How far it is.
    pub status: CrawlStatus,
    /// Why it failed, or why it ended before it had every page.
    pub error: Option<CrawlError>,
    /// How many pages it has content of.
    pub pages_scraped: u32,
    /// How many pages it could not read.
    pub pages_failed: u32,
    /// When it began; `null` while it is queued for the first time.
    pub started_at: Option<Timestamp>,
    /// When it ended; `null` while it has not.
    pub finished_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last; its own progress does not count.
    pub updated_at: Timestamp,
}

/// A website-crawl with its pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct WebsiteCrawlWithPages {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its bot.
    pub bot_id: Uuid,
    /// The page it begins with, normalised.
    pub url: String,
    /// How many link hops it goes from there.
    pub depth: u32,
    /// The `skillId` of the skill that it is for. There need not be such a skill.
    pub skill_id: Option<String>,
    /// What people say about it.
    pub description: Option<String>,
    /// What it is called.
    pub name: String,
    /// Whether its pages are in use.
    pub active: bool,
    /// How far it is.
    pub status: CrawlStatus,
    /// Why it failed, or why it ended before it had every page.
    pub error: Option<CrawlError>,
    /// How many pages it has content of.
    pub pages_scraped: u32,
    /// How many pages it could not read.
    pub pages_failed: u32,
    /// When it began; `null` while it is queued for the first time.
    pub started_at: Option<Timestamp>,
    /// When it ended; `null` while it has not.
    pub finished_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last; its own progress does not count.
    pub updated_at: Timestamp,
    /// In the order in which they were found; while it runs, those that it has so far.
    pub pages: Vec<CrawledPage>,
}
