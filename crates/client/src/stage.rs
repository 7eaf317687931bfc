// Made of docs/openapi.json by `cargo xtask openapi`.

//! Stage.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::Deleted;
use crate::{BotClient, Page, ProjectClient, Result, Tagged, Timestamp, nullable};

impl BotClient {
    /// Lists the stages of the bot, oldest first.
    ///
    /// Needs the scope stages:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_stages(&self, query: &ListStagesQuery) -> Result<Page<Stage>> {
        let path = ["api", "external", "bot", "stages"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Creates a stage.
    ///
    /// Needs the scope stages:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_stage(&self, body: &CreateStage) -> Result<Tagged<Stage>> {
        let path = ["api", "external", "bot", "stages"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }

    /// Returns the stage.
    ///
    /// Needs the scope stages:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_stage(&self, stage_id: Uuid) -> Result<Tagged<Stage>> {
        let path = ["api", "external", "bot", "stages", &stage_id.to_string()];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Changes the fields that the body names.
    ///
    /// Needs the scope stages:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_stage(&self, stage_id: Uuid, body: &UpdateStage) -> Result<Tagged<Stage>> {
        let path = ["api", "external", "bot", "stages", &stage_id.to_string()];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the stage; its skills stay.
    ///
    /// Needs the scope stages:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_stage(&self, stage_id: Uuid) -> Result<Deleted> {
        let path = ["api", "external", "bot", "stages", &stage_id.to_string()];
        self.http.request(Method::DELETE, &path)?.one().await
    }
}

impl ProjectClient {
    /// Lists the stages of the bot, oldest first.
    ///
    /// Needs the scope stages:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_stages(&self, bot_id: Uuid, query: &ListStagesQuery) -> Result<Page<Stage>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "stages"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Creates a stage.
    ///
    /// Needs the scope stages:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_stage(&self, bot_id: Uuid, body: &CreateStage) -> Result<Tagged<Stage>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "stages"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }

    /// Returns the stage.
    ///
    /// Needs the scope stages:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_stage(&self, bot_id: Uuid, stage_id: Uuid) -> Result<Tagged<Stage>> {
        let path = [
            "api",
            "external",
            "projectapi",
            "bots",
            &bot_id.to_string(),
            "stages",
            &stage_id.to_string(),
        ];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Changes the fields that the body names.
    ///
    /// Needs the scope stages:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_stage(
        &self,
        bot_id: Uuid,
        stage_id: Uuid,
        body: &UpdateStage,
    ) -> Result<Tagged<Stage>> {
        let path = [
            "api",
            "external",
            "projectapi",
            "bots",
            &bot_id.to_string(),
            "stages",
            &stage_id.to_string(),
        ];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the stage; its skills stay.
    ///
    /// Needs the scope stages:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_stage(&self, bot_id: Uuid, stage_id: Uuid) -> Result<Deleted> {
        let path = [
            "api",
            "external",
            "projectapi",
            "bots",
            &bot_id.to_string(),
            "stages",
            &stage_id.to_string(),
        ];
        self.http.request(Method::DELETE, &path)?.one().await
    }
}

/// The query of `list_stages`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListStagesQuery {
    /// The order; descending with `-`, and by `_id` where that is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Only what has this in its name or title, in whichever case.
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

/// Creates a stage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateStage {
    /// What people read; the name where nothing else was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is called; the title where nothing else was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is left out of what people see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Whether it has a footer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footer: Option<bool>,
    /// Whether one of its skills must be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force_skills: Option<bool>,
    /// The `skillId`s of its skills, in their order, each once. There need not be such skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<String>>,
    /// Script that runs when it begins. At most 1 MiB in UTF-8.
    #[serde(rename = "enterJS", skip_serializing_if = "Option::is_none")]
    pub enter_js: Option<String>,
    /// Script that runs when it ends. At most 1 MiB in UTF-8.
    #[serde(rename = "exitJS", skip_serializing_if = "Option::is_none")]
    pub exit_js: Option<String>,
    /// Script that decides whether it may begin. At most 1 MiB in UTF-8.
    #[serde(rename = "preConditionJS", skip_serializing_if = "Option::is_none")]
    pub pre_condition_js: Option<String>,
}

/// Changes the fields that the body names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateStage {
    /// What people read; the name where nothing else was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is called; the title where nothing else was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is left out of what people see.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub hidden: Option<Option<bool>>,
    /// Whether it has a footer.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub footer: Option<Option<bool>>,
    /// Whether one of its skills must be used.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub force_skills: Option<Option<bool>>,
    /// The `skillId`s of its skills, in their order, each once. There need not be such skills.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub skills: Option<Option<Vec<String>>>,
    /// Script that runs when it begins. At most 1 MiB in UTF-8.
    #[serde(
        rename = "enterJS",
        default,
        skip_serializing_if = "Option::is_none",
        with = "nullable"
    )]
    pub enter_js: Option<Option<String>>,
    /// Script that runs when it ends. At most 1 MiB in UTF-8.
    #[serde(
        rename = "exitJS",
        default,
        skip_serializing_if = "Option::is_none",
        with = "nullable"
    )]
    pub exit_js: Option<Option<String>>,
    /// Script that decides whether it may begin. At most 1 MiB in UTF-8.
    #[serde(
        rename = "preConditionJS",
        default,
        skip_serializing_if = "Option::is_none",
        with = "nullable"
    )]
    pub pre_condition_js: Option<Option<String>>,
}

/// A stage as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Stage {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its bot.
    pub bot_id: Uuid,
    /// What people read; the name where nothing else was said.
    pub title: String,
    /// What it is called; the title where nothing else was said.
    pub name: String,
    /// Whether it is left out of what people see.
    pub hidden: Option<bool>,
    /// Whether it has a footer.
    pub footer: Option<bool>,
    /// Whether one of its skills must be used.
    pub force_skills: Option<bool>,
    /// The `skillId`s of its skills, in their order, each once. There need not be such skills.
    pub skills: Option<Vec<String>>,
    /// Script that runs when it begins.
    #[serde(rename = "enterJS")]
    pub enter_js: Option<String>,
    /// Script that runs when it ends.
    #[serde(rename = "exitJS")]
    pub exit_js: Option<String>,
    /// Script that decides whether it may begin.
    #[serde(rename = "preConditionJS")]
    pub pre_condition_js: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}
