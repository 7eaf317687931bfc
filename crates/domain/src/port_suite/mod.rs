//! What every implementation of the [`Store`] port must do, as a suite of tests.
//!
//! An adapter names each case in [`for_each_port_case`](crate::for_each_port_case) a test of its own:
//!
//! ```ignore
//! macro_rules! tests {
//!     ($($group:ident :: $case:ident,)+) => {$(
//!         #[test]
//!         fn $case() {
//!             domain::port_suite::run(stringify!($group::$case), a_fresh_store());
//!         }
//!     )+};
//! }
//! domain::for_each_port_case!(tests);
//! ```
//!
//! A case needs a store that is open and whose tables are there. It makes an organisation of its own,
//! so cases may share a database; only those of `access_version` and those that do jobs, which belong
//! to no organisation, want one that nothing else uses.
//! Cases need no runtime: they wait on threads of their own.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "this is test code, though it is compiled as a library"
)]

mod access_version;
mod blob_removal;
mod blob_rows;
pub mod blobs;
mod bots;
#[macro_use]
mod cases;
mod changelog;
mod chunks;
mod clean_up;
mod clean_up_bounds;
mod content_quota;
mod crawl_addresses;
mod crawl_ends;
mod crawl_pages;
mod crawl_runs;
mod crawl_service;
mod crawl_sitemaps;
mod crawls;
mod document_bots;
mod document_changes;
mod document_copies;
mod document_crowds;
mod document_service;
mod documents;
mod duplicate;
mod extraction_ends;
mod extraction_runs;
mod feedback;
mod fusion_views;
mod hidden_users;
mod history;
mod installation;
mod jobs;
mod keyval;
mod keyval_accesses;
mod keyval_deletes;
mod keyval_lists;
mod max_age;
mod organisations;
mod page_sets;
mod places;
mod recorder;
mod scribe;
mod services;
mod site;
mod skills;
mod stages;
mod teardown;
mod tokens;
mod units;
mod uploads;
mod usage;
mod user_removal;
mod user_service;
mod users;
mod visual_blocks;
mod world;

use std::sync::Arc;

use crate::store::Store;

pub use world::wait;

/// One case: it panics if the store does not behave.
pub type Case = fn(Arc<dyn Store>);

macro_rules! table {
    ($($group:ident :: $case:ident,)+) => {
        /// Every case and its name, `group::case`.
        pub const CASES: &[(&str, Case)] = &[
            $((concat!(stringify!($group), "::", stringify!($case)), $group::$case),)+
        ];
    };
}

for_each_port_case!(table);

/// Runs the case of this name.
pub fn run(name: &str, store: Arc<dyn Store>) {
    let name = name.replace(' ', "");
    let Some((_, case)) = CASES.iter().find(|(known, _)| *known == name) else {
        panic!("there is no case {name}");
    };
    case(store);
}
