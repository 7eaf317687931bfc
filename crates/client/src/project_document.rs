// Made of docs/openapi.json by `cargo xtask openapi`.

//! Project document: the operations.

mod answers;
mod bodies;

pub use self::answers::*;
pub use self::bodies::*;

use reqwest::Method;
use serde::Serialize;
use uuid::Uuid;

use crate::shared::Deleted;
use crate::{Page, PageQuery, ProjectClient, Result, Tagged};

impl ProjectClient {
    /// Assigns documents of the project to the bot.
    ///
    /// Needs the scopes bots:write and projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn assign_documents(
        &self,
        bot_id: Uuid,
        body: &AssignDocuments,
    ) -> Result<Vec<ProjectDocument>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "doc", "assign"];
        self.http.request(Method::POST, &path)?.json(body)?.one().await
    }

    /// Takes documents away from the bot.
    ///
    /// Needs the scopes bots:write and projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn unassign_documents(
        &self,
        bot_id: Uuid,
        body: &UnassignDocuments,
    ) -> Result<UnassignedDocuments> {
        let path =
            ["api", "external", "projectapi", "bots", &bot_id.to_string(), "doc", "unassign"];
        self.http.request(Method::POST, &path)?.json(body)?.one().await
    }

    /// Makes a file a document of the project, and assigns it to the bot.
    ///
    /// Needs the scope projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn upload_bot_document(
        &self,
        bot_id: Uuid,
        query: &UploadBotDocumentQuery,
        body: UploadBotDocument,
    ) -> Result<UploadedBotDocument> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "doc", "upload"];
        self.http.request(Method::POST, &path)?.query(query).form(body.into_form()).one().await
    }

    /// Makes the document into chunks anew.
    ///
    /// Needs the scope projectdoc:chunk.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn extract_document(
        &self,
        doc_id: Uuid,
        body: &ExtractDocument,
    ) -> Result<ExtractedDocument> {
        let path = ["api", "external", "projectapi", "doc", "extract", &doc_id.to_string()];
        self.http.request(Method::POST, &path)?.json(body)?.one().await
    }

    /// Lists the documents of the project, oldest first.
    ///
    /// Needs the scope projectdoc:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_documents(
        &self,
        query: &ListDocumentsQuery,
    ) -> Result<Page<ProjectDocument>> {
        let path = ["api", "external", "projectapi", "doc", "files"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Returns what is known of the document.
    ///
    /// Needs the scope projectdoc:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_document(&self, doc_id: Uuid) -> Result<Tagged<ProjectDocument>> {
        let path = ["api", "external", "projectapi", "doc", "files", &doc_id.to_string()];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Deletes the document, and takes it away from every bot.
    ///
    /// Needs the scope projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_document(&self, doc_id: Uuid) -> Result<Deleted> {
        let path = ["api", "external", "projectapi", "doc", "files", &doc_id.to_string()];
        self.http.request(Method::DELETE, &path)?.one().await
    }

    /// Lists the chunks of the document in their order.
    ///
    /// Needs the scope projectdoc:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_document_chunks(
        &self,
        doc_id: Uuid,
        query: &PageQuery,
    ) -> Result<Page<Chunk>> {
        let path = ["api", "external", "projectapi", "doc", "files", &doc_id.to_string(), "chunks"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Says what must be done so that the project has these files; changes nothing.
    ///
    /// Needs the scope projectdoc:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn plan_documents(&self, body: &PlanDocuments) -> Result<DocumentPlan> {
        let path = ["api", "external", "projectapi", "doc", "plan"];
        self.http.request(Method::POST, &path)?.json(body)?.one().await
    }

    /// Makes another file that of the document, on every bot.
    ///
    /// Needs the scope projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn replace_document(
        &self,
        doc_id: Uuid,
        body: ReplaceDocument,
    ) -> Result<ReplacedDocument> {
        let path = ["api", "external", "projectapi", "doc", "replace", &doc_id.to_string()];
        self.http.request(Method::PUT, &path)?.form(body.into_form()).one().await
    }

    /// Makes a file a document of the project.
    ///
    /// Needs the scope projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn upload_document(
        &self,
        query: &UploadDocumentQuery,
        body: UploadDocument,
    ) -> Result<UploadedDocument> {
        let path = ["api", "external", "projectapi", "doc", "upload"];
        self.http.request(Method::POST, &path)?.query(query).form(body.into_form()).one().await
    }
}

/// The query of `list_documents`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListDocumentsQuery {
    /// The order; descending with `-`, and by `_id` where that is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Only documents with this in `fileName`, in whichever case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only what was changed at this time (RFC 3339) or day (UTC) or later, by `updatedAt` if `sort`
    /// does not say otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_since: Option<String>,
    /// Only documents whose extraction has this status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Only documents that are assigned to a bot, or to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned: Option<bool>,
    /// Only documents that are assigned to this bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_id: Option<Uuid>,
    /// Only documents of exactly this type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
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

/// The query of `upload_bot_document`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UploadBotDocumentQuery {
    /// What becomes of a file of which the project has a document already: `keep` makes another
    /// document (the default), `skip` leaves the one that is there, `replace` makes it the file of that
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_duplicate: Option<String>,
    /// By what a document is found to be of the same file; by `fileName` if nothing is said. Of several
    /// the newest counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_by: Option<String>,
}

/// The query of `upload_document`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UploadDocumentQuery {
    /// What becomes of a file of which the project has a document already: `keep` makes another
    /// document (the default), `skip` leaves the one that is there, `replace` makes it the file of that
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_duplicate: Option<String>,
    /// By what a document is found to be of the same file; by `fileName` if nothing is said. Of several
    /// the newest counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_by: Option<String>,
}
