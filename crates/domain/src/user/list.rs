//! Users in lists.

use super::User;
use crate::access::BotScope;
use crate::clock::{TimeCursor, Timestamp};
use crate::error::DomainError;
use crate::event::EventType;
use crate::id::UserId;
use crate::list::{
    ListPart, ListPosition, Listed, ListedOf, ListedResource, SortField, SortKey, SortWords,
    sort_words,
};
use crate::unit::BotUnit;

impl Listed for User {
    type Id = UserId;
    type Filter = ();

    const RESOURCE: ListedResource = ListedResource::User;
    const SORTS: SortWords = sort_words! {
        "createdAt" by CreatedAt,
        "guestId" by Name,
        "updatedAt" by UpdatedAt,
    };
    const EVENTS: &'static [EventType] = &[EventType::UserCreated, EventType::UserUpdated];
    const BULK_EVENTS: &'static [EventType] = &[EventType::UsersImported];
    // Users are imported.
    const IS_OLDER_THAN_ITS_ID: bool = true;

    fn id(&self) -> UserId {
        self.id
    }

    fn sort_key(&self, by: SortField) -> Option<SortKey> {
        match by {
            SortField::Name => Some(self.guest_id.as_str().into()),
            SortField::CreatedAt => Some(self.created_at.into()),
            SortField::UpdatedAt => Some(self.updated_at.into()),
            SortField::Size => None,
        }
    }
}

impl ListedOf<BotScope> for User {
    fn oldest_first(
        unit: &mut BotUnit<'_>,
        after: Option<ListPosition<UserId>>,
        limit: u32,
    ) -> Result<ListPart<Self, UserId>, DomainError> {
        let after = after.map(|position| {
            let at = match position.key {
                Some(SortKey::Number(millis)) => Timestamp::from_millis(millis),
                Some(SortKey::Text(_)) | None => Timestamp::default(),
            };
            TimeCursor { at, id: position.id }
        });
        Ok(unit.tx.users(&unit.scope, false, after, limit)?.into_part())
    }

    fn with_ids(unit: &mut BotUnit<'_>, ids: &[UserId]) -> Result<Vec<Self>, DomainError> {
        Ok(unit.tx.users_with_ids(&unit.scope, ids)?)
    }
}
