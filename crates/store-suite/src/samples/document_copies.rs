//! Samples of copies that bots have of documents.

use std::slice;

use crate::world::{World, at};
use domain::bot::Bot;
use domain::document::{BotDocument, Document};
use domain::id::BotDocumentId;

/// A copy of a document with nothing in it that may be missing, not stored.
pub(crate) fn copy(world: &World, bot: &Bot, document: &Document) -> BotDocument {
    BotDocument {
        id: BotDocumentId::from_uuid(world.id()),
        bot_id: bot.id,
        document: document.clone(),
        skill_id: None,
        function_name: None,
        created_at: at(3),
        updated_at: at(4),
    }
}

pub(crate) fn store_copy(world: &World, copy: &BotDocument, bot: &Bot) {
    let (scope, copy) = (world.scope(bot), copy.clone());
    world.write(move |tx| Ok(tx.insert_bot_documents(&scope, slice::from_ref(&copy))?));
}

/// The copies that a bot has of these documents, in their order.
pub(crate) fn copies(world: &World, bot: &Bot, documents: &[Document]) -> Vec<BotDocument> {
    let (scope, ids) = (world.scope(bot), documents.iter().map(|document| document.id));
    let ids: Vec<_> = ids.collect();
    world.read(move |tx| Ok(tx.bot_documents(&scope, &ids)?))
}
