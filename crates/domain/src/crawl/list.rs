//! Website-crawls in lists.

use super::{CrawlStatus, WebsiteCrawl};
use crate::access::BotScope;
use crate::batch::Batch;
use crate::error::DomainError;
use crate::id::CrawlId;
use crate::list::{
    Condition, ListFilter, ListPart, Listed, ListedOf, ListedResource, Place, SortField, SortKey,
    SortWords, sort_words,
};
use crate::unit::BotUnit;

impl Listed for WebsiteCrawl {
    type Id = CrawlId;
    type Filter = CrawlFilter;

    const RESOURCE: ListedResource = ListedResource::WebsiteCrawl;
    const SORTS: SortWords = sort_words! {
        "createdAt" by CreatedAt,
        "name" by Name,
        "updatedAt" by UpdatedAt,
    };

    fn id(&self) -> CrawlId {
        self.id
    }

    fn sort_key(&self, by: SortField) -> Option<SortKey> {
        match by {
            SortField::Name => Some(self.fields.name.as_str().into()),
            SortField::UpdatedAt => Some(self.updated_at.into()),
            SortField::CreatedAt | SortField::Size => None,
        }
    }
}

impl ListedOf<BotScope> for WebsiteCrawl {
    fn oldest_first(
        unit: &mut BotUnit<'_>,
        after: Option<Place<CrawlId>>,
        limit: u32,
    ) -> Result<ListPart<Self, CrawlId>, DomainError> {
        let crawls = unit.tx.crawls(&unit.scope, after.map(|place| place.id), limit)?;
        let is_last = crawls.len() < limit as usize;
        Ok(Batch::new(crawls, is_last).into_part())
    }

    fn with_ids(unit: &mut BotUnit<'_>, ids: &[CrawlId]) -> Result<Vec<Self>, DomainError> {
        Ok(unit.tx.crawls_with_ids(&unit.scope, ids)?)
    }
}

/// Which crawls are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CrawlFilter {
    /// Only with this status.
    pub status: Option<CrawlStatus>,
}

impl ListFilter for CrawlFilter {
    fn conditions(&self) -> Vec<Condition> {
        self.status.map(Condition::CrawlStatus).into_iter().collect()
    }
}
