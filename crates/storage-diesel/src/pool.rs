//! Pooled connections: the readers of SQLite, and all sessions of PostgreSQL.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use r2d2::{ManageConnection, Pool, PooledConnection};

use crate::db::Db;
use crate::errors::Fault;
use crate::open::OpenError;
use crate::postgres::Server;
use crate::sqlite;

/// A connection that was not used for this long is tested before it is used.
const TRUSTED_FOR: Duration = Duration::from_secs(1);
/// How long a unit waits for a connection that is being made.
const PATIENCE: Duration = Duration::from_secs(4);

/// Connections of one kind.
pub type Connections = Pool<Place>;
/// One of them, on loan.
pub type Connection = PooledConnection<Place>;

/// Where a pool's connections lead. The place says which kind of connection is made: diesel's own
/// manager for both kinds would try one after the other.
pub enum Place {
    /// A file, for reading.
    SqliteReaders(PathBuf),
    /// A server.
    Postgres(Arc<Server>),
}

/// A connection and what is known of its health.
pub struct Session {
    /// The connection.
    pub db: Db,
    used: Instant,
    broken: bool,
}

impl Session {
    /// Says that a transaction begins: until [`Self::ended`] is said, nobody knows what state the
    /// connection is in, and it would be closed.
    pub const fn begun(&mut self) {
        self.broken = true;
    }

    /// Says that the transaction has ended, one way or the other.
    pub fn ended(&mut self) {
        self.broken = false;
        self.used = Instant::now();
    }
}

/// Why no connection could be made.
#[derive(Debug)]
pub struct NoSession(String);

impl fmt::Display for NoSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoSession {}

impl ManageConnection for Place {
    type Connection = Session;
    type Error = NoSession;

    fn connect(&self) -> Result<Session, NoSession> {
        let db = match self {
            Self::SqliteReaders(path) => {
                let open = || {
                    let mut connection = sqlite::connect(path)?;
                    sqlite::make_reader(&mut connection)?;
                    Ok(Db::Sqlite(connection))
                };
                open().map_err(|error: OpenError| NoSession(error.to_string()))?
            }
            Self::Postgres(server) => {
                let connected = server.connect().map(Db::Pg);
                connected.map_err(|fault| NoSession(fault.into_text()))?
            }
        };
        Ok(Session { db, used: Instant::now(), broken: false })
    }

    fn is_valid(&self, session: &mut Session) -> Result<(), NoSession> {
        match &mut session.db {
            Db::Pg(db) if session.used.elapsed() >= TRUSTED_FOR => {
                db.batch_execute("SELECT 1").map_err(|error| NoSession(error.to_string()))
            }
            Db::Pg(_) | Db::Sqlite(_) => Ok(()),
        }
    }

    fn has_broken(&self, session: &mut Session) -> bool {
        session.broken
    }
}

/// Failures to connect reach the units that wait; the log need not have them twice.
#[derive(Debug)]
struct Quiet;

impl r2d2::HandleError<NoSession> for Quiet {
    fn handle_error(&self, error: NoSession) {
        tracing::debug!("no connection: {error}");
    }
}

/// A pool of at most `size` connections. Those of SQLite are opened now and kept, those of
/// PostgreSQL when they are first needed.
///
/// # Errors
/// [`OpenError`] if the connections of SQLite can't be opened.
pub fn open(place: Place, size: usize) -> Result<Connections, OpenError> {
    let builder = Pool::builder()
        .max_size(u32::try_from(size.max(1)).unwrap_or(u32::MAX))
        .connection_timeout(PATIENCE)
        .error_handler(Box::new(Quiet));
    let builder = match &place {
        Place::SqliteReaders(_) => builder.max_lifetime(None).idle_timeout(None),
        Place::Postgres(_) => builder.min_idle(Some(0)),
    };
    builder.build(place).map_err(|error| OpenError::Failed(error.to_string()))
}

/// A connection that works, as far as can be known.
///
/// # Errors
/// [`Fault::Lost`] if there is none.
pub fn take(connections: &Connections) -> Result<Connection, Fault> {
    connections.get().map_err(|error| Fault::Lost(error.to_string()))
}
