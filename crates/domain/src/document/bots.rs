//! Documents with the bots that they are on, as clients see them.

use super::{Document, DocumentOnBots};
use crate::entity_tag::Tagged as _;
use crate::error::{DomainError, StorageError};
use crate::id::{BotId, DocumentId};
use crate::unit::ProjectUnit;

/// Evaluates the precondition of a change by the document, which is locked, and by its bots.
pub(super) fn check_precondition(
    unit: &mut ProjectUnit<'_>,
    document: &Document,
) -> Result<(), DomainError> {
    let current = |unit: &mut ProjectUnit<'_>| with_bots(unit, document.clone());
    unit.check_precondition_with(|unit| Ok(Some(current(unit)?.entity_tag())))
}

pub(super) fn with_bots(
    unit: &mut ProjectUnit<'_>,
    document: Document,
) -> Result<DocumentOnBots, DomainError> {
    let bots = all_bots_of(unit, document.id)?;
    let bot_ids = bots.into_iter().map(|(_, bot)| bot).collect();
    Ok(DocumentOnBots { document, bot_ids })
}

pub(super) fn all_bots_of(
    unit: &mut ProjectUnit<'_>,
    id: DocumentId,
) -> Result<Vec<(DocumentId, BotId)>, StorageError> {
    unit.tx.bots_of_documents(&unit.scope, id..=id, u32::MAX)
}
