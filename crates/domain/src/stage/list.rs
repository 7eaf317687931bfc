//! Stages in lists.

use super::Stage;
use crate::access::BotScope;
use crate::error::DomainError;
use crate::id::StageId;
use crate::list::{
    ListPart, Listed, ListedOf, ListedResource, Place, SortField, SortKey, SortWords, sort_words,
};
use crate::unit::BotUnit;

impl Listed for Stage {
    type Id = StageId;
    type Filter = ();

    const RESOURCE: ListedResource = ListedResource::Stage;
    const SORTS: SortWords = sort_words! {
        "createdAt" by CreatedAt,
        "name" by Name,
        "updatedAt" by UpdatedAt,
    };

    fn id(&self) -> StageId {
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

impl ListedOf<BotScope> for Stage {
    fn oldest_first(
        unit: &mut BotUnit<'_>,
        after: Option<Place<StageId>>,
        limit: u32,
    ) -> Result<ListPart<Self, StageId>, DomainError> {
        Ok(unit.tx.stages(&unit.scope, after.map(|place| place.id), limit)?.into_part())
    }

    fn with_ids(unit: &mut BotUnit<'_>, ids: &[StageId]) -> Result<Vec<Self>, DomainError> {
        Ok(unit.tx.stages_with_ids(&unit.scope, ids)?)
    }
}
