//! Lists that are sorted, searched, filtered and counted.

use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::access::ProjectClaim;
use domain::error::DomainError;
use domain::event::EventService;
use domain::id::Identifier as _;
use domain::list::{
    ListCursor, ListPosition, ListQuery, ListReader, ListService, Listed, Sort, SortField, SortKey,
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
    after: Option<TextCursor<R>>,
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
        let mut query = ListQuery::default().sorted(sort).unwrap_or_default();
        (query.search, query.updated_since, query.filter) = (search, updated_since, filter);
        let (limit, after) = limit_and_cursor(params, |text| {
            let found = TextCursor::<R>::decode(text)?;
            let can_follow = query.is_followed() || !found.cursor.is_of_followed_list();
            (found.sort == sort && can_follow).then_some(found)
        });
        Self { query, limit, after, counts }
    }
}

/// The parameter with which a list can be followed.
pub const UPDATED_SINCE: &str = "updatedSince";

/// What comes before the number of an event in a cursor.
const FOLLOWS: char = '~';

/// A cursor in a list of this order, and its text.
struct TextCursor<R: Listed> {
    sort: Sort,
    cursor: ListCursor<R::Id>,
}

impl<R: Listed> Clone for TextCursor<R> {
    fn clone(&self) -> Self {
        Self { sort: self.sort, cursor: self.cursor.clone() }
    }
}

impl<R: Listed + 'static> Cursor for TextCursor<R> {
    fn encode(&self) -> String {
        match &self.cursor {
            ListCursor::Position(position, None) => text_of::<R>(self.sort, position),
            ListCursor::Position(position, Some(event)) => {
                format!("{}{FOLLOWS}{event}", text_of::<R>(self.sort, position))
            }
            ListCursor::Follow(event) => format!("{FOLLOWS}{event}"),
        }
    }

    fn decode(text: &str) -> Option<Self> {
        let (sort, cursor) = match text.split_once(FOLLOWS) {
            None => {
                let (sort, position) = position_of::<R>(text)?;
                (sort, ListCursor::Position(position, None))
            }
            Some(("", event)) => {
                (Sort::ascending(SortField::UpdatedAt), ListCursor::Follow(event.parse().ok()?))
            }
            Some((text, event)) => {
                let (sort, position) = position_of::<R>(text)?;
                (sort, ListCursor::Position(position, Some(event.parse().ok()?)))
            }
        };
        // Each cursor has one spelling.
        let found = Self { sort, cursor };
        (found.encode() == text).then_some(found)
    }
}

/// The text of a position in a list of this order: the identifier alone where the list is in the order of those;
/// otherwise the word for the order comes before it, and what the item is sorted by, as a number or as base64.
fn text_of<R: Listed>(sort: Sort, ListPosition { key, id }: &ListPosition<R::Id>) -> String {
    let word = R::SORTS.word(sort).unwrap_or_default();
    match key {
        None if sort == Sort::OLDEST_FIRST => id.to_string(),
        None => format!("{word}.{id}"),
        Some(SortKey::Number(number)) => format!("{word}.{number}.{id}"),
        Some(SortKey::Text(text)) => format!("{word}.{}.{id}", URL_SAFE_NO_PAD.encode(text)),
    }
}

/// The position with such a text, and the order of its list.
fn position_of<R: Listed>(text: &str) -> Option<(Sort, ListPosition<R::Id>)> {
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
    let position = ListPosition { key, id: R::Id::parse(id)? };
    R::is_position(sort, &position).then_some((sort, position))
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
        S::Claim: 'static,
        R: Searchable,
        for<'a> ProjectClaim: From<&'a S::Claim>,
        V: From<R>,
    {
        let ListParams { query, limit, after, counts } = params;
        let sort = query.sort();
        let from = after.as_ref().map(|after| &after.cursor);
        let reader = ListReader::begin(service.clone(), events, (claim, query), from).await?;
        let is_changes = matches!(from, Some(ListCursor::Follow(_)));
        let total = if counts && !is_changes { reader.count().await? } else { None };
        let cursor = move |cursor| TextCursor::<R> { sort, cursor };
        let follow = reader.follow_cursor().map(|at| cursor(at).encode());
        let reader = Rc::new(reader);
        let fetch = move |after: Option<TextCursor<R>>, limit| {
            let reader = reader.clone();
            async move {
                let (items, next) = reader.next(after.map(|after| after.cursor), limit).await?;
                let items = items.into_iter().map(|(item, at)| (item, cursor(at)));
                Ok::<_, DomainError>((items.collect::<Vec<_>>(), next.map(cursor)))
            }
            .boxed_local()
        };
        let pager = Pager::new(after, fetch, |(_, cursor): &(R, TextCursor<R>)| cursor.clone());
        let list = Self::read(limit, pager, JsonArray(|(item, _)| V::from(item))).await?;
        // What was not read yet of what has changed comes first.
        let next = list.next.clone().filter(|_| is_changes);
        Ok(Self { total, follow: next.or(follow), ..list })
    }
}
