//! Moving the write-ahead log into the database file.
//!
//! The log can only be written anew from its beginning when all of it is in the file and no transaction reads
//! from it. Look-ups leave their transactions open, so these are ended before and after.

use std::time::Duration;

use diesel::prelude::*;
use r2d2::Pool;

use super::pool::{ReadOnly, end_all};
use super::snapshot::Generation;
use crate::sql::transaction::{Checkpoint, LogPages};

/// How many pages the log grows by until it is moved: 8 MiB.
const PAGES: i64 = 1_000;
/// The same, if look-ups were in its way.
const RETRY: i64 = 100;

/// How long look-ups in progress are waited for.
const PATIENCE: Duration = Duration::from_millis(5);

/// What is known of the write-ahead log.
#[derive(Default)]
pub struct Log {
    /// How many pages it had when it was moved last.
    moved_at: i64,
}

impl Log {
    /// Moves the log if it has grown enough. As long as another process reads an old state, it stays, and
    /// grows.
    ///
    /// # Errors
    /// Of the database. What is committed is in the log, so nothing is lost.
    pub fn checkpoint_if_long(
        &mut self,
        writer: &mut SqliteConnection,
        (readers, generation): (&Pool<ReadOnly>, &Generation),
    ) -> QueryResult<()> {
        type Pages = (i64, i64, i64);
        let (_, pages, _) = LogPages.get_result::<Pages>(writer)?;
        if pages < self.moved_at {
            self.moved_at = 0;
        }
        if pages - self.moved_at < PAGES {
            return Ok(());
        }
        // What is begun from here on shows the end of the log, so that all of it can be moved; and what is
        // begun when it has been moved reads from the file.
        let show_all = end_all(readers, PATIENCE);
        let (_, pages, _) = Checkpoint.get_result::<Pages>(writer)?;
        generation.raise([]);
        let read_file = end_all(readers, PATIENCE);
        self.moved_at = if show_all && read_file { pages } else { pages - PAGES + RETRY };
        Ok(())
    }
}
