//! PostgreSQL: the address, and how sessions are opened.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use diesel::connection::CacheSize;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use super::address::Address;
use super::session::{self, Begin};
use super::tls::{self, Encryption};
use crate::engine::errors::DbError;
use crate::open::OpenError;

/// Options of the connection that hold unless the address says otherwise: nothing waits for a
/// server that is gone.
const OPTIONS: [(&str, &str); 5] = [
    ("connect_timeout", "3"),
    ("keepalives_idle", "15"),
    ("keepalives_interval", "5"),
    ("keepalives_count", "3"),
    ("tcp_user_timeout", "30000"),
];

/// The advisory lock of a database that is in use: any number that has no other use. The listening session of every
/// store shares it, and a copy of the whole database takes it alone.
pub const IN_USE: i64 = 0x626f_7479_6172_6402;

/// After a failed attempt, units fail at once for this long instead of each trying again.
const DOWN_FOR: Duration = Duration::from_millis(250);

/// The name under which operators find the sessions among those of the server. It is sent with the connection, so that
/// a pooler knows it too.
const NAME: (&str, &str) = ("application_name", "botyard");

#[derive(QueryableByName)]
struct Marked {
    #[diesel(sql_type = Bool)]
    is_marked: bool,
}

/// A server or a pooler before it, and whether it was there when it was last tried.
pub struct Server {
    address: String,
    encryption: Encryption,
    /// Whether each transaction may have another session of the server.
    is_pooled: bool,
    /// Whether statements are prepared once for each session.
    prepares: bool,
    /// Known from the first session on.
    begin: OnceLock<Begin>,
    last_failure: Mutex<Option<ConnectFailure>>,
}

/// The last attempt to open a session, if it has failed.
struct ConnectFailure {
    at: Instant,
    text: String,
    /// Whether the server is there, but has as many sessions as it may have.
    is_full: bool,
}

impl Server {
    /// The server at this address, not tried yet.
    pub fn new(url: &str) -> Result<Self, OpenError> {
        let address = Address::new(url);
        let encryption = Encryption::of(&address)?;
        let text = tls::with_system_roots(&address, address.with_defaults(&OPTIONS));
        let text = Address::new(&text).with(&[NAME]);
        Ok(Self {
            address: text,
            encryption,
            is_pooled: false,
            prepares: true,
            begin: OnceLock::new(),
            last_failure: Mutex::new(None),
        })
    }

    /// The same as a pooler that pools by transaction.
    pub fn pooling(self) -> Self {
        Self { is_pooled: true, ..self }
    }

    /// The same, with or without prepared statements.
    pub fn preparing(self, prepares: bool) -> Self {
        Self { prepares, ..self }
    }

    /// Whether each transaction may have another session of the server, and each statement outside of one.
    pub const fn is_pooled(&self) -> bool {
        self.is_pooled
    }

    /// How the transactions of its sessions begin.
    pub fn begin(&self) -> &Begin {
        self.begin.get_or_init(Begin::on_own_sessions)
    }

    /// Logs a warning if what is sent to another machine is not encrypted, unless `sslmode=disable` is set.
    pub fn warn_of_plain_text(&self) {
        let reason = match self.encryption {
            Encryption::NotNeeded | Encryption::Demanded => return,
            Encryption::Lacking => {
                "this build has no TLS (cargo feature `postgres-tls`)".to_owned()
            }
            Encryption::Avoided => "with `sslmode=allow` only the server asks for TLS".to_owned(),
            // A connection that must be encrypted can be made exactly if the others are encrypted as well. The server
            // itself can't be asked: behind a pooler it sees another connection.
            Encryption::Optional => {
                let encrypted = Address::new(&self.address).with(&[("sslmode", "require")]);
                match PgConnection::establish(&encrypted) {
                    Ok(_) => return,
                    Err(error) => DbError::from(error).into_text(),
                }
            }
        };
        tracing::warn!(
            "the connection to PostgreSQL leaves this machine and is not encrypted: {reason}; \
             `sslmode=verify-full` demands TLS, `sslmode=disable` says that none is wanted"
        );
    }

