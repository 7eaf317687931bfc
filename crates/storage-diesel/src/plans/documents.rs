//! The same for documents and their chunks.

use diesel::connection::SimpleConnection;
use domain::blob::{Blob, BlobKind, BlobRepository, BlobState, Sha256};
use domain::document::{
    BotDocument, BotDocumentRepository as _, Chunk, ChunkRepository, Document, DocumentFile,
    DocumentRepository, EXTRACT, ExtractedChunk, Extraction, ExtractionSettings, ExtractionStatus,
};
use domain::id::{BlobId, BotDocumentId, ChunkId, DocumentId, ExtractionId};
use domain::job::JobRepository as _;
use domain::lock::{Lock, Mode};

use super::{EPOCH, ID, OPERATOR, Watched, postgres, sqlite};
use crate::engine::db::OwnDb;
use crate::engine::tx::Tx;

/// Puts many documents beside the one that is there, with a copy each, and many chunks beside its one.
const MANY: &str = "CREATE FUNCTION other (n INT) RETURNS UUID LANGUAGE SQL AS \
     $$ SELECT CAST(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' AS UUID) $$; \
     INSERT INTO blobs SELECT other(n), project_id, kind, lpad(to_hex(n), 64, '0'), size, state, 0 \
     FROM blobs, generate_series(1, 5000) AS n; \
     INSERT INTO documents SELECT other(n), project_id, other(n), 'f' || n, mime_type, size, sha256, \
     NULL, NULL, CASE WHEN n % 9 = 0 THEN other(n) END, \
     CASE WHEN n % 9 = 0 THEN 'queued' ELSE 'none' END, NULL, NULL, other(n), 0, 0, 0, settings \
     FROM documents, generate_series(1, 5000) AS n; \
     INSERT INTO bot_documents SELECT other(n), project_id, bot_id, other(n), 's' || n, NULL, 0, 0 \
     FROM bot_documents, generate_series(1, 5000) AS n; \
     INSERT INTO chunks SELECT other(n), project_id, other(n % 50), n, 0, 1, NULL, 1, NULL, 'x' \
     FROM chunks, generate_series(1, 5000) AS n; \
     ANALYZE documents; ANALYZE bot_documents; ANALYZE chunks";

fn document(watched: &Watched, blob: &Blob) -> Document {
    Document {
        id: DocumentId::from_uuid(ID),
        project_id: watched.scope.project_id(),
        file: DocumentFile {
            blob_id: blob.id,
            file_name: String::new(),
            mime_type: String::new(),
            size: 1,
            sha256: blob.sha256,
        },
        skill_id: None,
        function_name: None,
        extraction: Extraction {
            id: Some(ExtractionId::from_uuid(ID)),
            status: ExtractionStatus::Running,
            error: None,
            settings: ExtractionSettings::of_type(""),
            chunks_of: None,
            chunk_count: 0,
            finished_at: None,
        },
        created_at: EPOCH,
        updated_at: EPOCH,
    }
}

/// A database with a document that has a copy and a chunk.
fn populated(db: OwnDb) -> Watched {
    let mut watched = Watched::new(db);
    let project = watched.project();
    let blob = Blob {
        id: BlobId::from_uuid(ID),
        project_id: watched.scope.project_id(),
        kind: BlobKind::Document,
        sha256: Sha256::from_bytes([0; 32]),
        size: 1,
        state: BlobState::Present,
        created_at: EPOCH,
    };
    let document = document(&watched, &blob);
    let copy = BotDocument {
        id: BotDocumentId::from_uuid(ID),
        bot_id: watched.scope.bot_id(),
        document: document.clone(),
        skill_id: None,
        function_name: None,
        created_at: EPOCH,
        updated_at: EPOCH,
    };
    let mut tx = Tx::new(watched.db.lend(), Mode::Write);
    tx.insert_blob(&project, &blob).unwrap();
    tx.insert_document(&project, &document).unwrap();
    tx.insert_bot_documents(&watched.scope, &[copy]).unwrap();
    tx.insert_chunks(&project, ExtractionId::from_uuid(ID), &[chunk()]).unwrap();
    if let OwnDb::Pg(db) = &mut watched.db {
        db.batch_execute(MANY).unwrap();
    }
    watched
}

fn chunk() -> Chunk {
    let extracted = ExtractedChunk {
        text: String::new(),
        char_start: 0,
        char_end: 0,
        page: None,
        heading: Vec::new(),
    };
    Chunk { id: ChunkId::from_uuid(ID), index: 0, extracted }
}

