//! What a list that is sorted, searched and filtered must be: what a search through the whole list finds.

use std::time::Duration;

use crate::services::installation::Installation;
use crate::world::at;
use domain::clock::Timestamp;
use domain::list::{ListPart, ListPosition, ListQuery, Listed, Search, SortField};

/// Names in which case, bytes and characters differ.
pub(crate) const NAMES: [&str; 8] =
    ["Ada", "ada 2", "ADA_3", "Zoë", "zoë%", "ẞharp", "été 10", "Émile"];

/// Reads a part of a list.
pub(crate) type ReadPage<'a, R> = dyn Fn(
        &ListQuery<R>,
        Option<ListPosition<<R as Listed>::Id>>,
        u32,
    ) -> ListPart<R, <R as Listed>::Id>
    + 'a;

/// A list as a service gives it.
pub(crate) struct ListOf<'a, R: Listed> {
    pub page: &'a ReadPage<'a, R>,
    pub count: &'a dyn Fn(&ListQuery<R>) -> Option<u32>,
    pub texts: fn(&R) -> Vec<String>,
}

/// The list of what a service calls so, of a claim.
macro_rules! list_of {
    ($service:expr, $claim:expr, $texts:expr) => {
        ListOf {
            page: &|query, after, limit| wait($service.page($claim, query, after, limit)).unwrap(),
            count: &|query| wait($service.count($claim, query)).unwrap(),
            texts: $texts,
        }
    };
}

pub(crate) use list_of;

impl<R: Listed> ListOf<'_, R> {
    /// All pages of a list.
    pub fn read_all(&self, query: &ListQuery<R>, limit: u32) -> Vec<R> {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let (some, next) = (self.page)(query, after, limit);
            assert!(some.len() <= limit as usize);
            all.extend(some);
            if next.is_none() {
                return all;
            }
            after = next;
        }
    }

    /// Checks that each query of the whole list finds what it says, in its order, on pages of any size; returns how
    /// many queries found something.
    pub fn check(&self) -> usize {
        let searches =
            [None, Some("ada"), Some("É"), Some("_"), Some("%"), Some("ss"), Some("x y")];
        let sinces = [None, Some(at(0)), Some(at(3_000)), Some(at(60_000))];
        self.check_queries((&searches, &sinces), &R::Filter::default(), |_| true)
    }

    /// The same of what a filter is to find of the list, with fewer searches and times, because each of them is found in
    /// the same way whatever the filter is.
    pub fn check_filter(&self, filter: &R::Filter, is_expected: impl Fn(&R) -> bool) -> usize {
        let (searches, sinces) = ([None, Some("ada")], [None, Some(at(3_000))]);
        self.check_queries((&searches, &sinces), filter, is_expected)
    }

    fn check_queries(
        &self,
        (searches, sinces): (&[Option<&str>], &[Option<Timestamp>]),
        filter: &R::Filter,
        is_expected: impl Fn(&R) -> bool,
    ) -> usize {
        let mut all = self.read_all(&ListQuery::default(), 500);
        all.retain(is_expected);
        let mut found = 0;
        for search in searches {
            let search = search.map(|text| Search::of(text).unwrap());
            for since in sinces {
                for sort in R::SORTS.sorts {
                    let mut query = ListQuery::<R>::default().sorted(*sort).unwrap();
                    query.search.clone_from(&search);
                    query.updated_since = *since;
                    query.filter = filter.clone();
                    let is_found = |item: &&R| {
                        let texts = (self.texts)(item);
                        let updated = item.sort_key(SortField::UpdatedAt).unwrap();
                        since.is_none_or(|since| updated >= since.into())
                            && search
                                .as_ref()
                                .is_none_or(|search| texts.iter().any(|text| search.is_in(text)))
                    };
                    let mut expected: Vec<_> = all.iter().filter(is_found).collect();
                    expected.sort_by_key(|item| item.position(*sort));
                    if sort.is_descending {
                        expected.reverse();
                    }
                    let expected: Vec<_> =
                        expected.iter().map(|item| item.position(*sort)).collect();
                    for limit in [1, 3, 500] {
                        let items = self.read_all(&query, limit);
                        let items: Vec<_> = items.iter().map(|item| item.position(*sort)).collect();
                        assert_eq!(items, expected, "{sort:?} {search:?} {since:?}");
                    }
                    assert_eq!((self.count)(&query), Some(expected.len() as u32));
                    found += usize::from(!expected.is_empty());
                }
            }
        }
        found
    }
}

/// Calls `make` with each name, a second after the one before.
pub(crate) fn each_second(installation: &Installation, mut make: impl FnMut(&str)) {
    for (second, name) in (0..).zip(NAMES) {
        installation.wait_until(Duration::from_secs(second));
        make(name);
    }
}

pub(crate) fn named(name: &str) -> String {
    serde_json::json!({ "name": name }).to_string()
}
