//! What diesel's errors mean.
//!
//! SQLite's codes and most of PostgreSQL's do not come through diesel, so some kinds are recognized by
//! the text. SQLite has its texts in English only; sessions on PostgreSQL ask for English ones.

use diesel::ConnectionError;
use diesel::result::{DatabaseErrorKind, Error};
use domain::StorageError;
use domain::error::DomainError;

use crate::open::OpenError;

const NO_MEMORY: &str = "not enough memory is free";

/// What went wrong in the database, by what is to be done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DbError {
    /// Another unit was in the way; the same unit can succeed when it is run again.
    Collision(String),
    /// Another unit held a row for longer than one may wait with a session; the same unit can succeed when
    /// it is run again.
    Locked(String),
    /// Not enough memory is free for what the unit reads; the same unit can succeed when it is run again.
    NoMemory,
    /// The database took longer than a statement may take.
    Slow(String),
    /// No room left.
    Full(String),
    /// Reading or writing files failed.
    Io(String),
    /// The connection is gone, or the server takes no changes.
    Lost(String),
    /// A defect: the statement or the data is wrong.
    Broken(String),
}

impl From<DbError> for StorageError {
    fn from(error: DbError) -> Self {
        match error {
            DbError::Collision(text) | DbError::Locked(text) | DbError::Slow(text) => {
                Self::Contended(text)
            }
            DbError::NoMemory => Self::Overloaded,
            DbError::Full(text) => Self::Full(text),
            DbError::Io(text) | DbError::Lost(text) => Self::Unavailable(text),
            DbError::Broken(text) => Self::Broken(text),
        }
    }
}

impl From<Error> for DbError {
    fn from(error: Error) -> Self {
        let Error::DatabaseError(kind, information) = &error else {
            return if matches!(error, Error::BrokenTransactionManager) {
                Self::Lost(error.to_string())
            } else {
                Self::Broken(error.to_string())
            };
        };
        let message = information.message();
        let text = match information.details() {
            Some(details) => format!("{message} ({details})"),
            None => message.to_owned(),
        };
        // A read-only server is a standby, or was made so by an administrator; a new session may reach a primary.
        let lost = matches!(
            kind,
            DatabaseErrorKind::ClosedConnection
                | DatabaseErrorKind::UnableToSendCommand
                | DatabaseErrorKind::ReadOnlyTransaction
        );
        if lost {
            Self::Lost(text)
        } else if matches!(kind, DatabaseErrorKind::SerializationFailure)
            || is_crossed_reference(kind, message)
        {
            Self::Collision(text)
        } else if matches!(kind, DatabaseErrorKind::Unknown) {
            Self::by_text(message, text)
        } else {
            Self::Broken(text)
        }
    }
}

impl From<ConnectionError> for DbError {
    /// What comes before a connection is tried may quote the address, and with it a password.
    fn from(error: ConnectionError) -> Self {
        // There was a connection, and what was said of it quotes nothing: a pooler that is full, for example.
        if let ConnectionError::CouldntSetupConfiguration(error) = error {
            return Self::from(error);
        }
        let text = one_line(&error.to_string());
        Self::Lost(if text.starts_with("connection to server") || text.contains("FATAL: ") {
            text
        } else if text.starts_with("could not translate host name") {
            "the name of its host is not known".to_owned()
        } else if text.contains("invalid when SSL support is not compiled in") {
            "TLS is asked for, which this build of botyard does not have: it needs the cargo feature \
             `postgres-tls`"
                .to_owned()
        } else if text.starts_with("weak sslmode") {
            "`sslrootcert=system` and `sslnegotiation=direct` can't be had with a weaker `sslmode`; with \
             `system` it must be verify-full"
                .to_owned()
        } else {
            "the address can't be understood; special characters in user name and password are \
             written as % and two hexadecimal digits"
                .to_owned()
        })
    }
}

impl DbError {
    /// The error to report when it keeps a database from being opened.
    pub fn on_open(self) -> OpenError {
        match self {
            Self::Lost(text) => OpenError::Unreachable(text),
            Self::NoMemory => OpenError::Failed(NO_MEMORY.to_owned()),
            Self::Collision(text)
            | Self::Locked(text)
            | Self::Slow(text)
            | Self::Full(text)
            | Self::Io(text)
            | Self::Broken(text) => OpenError::Failed(text),
        }
    }

