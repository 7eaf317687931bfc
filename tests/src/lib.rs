//! The harness of the black-box tests: the built server as a process, on SQLite and on PostgreSQL, or the
//! API in the test's own process, and tenants to call it with.
//!
//! Start at [`each_database!`], which makes the two tests of one text, at [`TestApp`], which is what
//! such a test gets, and at [`Tenant`], which holds bots and tokens and hands out [`Client`]s. Every
//! answer to every request of a client goes through [`audit`], so that no test has to think of the
//! rules that hold for all answers. What no decent HTTP client would send goes through [`raw`].
//!
//! Tenants are made with the services of the domain crate on the server's own database, as the
//! command line does it: no test depends on the operations that it tests in order to begin.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod app;
mod at_once;
pub mod audit;
mod changes;
mod client;
mod database;
mod form;
mod installation;
mod local;
mod macros;
pub mod memory;
mod on_bot;
mod operations;
pub mod raw;
mod recorded;
mod response;
pub mod sample;
mod server;
mod site;
mod snapshot;
mod tenant;
mod token;
mod typed;
pub mod waiting;
mod wrapped;

pub use self::client::{Caller, Client, Request};
pub use app::TestApp;
pub use at_once::at_once;
pub use changes::{Changes, UNCOUNTED_COLUMNS, UNCOUNTED_JOBS, UNCOUNTED_TABLE};
pub use database::{Database, Sql};
pub use form::Form;
pub use installation::{Installation, binary};
pub use on_bot::OnBot;
pub use raw::Connection;
pub use recorded::record;
pub use response::Response;
pub use server::Server;
pub use site::{CRAWLS_LOOPBACK, Posted, Reply, Site};
pub use snapshot::Snapshot;
pub use tenant::Tenant;
pub use token::{Mint, TestToken};
pub use wrapped::wrapped;
