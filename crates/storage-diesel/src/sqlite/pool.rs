//! Connections that read a file.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use r2d2::{ManageConnection, Pool, PooledConnection};

use super::connect::{connect, make_reader};
use super::snapshot::ReadConnection;
use crate::engine::pool::{NoSession, Session, builder};
use crate::open::OpenError;

/// Opens them, read-only.
pub struct ReadOnly(PathBuf);

impl ManageConnection for ReadOnly {
    type Connection = Session<ReadConnection>;
    type Error = NoSession;

    fn connect(&self) -> Result<Self::Connection, NoSession> {
        let no_session = |error: OpenError| NoSession(error.to_string());
        let mut connection = connect(&self.0).map_err(no_session)?;
        make_reader(&mut connection).map_err(no_session)?;
        Ok(Session::new(ReadConnection::new(connection)))
    }

    fn is_valid(&self, _: &mut Self::Connection) -> Result<(), NoSession> {
        Ok(())
    }

    fn has_broken(&self, session: &mut Self::Connection) -> bool {
        session.is_broken()
    }
}

/// So many connections to this file, opened now and kept.
///
/// # Errors
/// [`OpenError`] if they can't be opened.
pub fn open(path: PathBuf, size: usize) -> Result<Pool<ReadOnly>, OpenError> {
    let pool = builder(size).max_lifetime(None).idle_timeout(None).build(ReadOnly(path));
    pool.map_err(|error| OpenError::Failed(error.to_string()))
}

/// Ends the transactions of all connections, as far as they are not in use for longer than `timeout`; returns
/// whether none was. Until it has all of them, look-ups wait.
pub fn end_all(connections: &Pool<ReadOnly>, timeout: Duration) -> bool {
    let until = Instant::now() + timeout;
    // They are taken out all at once, because one that is put back is the first to be handed out again.
    let mut taken: Vec<PooledConnection<ReadOnly>> = Vec::new();
    for _ in 0..connections.max_size() {
        let timeout = until.saturating_duration_since(Instant::now());
        let session = connections.try_get().or_else(|| connections.get_timeout(timeout).ok());
        taken.extend(session);
    }
    let has_all = taken.len() == connections.max_size() as usize;
    // The one that was taken first is put back last, so that it is again the first to be handed out, and the
    // others are not used, and need no memory for pages, unless several are needed at once.
    while let Some(mut session) = taken.pop() {
        session.begun();
        if session.db.end().and_then(|()| session.db.release_memory()).is_ok() {
            session.ended();
        }
    }
    has_all
}
