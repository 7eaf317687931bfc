//! Pooled connections: the readers of SQLite, and all sessions of PostgreSQL.

use std::fmt;
use std::time::{Duration, Instant};

use r2d2::{Builder, ManageConnection, Pool, PooledConnection};

use crate::engine::errors::DbError;

/// How long a unit waits for a connection that is being made.
const TIMEOUT: Duration = Duration::from_secs(4);

/// A session over which a longer value went, either way, is closed. The driver of PostgreSQL keeps its buffers as long as the
/// longest message was, so that a few long values would take memory in every session for good.
const LONGEST_KEPT: u64 = 2 << 20;

/// A connection and what is known of its health.
pub struct Session<C> {
    /// The connection.
    pub db: C,
    used: Instant,
    broken: bool,
    /// Whether its buffers are too large to be kept.
    is_bloated: bool,
}

impl<C> Session<C> {
    /// A connection that was just opened.
    pub fn new(db: C) -> Self {
        Self { db, used: Instant::now(), broken: false, is_bloated: false }
    }

    /// Records that a transaction begins: until [`Self::ended`] is called, the state of the connection is
    /// unknown, and it would be closed.
    pub const fn begun(&mut self) {
        self.broken = true;
    }

    /// Records that the transaction has ended, regardless of its outcome.
    pub fn ended(&mut self) {
        self.broken = false;
        self.used = Instant::now();
    }

    /// Whether a transaction was left open.
    pub const fn is_broken(&self) -> bool {
        self.broken
    }

    /// Records how many bytes the longest value had that went over the connection in a unit.
    pub const fn transferred(&mut self, bytes: u64) {
        self.is_bloated |= bytes > LONGEST_KEPT;
    }

    /// Whether its buffers are too large to be kept.
    pub const fn is_bloated(&self) -> bool {
        self.is_bloated
    }

    /// For how long it was not used.
    pub fn idle(&self) -> Duration {
        self.used.elapsed()
    }
}

/// Why no connection could be made.
#[derive(Debug)]
pub struct NoSession(pub String);

impl fmt::Display for NoSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoSession {}

/// Failures to connect reach the units that wait; the log need not have them twice.
#[derive(Debug)]
struct Quiet;

impl r2d2::HandleError<NoSession> for Quiet {
    fn handle_error(&self, error: NoSession) {
        tracing::debug!("no connection: {error}");
    }
}

/// What all pools have in common; at least one connection.
pub fn builder<M: ManageConnection<Error = NoSession>>(size: usize) -> Builder<M> {
    Pool::builder()
        .max_size(u32::try_from(size.max(1)).unwrap_or(u32::MAX))
        .connection_timeout(TIMEOUT)
        .error_handler(Box::new(Quiet))
}

/// A connection that works, as far as can be known.
///
/// # Errors
/// [`DbError::Lost`] if there is none.
pub fn take<M: ManageConnection>(connections: &Pool<M>) -> Result<PooledConnection<M>, DbError> {
    connections.get().map_err(|error| DbError::Lost(error.to_string()))
}
