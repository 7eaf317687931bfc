//! Files that come in: as new documents, and in the place of others.

use std::sync::Arc;

use domain::access::{OwnerClaim, ProjectClaim};
use domain::document::{
    BotDocument, Document, DocumentOnBots, DocumentUpload, MatchBy, OnDuplicate, ReplaceDocument,
    SameFile, UploadDocument,
};
use domain::error::DomainError;
use domain::id::{BotId, DocumentId};
use domain::input::Valid;
use serde::Serialize;
use utoipa::ToSchema;

use super::extract::ended;
use super::path::OnDocument;
use super::view::{DocumentView, ExtractionView};
use crate::body::{FileHead, FileSink, FileSize, Form, FormContent, FormExample, HttpForm};
use crate::pipeline::app::App;
use crate::pipeline::call::Call;
use crate::pipeline::handler::{Handler, changes};
use crate::pipeline::query::{NoQuery, Query, QueryParams};
use crate::pipeline::scopes::ProjectdocWrite;
use crate::pipeline::target::{OnBot, OnProject};
use crate::problem::Problem;
use crate::reply::Answer;

type ToProject = OnProject<ProjectdocWrite>;
type ToBot = OnBot<ProjectdocWrite>;
type InPlace = OnDocument<ProjectdocWrite>;

pub(super) fn to_project() -> Handler<ToProject, UploadQuery, Form<NewDocument>> {
    changes(upload, Answer::<Uploaded>::of)
}

pub(super) fn to_bot() -> Handler<ToBot, UploadQuery, Form<NewDocument>> {
    changes(upload_to_bot, Answer::<UploadedToBot>::of)
}

pub(super) fn in_place() -> Handler<InPlace, NoQuery, Form<OtherFile>> {
    changes(replace, Answer::<Replaced>::of)
}

async fn upload(
    call: Call<ToProject, UploadQuery, Form<NewDocument>>,
) -> Result<DocumentOnBots, Problem> {
    let to = OwnerClaim::Project(call.target.claim.clone());
    let upload = call.botyard.documents.begin_upload(to).await?;
    let mut upload = upload.with(call.query.0);
    let content = call.body.read(&mut upload).await?;
    let (document, _) = take_in(upload, content).await?;
    let document = ended(&call.app, &call.target.claim, document).await;
    Ok(with_bots(&call.app, &call.target.claim, document, None).await)
}

async fn upload_to_bot(
    call: Call<ToBot, UploadQuery, Form<NewDocument>>,
) -> Result<(DocumentOnBots, BotDocument), Problem> {
    let to = OwnerClaim::Bot(call.target.claim.clone());
    let upload = call.botyard.documents.begin_upload(to).await?;
    let mut upload = upload.with(call.query.0);
    let content = call.body.read(&mut upload).await?;
    let (document, copy) = take_in(upload, content).await?;
    let copy = copy.ok_or_else(|| Problem::internal("an upload to a bot made no copy"))?;
    let project: ProjectClaim = call.target.claim.project();
    let document = ended(&call.app, &project, document).await;
    let copy = BotDocument { document, ..copy };
    let document = copy.document.clone();
    Ok((with_bots(&call.app, &project, document, Some(copy.bot_id)).await, copy))
}

async fn replace(call: Call<InPlace, NoQuery, Form<OtherFile>>) -> Result<Document, Problem> {
    let documents = &call.botyard.documents;
    let (id, mut upload) = documents.begin_replacing(&call.target.claim, call.target.id).await?;
    let content = call.body.read(&mut upload).await?;
    let finish = async move {
        let FormContent { file, texts } = content;
        let (name, media_type) = (file.name.as_deref(), file.media_type.as_deref());
        upload.finish_replacing(id, name, media_type, texts).await
    };
    let document = beside(finish).await?;
    Ok(ended(&call.app, &call.target.claim, document).await)
}

/// The document with the bots that it has by now: others may have assigned it since it came. It is stored, so if they
/// can't be read, it is answered with the bot through which it came.
async fn with_bots(
    app: &Arc<App>,
    claim: &ProjectClaim,
    document: Document,
    bot: Option<BotId>,
) -> DocumentOnBots {
    let found = app.botyard.documents.get(claim, document.id).await;
    let bot_ids = match found {
        Ok(found) => found.bot_ids,
        // It was deleted meanwhile.
        Err(DomainError::NotFound(_)) => Vec::from_iter(bot),
        Err(error) => {
            tracing::warn!(%error, "the bots of an uploaded document could not be read");
            Vec::from_iter(bot)
        }
    };
    DocumentOnBots { document, bot_ids }
}

