//! The threads that read from SQLite, each with a connection of its own.

use std::sync::Arc;

use crossbeam_channel::Receiver;
use diesel::prelude::*;
use domain::store::{Mode, Outcome};

use crate::db::{Begin, Commit, Db, Rollback};
use crate::errors::Fault;
use crate::job::{Failure, Job, Message};
use crate::meters::Meters;
use crate::tx::Tx;

/// The state of a reading thread.
pub struct Reader {
    pub db: Db,
    pub inbox: Receiver<Message>,
    pub meters: Arc<Meters>,
}

impl Reader {
    /// Works until it is told to stop, or the store is dropped.
    pub fn run(mut self) {
        while let Ok(Message::Run(job)) = self.inbox.recv() {
            if job.is_abandoned() {
                continue;
            }
            self.meters.waiting(Mode::Read, self.inbox.len());
            let result = self.unit(&job);
            job.answer(result.map_err(Into::into), &self.meters);
        }
    }

    /// Runs one unit in a transaction, so that all its look-ups see one state of the database.
    fn unit(&mut self, job: &Job) -> Result<Outcome, Failure> {
        self.execute(Step::Begin).map_err(Failure::Fault)?;
        let ran = job.attempt(&mut Tx::new(&mut self.db, Mode::Read));
        let ended = self.execute(Step::Commit);
        if let Err(fault) = ended {
            // Else the next unit would find a transaction open, and see an old state.
            let rolled_back = self.execute(Step::Rollback);
            tracing::warn!("a reading transaction could not be ended: {fault:?}, {rolled_back:?}");
        }
        ran
    }

    fn execute(&mut self, step: Step) -> Result<(), Fault> {
        let Db::Sqlite(db) = &mut self.db else {
            return Err(Fault::Broken("a reader is not on SQLite".to_owned()));
        };
        let executed = match step {
            Step::Begin => Begin.execute(db),
            Step::Commit => Commit.execute(db),
            Step::Rollback => Rollback.execute(db),
        };
        executed.map(|_| ()).map_err(Fault::from)
    }
}

/// The steps of a reading transaction.
#[derive(Clone, Copy)]
enum Step {
    Begin,
    Commit,
    Rollback,
}
