//! Every endpoint over real HTTP, on both databases. The modules mirror the paths.
#![expect(
    clippy::indexing_slicing,
    reason = "a test fails by panicking, and JSON without the member is null"
)]

mod bots;
