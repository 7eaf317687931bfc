// Made of docs/openapi.json by `cargo xtask openapi`.

//! Website-crawl: the bodies of requests.

use serde::{Deserialize, Serialize};

use crate::nullable;

/// Begins to crawl a site; if the bot crawls this address already, returns that crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateWebsiteCrawl {
    /// The page that it begins with: an `http` or `https` address without user name and password, on
    /// one of the ports that the service allows. 1 byte to 2048 bytes in UTF-8.
    pub url: String,
    /// How many link hops it goes from there; 0 is that page alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u64>,
    /// What it is called; the host where nothing else was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What people say about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The `skillId` of the skill that it is for. There need not be such a skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_id: Option<String>,
}

/// Changes the fields that the body names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateWebsiteCrawl {
    /// What it is called; the host where nothing else was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What people say about it.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub description: Option<Option<String>>,
    /// The `skillId` of the skill that it is for. There need not be such a skill.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub skill_id: Option<Option<String>>,
    /// Whether its pages are in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
}
