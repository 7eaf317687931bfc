//! Lists that are sorted, searched, filtered and counted.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::access::ProjectClaim;
use domain::clock::Timestamp;
use domain::error::DomainError;
use domain::event::EventService;
use domain::id::Identifier as _;
use domain::list::{
    EventRange, ListChanges, ListPosition, ListQuery, ListService, Listed, Sort, SortField, SortKey,
};
use futures_util::FutureExt as _;

use super::list::List;
use super::pager::Pager;
use super::paging::{Cursor, limit_and_cursor};
use super::writing::JsonArray;
use crate::openapi::schema::View;
use crate::pipeline::query::{Query, QueryParams};
use crate::problem::Problem;

/// What stands in a list that clients can search and filter.
pub trait Searchable: Listed + Send + 'static {
    /// What the parameter `q` does.
    const SEARCH: &'static str;

    /// Reads the parameters by which such a list is filtered.
    fn filter(_: &mut QueryParams) -> Self::Filter {
        Self::Filter::default()
    }
}

/// The parameters of such a list.
pub struct ListParams<R: Listed> {
    query: ListQuery<R>,
    limit: Option<u32>,
    after: Option<ListCursor<R>>,
    counts: bool,
}

impl<R: Searchable> Query for ListParams<R> {
    fn read(params: &mut QueryParams) -> Self {
        let sort = params.sort(R::SORTS.words, |word| R::SORTS.parse(word));
        let search = params.search("q", R::SEARCH);
        let description = "Only what was changed at this time (RFC 3339) or day (UTC) or later, by `updatedAt` if \
                           `sort` does not say otherwise.";
        let updated_since = params.since(UPDATED_SINCE, description);
        let filter = R::filter(params);
        let counts = params.counts();
        let by_default = match updated_since {
            Some(_) => Sort::ascending(SortField::UpdatedAt),
            None => Sort::OLDEST_FIRST,
        };
        let sort = sort.unwrap_or(by_default);
        let follows = is_followed(updated_since, sort);
        let (limit, after) = limit_and_cursor(params, |text| {
            let found = ListCursor::<R>::decode(text)?;
            (found.sort() == sort && (follows || !found.follows())).then_some(found)
        });
        let mut query = ListQuery::default().sorted(sort).unwrap_or_default();
        (query.search, query.updated_since, query.filter) = (search, updated_since, filter);
        Self { query, limit, after, counts }
    }
}

/// A position in a list of this order. As text it is the identifier alone where the list is in the order of those;
/// otherwise the word for the order comes before it, and what the item is sorted by, as a number or as base64.
struct SortedPosition<R: Listed> {
    sort: Sort,
    position: ListPosition<R::Id>,
}

impl<R: Listed> Clone for SortedPosition<R> {
    fn clone(&self) -> Self {
        Self { sort: self.sort, position: self.position.clone() }
    }
}

impl<R: Listed + 'static> Cursor for SortedPosition<R> {
    fn encode(&self) -> String {
        let ListPosition { key, id } = &self.position;
        let word = R::SORTS.word(self.sort).unwrap_or_default();
        match key {
            None if self.sort == Sort::OLDEST_FIRST => id.to_string(),
            None => format!("{word}.{id}"),
            Some(SortKey::Number(number)) => format!("{word}.{number}.{id}"),
            Some(SortKey::Text(text)) => format!("{word}.{}.{id}", URL_SAFE_NO_PAD.encode(text)),
        }
    }

    fn decode(text: &str) -> Option<Self> {
        let parts: Vec<_> = text.split('.').collect();
        let (word, key, id) = match parts[..] {
            [id] => (None, None, id),
            [word, id] => (Some(word), None, id),
            [word, key, id] => (Some(word), Some(key), id),
            _ => return None,
        };
        let sort = word.map_or(Some(Sort::OLDEST_FIRST), |word| R::SORTS.parse(word))?;
        let key = match (sort.by, key) {
            (_, None) => None,
            (SortField::Name, Some(key)) => {
                let text = String::from_utf8(URL_SAFE_NO_PAD.decode(key).ok()?).ok()?;
                Some(SortKey::Text(text))
            }
            (SortField::Size | SortField::CreatedAt | SortField::UpdatedAt, Some(key)) => {
                Some(SortKey::Number(key.parse().ok()?))
            }
        };
        let id = R::Id::parse(id)?;
        let position = ListPosition { key, id };
        // Each position has one spelling.
        let found = Self { sort, position };
        (R::is_position(sort, &found.position) && found.encode() == text).then_some(found)
    }
}

/// The parameter with which a list can be followed.
pub const UPDATED_SINCE: &str = "updatedSince";

/// What comes before the number of an event in a cursor.
const FOLLOWS: char = '~';