/// Makes what came a document.
async fn take_in(
    upload: DocumentUpload,
    content: FormContent<Valid<UploadDocument>>,
) -> Result<(Document, Option<BotDocument>), Problem> {
    let finish = async move {
        let FormContent { file, texts } = content;
        upload.finish(file.name.as_deref(), file.media_type.as_deref(), texts).await
    };
    beside(finish).await
}

/// Takes in what came. It is whole by now, so that is done even if the client does not wait for the
/// answer.
async fn beside<T: 'static>(
    finish: impl Future<Output = Result<T, DomainError>> + 'static,
) -> Result<T, Problem> {
    let done = actix_web::rt::spawn(finish).await;
    Ok(done.map_err(|error| Problem::internal(error.to_string()))??)
}

impl FileSink for DocumentUpload {
    async fn begin(&mut self, file: &FileHead) -> Result<(), Problem> {
        Ok(self.named(file.name.as_deref()).await?)
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        Ok(Self::write(self, bytes).await?)
    }
}

/// What becomes of a file that the project has already.
pub(super) struct UploadQuery(SameFile);

impl Query for UploadQuery {
    fn read(params: &mut QueryParams) -> Self {
        let on_duplicate = "What becomes of a file of which the project has a document already: `keep` makes \
                            another document (the default), `skip` leaves the one that is there, `replace` makes it \
                            the file of that one.";
        let match_by = "By what a document is found to be of the same file; by `fileName` if nothing is said. Of \
                        several the newest counts.";
        let default = SameFile::default();
        let (words, parse) = (OnDuplicate::WORDS, OnDuplicate::parse);
        let on_duplicate = params.word("onDuplicate", words, parse, on_duplicate);
        let match_by = params.word("matchBy", MatchBy::WORDS, MatchBy::parse, match_by);
        Self(SameFile {
            on_duplicate: on_duplicate.unwrap_or(default.on_duplicate),
            match_by: match_by.unwrap_or(default.match_by),
        })
    }
}

/// The form with a new document.
pub(super) struct NewDocument;

impl HttpForm for NewDocument {
    const SIZE: FileSize = FileSize::Document;
    const MEDIA_TYPES: &'static [&'static str] = &[];

    type Texts = UploadDocument;

    fn example() -> FormExample {
        FormExample {
            file_name: "opening-hours.md",
            media_type: "text/markdown",
            content: b"# Opening hours\n\nWe are open from 9 to 17.\n".to_vec(),
            texts: vec![
                ("skillId", "opening-hours".to_owned()),
                ("maxChars", "1000".to_owned()),
                ("chunking_strategy", "markdown".to_owned()),
            ],
        }
    }
}

/// The form with a file that takes the place of another.
pub(super) struct OtherFile;

impl HttpForm for OtherFile {
    const SIZE: FileSize = FileSize::Document;
    const MEDIA_TYPES: &'static [&'static str] = &[];

    type Texts = ReplaceDocument;

    fn example() -> FormExample {
        FormExample {
            file_name: "opening-hours.md",
            media_type: "text/markdown",
            content: b"# Opening hours\n\nWe are open from 8 to 18.\n".to_vec(),
            texts: vec![("extract", "true".to_owned())],
        }
    }
}

/// A new document.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UploadedDocument)]
pub(super) struct Uploaded {
    /// The document of the project.
    project_doc: DocumentView,
}

impl From<DocumentOnBots> for Uploaded {
    fn from(document: DocumentOnBots) -> Self {
        Self { project_doc: document.into() }
    }
}

/// A new document, and the copy of it that the bot has.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UploadedBotDocument)]
pub(super) struct UploadedToBot {
    /// The document of the project.
    project_doc: DocumentView,
    /// The copy of it that the bot has.
    bot_doc: DocumentView,
}

impl From<(DocumentOnBots, BotDocument)> for UploadedToBot {
    fn from((document, copy): (DocumentOnBots, BotDocument)) -> Self {
        Self { project_doc: document.into(), bot_doc: copy.into() }
    }
}

/// That a document has another file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReplacedDocument)]
pub(super) struct Replaced {
    /// The document.
    #[schema(value_type = String, format = Uuid)]
    doc_id: DocumentId,
    /// Always true.
    replaced: bool,
    /// How it is made into chunks.
    extraction: ExtractionView,
}

impl From<Document> for Replaced {
    fn from(document: Document) -> Self {
        Self { doc_id: document.id, replaced: true, extraction: document.extraction.into() }
    }
}
