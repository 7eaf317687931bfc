//! What a [`Store`] and a place of [`Blobs`](domain::blob::Blobs) must do, as suites of tests for those who
//! implement one.
//!
//! - `contract/`: what every [`Store`] must do, one file for each repository.
//! - `services/`: what the services of `domain` do on any store, concurrency and crashes included.
//! - [`blobs`]: what every blob store must do.
//!
//! An implementation makes a test of each case that [`for_each_contract_case`], [`for_each_service_case`]
//! and [`for_each_blob_case`] hand to a macro of its own, which calls [`run`] with the case's name;
//! `crates/storage-diesel/tests/store` does so on both databases.
//!
//! A case needs a store that is open and whose tables are there. It makes an organisation of its own, so
//! cases may share a database; only those of `access_version` and those that do jobs, which belong to no
//! organisation, want one that nothing else uses. Cases need no runtime: they wait on threads of their own.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::disallowed_methods,
    reason = "these are tests, though they are compiled as a library"
)]

mod acting_store;
pub mod blobs;
#[macro_use]
mod contract;
mod intercepted_store;
#[macro_use]
mod samples;
mod services;
mod world;

use std::sync::Arc;

use domain::store::Store;

pub use acting_store::ActingStore;
pub use intercepted_store::InterceptedStore;
pub use world::wait;

/// One case: it panics if the store, or a service on it, does not behave.
pub type Case = fn(Arc<dyn Store>);

macro_rules! table {
    ($part:ident: $($group:ident { $($case:ident,)+ })+) => {
        &[$($(
            (
                concat!(stringify!($part), "::", stringify!($group), "::", stringify!($case)),
                $part::$group::$case,
            ),
        )+)+]
    };
}

const CONTRACT: &[(&str, Case)] = for_each_contract_case!(table);
const SERVICES: &[(&str, Case)] = for_each_service_case!(table);

/// Runs the case of this name, like `contract::skills::a_skill_comes_back_as_it_was`.
///
/// # Panics
/// If there is no such case, or if the store does not behave.
pub fn run(name: &str, store: Arc<dyn Store>) {
    let mut cases = CONTRACT.iter().chain(SERVICES);
    let Some((_, case)) = cases.find(|(known, _)| *known == name) else {
        panic!("there is no case {name}");
    };
    case(store);
}
