//! Connections that read a file.

use std::path::PathBuf;

use diesel::prelude::*;
use r2d2::{ManageConnection, Pool};

use super::connect::{connect, make_reader};
use crate::engine::pool::{NoSession, Session, builder};
use crate::open::OpenError;

/// Opens them, read-only.
pub struct ReadOnly(PathBuf);

impl ManageConnection for ReadOnly {
    type Connection = Session<SqliteConnection>;
    type Error = NoSession;

    fn connect(&self) -> Result<Self::Connection, NoSession> {
        let no_session = |error: OpenError| NoSession(error.to_string());
        let mut connection = connect(&self.0).map_err(no_session)?;
        make_reader(&mut connection).map_err(no_session)?;
        Ok(Session::new(connection))
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
