//! Lists that clients sort, search and filter (`docs/api.md`, "Finding in lists").

mod find;
mod follow;
mod of_bot;
mod query;
mod reader;
mod repository;
mod search;
mod service;
mod service_methods;
mod sort;

pub(crate) use find::{Counting, ListedOf, count, count_step, part};
pub(crate) use follow::follow;
pub use follow::{EventRange, ListChanges};
pub(crate) use of_bot::listed_of_bot;
pub use query::{Condition, ListFilter, ListQuery, Listed};
pub use reader::{ListCursor, ListReader, ReadPart};
pub use repository::{Candidate, ListOwner, ListRepository, ListSelection, ListedResource};
pub use search::{SEARCH_MAX, Search};
pub use service::ListService;
pub(crate) use service_methods::list_methods;
pub(crate) use sort::sort_words;
pub use sort::{ListPosition, Sort, SortField, SortKey, SortWords};

/// Items of a list, and the position to go on after, unless these were the last.
pub type ListPart<T, I> = (Vec<T>, Option<ListPosition<I>>);

/// Up to how many items a list is counted. If there are more, their number is not said.
pub const COUNTED_MAX: u32 = 100_000;
