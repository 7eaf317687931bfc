//! Samples of documents.

use crate::samples::blobs::blob;
use crate::world::{World, at, project_of};
use domain::access::ProjectScope;
use domain::blob::{Blob, BlobKind};
use domain::bot::Bot;
use domain::document::{
    Document, DocumentFile, Extraction, ExtractionError, ExtractionSettings, ExtractionStatus,
    Strategy,
};
use domain::id::{DocumentId, ExtractionId};
use domain::testing::project_scope;

/// The right to what the project of a bot has.
pub(crate) fn of_project(world: &World, bot: &Bot) -> ProjectScope {
    project_of(&world.scope(bot))
}

/// A blob of the bot's project for a document, stored.
pub(crate) fn file_blob(world: &World, bot: &Bot, hash: u8) -> Blob {
    let file = Blob { kind: BlobKind::Document, ..blob(world, bot, hash) };
    let (scope, stored) = (of_project(world, bot), file.clone());
    world.write(move |tx| Ok(tx.insert_blob(&scope, &stored)?));
    file
}

/// A document with this file and nothing in it that may be missing, not stored.
pub(crate) fn document(world: &World, file: &Blob) -> Document {
    Document {
        id: DocumentId::from_uuid(world.id()),
        project_id: file.project_id,
        file: DocumentFile {
            blob_id: file.id,
            file_name: "f".to_owned(),
            mime_type: "text/plain".to_owned(),
            size: file.size,
            sha256: file.sha256,
        },
        skill_id: None,
        function_name: None,
        extraction: Extraction {
            id: None,
            status: ExtractionStatus::None,
            error: None,
            settings: ExtractionSettings::of_type("text/plain"),
            chunks_of: None,
            chunk_count: 0,
            finished_at: None,
        },
        created_at: at(1),
        updated_at: at(2),
    }
}

/// A document whose extraction has this status, not stored.
pub(crate) fn in_status(world: &World, file: &Blob, status: ExtractionStatus) -> Document {
    let mut document = document(world, file);
    let is_asked_for = status != ExtractionStatus::None;
    document.extraction.status = status;
    document.extraction.id = is_asked_for.then(|| ExtractionId::from_uuid(world.id()));
    document.extraction.error =
        (status == ExtractionStatus::Failed).then_some(ExtractionError::Interrupted);
    document
}

/// A document with a value in every field, not stored.
pub(crate) fn full_document(world: &World, file: &Blob, status: ExtractionStatus) -> Document {
    let plain = in_status(world, file, status);
    Document {
        file: DocumentFile {
            file_name: "Übung \"1\" \\ 🤖.pdf".to_owned(),
            mime_type: "application/pdf".to_owned(),
            size: u64::try_from(i64::MAX).unwrap(),
            ..plain.file
        },
        skill_id: Some("skill-ü".to_owned()),
        function_name: Some("Zoë 🤖 \"quoted\" \\".to_owned()),
        extraction: Extraction {
            settings: ExtractionSettings {
                max_chars: 100_000,
                max_overlap: 99_999,
                strategy: Strategy::Yaml,
                images_enabled: true,
                ocr_enabled: true,
                ocr_language: "chi_sim_vert+deu".to_owned(),
            },
            chunks_of: Some(ExtractionId::from_uuid(world.id())),
            chunk_count: u32::MAX,
            finished_at: Some(at(4)),
            ..plain.extraction
        },
        ..plain
    }
}

pub(crate) fn store_document(world: &World, document: &Document) {
    let (scope, document) =
        (project_scope(world.organisation.id, document.project_id), document.clone());
    world.write(move |tx| Ok(tx.insert_document(&scope, &document)?));
}

pub(crate) fn all_documents(world: &World, bot: &Bot) -> Vec<Document> {
    let scope = of_project(world, bot);
    world.read(move |tx| Ok(tx.documents(&scope, None, 10_000)?))
}
