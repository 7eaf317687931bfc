//! What is asked of a list.

use super::repository::ListedResource;
use super::search::Search;
use super::sort::{ListPosition, Sort, SortField, SortKey, SortWords};
use crate::clock::Timestamp;
use crate::crawl::CrawlStatus;
use crate::document::ExtractionStatus;
use crate::event::EventType;
use crate::id::{BotId, Identifier};

/// What stands in a list that can be sorted, searched and filtered.
pub trait Listed: Sized {
    /// How it is identified.
    type Id: Identifier;
    /// By what such a list can be filtered.
    type Filter: ListFilter;

    /// What it is to the database.
    const RESOURCE: ListedResource;
    /// The orders of such a list.
    const SORTS: SortWords;
    /// The types of events by which an item gets into such a list, or changes in it.
    const EVENTS: &'static [EventType];
    /// The types of events that are about many items at once, which they do not name.
    const BULK_EVENTS: &'static [EventType] = &[];
    /// Whether the time of creation can precede that of the identifier. If not, identifiers have the order of creation.
    const IS_OLDER_THAN_ITS_ID: bool = false;

    /// Its identifier.
    fn id(&self) -> Self::Id;

    /// What it is sorted by; `None` where that is its identifier alone.
    fn sort_key(&self, by: SortField) -> Option<SortKey>;

    /// Whether this is a position of a list in this order.
    #[must_use]
    fn is_position(sort: Sort, position: &ListPosition<Self::Id>) -> bool {
        match (sort.by, &position.key) {
            (SortField::CreatedAt, None) => !Self::IS_OLDER_THAN_ITS_ID,
            (SortField::CreatedAt, Some(SortKey::Number(millis))) => {
                Self::IS_OLDER_THAN_ITS_ID && is_time(*millis)
            }
            (SortField::UpdatedAt, Some(SortKey::Number(millis))) => is_time(*millis),
            (SortField::Size, Some(SortKey::Number(_))) => true,
            // PostgreSQL takes no U+0000 in a text.
            (SortField::Name, Some(SortKey::Text(text))) => !text.contains('\0'),
            (_, None | Some(SortKey::Text(_) | SortKey::Number(_))) => false,
        }
    }

    /// Its position in a list of this order.
    fn position(&self, sort: Sort) -> ListPosition<Self::Id> {
        ListPosition { key: self.sort_key(sort.by), id: self.id() }
    }
}

const fn is_time(millis: i64) -> bool {
    Timestamp::from_millis(millis).millis() == millis
}

/// What a list is filtered by beside what all lists have.
pub trait ListFilter: Clone + Default + PartialEq + Send + Sync + 'static {
    /// The conditions that all items meet. The first one is that by which the fewest items are found.
    fn conditions(&self) -> Vec<Condition>;
}

/// No filter.
impl ListFilter for () {
    fn conditions(&self) -> Vec<Condition> {
        Vec::new()
    }
}

/// What the items of a list have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Crawls with this status.
    CrawlStatus(CrawlStatus),
    /// Documents whose extraction has this status.
    ExtractionStatus(ExtractionStatus),
    /// Documents of exactly this type.
    MimeType(String),
    /// Documents that are assigned to this bot.
    OnBot(BotId),
    /// Documents that are assigned to any bot that can be found, or to none.
    Assigned(bool),
}

impl Condition {
    /// Whether it has a text with U+0000 in it, which PostgreSQL does not take.
    pub(super) fn has_nul(&self) -> bool {
        matches!(self, Self::MimeType(text) if text.contains('\0'))
    }
}

/// Which items of a list, and in which order. By default all of them, oldest first.
pub struct ListQuery<R: Listed> {
    sort: Sort,
    /// Only what has this in its name.
    pub search: Option<Search>,
    /// Only what was changed at this time or later.
    pub updated_since: Option<Timestamp>,
    /// Only what matches this.
    pub filter: R::Filter,
}

// `#[derive(Clone)]` would require `R: Clone`.
impl<R: Listed> Clone for ListQuery<R> {
    fn clone(&self) -> Self {
        let Self { sort, search, updated_since, filter } = self;
        Self {
            sort: *sort,
            search: search.clone(),
            updated_since: *updated_since,
            filter: filter.clone(),
        }
    }
}

impl<R: Listed> Default for ListQuery<R> {
    fn default() -> Self {
        Self {
            sort: Sort::OLDEST_FIRST,
            search: None,
            updated_since: None,
            filter: R::Filter::default(),
        }
    }
}

impl<R: Listed> ListQuery<R> {
    /// The same in another order; `None` if such a list can't be in that.
    #[must_use]
    pub fn sorted(self, sort: Sort) -> Option<Self> {
        R::SORTS.word(sort).map(|_| Self { sort, ..self })
    }

    /// The order.
    #[must_use]
    pub const fn sort(&self) -> Sort {
        self.sort
    }

    /// Whether what changes in the list can be followed once it was read.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        self.updated_since.is_some() && self.sort == Sort::ascending(SortField::UpdatedAt)
    }

    /// The same in the order in which its items are counted best: that of an index which finds them, if there is one.
    pub(crate) fn in_order_to_count(&self) -> Self {
        let by_update = self.updated_since.is_some() && self.filter.conditions().is_empty();
        let by = if by_update { SortField::UpdatedAt } else { SortField::CreatedAt };
        Self { sort: Sort::ascending(by), ..self.clone() }
    }

    /// Whether it asks for no more than the whole list, oldest first.
    pub(crate) fn is_plain(&self) -> bool {
        let Self { sort, search, updated_since, filter } = self;
        *sort == Sort::OLDEST_FIRST
            && search.is_none()
            && updated_since.is_none()
            && *filter == R::Filter::default()
    }
}
