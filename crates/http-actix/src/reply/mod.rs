//! What a handler answers: one value, a list that is streamed page by page, also as a table ([`tabular`]), a list in an
//! object ([`nested`]), or a file ([`file`]).

pub(crate) mod answer_cache;
mod csv;
mod event_stream;
mod feed;
mod fetched;
mod file;
mod kind;
mod list;
mod listing;
mod nested;
mod pager;
mod paging;
mod request_head;
mod source;
mod tabular;
mod tagged;
mod value;
mod writing;

pub use self::csv::Columns;
pub use event_stream::{EVENT_STREAM, EventStream};
pub use feed::{AFTER, Feed};
pub use file::{File, FileHead};
pub(crate) use kind::JSON;
pub use kind::{Reply, ReplyKind, ReplySchema, StorableReply};
pub use list::List;
pub use listing::{ListParams, Searchable, UPDATED_SINCE};
pub use nested::Nested;
pub use paging::{Cursor, LIMIT, Paging, join_texts, split_texts};
pub use request_head::RequestHead;
pub use source::{ListItem, Source};
pub use tabular::{Tabular, TabularList};
pub use tagged::{TaggedAnswer, WithTag};
pub use value::{Answer, Deleted, DeletedCount, Items, Written};
