//! Notices changes of tokens that other processes make on PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use tokio::sync::oneshot;

use crate::engine::access_version::AccessVersion;
use crate::engine::errors::DbError;
use crate::postgres::server::Server;

/// Notifies every listener once the transaction commits.
pub const NOTIFY: &str = "NOTIFY botyard_access";
const LISTEN: &str = "LISTEN botyard_access";

/// How often the listener looks.
const POLL: Duration = Duration::from_millis(250);
/// How long the version counts as known after the server answered last.
pub const MAX_AGE: Duration = Duration::from_secs(5);
/// The longest pause between two attempts to connect again.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// The name under which operators find the session among those of the server.
const NAME: &str = "SET application_name = 'botyard-listener'";

/// Has the listener look at once; it is dropped when that was done. The channel of them closes when the store
/// does.
pub type Ask = oneshot::Sender<()>;

/// The state of the listening thread.
pub struct Listener {
    server: Arc<Server>,
    access: Arc<AccessVersion>,
    asks: Receiver<Ask>,
    session: Option<PgConnection>,
}

impl Listener {
    /// Connects and listens, so that no change is missed from here on.
    pub fn start(
        server: Arc<Server>,
        access: Arc<AccessVersion>,
        asks: Receiver<Ask>,
    ) -> Result<Self, DbError> {
        let mut listener = Self { server, access, asks, session: None };
        listener.session = Some(listener.connect()?);
        Ok(listener)
    }

    /// Listens until the store is closed.
    pub fn run(mut self) {
        let mut pause = POLL;
        loop {
            let asked = match self.asks.recv_timeout(pause) {
                Ok(asked) => Some(asked),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            match self.look() {
                Ok(session) => {
                    self.session = Some(session);
                    pause = POLL;
                }
                Err(error) => {
                    tracing::warn!("changes by other processes can't be noticed: {error:?}");
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
            drop(asked);
        }
    }

    /// Looks for notifications. If the session is gone, the version is unknown until there is another one,
    /// which is opened at once.
    fn look(&mut self) -> Result<PgConnection, DbError> {
        if let Some(session) = self.session.take() {
            match self.listen(session) {
                Ok(session) => return Ok(session),
                Err(error) => {
                    self.access.lose();
                    tracing::info!("the listening session ended and is opened again: {error:?}");
                }
            }
        }
        self.connect()
    }

    fn connect(&self) -> Result<PgConnection, DbError> {
        // That this session can't be had does not mean that units, which have theirs, must fail.
        let mut session = self.server.open_session()?;
        session.batch_execute(NAME)?;
        Server::mark_in_use(&mut session)?;
        session.batch_execute(LISTEN)?;
        // Tokens may have changed while no session listened, so the version rises.
        self.access.bump();
        self.access.confirm();
        Ok(session)
    }

    /// Sends the server a query, whose answer brings along the notifications that are pending.
    fn listen(&self, mut session: PgConnection) -> Result<PgConnection, DbError> {
        session.batch_execute("SELECT 1")?;
        let mut is_notified = false;
        for notification in session.notifications_iter() {
            notification?;
            is_notified = true;
        }
        if is_notified {
            self.access.bump();
        }
        self.access.confirm();
        Ok(session)
    }
}
