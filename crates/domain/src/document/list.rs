//! Documents in lists.

use std::collections::HashMap;

use super::bots::all_bots_of;
use super::{Document, DocumentOnBots, ExtractionStatus};
use crate::access::ProjectScope;
use crate::error::DomainError;
use crate::event::EventType;
use crate::id::{BotId, DocumentId};
use crate::list::{
    Condition, ListFilter, ListPart, ListPosition, Listed, ListedOf, ListedResource, SortField,
    SortKey, SortWords, sort_words,
};
use crate::unit::ProjectUnit;

/// How many bots are read at once, beside those of one document.
const BOTS_AT_ONCE: u32 = 10_000;

/// Which documents are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentFilter {
    /// Only those whose extraction has this status.
    pub status: Option<ExtractionStatus>,
    /// Only those that are assigned to any bot that can be found, or to none.
    pub assigned: Option<bool>,
    /// Only those that are assigned to this bot. Of a bot that can't be found there are none.
    pub bot_id: Option<BotId>,
    /// Only those of exactly this type.
    pub mime_type: Option<String>,
}

impl ListFilter for DocumentFilter {
    fn conditions(&self) -> Vec<Condition> {
        let Self { status, assigned, bot_id, mime_type } = self;
        let conditions = [
            bot_id.map(Condition::OnBot),
            status.map(Condition::ExtractionStatus),
            mime_type.clone().map(Condition::MimeType),
            assigned.map(Condition::Assigned),
        ];
        conditions.into_iter().flatten().collect()
    }
}

impl Listed for DocumentOnBots {
    type Id = DocumentId;
    type Filter = DocumentFilter;

    const RESOURCE: ListedResource = ListedResource::Document;
    const SORTS: SortWords = sort_words! {
        "createdAt" by CreatedAt,
        "fileName" by Name,
        "size" by Size,
        "updatedAt" by UpdatedAt,
    };
    // A document is shown with its bots; which of those can be found is not followed.
    const EVENTS: &'static [EventType] = &[
        EventType::DocumentUploaded,
        EventType::DocumentReplaced,
        EventType::DocumentExtractionRequested,
        EventType::DocumentExtracted,
        EventType::DocumentExtractionFailed,
        EventType::DocumentAssigned,
        EventType::DocumentUnassigned,
    ];

    fn id(&self) -> DocumentId {
        self.document.id
    }

    fn sort_key(&self, by: SortField) -> Option<SortKey> {
        let file = &self.document.file;
        match by {
            SortField::Name => Some(file.file_name.as_str().into()),
            SortField::Size => Some(SortKey::Number(file.size.try_into().unwrap_or(i64::MAX))),
            SortField::UpdatedAt => Some(self.document.updated_at.into()),
            SortField::CreatedAt => None,
        }
    }
}

impl ListedOf<ProjectScope> for DocumentOnBots {
    // Each comes with all of its bots.
    const AT_ONCE: usize = 16;

    fn weight(&self) -> u64 {
        (self.bot_ids.len() * size_of::<BotId>()) as u64
    }

    fn oldest_first(
        unit: &mut ProjectUnit<'_>,
        after: Option<ListPosition<DocumentId>>,
        limit: u32,
    ) -> Result<ListPart<Self, DocumentId>, DomainError> {
        let after = after.map(|position| position.id);
        let mut documents = unit.tx.documents(&unit.scope, after, limit)?;
        let is_full = documents.len() as u64 == u64::from(limit);
        let [Some(first), Some(last)] = [documents.first(), documents.last()] else {
            return Ok((Vec::new(), None));
        };
        let mut bots = unit.tx.bots_of_documents(&unit.scope, first.id..=last.id, BOTS_AT_ONCE)?;
        let is_cut = bots.len() as u64 == u64::from(BOTS_AT_ONCE);
        if let Some((cut, _)) = bots.last().copied().filter(|_| is_cut) {
            documents.retain(|document| document.id <= cut);
            bots.retain(|(id, _)| *id != cut);
            bots.extend(all_bots_of(unit, cut)?);
        }
        let last = documents.last().map(|document| ListPosition::of(document.id));
        Ok((on_bots(documents, bots), last.filter(|_| is_full || is_cut)))
    }

    fn with_ids(unit: &mut ProjectUnit<'_>, ids: &[DocumentId]) -> Result<Vec<Self>, DomainError> {
        let documents = unit.tx.documents_with_ids(&unit.scope, ids)?;
        let bots = unit.tx.bots_with_documents(&unit.scope, ids)?;
        Ok(on_bots(documents, bots))
    }
}

/// Documents with their bots.
fn on_bots(documents: Vec<Document>, bots: Vec<(DocumentId, BotId)>) -> Vec<DocumentOnBots> {
    let mut of_document = HashMap::<DocumentId, Vec<BotId>>::new();
    for (document, bot) in bots {
        of_document.entry(document).or_default().push(bot);
    }
    let on_bots = |document: Document| {
        let bot_ids = of_document.remove(&document.id).unwrap_or_default();
        DocumentOnBots { document, bot_ids }
    };
    documents.into_iter().map(on_bots).collect()
}
