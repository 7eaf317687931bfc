//! Things with entity tags (RFC 9110, section 8.8.3).

use std::ops::Deref;

/// A thing as it was answered, and the state that it was in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tagged<T> {
    pub(crate) inner: T,
    pub(crate) entity_tag: Option<String>,
}

impl<T> Tagged<T> {
    /// The entity tag of its state, for [`BotClient::if_match`](crate::BotClient::if_match); `None` if there is
    /// nothing.
    pub fn entity_tag(&self) -> Option<&str> {
        self.entity_tag.as_deref()
    }

    /// The thing without its tag.
    pub fn into_inner(self) -> T {
        self.inner
    }
}

impl<T> Deref for Tagged<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}
