//! Whole databases: all tables as a list, what they have, and copies from one database to another.
//!
//! [`copy_database`] works between SQLite and PostgreSQL in any direction. It reads one state of the source, a row at a
//! time, and writes the target in one transaction, so that a copy is there as a whole or not at all. [`TABLES`] says
//! what there is to copy.

mod copy;
mod error;
mod indexes;
mod insert;
mod progress;
mod row;
mod side;
mod summary;
mod tables;

pub(crate) use copy::check_empty;
pub use copy::copy_database;
pub use error::TransferError;
pub use progress::{Progress, TransferPhase};
pub use summary::{TableSummary, summarize};
pub use tables::{Column, ColumnType, TABLES, Table};
