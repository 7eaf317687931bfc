//! What every session is set to, and how a transaction begins.
//!
//! A pooler that pools by transaction gives each transaction whichever session is free. What is set for a session
//! then also holds for transactions of other clients; so there each transaction sets it for itself.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use domain::lock::Mode;

use crate::engine::errors::DbError;

/// What holds in every transaction. A unit that waits for a lock keeps a session from others, so it waits for a short
/// time, and is queued again.
const SETTINGS: [&str; 4] = [
    "synchronous_commit = on",
    "statement_timeout = '30s'",
    "lock_timeout = '100ms'",
    "idle_in_transaction_session_timeout = '30s'",
];

/// The texts of errors in English, because some kinds of error are recognized by their text. An account that may not
/// set that gets the server's language.
const LANGUAGE: &str = "lc_messages = 'C'";

const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// It does not ask for a transaction that may write: an administrator may have made the server read-only, because
/// its disk is full for example, and this would override that.
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// How transactions begin.
#[derive(Debug, Clone)]
pub struct Begin {
    read: String,
    write: String,
}

impl Begin {
    /// On sessions that were [set up](set_up).
    pub fn on_own_sessions() -> Self {
        Self { read: BEGIN_READ.to_owned(), write: BEGIN_WRITE.to_owned() }
    }

    /// On sessions of a pooler. This one is only to find out what its account may set.
    ///
    /// # Errors
    /// If the session is lost.
    pub fn on_pooled_sessions(session: &mut PgConnection) -> Result<Self, DbError> {
        let trial = format!("BEGIN; SET LOCAL {LANGUAGE}; COMMIT");
        let mut settings = SETTINGS.to_vec();
        match session.batch_execute(&trial).map_err(DbError::from) {
            Ok(()) => settings.push(LANGUAGE),
            Err(DbError::Lost(text)) => return Err(DbError::Lost(text)),
            Err(_) => session.batch_execute("ROLLBACK")?,
        }
        let settings: String =
            settings.iter().map(|setting| format!("; SET LOCAL {setting}")).collect();
        Ok(Self {
            read: format!("{BEGIN_READ}{settings}"),
            write: format!("{BEGIN_WRITE}{settings}"),
        })
    }

    /// The statements that begin a transaction of this mode.
    pub fn of(&self, mode: Mode) -> &str {
        match mode {
            Mode::Write => &self.write,
            Mode::LookUp | Mode::Read => &self.read,
        }
    }
}

/// Sets a session up that belongs to this process.
///
/// # Errors
/// If that is refused.
pub fn set_up(session: &mut PgConnection) -> Result<(), DbError> {
    let settings: String = SETTINGS.iter().map(|setting| format!("SET {setting}; ")).collect();
    let language = format!(
        "DO $$ BEGIN SET {LANGUAGE}; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$"
    );
    Ok(session.batch_execute(&format!("{settings}{language}"))?)
}
