//! Skills in lists.

use super::Skill;
use crate::access::BotScope;
use crate::error::DomainError;
use crate::id::SkillId;
use crate::list::{
    ListPart, Listed, ListedOf, ListedResource, Place, SortField, SortKey, SortWords, sort_words,
};
use crate::unit::BotUnit;

impl Listed for Skill {
    type Id = SkillId;
    type Filter = ();

    const RESOURCE: ListedResource = ListedResource::Skill;
    const SORTS: SortWords = sort_words! {
        "createdAt" by CreatedAt,
        "name" by Name,
        "updatedAt" by UpdatedAt,
    };

    fn id(&self) -> SkillId {
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

impl ListedOf<BotScope> for Skill {
    fn oldest_first(
        unit: &mut BotUnit<'_>,
        after: Option<Place<SkillId>>,
        limit: u32,
    ) -> Result<ListPart<Self, SkillId>, DomainError> {
        Ok(unit.tx.skills(&unit.scope, after.map(|place| place.id), limit)?.into_part())
    }

    fn with_ids(unit: &mut BotUnit<'_>, ids: &[SkillId]) -> Result<Vec<Self>, DomainError> {
        Ok(unit.tx.skills_with_ids(&unit.scope, ids)?)
    }
}
