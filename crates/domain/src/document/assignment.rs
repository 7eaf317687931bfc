//! Documents on bots.

use std::collections::{HashMap, HashSet};

use super::new_copy::new_copy;
use super::record::record;
use super::{BotDocument, DocIds, Document, DocumentService};
use crate::access::BotClaim;
use crate::changelog::Action;
use crate::error::DomainError;
use crate::id::DocumentId;
use crate::input::Valid;
use crate::lock::Lock;
use crate::unit::BotUnit;

impl DocumentService {
    /// Assigns documents to a bot; those that it has already are returned as they are. All or nothing, in
    /// the order asked, each once.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there, [`DomainError::DocumentsNotFound`] if one of the
    /// documents is not.
    pub async fn assign(
        &self,
        claim: &BotClaim,
        request: Valid<DocIds>,
    ) -> Result<Vec<BotDocument>, DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let documents = named(unit, &request)?;
                let ids: Vec<_> = documents.iter().map(|document| document.id).collect();
                let had = unit.tx.bot_documents(&unit.scope, &ids)?;
                let mut had: HashMap<_, _> =
                    had.into_iter().map(|copy| (copy.document.id, copy)).collect();
                let mut new = Vec::new();
                let of_bot = documents.into_iter().map(|document| {
                    had.remove(&document.id).unwrap_or_else(|| {
                        let copy = new_copy(unit, document);
                        new.push(copy.clone());
                        copy
                    })
                });
                let copies = of_bot.collect();
                unit.tx.insert_bot_documents(&unit.scope, &new)?;
                let on = new.iter().map(|copy| (copy.bot_id, &copy.document));
                record(&mut unit.of_project(), Action::Assign, on)?;
                Ok(copies)
            })
            .await
    }

    /// Takes documents away from a bot; returns those that it had, in the order asked. The documents and
    /// the copies of other bots stay.
    ///
    /// # Errors
    /// As [`Self::assign`].
    pub async fn unassign(
        &self,
        claim: &BotClaim,
        request: Valid<DocIds>,
    ) -> Result<Vec<DocumentId>, DomainError> {
        self.context
            .delete_claimed(claim, Lock::Exclusive, move |unit| {
                let mut documents = named(unit, &request)?;
                let ids: Vec<_> = documents.iter().map(|document| document.id).collect();
                let had: HashSet<_> =
                    unit.tx.delete_bot_documents(&unit.scope, &ids)?.into_iter().collect();
                documents.retain(|document| had.contains(&document.id));
                let bot = unit.scope.bot_id();
                let on = documents.iter().map(|document| (bot, document));
                record(&mut unit.of_project(), Action::Unassign, on)?;
                Ok(documents.into_iter().map(|document| document.id).collect())
            })
            .await
    }
}

/// The documents that a request names, in its order, each once. They are locked, so that none of them is
/// deleted meanwhile.
fn named(unit: &mut BotUnit<'_>, request: &DocIds) -> Result<Vec<Document>, DomainError> {
    let ids: Vec<_> = request.doc_ids.iter().filter_map(|id| DocumentId::parse(id)).collect();
    let locked = unit.tx.lock_documents(&unit.scope.project(), &ids)?.into_iter();
    let mut locked: HashMap<_, _> = locked.map(|document| (document.id, document)).collect();
    let (mut documents, mut missing, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for (index, text) in request.doc_ids.iter().enumerate() {
        if !seen.insert(text.as_str()) {
            continue;
        }
        let id = DocumentId::parse(text);
        match id.and_then(|id| locked.remove(&id)) {
            Some(document) => documents.push(document),
            // What is no identifier may be anything, and is not repeated.
            None => {
                let name = id.map_or_else(|| format!("/docIds/{index}"), |id| id.to_string());
                missing.push(name);
            }
        }
    }
    if missing.is_empty() { Ok(documents) } else { Err(DomainError::DocumentsNotFound(missing)) }
}
