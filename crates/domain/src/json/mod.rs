//! JSON as it comes in, before serde sees it, and JSON that is only stored.
//!
//! serde_json lets a duplicate member through, and its `RawValue`, in which botyard keeps what it
//! only stores, bounds no depth either. So every body goes through the [strict check] first.
//!
//! [strict check]: check_object

mod number;
mod opaque;
mod size;
mod strict;

pub use number::{Number, write_number};
pub use opaque::{Json, JsonObject};
pub(crate) use size::{size_of, takes_at_most};
pub use strict::{
    MAX_DEPTH, MAX_MEMBERS, MAX_NUMBER, Member, Object, check_line, check_object, check_value,
};
