//! Lists, page by page.

use serde::Serialize;

/// Which part of a list is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PageQuery {
    /// At most so many items, 1 to 1000; the whole list if there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Goes on where a page ended: its [`Page::next`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` for the last one. Events go on after it.
    pub next: Option<String>,
    /// How many items there are on all pages, if `count` asked for that and it is known.
    pub total: Option<u64>,
    /// Of events: the cursor after which to go on later, whatever comes.
    pub follow: Option<String>,
}
