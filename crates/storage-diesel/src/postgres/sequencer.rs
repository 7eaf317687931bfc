//! Gives events their numbers on PostgreSQL, after the commits of the transactions that wrote them.
//!
//! A number that an event had from the beginning would be of no use to readers who go by numbers: the transaction of a
//! smaller one can be committed after that of a greater one was read. So what is committed is numbered afterwards, by
//! one node at a time. Transactions that are open, of this database or another one of the server, hold up nothing.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use domain::event::NewEvents;
use domain::id::ProjectId;

use super::listener::{EVENTS, NAMED};
use super::server::Server;
use crate::engine::errors::DbError;
use crate::tables::event::{IS_UNNUMBERED, NUMBER_EVENTS, UnnumberedRow};

/// The advisory lock of the node that numbers events: any number that has no other use.
const NUMBERING: i64 = 0x626f_7479_6172_6403;

/// How often events are looked for that no one has announced: those of a process that ended right after its commit.
/// Each look is a query of every node, on a server that may have nothing else to do.
const POLL: Duration = Duration::from_secs(1);
/// The pause before other nodes are notified once more, if they could not be.
const RENOTIFY: Duration = Duration::from_millis(100);
/// The shortest time between two rounds, so that under load one round numbers the events of many commits.
const PACE: Duration = Duration::from_millis(10);
/// The pause after a round that failed.
const PAUSE: Duration = Duration::from_secs(1);
/// The name under which operators find the session among those of the server.
const NAME: &str = "SET application_name = 'botyard-sequencer'";

/// Wakes the sequencer of this process.
#[derive(Clone)]
pub struct SequencerWaker {
    signal: Sender<()>,
    written: Written,
}

/// The projects of which this process has written events since the last round began; `None` is any project.
type Written = Arc<Mutex<BTreeSet<Option<ProjectId>>>>;

impl SequencerWaker {
    /// Says that there may be new events of these tenants. One signal is enough until the next round begins, which
    /// sees them all.
    pub fn wake(&self, tenants: impl IntoIterator<Item = Option<ProjectId>>) {
        self.written.lock().unwrap_or_else(PoisonError::into_inner).extend(tenants);
        match self.signal.try_send(()) {
            Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
        }
    }
}

/// The state of the thread.
pub struct Sequencer {
    server: Arc<Server>,
    woken: Receiver<()>,
    written: Written,
    new_events: Arc<NewEvents>,
    session: Option<PgConnection>,
    unannounced: Unannounced,
}

/// Of what other nodes were not notified yet.
enum Unannounced {
    Nothing,
    /// Of the projects whose events were numbered last, which the session remembers.
    Numbered,
    /// Of any project.
    Any,
}

impl Sequencer {
    /// A sequencer on this server, and what wakes it. It has a session from its first round on.
    pub fn new(server: Arc<Server>, new_events: Arc<NewEvents>) -> (SequencerWaker, Self) {
        let (signal, woken) = bounded(1);
        let written = Written::default();
        let wake = SequencerWaker { signal, written: written.clone() };
        let unannounced = Unannounced::Nothing;
        (wake, Self { server, woken, written, new_events, session: None, unannounced })
    }

    /// Numbers events until nothing can wake it any more.
    pub fn run(mut self) {
        loop {
            let pause = match self.unannounced {
                Unannounced::Nothing => POLL,
                Unannounced::Numbered | Unannounced::Any => RENOTIFY,
            };
            match self.woken.recv_timeout(pause) {
                Ok(()) | Err(RecvTimeoutError::Timeout) => {}
                // What was announced came before this, so there is nothing to wait for a server that may be gone.
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let began = Instant::now();
            let written = self.take_written();
            // A session may have been ended; with another one it is tried once more at once.
            match self.number_all().or_else(|_| self.number_all()) {
                Ok(()) => {
                    // Other nodes are notified through their listeners, a moment later.
                    written.into_iter().for_each(|project| self.new_events.notify_of(project));
                    thread::sleep(PACE.saturating_sub(began.elapsed()));
                }
                Err(error) => {
                    self.written.lock().unwrap_or_else(PoisonError::into_inner).extend(written);
                    tracing::warn!("events get no numbers at the moment: {error:?}");
                    thread::sleep(PAUSE);
                }
            }
        }
    }

    fn take_written(&self) -> BTreeSet<Option<ProjectId>> {
        std::mem::take(&mut *self.written.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Numbers what is committed.
    fn number_all(&mut self) -> Result<(), DbError> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => self.connect()?,
        };
        let rest = diesel::sql_query(IS_UNNUMBERED);
        while rest.clone().get_result::<UnnumberedRow>(&mut session)?.is_unnumbered {
            self.unannounced = Unannounced::Any;
            number(&mut session)?;
            self.unannounced = Unannounced::Numbered;
            self.announce(&mut session);
        }
        self.announce(&mut session);
        // One that failed is closed.
        self.session = Some(session);
        Ok(())
    }

    /// Notifies the listeners of all nodes. The server lets one transaction after the other commit that notifies, in
    /// all its databases: one that keeps others waiting must not hold up the numbering, so it is tried again in the
    /// next round.
    fn announce(&mut self, session: &mut PgConnection) {
        let notify = match self.unannounced {
            Unannounced::Nothing => return,
            Unannounced::Numbered => format!(
                "SELECT pg_notify('{EVENTS}', numbered) \
                FROM current_setting('botyard.numbered') AS numbered WHERE numbered <> '{NO_PROJECT}'"
            ),
            Unannounced::Any => format!("NOTIFY {EVENTS}"),
        };
        self.unannounced = match session.batch_execute(&notify) {
            Ok(()) => Unannounced::Nothing,
            Err(error) => {
                tracing::debug!("other nodes can't be notified of events at the moment: {error}");
                Unannounced::Any
            }
        };
    }

    fn connect(&self) -> Result<PgConnection, DbError> {
        let mut session = self.server.open_session()?;
        session.batch_execute(NAME)?;
        Ok(session)
    }
}

/// What stands for no project.
const NO_PROJECT: &str = "-";

/// Numbers some events; the session then remembers of which projects they are. The statements are sent together, so
/// that a process that hangs can't hold the lock. Those that follow the lock see all that the last node to have it has
/// numbered.
fn number(session: &mut PgConnection) -> Result<(), DbError> {
    // However little the server knows of the table, only the rows that have no number are looked at.
    let plan = "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off";
    // Another node may have many to number.
    let lock_timeout = "SET LOCAL lock_timeout = '5s'";
    let lock = format!("SELECT pg_advisory_xact_lock({NUMBERING})");
    let number = format!(
        "WITH numbered AS ({NUMBER_EVENTS} RETURNING events.project_id) \
        SELECT set_config('botyard.numbered', CASE WHEN count(*) <= {NAMED} \
            THEN coalesce(string_agg(project_id::text, ','), '{NO_PROJECT}') ELSE '' END, FALSE) \
        FROM (SELECT DISTINCT project_id FROM numbered) AS projects"
    );
    Ok(session.batch_execute(&format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED; {plan}; {lock_timeout}; {lock}; {number}; COMMIT"
    ))?)
}
