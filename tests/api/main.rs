//! Every endpoint over real HTTP, on both databases. The modules mirror the paths.
//!
//! What holds for all answers (headers, the form of problems, no text of another tenant, no secret)
//! is checked by the harness on each of them, and not repeated here.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and a member that JSON does not have reads as null"
)]

mod bots;
mod changelog;
mod changelog_list;
mod checkauth;
mod client;
mod conventions;
mod documents;
mod duplicate;
mod embedding;
mod events;
mod feedback;
mod finding;
mod fusion;
mod idempotency;
mod keyval;
mod lists;
mod log_scan;
mod matrix;
mod max_age;
mod preconditions;
mod process;
mod quota;
mod service;
mod settings;
mod skills;
mod small_disk;
mod stages;
mod supervisor;
mod tables;
mod teardown;
mod usage;
mod useraccess;
mod webhooks;
