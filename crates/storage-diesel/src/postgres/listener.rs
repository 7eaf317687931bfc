//! Notices changes of tokens and new events that other processes make on PostgreSQL.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use diesel::connection::SimpleConnection;
use diesel::pg::PgNotification;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use domain::event::NewEvents;
use domain::id::ProjectId;
use tokio::sync::oneshot;

use crate::engine::access_version::AccessVersion;
use crate::engine::errors::DbError;
use crate::postgres::server::Server;

const LISTEN: &str = "LISTEN botyard_access; LISTEN botyard_events";
/// The channel on which projects are named whose tokens changed, or whose bots can't be found any more.
const ACCESS: &str = "botyard_access";
/// The channel on which projects are named that have new events.
pub(super) const EVENTS: &str = "botyard_events";
/// How many projects a notification names at most: it has less than 8 000 bytes. One that names none may concern any.
pub(super) const NAMED: usize = 200;

/// What is announced at the start, in order to see whether notifications are received.
const PROBE: &str = "botyard_probe";
/// It is received at once, unless the server is very busy.
const PROBE_TIME: Duration = Duration::from_secs(5);
const PROBE_PAUSE: Duration = Duration::from_millis(2);

/// How often the listener looks.
const POLL: Duration = Duration::from_millis(250);
/// How long the version counts as known after the server answered last.
pub const MAX_AGE: Duration = Duration::from_secs(5);
/// The longest pause between two attempts to connect again.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// The name under which operators find the session among those of the server.
const NAME: &str = "SET application_name = 'botyard-listener'";

/// Has the listener poll at once; it is dropped when that was done. The channel of them closes when the store
/// does.
pub type PollRequest = oneshot::Sender<()>;

/// The state of the listening thread.
pub struct Listener {
    server: Arc<Server>,
    access: Arc<AccessVersion>,
    new_events: Arc<NewEvents>,
    /// Whether the server took no changes when the listener last looked.
    is_read_only: Arc<AtomicBool>,
    poll_requests: Receiver<PollRequest>,
    session: Option<PgConnection>,
}

#[derive(QueryableByName)]
struct State {
    #[diesel(sql_type = Bool)]
    is_read_only: bool,
}

impl Listener {
    /// Connects and listens, so that no change is missed from here on.
    pub fn start(
        server: Arc<Server>,
        (access, new_events): (Arc<AccessVersion>, Arc<NewEvents>),
        is_read_only: Arc<AtomicBool>,
        poll_requests: Receiver<PollRequest>,
    ) -> Result<Self, DbError> {
        let mut listener =
            Self { server, access, new_events, is_read_only, poll_requests, session: None };
        listener.session = Some(listener.connect()?);
        Ok(listener)
    }

    /// Whether what the sessions of units announce arrives here. It does not if they are in another database, or if a
    /// pooler has given the session that listens to another client.
    pub fn receives_notifications(&mut self, server: &Server) -> Result<bool, DbError> {
        let Some(session) = &mut self.session else {
            return Ok(false);
        };
        session.batch_execute(&format!("LISTEN {PROBE}"))?;
        // Transactions that notify commit one after the other, those of other databases of the server included.
        let notify = format!("BEGIN; SET LOCAL lock_timeout = '5s'; NOTIFY {PROBE}; COMMIT");
        server.open_session()?.batch_execute(&notify)?;
        let started = Instant::now();
        let mut is_received = false;
        while !is_received && started.elapsed() < PROBE_TIME {
            session.batch_execute("SELECT 1")?;
            for notification in session.notifications_iter() {
                let notification = notification?;
                if notification.channel == PROBE {
                    is_received = true;
                } else {
                    pass_on(&notification, &self.access, &self.new_events);
                }
            }
            if !is_received {
                thread::sleep(PROBE_PAUSE);
            }
        }
        session.batch_execute(&format!("UNLISTEN {PROBE}"))?;
        Ok(is_received)
    }

    /// Listens until the store is closed.
    pub fn run(mut self) {
        let mut pause = POLL;
        loop {
            let request = match self.poll_requests.recv_timeout(pause) {
                Ok(request) => Some(request),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            match self.poll() {
                Ok(session) => {
                    self.session = Some(session);
                    pause = POLL;
                }
                Err(error) => {
                    tracing::warn!("changes by other processes can't be noticed: {error:?}");
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
            drop(request);
        }
    }

    /// Looks for notifications. If the session is gone, the version is unknown until there is another one,
    /// which is opened at once.
    fn poll(&mut self) -> Result<PgConnection, DbError> {
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
        // A standby server does not allow `LISTEN`.
        self.query_state(&mut session)?;
        Server::mark_in_use(&mut session)?;
        session.batch_execute(LISTEN)?;
        // Tokens may have changed and events come while no session listened.
        self.access.raise_all();
        self.access.confirm();
        self.new_events.notify_all();
        Ok(session)
    }

    /// Sends the server a query, whose answer brings along the notifications that are pending.
    fn listen(&self, mut session: PgConnection) -> Result<PgConnection, DbError> {
        self.query_state(&mut session)?;
        for notification in session.notifications_iter() {
            pass_on(&notification?, &self.access, &self.new_events);
        }
        self.access.confirm();
        Ok(session)
    }

    fn query_state(&self, session: &mut PgConnection) -> Result<(), DbError> {
        let state = "SELECT current_setting('transaction_read_only')::bool AS is_read_only";
        let state: State = diesel::sql_query(state).get_result(session)?;
        self.is_read_only.store(state.is_read_only, Ordering::SeqCst);
        Ok(())
    }
}

/// Notifies every listener, once the transaction commits, of projects whose tokens changed, or whose bots can't be found
/// any more.
pub(super) fn notify_access(
    session: &mut PgConnection,
    changed: &BTreeSet<ProjectId>,
) -> QueryResult<()> {
    if changed.is_empty() {
        return Ok(());
    }
    session.batch_execute(&format!("NOTIFY {ACCESS}, '{}'", names_of(changed)))
}

/// What a notification says of these projects.
fn names_of(projects: &BTreeSet<ProjectId>) -> String {
    if projects.len() > NAMED {
        return String::new();
    }
    let names: Vec<_> = projects.iter().map(ToString::to_string).collect();
    names.join(",")
}

/// Which projects a notification names; nothing if it may concern any.
fn named(payload: &str) -> Option<Vec<ProjectId>> {
    payload.split(',').map(ProjectId::parse).collect()
}

/// Applies a notification of another process.
fn pass_on(notification: &PgNotification, access: &AccessVersion, new_events: &NewEvents) {
    match (notification.channel.as_str(), named(&notification.payload)) {
        (EVENTS, Some(projects)) => {
            projects.into_iter().for_each(|project| new_events.notify(project));
        }
        (EVENTS, None) => new_events.notify_all(),
        (_, Some(projects)) => access.raise(projects),
        (_, None) => access.raise_all(),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn as_many_projects_are_named_as_a_notification_has_room_for() {
        let projects = |count| (1..=count).map(Uuid::from_u128).map(ProjectId::from_uuid).collect();
        let [few, many]: [BTreeSet<_>; 2] = [200, 201].map(projects);
        let text = names_of(&few);
        assert!(text.len() < 8_000);
        assert_eq!(named(&text), Some(few.into_iter().collect()));
        assert_eq!(named(&names_of(&many)), None);
    }
}
