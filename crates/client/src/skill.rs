// Made of docs/openapi.json by `cargo xtask openapi`.

//! Skill.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::Deleted;
use crate::{BotClient, Page, ProjectClient, Result, Tagged, Timestamp, nullable};

impl BotClient {
    /// Lists the skills of the bot, oldest first.
    ///
    /// Needs the scope skills:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_skills(&self, query: &ListSkillsQuery) -> Result<Page<Skill>> {
        let path = ["api", "external", "bot", "skills"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Creates a skill.
    ///
    /// Needs the scope skills:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_skill(&self, body: &CreateSkill) -> Result<Tagged<Skill>> {
        let path = ["api", "external", "bot", "skills"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }

    /// Returns the skill with this skillId or _id.
    ///
    /// Needs the scope skills:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_skill(&self, skill_id: &str) -> Result<Tagged<Skill>> {
        let path = ["api", "external", "bot", "skills", skill_id];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Changes the fields that the body names; stages follow a new skillId.
    ///
    /// Needs the scope skills:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_skill(&self, skill_id: &str, body: &UpdateSkill) -> Result<Tagged<Skill>> {
        let path = ["api", "external", "bot", "skills", skill_id];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the skill and its visual blocks, and takes it out of every stage that has it.
    ///
    /// Needs the scope skills:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_skill(&self, skill_id: &str) -> Result<Deleted> {
        let path = ["api", "external", "bot", "skills", skill_id];
        self.http.request(Method::DELETE, &path)?.one().await
    }
}

impl ProjectClient {
    /// Lists the skills of the bot, oldest first.
    ///
    /// Needs the scope skills:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_skills(&self, bot_id: Uuid, query: &ListSkillsQuery) -> Result<Page<Skill>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "skills"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Creates a skill.
    ///
    /// Needs the scope skills:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_skill(&self, bot_id: Uuid, body: &CreateSkill) -> Result<Tagged<Skill>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "skills"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }

    /// Returns the skill with this skillId or _id.
    ///
    /// Needs the scope skills:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_skill(&self, bot_id: Uuid, skill_id: &str) -> Result<Tagged<Skill>> {
        let path =
            ["api", "external", "projectapi", "bots", &bot_id.to_string(), "skills", skill_id];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Changes the fields that the body names; stages follow a new skillId.
    ///
    /// Needs the scope skills:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_skill(
        &self,
        bot_id: Uuid,
        skill_id: &str,
        body: &UpdateSkill,
    ) -> Result<Tagged<Skill>> {
        let path =
            ["api", "external", "projectapi", "bots", &bot_id.to_string(), "skills", skill_id];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the skill and its visual blocks, and takes it out of every stage that has it.
    ///
    /// Needs the scope skills:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_skill(&self, bot_id: Uuid, skill_id: &str) -> Result<Deleted> {
        let path =
            ["api", "external", "projectapi", "bots", &bot_id.to_string(), "skills", skill_id];
        self.http.request(Method::DELETE, &path)?.one().await
    }
}

/// The query of `list_skills`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListSkillsQuery {
    /// The order; descending with `-`, and by `_id` where that is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Only what has this in its name, in whichever case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only what was changed at this time (RFC 3339) or day (UTC) or later, by `updatedAt` if `sort`
    /// does not say otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_since: Option<String>,
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

/// Creates a skill.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateSkill {
    /// What people call it; no other skill of the bot has the same name.
    pub name: String,
    /// What stages and paths call it; no other skill of the bot has the same. Its `_id` where nothing
    /// else was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_id: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The rule itself. At most 1 MiB in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// What it asks the model for: at most 1 MiB of JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Vec<serde_json::Map<String, serde_json::Value>>>,
    /// What it answers when it is called. At most 1 MiB in UTF-8 each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_answer: Option<Vec<String>>,
    /// In which order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_mode: Option<AnswerMode>,
}

/// Changes the fields that the body names; stages follow a new skillId.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateSkill {
    /// What people call it; no other skill of the bot has the same name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What stages and paths call it; no other skill of the bot has the same. Its `_id` where nothing
    /// else was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_id: Option<String>,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub description: Option<Option<String>>,
    /// Whether it is in use.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub enabled: Option<Option<bool>>,
    /// The rule itself. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub content: Option<Option<String>>,
    /// What it asks the model for: at most 1 MiB of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub params: Option<Option<Vec<serde_json::Map<String, serde_json::Value>>>>,
    /// What it answers when it is called. At most 1 MiB in UTF-8 each.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub tool_call_answer: Option<Option<Vec<String>>>,
    /// In which order.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub answer_mode: Option<Option<AnswerMode>>,
}

/// In which order a skill gives its answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum AnswerMode {
    /// `sequence`
    #[serde(rename = "sequence")]
    Sequence,
    /// `sequenceloop`
    #[serde(rename = "sequenceloop")]
    Sequenceloop,
    /// `random`
    #[serde(rename = "random")]
    Random,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl AnswerMode {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Sequence => "sequence",
            Self::Sequenceloop => "sequenceloop",
            Self::Random => "random",
            Self::Other(word) => word,
        }
    }
}

/// A skill as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Skill {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its bot.
    pub bot_id: Uuid,
    /// What people call it; no other skill of the bot has the same name.
    pub name: String,
    /// What stages and paths call it; no other skill of the bot has the same. Its `_id` where nothing
    /// else was said.
    pub skill_id: String,
    /// What it is for.
    pub description: Option<String>,
    /// Whether it is in use.
    pub enabled: bool,
    /// The rule itself.
    pub content: Option<String>,
    /// What it asks the model for: at most 1 MiB of JSON.
    pub params: Option<Vec<serde_json::Map<String, serde_json::Value>>>,
    /// What it answers when it is called.
    pub tool_call_answer: Option<Vec<String>>,
    /// In which order.
    pub answer_mode: AnswerMode,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}
