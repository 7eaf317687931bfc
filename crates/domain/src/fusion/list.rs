//! Fusion-Views in lists.

use super::FusionView;
use crate::access::BotScope;
use crate::error::DomainError;
use crate::id::FusionViewId;
use crate::list::{
    ListPart, Listed, ListedOf, ListedResource, Place, SortField, SortKey, SortWords, sort_words,
};
use crate::unit::BotUnit;

impl Listed for FusionView {
    type Id = FusionViewId;
    type Filter = ();

    const RESOURCE: ListedResource = ListedResource::FusionView;
    const SORTS: SortWords = sort_words! {
        "createdAt" by CreatedAt,
        "title" by Name,
        "updatedAt" by UpdatedAt,
    };

    fn id(&self) -> FusionViewId {
        self.id
    }

    fn sort_key(&self, by: SortField) -> Option<SortKey> {
        match by {
            SortField::Name => Some(self.title.as_str().into()),
            SortField::UpdatedAt => Some(self.updated_at.into()),
            SortField::CreatedAt | SortField::Size => None,
        }
    }
}

impl ListedOf<BotScope> for FusionView {
    fn oldest_first(
        unit: &mut BotUnit<'_>,
        after: Option<Place<FusionViewId>>,
        limit: u32,
    ) -> Result<ListPart<Self, FusionViewId>, DomainError> {
        Ok(unit.tx.fusion_views(&unit.scope, after.map(|place| place.id), limit)?.into_part())
    }

    fn with_ids(unit: &mut BotUnit<'_>, ids: &[FusionViewId]) -> Result<Vec<Self>, DomainError> {
        Ok(unit.tx.fusion_views_with_ids(&unit.scope, ids)?)
    }
}
