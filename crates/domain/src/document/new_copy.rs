//! Copies of documents that bots get.

use super::{BotDocument, Document};
use crate::unit::BotUnit;

/// A bot's copy of a document that it did not have yet.
pub(super) fn new_copy(unit: &BotUnit<'_>, document: Document) -> BotDocument {
    let now = unit.now();
    BotDocument {
        id: unit.next_id(),
        bot_id: unit.scope.bot_id(),
        skill_id: document.skill_id.clone(),
        function_name: document.function_name.clone(),
        document,
        created_at: now,
        updated_at: now,
    }
}