    /// Fails at once for a little while after a session could not be opened, so that waiting units need not each wait for
    /// a connection in turn. A server that only has no more sessions is no failure for a pool that `has_sessions`, because
    /// units get one of these in turn.
    pub fn check_up(&self, has_sessions: bool) -> Result<(), DbError> {
        match &*self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(ConnectFailure { at, text, is_full })
                if at.elapsed() < DOWN_FOR && !(*is_full && has_sessions) =>
            {
                Err(DbError::Lost(text.clone()))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// A session for units of work. If there is none, [`Self::check_up`] fails for a little while.
    pub fn connect(&self) -> Result<PgConnection, DbError> {
        self.check_up(false)?;
        let connected = self.open_session();
        let failure = match &connected {
            Err(DbError::Lost(text)) => {
                let is_full = has_no_more_sessions(text);
                Some(ConnectFailure { at: Instant::now(), text: text.clone(), is_full })
            }
            Ok(_) | Err(_) => None,
        };
        *self.last_failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
        connected
    }

    /// A session, whatever came of the last attempt and without a consequence for units of work.
    pub fn open_session(&self) -> Result<PgConnection, DbError> {
        let mut session = PgConnection::establish(&self.address)?;
        if !self.prepares {
            session.set_prepared_statement_cache_size(CacheSize::Disabled);
        }
        if !self.is_pooled {
            session::set_up(&mut session)?;
        } else if self.begin.get().is_none() {
            let begin = Begin::on_pooled_sessions(&mut session)?;
            self.begin.get_or_init(|| begin);
        }
        Ok(session)
    }

    /// Says that the database is in use for as long as this session lasts, so that no copy of it is begun.
    pub fn mark_in_use(session: &mut PgConnection) -> Result<(), DbError> {
        let mark = diesel::sql_query("SELECT pg_try_advisory_lock_shared($1) AS is_marked");
        let Marked { is_marked } = mark.bind::<BigInt, _>(IN_USE).get_result(session)?;
        if is_marked {
            return Ok(());
        }
        Err(DbError::Locked(
            "it is being copied, and can be used again when that is done".to_owned(),
        ))
    }

    /// A session without any time limits, for migrations.
    pub fn connect_bare(&self) -> Result<PgConnection, OpenError> {
        PgConnection::establish(&self.address)
            .map_err(|error| OpenError::Unreachable(DbError::from(error).into_text()))
    }
}

/// Whether a connection was refused because the server, the database, the role or the pooler has as many as it may have.
/// The driver does not pass the SQLSTATE 53300 on, so the English texts decide; a server that speaks another language is
/// taken for one that is down.
fn has_no_more_sessions(text: &str) -> bool {
    let text = text.to_lowercase();
    [
        "too many clients",
        "too many connections",
        "remaining connection slots",
        "no more connections allowed",
        "max client",
    ]
    .iter()
    .any(|reason| text.contains(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_server_fails_units_only_where_there_is_no_session() {
        let server = Server::new("postgres://127.0.0.1:1/none").unwrap();
        for (text, is_full) in [
            ("FATAL:  sorry, too many clients already", true),
            ("FATAL:  too many connections for role \"ada\"", true),
            ("FATAL:  remaining connection slots are reserved for roles with SUPERUSER", true),
            ("FATAL:  no more connections allowed (max_client_conn)", true),
            ("connection to server failed: Connection refused", false),
        ] {
            assert_eq!(has_no_more_sessions(text), is_full, "{text}");
            let failure = ConnectFailure { at: Instant::now(), text: text.to_owned(), is_full };
            *server.last_failure.lock().unwrap() = Some(failure);
            assert!(server.check_up(false).is_err(), "{text}");
            assert_eq!(server.check_up(true).is_ok(), is_full, "{text}");
        }
        *server.last_failure.lock().unwrap() = None;
        assert!(server.check_up(false).is_ok());
    }
}
