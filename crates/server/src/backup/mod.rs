//! Backups: one state of the database, and the files that it names.
//!
//! A folder holds any number of backups. Each is a folder in it, named after its time ([`folder`]), with the database
//! as a file of SQLite and a [`manifest`] of everything with its hash. The manifest is written last, so a folder
//! without one is no backup. Files are stored once for all backups, under the hash of their content ([`store`]).
//! [`make`] makes a backup beside a running server, [`verify`] reads one again, and [`restore`] makes an installation
//! of one.

mod durable;
pub mod folder;
pub mod make;
pub mod manifest;
pub mod progress;
pub mod prune;
pub mod restore;
mod store;
pub mod verify;

/// The name of the database in a backup.
const DATABASE: &str = "database.sqlite";
