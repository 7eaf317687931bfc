//! The order of a list, and positions in it.

use crate::clock::Timestamp;

/// By what a list is sorted. Items that have the same there are sorted by their identifier, in the same direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SortField {
    /// The name, the title, the name of the file or the guestId: what the resource has of these. By bytes of UTF-8.
    Name,
    /// The bytes of the file.
    Size,
    /// When it was made.
    CreatedAt,
    /// When it was changed last.
    UpdatedAt,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sort {
    /// By what.
    pub by: SortField,
    /// From the greatest to the least.
    pub is_descending: bool,
}

impl Sort {
    /// Oldest first: what a list is where nothing else is asked for.
    pub const OLDEST_FIRST: Self = Self::ascending(SortField::CreatedAt);

    /// From the least to the greatest.
    #[must_use]
    pub const fn ascending(by: SortField) -> Self {
        Self { by, is_descending: false }
    }

    /// From the greatest to the least.
    #[must_use]
    pub const fn descending(by: SortField) -> Self {
        Self { by, is_descending: true }
    }
}

/// What clients call the orders of a list.
#[derive(Debug, Clone, Copy)]
pub struct SortWords {
    /// The words, each at the position of its order.
    pub words: &'static [&'static str],
    /// The orders.
    pub sorts: &'static [Sort],
}

impl SortWords {
    /// The order of a word.
    #[must_use]
    pub fn parse(&self, word: &str) -> Option<Sort> {
        let at = self.words.iter().position(|known| *known == word)?;
        self.sorts.get(at).copied()
    }

    /// The word of an order; `None` if the list can't be in that.
    #[must_use]
    pub fn word(&self, sort: Sort) -> Option<&'static str> {
        let at = self.sorts.iter().position(|known| *known == sort)?;
        self.words.get(at).copied()
    }
}

/// The fields by which a list can be sorted, with the word for each: `-` before it makes the order descending.
macro_rules! sort_words {
    ($($word:literal by $field:ident,)+) => {
        $crate::list::SortWords {
            words: &[$($word, concat!("-", $word)),+],
            sorts: &[$(
                $crate::list::Sort::ascending($crate::list::SortField::$field),
                $crate::list::Sort::descending($crate::list::SortField::$field)
            ),+],
        }
    };
}
pub(crate) use sort_words;

/// What an item is sorted by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SortKey {
    /// A text.
    Text(String),
    /// A number, or the milliseconds of a time.
    Number(i64),
}

impl From<&str> for SortKey {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Timestamp> for SortKey {
    fn from(time: Timestamp) -> Self {
        Self::Number(time.millis())
    }
}

/// The position of an item in its list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListPosition<I> {
    /// What it is sorted by; `None` where that is its identifier alone.
    pub key: Option<SortKey>,
    /// Its identifier.
    pub id: I,
}

impl<I> ListPosition<I> {
    /// A position in the order of identifiers.
    #[must_use]
    pub const fn of(id: I) -> Self {
        Self { key: None, id }
    }

    /// A position before all items that have this key.
    pub(crate) fn before(key: SortKey) -> Self
    where
        I: Default,
    {
        Self { key: Some(key), id: I::default() }
    }

    /// The same position with the identifier as another type.
    #[must_use]
    pub fn map<J>(self, to: impl FnOnce(I) -> J) -> ListPosition<J> {
        ListPosition { key: self.key, id: to(self.id) }
    }
}
