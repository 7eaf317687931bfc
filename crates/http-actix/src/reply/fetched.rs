//! What the services answer when they are asked for some items of a list.

use domain::batch::Batch;

/// What one fetch found.
pub trait Fetched<K> {
    /// What the list consists of.
    type Item;

    /// The items of a fetch that asked for so many, and what there may be behind them.
    fn into_parts(self, asked: u32) -> (Vec<Self::Item>, RemainingPages<K>);
}

/// What may be behind the items of a fetch.
pub enum RemainingPages<K> {
    /// Nothing.
    Nothing,
    /// More, after the last of the items.
    AfterLast,
    /// More, after this key.
    After(K),
}

/// Fewer than asked for are the last ones.
impl<T, K> Fetched<K> for Vec<T> {
    type Item = T;

    fn into_parts(self, asked: u32) -> (Self, RemainingPages<K>) {
        let remaining = if self.len() < asked as usize {
            RemainingPages::Nothing
        } else {
            RemainingPages::AfterLast
        };
        (self, remaining)
    }
}

/// The batch says whether it is the last.
impl<T, K> Fetched<K> for Batch<T> {
    type Item = T;

    fn into_parts(self, _: u32) -> (Vec<T>, RemainingPages<K>) {
        let remaining =
            if self.is_last() { RemainingPages::Nothing } else { RemainingPages::AfterLast };
        (self.into_items(), remaining)
    }
}

/// However few items there are, the key says whether there are more.
impl<T, K> Fetched<K> for (Vec<T>, Option<K>) {
    type Item = T;

    fn into_parts(self, _: u32) -> (Vec<T>, RemainingPages<K>) {
        let (items, next) = self;
        (items, next.map_or(RemainingPages::Nothing, RemainingPages::After))
    }
}
