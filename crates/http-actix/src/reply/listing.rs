//! Lists that are sorted, searched, filtered and counted.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::error::DomainError;
use domain::id::Identifier as _;
use domain::list::{ListPart, ListQuery, Listed, Place, Sort, SortField, SortKey};
use futures_util::FutureExt as _;

use super::list::List;
use super::pager::Pager;
use super::paging::{Cursor, limit_and_cursor};
use super::writing::JsonArray;
use crate::openapi::schema::View;
use crate::pipeline::query::{Query, QueryParams};
use crate::problem::Problem;

/// What stands in a list that clients can search and filter.
pub trait Findable: Listed + 'static {
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
    after: Option<SortedPlace<R>>,
    counts: bool,
}

impl<R: Findable> Query for ListParams<R> {
    fn read(params: &mut QueryParams) -> Self {
        let description = "The order; descending with `-`, and by `_id` where that is the same.";
        let sort = params.word("sort", R::SORTS.words, |word| R::SORTS.parse(word), description);
        let search = params.search("q", R::SEARCH);
        let description = "Only what was changed at this time (RFC 3339) or day (UTC) or later, by `updatedAt` if \
                           `sort` does not say otherwise.";
        let updated_since = params.since("updatedSince", description);
        let filter = R::filter(params);
        let counts = params.counts();
        let by_default = match updated_since {
            Some(_) => Sort::ascending(SortField::UpdatedAt),
            None => Sort::OLDEST_FIRST,
        };
        let sort = sort.unwrap_or(by_default);
        let (limit, after) = limit_and_cursor(params, |text| {
            SortedPlace::<R>::decode(text).filter(|after| after.sort == sort)
        });
        let mut query = ListQuery::default().sorted(sort).unwrap_or_default();
        (query.search, query.updated_since, query.filter) = (search, updated_since, filter);
        Self { query, limit, after, counts }
    }
}

/// A place in a list of this order. As text it is the identifier alone where the list is in the order of those;
/// otherwise the word for the order comes before it, and what the item is sorted by, as a number or as base64.
struct SortedPlace<R: Listed> {
    sort: Sort,
    place: Place<R::Id>,
}

impl<R: Listed> Clone for SortedPlace<R> {
    fn clone(&self) -> Self {
        Self { sort: self.sort, place: self.place.clone() }
    }
}

impl<R: Listed + 'static> Cursor for SortedPlace<R> {
    fn encode(&self) -> String {
        let Place { key, id } = &self.place;
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
        let place = Place { key, id };
        // Each place has one spelling.
        let found = Self { sort, place };
        (R::is_place(sort, &found.place) && found.encode() == text).then_some(found)
    }
}

impl<V: View + 'static> List<V> {
    /// Answers a list as asked. `page` is the method of the service that reads a part of it, `count` the one that counts
    /// it.
    ///
    /// # Errors
    /// As [`List::of`].
    pub async fn found<S, C, R, P, N>(
        params: ListParams<R>,
        service: &S,
        claim: C,
        page: P,
        count: N,
    ) -> Result<Self, Problem>
    where
        S: Clone + 'static,
        C: Clone + 'static,
        R: Findable,
        P: AsyncFn(
                &S,
                &C,
                &ListQuery<R>,
                Option<Place<R::Id>>,
                u32,
            ) -> Result<ListPart<R, R::Id>, DomainError>
            + Copy
            + 'static,
        N: AsyncFn(&S, &C, &ListQuery<R>) -> Result<Option<u32>, DomainError>,
        V: From<R>,
    {
        let ListParams { query, limit, after, counts } = params;
        let sort = query.sort();
        let total = if counts { count(service, &claim, &query).await? } else { None };
        let service = service.clone();
        let fetch = move |after: Option<SortedPlace<R>>, limit| {
            let (service, claim, query) = (service.clone(), claim.clone(), query.clone());
            async move {
                let after = after.map(|after| after.place);
                let (items, next) = page(&service, &claim, &query, after, limit).await?;
                Ok::<_, DomainError>((items, next.map(|place| SortedPlace { sort, place })))
            }
            .boxed_local()
        };
        let place = move |item: &R| SortedPlace { sort, place: item.place(sort) };
        let pager = Pager::new(after, fetch, place);
        let list = Self::read(limit, pager, JsonArray(V::from)).await?;
        Ok(Self { total, ..list })
    }
}
