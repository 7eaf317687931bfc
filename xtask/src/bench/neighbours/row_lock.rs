//! A row of PostgreSQL that a session of its own holds.

use std::process::Child;

use anyhow::Result;

use super::flood::{Ended, Running};
use crate::bench::pgbench::Pgbench;

/// Something that goes on while the row of a bot is held.
pub struct RowLock<R> {
    session: Session,
    running: Box<R>,
}

/// The program that holds the row. It is ended when this is dropped.
struct Session(Child);

impl<R> RowLock<R> {
    /// Holds the row for at most so long, and begins something.
    pub fn start(
        pgbench: &Pgbench,
        bot_id: &str,
        seconds: u32,
        begin: impl FnOnce() -> Result<R>,
    ) -> Result<Self> {
        let script = format!(
            "BEGIN;\nSELECT 1 FROM bots WHERE id = '{bot_id}' FOR UPDATE;\n\\sleep {seconds} s\nEND;\n"
        );
        let session = Session(pgbench.start("hold.sql", &script)?);
        Ok(Self { session, running: Box::new(begin()?) })
    }
}

impl<R: Running> Running for RowLock<R> {
    fn end(self: Box<Self>) -> Result<Ended> {
        let Self { session, running } = *self;
        let ended = running.end();
        drop(session);
        ended
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // One that has ended by itself can't be killed.
        drop(self.0.kill());
        if let Err(error) = self.0.wait() {
            eprintln!("warning: pgbench may still run: {error}");
        }
    }
}
