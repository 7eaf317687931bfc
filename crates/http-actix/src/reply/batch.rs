//! What the services answer when they are asked for some items of a list.

/// What one fetch found.
pub trait Batch<K> {
    /// What the list consists of.
    type Item;

    /// The items of a fetch that asked for so many, and what there may be behind them.
    fn into_parts(self, asked: u32) -> (Vec<Self::Item>, Rest<K>);
}

/// What may be behind the items of a fetch.
pub enum Rest<K> {
    /// Nothing.
    Nothing,
    /// More, after the last of the items.
    AfterLast,
    /// More, after this key.
    After(K),
}

/// Fewer than asked for are the last ones.
impl<T, K> Batch<K> for Vec<T> {
    type Item = T;

    fn into_parts(self, asked: u32) -> (Self, Rest<K>) {
        let rest = if self.len() < asked as usize { Rest::Nothing } else { Rest::AfterLast };
        (self, rest)
    }
}

/// However few there are, the key tells whether there are more.
impl<T, K> Batch<K> for (Vec<T>, Option<K>) {
    type Item = T;

    fn into_parts(self, _: u32) -> (Vec<T>, Rest<K>) {
        let (items, next) = self;
        (items, next.map_or(Rest::Nothing, Rest::After))
    }
}
