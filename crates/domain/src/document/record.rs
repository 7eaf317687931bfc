//! What the changelogs of bots say of documents.

use super::Document;
use crate::changelog::{Action, ChangedResource, FieldChange};
use crate::error::DomainError;
use crate::id::BotId;
use crate::unit::ProjectUnit;

/// Records in the changelogs of bots what was done to documents that they have or had.
pub(super) fn record<'d>(
    unit: &mut ProjectUnit<'_>,
    action: Action,
    on: impl IntoIterator<Item = (BotId, &'d Document)>,
) -> Result<(), DomainError> {
    let is_taken_away = matches!(action, Action::Unassign | Action::Delete);
    let changes = on.into_iter().map(|(bot, document)| {
        let (name, nothing) = (&document.file.file_name, None::<()>);
        let change = if is_taken_away {
            FieldChange::new("fileName", name, &nothing)
        } else {
            FieldChange::new("fileName", &nothing, name)
        };
        (bot, document.id, change)
    });
    unit.record_all((action, ChangedResource::Document), changes)
}
