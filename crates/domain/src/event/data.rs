//! What else an event has: identifiers, states and counts.

use serde::Serialize;

use crate::id::{BotId, MaxAgeRuleId};

/// What events of some types have beside what all have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventData {
    /// `bot.duplicated`: the copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_id: Option<BotId>,
    /// `bot.created` of a copy: the bot of which it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_id: Option<BotId>,
    /// `crawl.finished`, `crawl.failed`: pages with content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_scraped: Option<u32>,
    /// `crawl.finished`, `crawl.failed`: pages that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_failed: Option<u32>,
    /// `document.uploaded`, `document.replaced`: the bytes of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// `document.extracted`: the chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_count: Option<u32>,
    /// `crawl.finished`, `crawl.failed`, `document.extraction_failed`, `webhook.disabled`: what went wrong, if anything
    /// did, in the word of the crawl, the extraction or the webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
    /// `keyval.expired`: the rule by which entries went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<MaxAgeRuleId>,
    /// `users.imported`, `feedback.imported`, `keyval.expired`: how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

impl EventData {
    /// Nothing.
    pub const NONE: Self = Self {
        copy_id: None,
        original_id: None,
        pages_scraped: None,
        pages_failed: None,
        size: None,
        chunk_count: None,
        error: None,
        rule_id: None,
        count: None,
    };
}
