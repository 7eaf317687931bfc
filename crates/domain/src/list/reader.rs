//! Reading a list part by part, and then what has changed in it (`docs/api.md`, "Finding in lists").

use super::{EventRange, ListChanges, ListPosition, ListQuery, ListService, Listed};
use crate::access::ProjectClaim;
use crate::error::DomainError;
use crate::event::EventService;

/// Where a list goes on, or what has changed in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListCursor<I> {
    /// After a position of the list. If it is followed, what happened after this event is for later.
    Position(ListPosition<I>, Option<u64>),
    /// At what has changed by events after this one.
    Follow(u64),
}

impl<I> ListCursor<I> {
    /// Whether it is one of a list that is followed.
    #[must_use]
    pub const fn is_of_followed_list(&self) -> bool {
        matches!(self, Self::Follow(_) | Self::Position(_, Some(_)))
    }
}

/// Items, each with the cursor behind it, and the cursor behind all of them, unless these were the last.
pub type ReadPart<R, I> = (Vec<(R, ListCursor<I>)>, Option<ListCursor<I>>);

/// A list, or what has changed in it, that is read part by part.
pub struct ListReader<S: ListService<R>, R: Listed> {
    service: S,
    claim: S::Claim,
    query: ListQuery<R>,
    /// If it is followed, the latest event from before anything of it was read.
    latest: Option<u64>,
}

impl<S: ListService<R>, R: Listed> ListReader<S, R> {
    /// Begins to read from `after` on, if that is given. What is committed from now on can be followed from
    /// [`Self::follow_cursor`] on.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the project of the list is not there.
    pub async fn begin(
        service: S,
        events: &EventService,
        (claim, query): (S::Claim, ListQuery<R>),
        after: Option<&ListCursor<R::Id>>,
    ) -> Result<Self, DomainError>
    where
        for<'a> ProjectClaim: From<&'a S::Claim>,
    {
        let latest = match after {
            Some(ListCursor::Position(_, event)) => *event,
            None if !query.is_followed() => None,
            None | Some(ListCursor::Follow(_)) => {
                Some(events.latest(&ProjectClaim::from(&claim)).await?)
            }
        };
        Ok(Self { service, claim, query, latest })
    }

    /// The next items, at most `limit`, after `after` if that is given; there may be none although more follow.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or the project of the list is not there, [`DomainError::Refused`] if there is
    /// no such position, [`DomainError::CursorExpired`] if not all events are kept that happened since.
    pub async fn next(
        &self,
        after: Option<ListCursor<R::Id>>,
        limit: u32,
    ) -> Result<ReadPart<R, R::Id>, DomainError> {
        let position = match after {
            Some(ListCursor::Follow(event)) => return self.changed(event, limit).await,
            Some(ListCursor::Position(position, _)) => Some(position),
            None => None,
        };
        let (items, next) = self.service.page(&self.claim, &self.query, position, limit).await?;
        let cursor = |position| ListCursor::Position(position, self.latest);
        let sort = self.query.sort();
        let items = items.into_iter().map(|item| {
            let cursor = cursor(item.position(sort));
            (item, cursor)
        });
        Ok((items.collect(), next.map(cursor)))
    }

    /// What has changed by events after this one.
    async fn changed(&self, after: u64, limit: u32) -> Result<ReadPart<R, R::Id>, DomainError> {
        let through = self.latest.unwrap_or_default();
        let range = EventRange { after, through };
        let changes = self.service.follow(&self.claim, &self.query, range, limit).await?;
        let ListChanges { items, read_through } = changes;
        let items = items.into_iter().map(|(item, event)| (item, ListCursor::Follow(event)));
        let next = (read_through < through).then_some(ListCursor::Follow(read_through));
        Ok((items.collect(), next))
    }

    /// How many items the list has; `None` if it takes too long to find out.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub async fn count(&self) -> Result<Option<u32>, DomainError> {
        self.service.count(&self.claim, &self.query).await
    }

    /// From where on to follow the list once all of it was read; nothing if the query is not one for that.
    #[must_use]
    pub fn follow_cursor(&self) -> Option<ListCursor<R::Id>> {
        self.latest.map(ListCursor::Follow)
    }
}
