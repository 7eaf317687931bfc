//! Sessions of a server.

use std::sync::Arc;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use r2d2::{ManageConnection, Pool};

use super::server::Server;
use crate::engine::pool::{NoSession, Session, builder};
use crate::open::OpenError;

/// A session that was not used for this long is tested before it is used.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

/// A session that was not used for this long is closed, within half a minute: it has buffers for the longest value that
/// went over it, here, and what PostgreSQL's process for it has read, there.
const KEPT_FOR: Duration = Duration::from_secs(20);

/// Opens them.
pub struct Sessions(Arc<Server>);

impl ManageConnection for Sessions {
    type Connection = Session<PgConnection>;
    type Error = NoSession;

    fn connect(&self) -> Result<Self::Connection, NoSession> {
        let connected = self.0.connect().map_err(|error| NoSession(error.into_text()))?;
        Ok(Session::new(connected))
    }

    fn is_valid(&self, session: &mut Self::Connection) -> Result<(), NoSession> {
        if session.idle() < TRUSTED_FOR {
            return Ok(());
        }
        session.db.batch_execute("SELECT 1").map_err(|error| NoSession(error.to_string()))
    }

    fn has_broken(&self, session: &mut Self::Connection) -> bool {
        session.is_broken() || session.is_bloated()
    }
}

/// At most so many sessions, opened when they are needed, and closed when they no longer are.
///
/// # Errors
/// [`OpenError`] if the pool has no thread.
pub fn open(server: Arc<Server>, size: usize) -> Result<Pool<Sessions>, OpenError> {
    let pool = builder(size).min_idle(Some(0)).idle_timeout(Some(KEPT_FOR)).build(Sessions(server));
    pool.map_err(|error| OpenError::Failed(error.to_string()))
}