    /// The text of the database's error.
    pub fn into_text(self) -> String {
        match self {
            Self::NoMemory => NO_MEMORY.to_owned(),
            Self::Collision(text)
            | Self::Locked(text)
            | Self::Slow(text)
            | Self::Full(text)
            | Self::Io(text)
            | Self::Lost(text)
            | Self::Broken(text) => text,
        }
    }

    fn by_text(message: &str, text: String) -> Self {
        /// How messages of each kind begin, or what they hold.
        const COLLISIONS: [&str; 3] =
            ["database is locked", "database table is locked", "deadlock detected"];
        const FULL: [&str; 2] = ["database or disk is full", "No space left on device"];
        const IO: [&str; 3] = [
            "disk I/O error",
            "unable to open database file",
            "attempt to write a readonly database",
        ];
        const LOST: [&str; 6] = [
            "server closed the connection",
            "terminating connection",
            "the database system is ",
            // PgBouncer's.
            "server conn crashed",
            "query_wait_timeout",
            "pgbouncer ",
        ];
        let is_one_of = |texts: &[&str]| texts.iter().any(|known| message.contains(known));
        if is_one_of(&COLLISIONS) {
            Self::Collision(text)
        } else if is_one_of(&FULL) {
            Self::Full(text)
        } else if is_one_of(&IO) {
            Self::Io(text)
        } else if is_one_of(&LOST) {
            Self::Lost(text)
        } else if message.contains("canceling statement due to lock timeout") {
            Self::Locked(text)
        } else if message.starts_with("canceling statement") {
            Self::Slow(text)
        } else {
            Self::Broken(text)
        }
    }
}

/// Whether a reference was broken on PostgreSQL. What a unit looked up there without holding it, another
/// may have taken away, or referred to, until the reference is checked; run again, the unit sees it. On
/// SQLite units come one after the other, so there it is a defect.
fn is_crossed_reference(kind: &DatabaseErrorKind, message: &str) -> bool {
    matches!(kind, DatabaseErrorKind::ForeignKeyViolation)
        && message.contains("violates foreign key constraint")
}

/// What an empty unit fails with, by which the database is checked: nothing but the database can make it fail.
pub fn of_empty_unit(error: DomainError) -> StorageError {
    if let DomainError::Storage(error) = error {
        return error;
    }
    StorageError::Broken(error.to_string())
}

/// The text with its line breaks and indents replaced by single blanks, as a log line needs it.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_client_library_refuses_is_reported_without_the_address() {
        for (said, expected) in [
            ("sslmode value \"require\" invalid when SSL support is not compiled in\n", "TLS"),
            ("weak sslmode \"require\" may not be used with sslrootcert=system", "verify-full"),
            ("could not translate host name \"secret\" to address: no", "the name of its host"),
            ("invalid percent-encoded token: \"secret%\"", "can't be understood"),
        ] {
            let error = DbError::from(ConnectionError::BadConnection(said.to_owned())).into_text();
            assert!(error.contains(expected) && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn each_kind_is_known_by_its_text() {
        for (said, expected) in [
            ("database is locked", StorageError::Contended as fn(String) -> StorageError),
            ("deadlock detected", StorageError::Contended),
            ("canceling statement due to lock timeout", StorageError::Contended),
            ("canceling statement due to statement timeout", StorageError::Contended),
            ("database or disk is full", StorageError::Full),
            ("could not extend file \"base/1/2\": No space left on device", StorageError::Full),
            ("disk I/O error", StorageError::Unavailable),
            ("unable to open database file", StorageError::Unavailable),
            ("attempt to write a readonly database", StorageError::Unavailable),
            ("terminating connection due to administrator command", StorageError::Unavailable),
            ("the database system is starting up", StorageError::Unavailable),
            ("database disk image is malformed", StorageError::Broken),
        ] {
            let said = said.to_owned();
            let error = Error::DatabaseError(DatabaseErrorKind::Unknown, Box::new(said.clone()));
            let (error, expected) = (StorageError::from(DbError::from(error)), expected(said));
            assert_eq!(format!("{error:?}"), format!("{expected:?}"));
        }
    }

    #[test]
    fn what_a_pooler_says_of_a_new_session_is_reported() {
        let said = Box::new("query_wait_timeout".to_owned());
        let error = Error::DatabaseError(DatabaseErrorKind::ClosedConnection, said);
        let error = DbError::from(ConnectionError::CouldntSetupConfiguration(error));
        assert!(matches!(&error, DbError::Lost(text) if text.contains("query_wait_timeout")));
    }
}
