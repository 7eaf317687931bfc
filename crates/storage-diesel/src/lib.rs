//! The store of botyard on SQLite and PostgreSQL, through diesel.
//!
//! Start at [`DieselStore`], which is a [`SqliteStore`] or a [`PostgresStore`]. On SQLite one thread writes
//! (`sqlite/writer.rs`) and some read; on PostgreSQL some threads write and others read
//! (`postgres/worker.rs`). Either way a unit of work meets the same `engine/tx.rs`, on which each repository of the domain is implemented
//! in the file of its concept in `tables/`. There are no rules of the domain here.

pub mod check;
mod engine;
mod migrations;
mod open;
mod postgres;
pub mod snapshot;
mod sql;
mod sqlite;
mod store;
pub mod system;
mod tables;
pub mod transfer;

#[cfg(test)]
mod plans;

pub use migrations::{MigrationStatus, migrate, migration_status};
pub use open::{DatabaseUrl, OnFatal, OpenError, Options};
pub use postgres::store::PostgresStore;
pub use postgres::tls::SUPPORTED as HAS_TLS;
pub use sqlite::store::SqliteStore;
pub use store::DieselStore;
