//! The rows of documents and of copies.

#[cfg(feature = "postgres")]
pub(super) mod bulk;

use diesel::prelude::*;
use domain::StorageError;
use domain::blob::Sha256;
use domain::clock::Timestamp;
use domain::document::{
    BotDocument, Document, DocumentFile, Extraction, ExtractionError, ExtractionStatus,
};

use crate::engine::tx::{decode, number};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::json::{from_json, to_json};
use crate::sql::schema::{bot_documents as copies, documents};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = documents, treat_none_as_default_value = false)]
pub(super) struct DocumentRow {
    id: IdColumn,
    pub project_id: IdColumn,
    created_at: i64,
    #[diesel(embed)]
    changing: ChangingColumns,
}

/// What can change.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = documents, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(super) struct ChangingColumns {
    blob_id: IdColumn,
    file_name: String,
    mime_type: String,
    size: i64,
    sha256: String,
    skill_id: Option<String>,
    function_name: Option<String>,
    extraction_id: Option<IdColumn>,
    extraction_status: String,
    extraction_error: Option<String>,
    extraction_finished_at: Option<i64>,
    chunks_of: Option<IdColumn>,
    chunk_count: i64,
    updated_at: i64,
    settings: String,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = copies, treat_none_as_default_value = false)]
pub(super) struct CopyRow {
    id: IdColumn,
    project_id: IdColumn,
    bot_id: IdColumn,
    document_id: IdColumn,
    skill_id: Option<String>,
    function_name: Option<String>,
    created_at: i64,
    updated_at: i64,
}

impl TryFrom<DocumentRow> for Document {
    type Error = StorageError;

    fn try_from(row: DocumentRow) -> Result<Self, StorageError> {
        let id = row.id;
        Ok(Self {
            id: Stored::from_column(id),
            project_id: Stored::from_column(row.project_id),
            updated_at: Timestamp::from_millis(row.changing.updated_at),
            extraction: extraction(id, &row.changing)?,
            skill_id: row.changing.skill_id.clone(),
            function_name: row.changing.function_name.clone(),
            file: file(id, row.changing)?,
            created_at: Timestamp::from_millis(row.created_at),
        })
    }
}

fn file(row: IdColumn, columns: ChangingColumns) -> Result<DocumentFile, StorageError> {
    Ok(DocumentFile {
        blob_id: Stored::from_column(columns.blob_id),
        file_name: columns.file_name,
        mime_type: columns.mime_type,
        size: decode("documents.size", row, columns.size.try_into().ok())?,
        sha256: decode("documents.sha256", row, Sha256::parse(&columns.sha256))?,
    })
}

fn extraction(row: IdColumn, columns: &ChangingColumns) -> Result<Extraction, StorageError> {
    let error =
        |word: &String| decode("documents.extraction_error", row, ExtractionError::parse(word));
    let status = ExtractionStatus::parse(&columns.extraction_status);
    let chunk_count = columns.chunk_count.try_into().ok();
    Ok(Extraction {
        id: Stored::from_column(columns.extraction_id),
        status: decode("documents.extraction_status", row, status)?,
        error: columns.extraction_error.as_ref().map(error).transpose()?,
        settings: from_json("documents.settings", row, &columns.settings)?,
        chunks_of: Stored::from_column(columns.chunks_of),
        chunk_count: decode("documents.chunk_count", row, chunk_count)?,
        finished_at: columns.extraction_finished_at.map(Timestamp::from_millis),
    })
}

pub(super) fn document_row(document: &Document) -> Result<DocumentRow, StorageError> {
    Ok(DocumentRow {
        id: document.id.to_column(),
        project_id: document.project_id.to_column(),
        created_at: document.created_at.millis(),
        changing: changing(document)?,
    })
}

pub(super) fn changing(document: &Document) -> Result<ChangingColumns, StorageError> {
    let (file, extraction) = (&document.file, &document.extraction);
    Ok(ChangingColumns {
        blob_id: file.blob_id.to_column(),
        file_name: file.file_name.clone(),
        mime_type: file.mime_type.clone(),
        size: number(file.size)?,
        sha256: file.sha256.to_string(),
        skill_id: document.skill_id.clone(),
        function_name: document.function_name.clone(),
        extraction_id: extraction.id.map(|id| id.to_column()),
        extraction_status: extraction.status.as_str().to_owned(),
        extraction_error: extraction.error.map(|error| error.as_str().to_owned()),
        extraction_finished_at: extraction.finished_at.map(Timestamp::millis),
        chunks_of: extraction.chunks_of.map(|id| id.to_column()),
        chunk_count: extraction.chunk_count.into(),
        updated_at: document.updated_at.millis(),
        settings: to_json("documents.settings", &extraction.settings)?,
    })
}

pub(super) fn copy((row, document): (CopyRow, DocumentRow)) -> Result<BotDocument, StorageError> {
    Ok(BotDocument {
        id: Stored::from_column(row.id),
        bot_id: Stored::from_column(row.bot_id),
        document: document.try_into()?,
        skill_id: row.skill_id,
        function_name: row.function_name,
        created_at: Timestamp::from_millis(row.created_at),
        updated_at: Timestamp::from_millis(row.updated_at),
    })
}

pub(super) fn copy_row(copy: &BotDocument) -> CopyRow {
    CopyRow {
        id: copy.id.to_column(),
        project_id: copy.document.project_id.to_column(),
        bot_id: copy.bot_id.to_column(),
        document_id: copy.document.id.to_column(),
        skill_id: copy.skill_id.clone(),
        function_name: copy.function_name.clone(),
        created_at: copy.created_at.millis(),
        updated_at: copy.updated_at.millis(),
    }
}
