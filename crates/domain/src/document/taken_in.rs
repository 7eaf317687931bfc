//! What becomes of a file that came in whole: a new document, or the file of another one.

use std::slice;

use super::bots::with_bots;
use super::extraction::begin_extraction;
use super::new_copy::new_copy;
use super::record::record;
use super::release::end_extraction;
use super::{
    BotDocument, Document, DocumentFile, Extraction, ExtractionSettings, ExtractionStatus,
    SettingsPatch, UploadDocument,
};
use crate::blob;
use crate::changelog::Action;
use crate::error::{DomainError, Quota};
use crate::event::{EventData, EventType};
use crate::id::BotId;
use crate::unit::ProjectUnit;

/// A document, and the copy of it on the bot through which it came.
pub(super) type OnBot = (Document, Option<BotDocument>);

/// Makes an uploaded file a new document, with a copy on a bot if there is one.
pub(super) fn insert(
    unit: &mut ProjectUnit<'_>,
    bot: Option<BotId>,
    file: DocumentFile,
    request: &UploadDocument,
) -> Result<OnBot, DomainError> {
    check_document_quota(unit)?;
    let settings = ExtractionSettings::of_new(&file.mime_type, &request.settings)?;
    let now = unit.now();
    let mut document = Document {
        id: unit.next_id(),
        project_id: unit.scope.project_id(),
        file,
        skill_id: request.skill_id.clone(),
        function_name: request.function_name.clone(),
        extraction: Extraction::none(settings.clone()),
        created_at: now,
        updated_at: now,
    };
    if request.extract {
        begin_extraction(unit, &mut document, settings)?;
    }
    unit.tx.insert_document(&unit.scope, &document)?;
    emit_file(unit, EventType::DocumentUploaded, &document)?;
    let Some(bot) = bot else {
        return Ok((document, None));
    };
    let mut of_bot = unit.of_bot(bot);
    let copy = new_copy(&of_bot, document.clone());
    of_bot.tx.insert_bot_documents(&of_bot.scope, slice::from_ref(&copy))?;
    of_bot.emit(EventType::DocumentAssigned, document.id, &EventData::NONE)?;
    record(unit, Action::Upload, [(bot, &document)])?;
    Ok((document, Some(copy)))
}

/// Says what an upload answers before its extraction has ended.
pub(super) fn answer(
    unit: &mut ProjectUnit<'_>,
    (document, copy): &OnBot,
) -> Result<(), DomainError> {
    match copy {
        None => unit.answer_with(|unit| with_bots(unit, document.clone())),
        Some(copy) => {
            unit.answer_with(|unit| Ok((with_bots(unit, document.clone())?, copy.clone())))
        }
    }
}

/// Makes an uploaded file that of a document, whose chunks stay until those of the file are there.
pub(super) fn replace_by_upload(
    unit: &mut ProjectUnit<'_>,
    mut document: Document,
    file: DocumentFile,
    request: &UploadDocument,
) -> Result<Document, DomainError> {
    let settings = put_file(unit, &mut document, file, &request.settings)?;
    if request.extract {
        begin_extraction(unit, &mut document, settings)?;
    } else {
        end_extraction(unit, &document)?;
        document.extraction = Extraction::none(settings);
    }
    if request.skill_id.is_some() {
        document.skill_id.clone_from(&request.skill_id);
    }
    if request.function_name.is_some() {
        document.function_name.clone_from(&request.function_name);
    }
    store_replaced(unit, &mut document)?;
    Ok(document)
}

/// Puts a file in the place of that of a document; returns the settings with which it is to be extracted.
pub(super) fn put_file(
    unit: &mut ProjectUnit<'_>,
    document: &mut Document,
    file: DocumentFile,
    patch: &SettingsPatch,
) -> Result<ExtractionSettings, DomainError> {
    let mut settings = document.extraction.settings.clone();
    if document.file.mime_type != file.mime_type {
        settings.strategy = ExtractionSettings::of_type(&file.mime_type).strategy;
    }
    let settings = patch.apply(&settings)?;
    let blob = file.blob_id;
    let before = std::mem::replace(&mut document.file, file);
    if before.blob_id != blob {
        blob::release(unit, before.blob_id)?;
    }
    Ok(settings)
}

/// Stores a document that has another file, and records that with every bot that has a copy of it.
pub(super) fn store_replaced(
    unit: &mut ProjectUnit<'_>,
    document: &mut Document,
) -> Result<(), DomainError> {
    document.updated_at = unit.now();
    unit.tx.update_document(&unit.scope, document)?;
    emit_file(unit, EventType::DocumentReplaced, document)?;
    let bots = unit.tx.bots_with_document(&unit.scope, document.id)?;
    record(unit, Action::Upload, bots.iter().map(|bot| (*bot, &*document)))
}

impl Extraction {
    /// That of a document for which none was asked.
    pub(super) const fn none(settings: ExtractionSettings) -> Self {
        Self {
            id: None,
            status: ExtractionStatus::None,
            error: None,
            settings,
            chunks_of: None,
            chunk_count: 0,
            finished_at: None,
        }
    }
}

/// Writes an event about the file of a document.
fn emit_file(
    unit: &mut ProjectUnit<'_>,
    event_type: EventType,
    document: &Document,
) -> Result<(), DomainError> {
    let data = EventData { size: Some(document.file.size), ..EventData::NONE };
    unit.emit(event_type, document.id, &data)
}

/// Checks that one more document fits into the project, which is locked.
fn check_document_quota(unit: &mut ProjectUnit<'_>) -> Result<(), DomainError> {
    let quota = unit.limits().documents_per_project;
    if quota > 0 && unit.tx.count_documents(&unit.scope)? >= quota {
        return Err(DomainError::QuotaExceeded(Quota::DocumentsPerProject(quota)));
    }
    Ok(())
}
