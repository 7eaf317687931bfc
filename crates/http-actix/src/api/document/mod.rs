//! Project documents: `/api/external/projectapi/doc/…`, and `/doc/…` below a bot of the project.

mod download;
mod extract;
mod path;
mod plan;
#[cfg(test)]
mod tests;
mod upload;
mod view;

use actix_web::http::Method;
use domain::access::{ProjectClaim, Scheme};
use domain::document::{
    BotDocument, ChunkPosition, DocIds, DocumentFilter, DocumentOnBots, DocumentService,
    ExtractionStatus,
};
use domain::error::DomainError;
use domain::id::DocumentId;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use self::path::OnDocument;
use self::view::{ChunkView, DocumentView};
use crate::api::items::ChunkOfDocument;
use crate::body::{BodySize, HttpBody, Json};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::operation::{Operation, PROJECT_BOT_BASE, operation};
use crate::pipeline::query::{NoQuery, QueryParams};
use crate::pipeline::scopes::{ProjectdocAndBotWrite, ProjectdocRead, ProjectdocWrite};
use crate::pipeline::target::{OnBot, OnProject};
use crate::problem::Problem;
use crate::reply::{
    Answer, Deleted, Items, List, ListParams, Paging, Searchable, Source, TaggedAnswer,
};

/// The operations on documents.
pub(crate) fn operations() -> Vec<Operation> {
    let at = |rel: &str| format!("/api/external/projectapi/doc{rel}");
    let on_bot = |rel: &str| format!("{PROJECT_BOT_BASE}/doc{rel}");
    let (all, one) = (at("/files"), at("/files/{docId}"));
    let listed = ("listDocuments", "Lists the documents of the project, oldest first");
    let got = ("getDocument", "Returns what is known of the document");
    let deleted = ("deleteDocument", "Deletes the document, and takes it away from every bot");
    let chunks = ("listDocumentChunks", "Lists the chunks of the document in their order");
    let downloaded = ("downloadDocument", "Returns the file of the document");
    let uploaded = ("uploadDocument", "Makes a file a document of the project");
    let uploaded_to_bot =
        ("uploadBotDocument", "Makes a file a document of the project, and assigns it to the bot");
    let replaced = ("replaceDocument", "Makes another file that of the document, on every bot");
    let extracted = ("extractDocument", "Makes the document into chunks anew");
    let planned = (
        "planDocuments",
        "Says what must be done so that the project has these files; changes nothing",
    );
    let assigned = ("assignDocuments", "Assigns documents of the project to the bot");
    let unassigned = ("unassignDocuments", "Takes documents away from the bot");
    let project = Scheme::Project;
    let (get_method, post) = (Method::GET, Method::POST);
    let (of_chunks, bytes) = (at("/files/{docId}/chunks"), at("/files/{docId}/download"));
    vec![
        operation(project, get_method.clone(), &all, listed, reads(list)),
        operation(project, get_method.clone(), &one, got, reads(get)),
        operation(project, Method::DELETE, &one, deleted, changes(delete, Deleted::answer))
            .takes_if_match(),
        operation(project, get_method.clone(), &of_chunks, chunks, reads(list_chunks))
            .extra_statuses(&[409]),
        operation(project, get_method, &bytes, downloaded, reads(download::download))
            .extra_statuses(&[206, 416]),
        operation(project, post.clone(), &at("/upload"), uploaded, upload::to_project())
            .awaits_extraction(),
        operation(project, Method::PUT, &at("/replace/{docId}"), replaced, upload::in_place())
            .takes_if_match()
            .awaits_extraction(),
        operation(project, post.clone(), &at("/extract/{docId}"), extracted, extract::again())
            .takes_if_match()
            .awaits_extraction(),
        operation(project, post.clone(), &at("/plan"), planned, plan::of_files()),
        operation(project, post.clone(), &on_bot("/upload"), uploaded_to_bot, upload::to_bot())
            .awaits_extraction(),
        operation(
            project,
            post.clone(),
            &on_bot("/assign"),
            assigned,
            changes(assign, Items::<DocumentView>::of),
        ),
        operation(
            project,
            post,
            &on_bot("/unassign"),
            unassigned,
            changes(unassign, Answer::<Unassigned>::of),
        ),
    ]
}

async fn list(
    call: Call<OnProject<ProjectdocRead>, ListParams<DocumentOnBots>>,
) -> Result<List<DocumentView>, Problem> {
    List::found(call.query, call.target.claim, &call.botyard.documents, &call.botyard.events).await
}

impl Searchable for DocumentOnBots {
    const SEARCH: &'static str = "Only documents with this in `fileName`, in whichever case.";

    fn filter(params: &mut QueryParams) -> DocumentFilter {
        let description = "Only documents whose extraction has this status.";
        let status =
            params.word("status", ExtractionStatus::WORDS, ExtractionStatus::parse, description);
        let description = "Only documents that are assigned to a bot, or to none.";
        let assigned = params.boolean("assigned", description);
        let bot_id = params.id("botId", "Only documents that are assigned to this bot.");
        let mime_type =
            params.characters("mimeType", (1, 255), "Only documents of exactly this type.");
        DocumentFilter { status, assigned, bot_id, mime_type }
    }
}

async fn get(
    call: Call<OnDocument<ProjectdocRead>>,
) -> Result<TaggedAnswer<DocumentView>, Problem> {
    let document = call.botyard.documents.get(&call.target.claim, call.target.id).await?;
    Ok(TaggedAnswer::of(document))
}

async fn delete(call: Call<OnDocument<ProjectdocWrite>>) -> Result<DocumentId, Problem> {
    Ok(call.botyard.documents.delete(&call.target.claim, call.target.id).await?)
}

async fn list_chunks(
    call: Call<OnDocument<ProjectdocRead>, Paging<ChunkPosition>>,
) -> Result<List<ChunkView>, Problem> {
    let of = (call.target.claim, call.target.id);
    List::of(call.query, Source::new(&call.botyard.documents, of, chunks)).await
}

async fn chunks(
    documents: &DocumentService,
    (claim, id): &(ProjectClaim, DocumentId),
    after: Option<ChunkPosition>,
    limit: u32,
) -> Result<(Vec<ChunkOfDocument>, Option<ChunkPosition>), DomainError> {
    let (chunks, next) = documents.chunks(claim, *id, after, limit).await?;
    let of_document = |(position, chunk)| (position, *id, chunk);
    Ok((chunks.into_iter().map(of_document).collect(), next))
}

async fn assign(
    call: Call<OnBot<ProjectdocAndBotWrite>, NoQuery, Json<DocIds>>,
) -> Result<Vec<BotDocument>, Problem> {
    Ok(call.botyard.documents.assign(&call.target.claim, call.body.0).await?)
}

async fn unassign(
    call: Call<OnBot<ProjectdocAndBotWrite>, NoQuery, Json<DocIds>>,
) -> Result<Vec<DocumentId>, Problem> {
    Ok(call.botyard.documents.unassign(&call.target.claim, call.body.0).await?)
}

impl HttpBody for DocIds {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"docIds": ["01a2009b-547d-741c-8f60-e84cc2226cc6"]})
    }
}

/// The documents that a bot had and has no more.
#[derive(Serialize, ToSchema)]
#[schema(as = UnassignedDocuments)]
pub(crate) struct Unassigned {
    /// The `_id`s of the documents of the project.
    #[schema(value_type = Vec<String>)]
    unassigned: Vec<DocumentId>,
}

impl From<Vec<DocumentId>> for Unassigned {
    fn from(unassigned: Vec<DocumentId>) -> Self {
        Self { unassigned }
    }
}