/// Where a list goes on.
enum ListCursor<R: Listed> {
    /// At a position of the list. If it is followed, what happened after this event is for later.
    Position(SortedPosition<R>, Option<u64>),
    /// At what has changed by events after this one.
    Follow(u64),
}

impl<R: Listed> Clone for ListCursor<R> {
    fn clone(&self) -> Self {
        match self {
            Self::Position(position, event) => Self::Position(position.clone(), *event),
            Self::Follow(event) => Self::Follow(*event),
        }
    }
}

/// Whether a list of this order can be followed.
fn is_followed(updated_since: Option<Timestamp>, sort: Sort) -> bool {
    updated_since.is_some() && sort == Sort::ascending(SortField::UpdatedAt)
}

impl<R: Listed> ListCursor<R> {
    /// Whether it is one of a list that is followed.
    const fn follows(&self) -> bool {
        matches!(self, Self::Follow(_) | Self::Position(_, Some(_)))
    }

    /// The order of the list.
    const fn sort(&self) -> Sort {
        match self {
            Self::Position(position, _) => position.sort,
            Self::Follow(_) => Sort::ascending(SortField::UpdatedAt),
        }
    }
}

impl<R: Listed + 'static> Cursor for ListCursor<R> {
    fn encode(&self) -> String {
        match self {
            Self::Position(position, None) => position.encode(),
            Self::Position(position, Some(event)) => {
                format!("{}{FOLLOWS}{event}", position.encode())
            }
            Self::Follow(event) => format!("{FOLLOWS}{event}"),
        }
    }

    fn decode(text: &str) -> Option<Self> {
        let found = match text.split_once(FOLLOWS) {
            None => Self::Position(SortedPosition::decode(text)?, None),
            Some(("", event)) => Self::Follow(event.parse().ok()?),
            Some((position, event)) => {
                Self::Position(SortedPosition::decode(position)?, Some(event.parse().ok()?))
            }
        };
        (found.encode() == text).then_some(found)
    }
}

impl<V: View + 'static> List<V> {
    /// Answers a list as asked, or what has changed in it.
    ///
    /// # Errors
    /// As [`List::of`].
    pub async fn found<S, R>(
        params: ListParams<R>,
        claim: S::Claim,
        service: &S,
        events: &EventService,
    ) -> Result<Self, Problem>
    where
        S: ListService<R> + 'static,
        S::Claim: Clone + 'static,
        R: Searchable,
        for<'a> ProjectClaim: From<&'a S::Claim>,
        V: From<R>,
    {
        let ListParams { query, limit, after, counts } = params;
        let sort = query.sort();
        let follows = is_followed(query.updated_since, sort);
        // Before anything of the list is read: what is committed later has a later event.
        let latest = match &after {
            Some(ListCursor::Position(_, Some(event))) => Some(*event),
            Some(ListCursor::Position(_, None)) => None,
            None if !follows => None,
            None | Some(ListCursor::Follow(_)) => {
                Some(events.latest(&ProjectClaim::from(&claim)).await?)
            }
        };
        let is_followed = matches!(after, Some(ListCursor::Follow(_)));
        let counts = counts && !is_followed;
        let total = if counts { service.count(&claim, &query).await? } else { None };
        let service = service.clone();
        let fetch = move |after: Option<ListCursor<R>>, limit| {
            let (service, claim, query) = (service.clone(), claim.clone(), query.clone());
            async move {
                let position = match after {
                    Some(ListCursor::Follow(event)) => {
                        let through = latest.unwrap_or_default();
                        let following = EventRange { after: event, through };
                        let changed = service.follow(&claim, &query, following, limit).await?;
                        let ListChanges { items, read_through } = changed;
                        let items = items.into_iter();
                        let items = items.map(|(item, event)| (item, ListCursor::Follow(event)));
                        let next =
                            (read_through < through).then_some(ListCursor::Follow(read_through));
                        return Ok::<_, DomainError>((items.collect(), next));
                    }
                    Some(ListCursor::Position(position, _)) => Some(position.position),
                    None => None,
                };
                let (items, next) = service.page(&claim, &query, position, limit).await?;
                let cursor =
                    |position| ListCursor::Position(SortedPosition { sort, position }, latest);
                let items: Vec<(R, ListCursor<R>)> = items
                    .into_iter()
                    .map(|item| {
                        let position = item.position(sort);
                        (item, cursor(position))
                    })
                    .collect();
                Ok((items, next.map(cursor)))
            }
            .boxed_local()
        };
        let pager = Pager::new(after, fetch, |(_, cursor): &(R, ListCursor<R>)| cursor.clone());
        let list = Self::read(limit, pager, JsonArray(|(item, _)| V::from(item))).await?;
        // What was not read yet of what has changed comes first.
        let next = list.next.clone().filter(|_| is_followed);
        let latest = latest.map(|event| ListCursor::<R>::Follow(event).encode());
        Ok(Self { total, follow: next.or(latest), ..list })
    }
}
