//! What the changelogs of bots say of documents.

use super::Document;
use crate::access::ProjectScope;
use crate::changelog::{Action, ChangedResource, FieldChange};
use crate::context::Context;
use crate::error::DomainError;
use crate::id::BotId;
use crate::store::Repositories;

/// Records in the changelogs of bots what was done to documents that they have or had.
pub(super) fn record<'d>(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &ProjectScope,
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
    context.record_all(tx, scope, (action, ChangedResource::Document), changes)
}
