//! Extractions: asked for again, and waited for.

use std::sync::Arc;
use std::time::Duration;

use domain::access::ProjectClaim;
use domain::document::{Document, ExtractDocument, ExtractionError};
use domain::id::DocumentId;
use futures_util::stream;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};
use utoipa::ToSchema;

use super::path::OnDocument;
use super::view::ExtractionView;
use crate::body::{BodySize, HttpBody, JsonOrNothing};
use crate::pipeline::app::App;
use crate::pipeline::call::Call;
use crate::pipeline::handler::{Handler, changes};
use crate::pipeline::query::NoQuery;
use crate::pipeline::scopes::ProjectdocChunk;
use crate::problem::Problem;
use crate::reply::Answer;

/// How long to wait between two looks at an extraction that another process may end.
const PAUSE: Duration = Duration::from_millis(250);

type OfExtraction = JsonOrNothing<ExtractDocument>;

pub(super) fn again() -> Handler<OnDocument<ProjectdocChunk>, NoQuery, OfExtraction> {
    changes(extract, Answer::<Extracted>::of)
}

async fn extract(
    call: Call<OnDocument<ProjectdocChunk>, NoQuery, OfExtraction>,
) -> Result<Document, Problem> {
    let claim = &call.target.claim;
    let document = call.botyard.documents.extract(claim, call.target.id, call.body.0).await?;
    let (doc_id, asked) = (document.id, document.extraction.id);
    let document = ended(&call.app, claim, document).await;
    match document.extraction.error {
        Some(error) if document.extraction.id == asked => {
            Err(Problem::extraction_failed(doc_id, reason(error)))
        }
        Some(_) | None => Ok(document),
    }
}

/// The document when the extraction that it has now has ended, or as far as it is when a request need
/// not wait any longer.
pub(super) async fn ended(app: &Arc<App>, claim: &ProjectClaim, document: Document) -> Document {
    let (begin, wait) = (Instant::now(), app.options.extraction_wait);
    let until = begin + wait;
    // At once, every pause, and at the end.
    let looks = stream::unfold((!wait.is_zero()).then_some(begin), |next| async move {
        let at = next?;
        sleep_until(at).await;
        let next = (at < until).then(|| until.min(at + PAUSE));
        (!app.is_going_down()).then_some(((), next))
    });
    app.botyard.documents.ended(claim, document, looks).await
}

/// Why there are no chunks, for people.
const fn reason(error: ExtractionError) -> &'static str {
    match error {
        ExtractionError::Unsupported => "Text can't be read from files of this type.",
        ExtractionError::Corrupt => "The file is damaged, or not of the type that it seems to be.",
        ExtractionError::Encrypted => "The file is encrypted.",
        ExtractionError::TooLarge => "There is more in the file than can be read from one.",
        ExtractionError::NoText => {
            "The file has no text. From images and scanned pages text is read with `ocrEnabled`."
        }
        ExtractionError::OcrUnavailable => "No text can be read from images here.",
        ExtractionError::OcrLanguage => {
            "Text in one of the languages in `ocrLanguage` can't be read from images here."
        }
        ExtractionError::Timeout => "Reading the file took too long.",
        ExtractionError::Memory => "Reading the file took too much memory.",
        ExtractionError::Crashed => "The file broke its reader.",
        ExtractionError::Interrupted => "The extraction did not get on, and was given up.",
    }
}

impl HttpBody for ExtractDocument {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"maxChars": 1_000, "maxOverlap": 100, "chunking_strategy": "text"})
    }
}

/// How far an extraction is that was asked for.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExtractedDocument)]
pub(super) struct Extracted {
    /// The document.
    #[schema(value_type = String, format = Uuid)]
    doc_id: DocumentId,
    /// How it is made into chunks.
    extraction: ExtractionView,
}

impl From<Document> for Extracted {
    fn from(document: Document) -> Self {
        Self { doc_id: document.id, extraction: document.extraction.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_says_what_every_error_means() {
        let document = include_str!("../../../../../docs/api.md");
        let (_, section) = document.split_once("\n### Errors of extractions\n").unwrap();
        let (section, _) = section.split_once("\n#").unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
        let documented: Vec<_> = rows.map(|(word, _)| word).skip(1).collect();
        assert_eq!(documented, ExtractionError::WORDS);
    }
}
