//! Bots in lists.

use super::BotWithTokens;
use super::tokens::with_tokens;
use crate::access::ProjectScope;
use crate::error::DomainError;
use crate::event::{Event, EventType};
use crate::id::BotId;
use crate::list::{
    ListPart, ListPosition, Listed, ListedOf, ListedResource, SortField, SortKey, SortWords,
    sort_words,
};
use crate::unit::ProjectUnit;

impl Listed for BotWithTokens {
    type Id = BotId;
    type Filter = ();

    const RESOURCE: ListedResource = ListedResource::Bot;
    const SORTS: SortWords = sort_words! {
        "createdAt" by CreatedAt,
        "name" by Name,
        "updatedAt" by UpdatedAt,
    };
    // A bot is shown with its tokens.
    const EVENTS: &'static [EventType] = &[
        EventType::BotCreated,
        EventType::BotUpdated,
        EventType::BotRestored,
        EventType::TokenMinted,
        EventType::TokenRevoked,
    ];

    fn id(&self) -> BotId {
        self.bot.id
    }

    fn sort_key(&self, by: SortField) -> Option<SortKey> {
        match by {
            SortField::Name => Some(self.bot.config.name.as_str().into()),
            SortField::UpdatedAt => Some(self.bot.updated_at.into()),
            SortField::CreatedAt | SortField::Size => None,
        }
    }
}

impl ListedOf<ProjectScope> for BotWithTokens {
    fn oldest_first(
        unit: &mut ProjectUnit<'_>,
        after: Option<ListPosition<BotId>>,
        limit: u32,
    ) -> Result<ListPart<Self, BotId>, DomainError> {
        let bots = unit.tx.live_bots(&unit.scope, after.map(|position| position.id), limit)?;
        let is_last = bots.is_last();
        let bots = with_tokens(unit, bots.into_items())?;
        let last = bots.last().map(|bot| ListPosition::of(bot.bot.id));
        Ok((bots, last.filter(|_| !is_last)))
    }

    fn with_ids(unit: &mut ProjectUnit<'_>, ids: &[BotId]) -> Result<Vec<Self>, DomainError> {
        let bots = unit.tx.live_bots_with_ids(&unit.scope, ids)?;
        with_tokens(unit, bots)
    }

    fn changed(event: &Event) -> Option<BotId> {
        event.bot_id
    }
}
