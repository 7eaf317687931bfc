// Made of docs/openapi.json by `cargo xtask openapi`.

//! Fusion-View.

use reqwest::Method;
use reqwest::multipart::Form;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::Deleted;
use crate::{BotClient, File, Page, ProjectClient, Result, Tagged, Timestamp};

impl BotClient {
    /// Lists the Fusion-Views of the bot, oldest first.
    ///
    /// Needs the scope fusion:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_fusion_views(
        &self,
        query: &ListFusionViewsQuery,
    ) -> Result<Page<FusionView>> {
        let path = ["api", "external", "bot", "fusion"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Creates a Fusion-View without a package.
    ///
    /// Needs the scope fusion:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_fusion_view(&self, body: &CreateFusionView) -> Result<Tagged<FusionView>> {
        let path = ["api", "external", "bot", "fusion"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }

    /// Returns the Fusion-View.
    ///
    /// Needs the scope fusion:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_fusion_view(&self, fusion_id: Uuid) -> Result<Tagged<FusionView>> {
        let path = ["api", "external", "bot", "fusion", &fusion_id.to_string()];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Changes the members that the body names; null removes one.
    ///
    /// Needs the scope fusion:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_fusion_view(
        &self,
        fusion_id: Uuid,
        body: &UpdateFusionView,
    ) -> Result<Tagged<FusionView>> {
        let path = ["api", "external", "bot", "fusion", &fusion_id.to_string()];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the Fusion-View and its package.
    ///
    /// Needs the scope fusion:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_fusion_view(&self, fusion_id: Uuid) -> Result<Deleted> {
        let path = ["api", "external", "bot", "fusion", &fusion_id.to_string()];
        self.http.request(Method::DELETE, &path)?.one().await
    }

    /// Makes a ZIP archive the package of the Fusion-View.
    ///
    /// Needs the scope fusion:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn upload_fusion_package(
        &self,
        fusion_id: Uuid,
        body: UploadFusionPackage,
    ) -> Result<UploadedPackage> {
        let path = ["api", "external", "bot", "fusion", &fusion_id.to_string(), "upload"];
        self.http.request(Method::POST, &path)?.form(body.into_form()).one().await
    }
}

impl ProjectClient {
    /// Lists the Fusion-Views of the bot, oldest first.
    ///
    /// Needs the scope fusion:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_fusion_views(
        &self,
        bot_id: Uuid,
        query: &ListFusionViewsQuery,
    ) -> Result<Page<FusionView>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "fusion"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Creates a Fusion-View without a package.
    ///
    /// Needs the scope fusion:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_fusion_view(
        &self,
        bot_id: Uuid,
        body: &CreateFusionView,
    ) -> Result<Tagged<FusionView>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "fusion"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }

    /// Returns the Fusion-View.
    ///
    /// Needs the scope fusion:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_fusion_view(
        &self,
        bot_id: Uuid,
        fusion_id: Uuid,
    ) -> Result<Tagged<FusionView>> {
        let path = [
            "api",
            "external",
            "projectapi",
            "bots",
            &bot_id.to_string(),
            "fusion",
            &fusion_id.to_string(),
        ];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Changes the members that the body names; null removes one.
    ///
    /// Needs the scope fusion:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_fusion_view(
        &self,
        bot_id: Uuid,
        fusion_id: Uuid,
        body: &UpdateFusionView,
    ) -> Result<Tagged<FusionView>> {
        let path = [
            "api",
            "external",
            "projectapi",
            "bots",
            &bot_id.to_string(),
            "fusion",
            &fusion_id.to_string(),
        ];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the Fusion-View and its package.
    ///
    /// Needs the scope fusion:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_fusion_view(&self, bot_id: Uuid, fusion_id: Uuid) -> Result<Deleted> {
        let path = [
            "api",
            "external",
            "projectapi",
            "bots",
            &bot_id.to_string(),
            "fusion",
            &fusion_id.to_string(),
        ];
        self.http.request(Method::DELETE, &path)?.one().await
    }

    /// Makes a ZIP archive the package of the Fusion-View.
    ///
    /// Needs the scope fusion:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn upload_fusion_package(
        &self,
        bot_id: Uuid,
        fusion_id: Uuid,
        body: UploadFusionPackage,
    ) -> Result<UploadedPackage> {
        let path = [
            "api",
            "external",
            "projectapi",
            "bots",
            &bot_id.to_string(),
            "fusion",
            &fusion_id.to_string(),
            "upload",
        ];
        self.http.request(Method::POST, &path)?.form(body.into_form()).one().await
    }
}

/// The query of `list_fusion_views`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListFusionViewsQuery {
    /// The order; descending with `-`, and by `_id` where that is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Only what has this in its title, in whichever case.
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

/// Creates a Fusion-View without a package.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateFusionView {
    /// What kind of Fusion-View it is. Those of some types take a package.
    pub r#type: String,
    /// What people call it.
    pub title: String,
    /// The members that no field is for, by their names.
    #[serde(flatten)]
    pub others: serde_json::Map<String, serde_json::Value>,
}

/// Changes the members that the body names; null removes one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateFusionView {
    /// What people call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The members that no field is for, by their names.
    #[serde(flatten)]
    pub others: serde_json::Map<String, serde_json::Value>,
}

/// Makes a ZIP archive the package of the Fusion-View.
#[derive(Debug)]
pub struct UploadFusionPackage {
    /// The file, with its name.
    pub file: File,
}

impl UploadFusionPackage {
    /// A form with nothing but the file.
    pub const fn new(file: File) -> Self {
        Self { file }
    }

    pub(crate) fn into_form(self) -> Form {
        let form = Form::new();
        form.part("file", self.file.into_part())
    }
}

/// A package.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct FusionFile {
    /// What the archive is called.
    pub file_name: String,
    /// The media type of the archive.
    pub mime_type: String,
    /// How many bytes the archive has.
    pub size: u64,
    /// The SHA-256 of the archive, 64 hexadecimal digits.
    pub sha256: String,
    /// How many entries the archive has, folders included.
    pub entries: u64,
    /// When it was uploaded.
    pub uploaded_at: Timestamp,
}

/// A Fusion-View as clients see it; what it has beside these members is its metadata.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct FusionView {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its bot.
    pub bot_id: Uuid,
    /// What kind of Fusion-View it is.
    pub r#type: String,
    /// What people call it.
    pub title: String,
    /// The package; `null` until one was uploaded.
    pub file: Option<FusionFile>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// The members that no field is for, by their names.
    #[serde(flatten)]
    pub others: serde_json::Map<String, serde_json::Value>,
}

/// The package of a Fusion-View.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct UploadedPackage {
    /// The Fusion-View.
    pub fusion_id: Uuid,
    /// What the archive is called.
    pub file_name: String,
    /// The media type of the archive.
    pub mime_type: String,
    /// How many bytes the archive has.
    pub size: u64,
    /// The SHA-256 of the archive, 64 hexadecimal digits.
    pub sha256: String,
    /// How many entries the archive has, folders included.
    pub entries: u64,
    /// When it was uploaded.
    pub uploaded_at: Timestamp,
}
