// Made of docs/openapi.json by `cargo xtask openapi`.

//! What several resources have in common.

mod answers;

pub use self::answers::*;
