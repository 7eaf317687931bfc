//! Files for tests of several packages: archives, valid ones and broken ones, and documents of every format
//! from which text is extracted.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[expect(missing_docs, reason = "the fields are called as in the specification of the format")]
pub mod archive;
pub mod image;
pub mod office;
pub mod pdf;
