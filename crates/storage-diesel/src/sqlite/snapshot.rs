//! Read transactions that stay open from one look-up to the next.
//!
//! A transaction of its own costs a look-up more than the look-up: SQLite takes and drops locks on the
//! write-ahead log with system calls, in which all threads of a process wait for one another. So a connection
//! keeps its transaction as long as nothing was committed.

use std::time::{Duration, Instant};

use diesel::prelude::*;

use crate::engine::generation::Generation;
use crate::sql::transaction::{Begin, Commit, ShrinkMemory};

/// How long a state of the database is read at most. What another process commits is seen so much later.
pub const MAX_AGE: Duration = Duration::from_millis(20);

/// How long a connection that is not in use keeps the pages that it has read.
const PAGES_KEPT: Duration = Duration::from_secs(1);

/// A connection that reads, and the state of the database that it shows.
pub struct ReadConnection {
    pub db: SqliteConnection,
    snapshot: Option<OpenSnapshot>,
    /// When it began to read last, if it may have pages in its memory.
    read: Option<Instant>,
}

/// What was current before the open transaction began.
struct OpenSnapshot {
    generation: u64,
    since: Instant,
}

impl ReadConnection {
    /// A connection without a transaction.
    pub const fn new(db: SqliteConnection) -> Self {
        Self { db, snapshot: None, read: None }
    }

    /// Shows all that this process has committed by now, and what other processes had committed
    /// [`MAX_AGE`] ago; returns whether it is a new transaction, which shows all of that as well.
    ///
    /// # Errors
    /// If no transaction can be begun.
    pub fn refresh(&mut self, generation: &Generation, now: Instant) -> QueryResult<bool> {
        let current = generation.current();
        let is_current = self.snapshot.as_ref().is_some_and(|snapshot| {
            snapshot.generation == current && now.duration_since(snapshot.since) < MAX_AGE
        });
        if is_current {
            return Ok(false);
        }
        self.begin(now)?;
        self.snapshot = Some(OpenSnapshot { generation: current, since: now });
        Ok(true)
    }

    /// Begins a transaction that shows all that is committed now, also by other processes.
    ///
    /// # Errors
    /// If none can be begun.
    pub fn begin(&mut self, now: Instant) -> QueryResult<()> {
        self.end()?;
        Begin.execute(&mut self.db)?;
        self.read = Some(now);
        Ok(())
    }

    /// Ends the transaction, if one is open: the log can't be written anew from its beginning as long as one
    /// shows what is in it.
    ///
    /// # Errors
    /// If it stays open.
    pub fn end(&mut self) -> QueryResult<()> {
        if self.snapshot.is_some() {
            Commit.execute(&mut self.db)?;
            self.snapshot = None;
        }
        Ok(())
    }

    /// Gives back the memory of the pages that it has read, if that was a while ago.
    ///
    /// # Errors
    /// Of the database.
    pub fn release_memory(&mut self) -> QueryResult<()> {
        if self.read.is_some_and(|read| read.elapsed() >= PAGES_KEPT) {
            self.read = None;
            ShrinkMemory.execute(&mut self.db)?;
        }
        Ok(())
    }
}
