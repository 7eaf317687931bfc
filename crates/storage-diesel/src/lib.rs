//! The store of botyard on SQLite and PostgreSQL, through diesel.
//!
//! Start at [`DieselStore`], which is a [`SqliteStore`] or a [`PostgresStore`]. On SQLite one thread writes
//! (`sqlite/writer.rs`) and some read; on PostgreSQL some threads write and others read (`postgres/worker.rs`). Either
//! way a unit of work meets the same `engine/tx.rs`, on which each repository of the domain is implemented in the file
//! of its concept in `tables/`. There are no rules of the domain here.
//!
//! The features `sqlite` and `postgres`, both on by default, say which databases are in a build. Either one alone will
//! do; an address of the other one is then [`OpenError::NotInBuild`]. Checks of a database
//! (`check`), backups (`snapshot`) and copies between databases (`transfer`) need both.

#[cfg(not(any(feature = "postgres", feature = "sqlite")))]
compile_error!("botyard-storage-diesel needs the feature `sqlite`, `postgres` or both");

#[cfg(all(feature = "postgres", feature = "sqlite"))]
pub mod check;
#[cfg_attr(
    not(all(feature = "postgres", feature = "sqlite")),
    expect(dead_code, reason = "some of it serves only one of the databases")
)]
mod engine;
mod migrations;
mod open;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
pub mod snapshot;
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
pub mod system;
mod tables;
#[cfg(all(feature = "postgres", feature = "sqlite"))]
pub mod transfer;

#[cfg(test)]
#[cfg(all(feature = "postgres", feature = "sqlite"))]
mod plans;

pub use migrations::{MigrationStatus, migrate, migration_status};
pub use open::{DatabaseUrl, OnFatal, OpenError, Options};
#[cfg(feature = "postgres")]
pub use postgres::store::PostgresStore;
#[cfg(feature = "postgres")]
pub use postgres::tls::SUPPORTED as HAS_TLS;
#[cfg(feature = "sqlite")]
pub use sqlite::store::SqliteStore;
pub use store::DieselStore;
