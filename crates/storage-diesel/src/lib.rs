//! The store of botyard on SQLite and PostgreSQL, through diesel.
//!
//! Start at [`DieselStore`]. On SQLite one thread writes ([`sqlite_writer`]) and some read
//! ([`sqlite_reader`]); on PostgreSQL every thread does both ([`postgres_worker`]). Either way a unit
//! of work meets the same [`tx`], on which each repository of the domain is implemented in the file
//! of its concept. There are no rules here beyond "a row says what it says".

mod access_version;
mod blob;
mod bot;
mod bulk;
mod changelog;
mod chunk;
mod conditions;
mod crawl;
mod db;
mod document;
mod errors;
mod feedback;
mod fusion;
mod history;
mod job;
mod json;
mod keyset;
mod keyval;
mod listener;
mod max_age;
mod meters;
mod migrations;
mod open;
mod organisation;
mod page_set;
mod pool;
mod postgres;
mod postgres_worker;
mod project;
mod queued_unit;
mod rows;
mod schema;
mod skill;
mod sqlite;
mod sqlite_reader;
mod sqlite_writer;
mod stage;
mod statement;
mod store;
pub mod system;
mod token;
mod tx;
mod unit_queue;
mod usage;
mod user;
mod visual_block;

#[cfg(test)]
mod plans;

pub use migrations::{MigrationStatus, migrate, migration_status};
pub use open::{DatabaseUrl, OnFatal, OpenError, Options};
pub use store::DieselStore;
