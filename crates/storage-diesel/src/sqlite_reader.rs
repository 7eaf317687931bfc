//! The threads that read from SQLite.

use std::sync::Arc;

use crossbeam_channel::Receiver;
use diesel::prelude::*;
use domain::store::{Mode, Outcome};

use crate::db::{Begin, Commit, Db};
use crate::errors::Fault;
use crate::meters::Meters;
use crate::pool::{self, Connections};
use crate::queued_unit::{Failure, Message, QueuedUnit};
use crate::tx::Tx;

/// The state of a reading thread.
pub struct Reader {
    pub connections: Connections,
    pub inbox: Receiver<Message>,
    pub meters: Arc<Meters>,
}

impl Reader {
    /// Works until it is told to stop, or the store is dropped.
    pub fn run(self) {
        while let Ok(Message::Run(queued)) = self.inbox.recv() {
            if queued.is_abandoned() {
                continue;
            }
            self.meters.waiting(Mode::Read, self.inbox.len());
            let result = self.unit(&queued);
            queued.answer(result.map_err(Into::into), &self.meters);
        }
    }

    /// Runs one unit in a transaction, so that all its look-ups see one state of the database.
    fn unit(&self, queued: &QueuedUnit) -> Result<Outcome, Failure> {
        let mut session = pool::take(&self.connections).map_err(Failure::Fault)?;
        session.begun();
        let Db::Sqlite(db) = &mut session.db else {
            let text = "a reader is not on SQLite".to_owned();
            return Err(Failure::Fault(Fault::Broken(text)));
        };
        Begin.execute(db).map_err(|error| Failure::Fault(error.into()))?;
        let ran = queued.attempt(&mut Tx::new(&mut session.db, Mode::Read));
        // A connection on which the transaction stays open would show an old state from then on, so
        // it is closed.
        if let Db::Sqlite(db) = &mut session.db
            && Commit.execute(db).is_ok()
        {
            session.ended();
        }
        ran
    }
}