fn every_look_up_has_its_index(db: OwnDb) {
    let mut watched = populated(db);
    let (project, id) = (watched.project(), DocumentId::from_uuid(ID));
    let extraction = ExtractionId::from_uuid(ID);
    watched.check(
        |tx, _| tx.documents(&project, Some(id), 9),
        "sqlite_autoindex_documents_1 (project_id=? AND id>?)",
        ["using documents_pkey", "id > "],
    );
    watched.check(
        |tx, _| tx.document_of_name(&project, "a"),
        "documents_of_name (project_id=? AND file_name=?)",
        ["Backward using documents_of_name", "file_name = "],
    );
    watched.check(
        |tx, _| tx.document_of_blob(&project, BlobId::from_uuid(ID)),
        "documents_of_blob (project_id=? AND blob_id=?)",
        ["Backward using documents_of_blob", "blob_id = "],
    );
    watched.check(
        |tx, _| tx.count_documents(&project),
        "COVERING INDEX documents_",
        ["Index Only Scan using documents_", "project_id = "],
    );
    watched.check(
        |tx, _| tx.bots_of_documents(&project, id..=id, 9),
        "bot_documents_of_document (project_id=? AND document_id>? AND document_id<?)",
        ["using bot_documents_of_document", "(id = bot_documents.bot_id)"],
    );
    watched.check(
        |tx, _| tx.bots_with_documents(&project, &[id, id]),
        "bot_documents_of_document (project_id=? AND document_id=?)",
        ["using bot_documents_of_document", "(id = bot_documents.bot_id)"],
    );
    watched.check(
        |tx, _| tx.bots_with_document(&project, id),
        "bot_documents_of_document (project_id=? AND document_id=?)",
        ["using bot_documents_of_document", "(id = bot_documents.bot_id)"],
    );
    watched.check(
        |tx, _| {
            let of = (project.project_id(), &EXTRACT);
            tx.wake_job(OPERATOR, of, EPOCH, EPOCH)
        },
        "jobs_waiting (kind=? AND project_id=?)",
        ["using jobs_waiting", "project_id = "],
    );
    watched.check(
        |tx, scope| tx.bot_documents(scope, &[id, id]),
        "sqlite_autoindex_bot_documents_2 (project_id=? AND bot_id=? AND document_id=?)",
        ["using bot_documents_", "using documents_pkey"],
    );
    watched.check(
        |tx, scope| tx.delete_bot_documents(scope, &[id, id]),
        "sqlite_autoindex_bot_documents_2 (project_id=? AND bot_id=? AND document_id=?)",
        ["using bot_documents_", "document_id = "],
    );
    // Rows are locked in order.
    let plan = watched.plan(|tx, _| tx.lock_documents(&project, &[id, id]));
    let looks = ["(project_id=? AND id=?)", "using documents_"];
    assert!(looks.iter().any(|look| plan.contains(look)), "{plan}");
    watched.check(
        |tx, scope| tx.rename_skill_of_bot_documents(scope, ("old", "new"), EPOCH, 1_000),
        "bot_documents_for_skill (project_id=? AND bot_id=? AND skill_id=?)",
        ["using bot_documents_for_skill", "skill_id = "],
    );
    watched.check(
        |tx, _| tx.document_to_extract(OPERATOR, extraction, Lock::None),
        "documents_of_extraction (extraction_id=?)",
        ["using documents_of_extraction", "extraction_id = "],
    );
    watched.check(
        |tx, _| tx.extraction_counts(&project),
        "COVERING INDEX documents_by_status (project_id=? AND extraction_status=?)",
        ["using documents_by_status", "project_id = "],
    );
    watched.check(
        |tx, _| tx.chunks(&project, extraction, Some(1), 9),
        "sqlite_autoindex_chunks_1 (project_id=? AND extraction_id=? AND number>?)",
        ["using chunks_pkey", "number > "],
    );
    for (sqlite, postgres) in [
        (
            "sqlite_autoindex_chunks_1 (project_id=? AND extraction_id=? AND number<?)",
            ["using chunks_pkey", "number <= "],
        ),
        (
            "documents_of_chunks (project_id=? AND chunks_of=?)",
            ["using documents_of_chunks", "chunks_of = "],
        ),
    ] {
        let remove = |tx: &mut Tx<'_>, _: &_| {
            tx.remove_unused_chunks(OPERATOR, project.project_id(), extraction, 0)
        };
        watched.check(remove, sqlite, postgres);
    }
    watched.check(
        |tx, _| tx.take_document_from_bots(&project, id, 1_000),
        "bot_documents_of_document (project_id=? AND document_id=?)",
        ["using bot_documents_of_document", "document_id = "],
    );
}

#[test]
fn on_sqlite() {
    every_look_up_has_its_index(sqlite());
}

#[test]
fn on_postgres() {
    every_look_up_has_its_index(postgres());
}
