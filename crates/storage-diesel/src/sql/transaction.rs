//! The fixed statements that need no table.

use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::BigInt;

/// Declares statements that never change, so that a connection prepares each of them once.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, QueryId)]
        pub(crate) struct $name;

        impl<DB: Backend> QueryFragment<DB> for $name {
            fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
                out.push_sql($sql);
                Ok(())
            }
        }

        impl<C> RunQueryDsl<C> for $name {}
    )+};
}

statements! {
    /// Begins a transaction that reads.
    Begin = "BEGIN";
    /// Begins a transaction that writes. With a plain `BEGIN`, a look-up followed by a change fails
    /// at once if another process has written in between.
    BeginImmediate = "BEGIN IMMEDIATE";
    /// Keeps what the transaction did.
    Commit = "COMMIT";
    /// Undoes what the transaction did.
    Rollback = "ROLLBACK";
    /// Begins a unit of work inside a batch.
    Savepoint = "SAVEPOINT unit";
    /// Ends a unit of work inside a batch.
    Release = "RELEASE unit";
    /// Undoes a unit of work inside a batch.
    RollbackTo = "ROLLBACK TO unit";
    /// A number that changes when another connection has changed the database.
    DataVersion = "PRAGMA data_version";
    /// How many pages of the file hold nothing any more.
    FreePages = "PRAGMA freelist_count";
    /// How many pages the write-ahead log has, and how many of them are in the file as well.
    LogPages = "PRAGMA wal_checkpoint(NOOP)";
    /// Copies the pages of the log into the file, as far as no transaction needs what is there now.
    Checkpoint = "PRAGMA wal_checkpoint(PASSIVE)";
    /// Gives back the memory of pages that are kept only for the next time they are needed.
    ShrinkMemory = "PRAGMA shrink_memory";
}

impl Query for DataVersion {
    type SqlType = BigInt;
}

impl Query for LogPages {
    /// Whether it was blocked, pages of the log, and pages that are in the file.
    type SqlType = (BigInt, BigInt, BigInt);
}

impl Query for Checkpoint {
    /// As of [`LogPages`].
    type SqlType = (BigInt, BigInt, BigInt);
}

impl Query for FreePages {
    type SqlType = BigInt;
}
