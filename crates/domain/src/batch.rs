//! A part of a list that is read at once.

use std::ops::Deref;
use std::vec;

use crate::list::{ListPart, Listed, Sort};

/// Consecutive items of a list whose items may be large: at most as many as were asked for, and of large
/// ones fewer, so that a reader holds about 1 MiB. There is at least one, unless the list has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch<T> {
    items: Vec<T>,
    is_last: bool,
}

impl<T> Batch<T> {
    /// These items; `is_last` if there are none behind them.
    #[must_use]
    pub const fn new(items: Vec<T>, is_last: bool) -> Self {
        Self { items, is_last }
    }

    /// The end of a list that has no more items.
    #[must_use]
    pub const fn empty() -> Self {
        Self::new(Vec::new(), true)
    }

    /// Whether there are no items behind these. If not, there may be.
    #[must_use]
    pub const fn is_last(&self) -> bool {
        self.is_last
    }

    /// The items as a part of a list that is ordered from the oldest to the newest.
    pub(crate) fn into_part(self) -> ListPart<T, T::Id>
    where
        T: Listed,
    {
        let last = self.items.last().filter(|_| !self.is_last);
        let next = last.map(|last| last.position(Sort::OLDEST_FIRST));
        (self.items, next)
    }

    /// The items alone.
    #[must_use]
    pub fn into_items(self) -> Vec<T> {
        self.items
    }

    /// The same batch of what is made from each item.
    #[must_use]
    pub fn map<U>(self, make: impl FnMut(T) -> U) -> Batch<U> {
        Batch::new(self.items.into_iter().map(make).collect(), self.is_last)
    }

    /// As [`Self::map`], where an item can fail.
    ///
    /// # Errors
    /// The first that `make` returns.
    pub fn try_map<U, E>(self, make: impl FnMut(T) -> Result<U, E>) -> Result<Batch<U>, E> {
        let items = self.items.into_iter().map(make).collect::<Result<_, _>>()?;
        Ok(Batch::new(items, self.is_last))
    }
}

impl<T> Deref for Batch<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> IntoIterator for Batch<T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Batch<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

/// A batch is compared with items alone as if it were those.
impl<T: PartialEq, I: AsRef<[T]> + ?Sized> PartialEq<I> for Batch<T> {
    fn eq(&self, items: &I) -> bool {
        self.items == items.as_ref()
    }
}
