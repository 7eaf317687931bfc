//! Gives events their numbers on PostgreSQL, after the commits of the transactions that wrote them.
//!
//! A number that an event had from the beginning would be of no use to readers who go by numbers: the transaction of a
//! smaller one can be committed after that of a greater one was read. So what is committed is numbered afterwards, by one
//! node at a time. Transactions that are open, of this database or another one of the server, hold up nothing.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;

use super::server::Server;
use crate::engine::errors::DbError;
use crate::tables::event::{IS_UNNUMBERED, NUMBER_EVENTS, Rest};

/// The advisory lock of the node that numbers events: any number that has no other use.
const NUMBERING: i64 = 0x626f_7479_6172_6403;

/// How often events are looked for that no one has announced: those of a process that ended right after its commit.
const POLL: Duration = Duration::from_millis(100);
/// The shortest time between two rounds, so that under load one round numbers the events of many commits.
const PACE: Duration = Duration::from_millis(10);
/// The pause after a round that failed.
const PAUSE: Duration = Duration::from_secs(1);
/// The name under which operators find the session among those of the server.
const NAME: &str = "SET application_name = 'botyard-sequencer'";

/// Wakes the sequencer of this process.
#[derive(Clone)]
pub struct Wake(Sender<()>);

impl Wake {
    /// Says that there are new events. One word is enough until the next round begins, which sees them all.
    pub fn wake(&self) {
        match self.0.try_send(()) {
            Ok(()) | Err(TrySendError::Full(()) | TrySendError::Disconnected(())) => {}
        }
    }
}

/// The state of the thread.
pub struct Sequencer {
    server: Arc<Server>,
    woken: Receiver<()>,
    session: Option<PgConnection>,
}

impl Sequencer {
    /// A sequencer on this server, and what wakes it. It has a session from its first round on.
    pub fn new(server: Arc<Server>) -> (Wake, Self) {
        let (wake, woken) = bounded(1);
        (Wake(wake), Self { server, woken, session: None })
    }

    /// Numbers events until nothing can wake it any more.
    pub fn run(mut self) {
        loop {
            match self.woken.recv_timeout(POLL) {
                Ok(()) | Err(RecvTimeoutError::Timeout) => {}
                // What was announced came before this, so there is nothing to wait for a server that may be gone.
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let began = Instant::now();
            // A session may have been ended; with another one it is tried once more at once.
            match self.number_all().or_else(|_| self.number_all()) {
                Ok(()) => thread::sleep(PACE.saturating_sub(began.elapsed())),
                Err(error) => {
                    tracing::warn!("events get no numbers at the moment: {error:?}");
                    thread::sleep(PAUSE);
                }
            }
        }
    }

    /// Numbers what is committed.
    fn number_all(&mut self) -> Result<(), DbError> {
        let mut session = match self.session.take() {
            Some(session) => session,
            None => self.connect()?,
        };
        let rest = diesel::sql_query(IS_UNNUMBERED);
        while rest.clone().get_result::<Rest>(&mut session)?.is_unnumbered {
            number(&mut session)?;
        }
        // One that failed is closed.
        self.session = Some(session);
        Ok(())
    }

    fn connect(&self) -> Result<PgConnection, DbError> {
        let mut session = self.server.open_session()?;
        session.batch_execute(NAME)?;
        Ok(session)
    }
}

/// Numbers some events. The statements are sent together, so that a process that hangs can't hold the lock. Those that
/// follow the lock see all that the last node to have it has numbered.
fn number(session: &mut PgConnection) -> Result<(), DbError> {
    // However little the server knows of the table, only the rows that have no number are looked at.
    let plan = "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off";
    // Another node may have many to number.
    let patience = "SET LOCAL lock_timeout = '5s'";
    let lock = format!("SELECT pg_advisory_xact_lock({NUMBERING})");
    Ok(session.batch_execute(&format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED; {plan}; {patience}; {lock}; {NUMBER_EVENTS}; COMMIT"
    ))?)
}
