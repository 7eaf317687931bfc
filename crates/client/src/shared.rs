// Made of docs/openapi.json by `cargo xtask openapi`.

//! What several resources have in common: the operations.

mod answers;

pub use self::answers::*;
