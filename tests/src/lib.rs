//! The harness of the black-box tests: the built server as a process, on SQLite and on PostgreSQL,
//! and tenants to call it with.
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
pub mod audit;
mod client;
mod database;
mod installation;
mod macros;
pub mod raw;
mod response;
pub mod sample;
mod server;
mod tenant;

pub use app::TestApp;
pub use client::{Caller, Client, Request};
pub use database::{Database, Sql};
pub use installation::{Installation, binary};
pub use response::Response;
pub use server::Server;
pub use tenant::{Mint, OnBot, Snapshot, Tenant, TestToken};
