//! PostgreSQL: the address, and how sessions are opened.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use crate::engine::errors::DbError;
use crate::open::OpenError;

/// The statements that begin every session. They set the texts of errors to English, because some kinds of
/// error are recognized by their text; an account that may not set that gets the server's language. A unit
/// that waits for a lock keeps a session from others, so it waits for a short time, and is queued again.
const SESSION: &str = "SET application_name = 'botyard'; \
    SET synchronous_commit = on; \
    SET statement_timeout = '30s'; \
    SET lock_timeout = '100ms'; \
    SET idle_in_transaction_session_timeout = '30s'; \
    DO $$ BEGIN SET lc_messages = 'C'; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;";

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

#[derive(QueryableByName)]
struct Marked {
    #[diesel(sql_type = Bool)]
    is_marked: bool,
}

/// A server, and whether it was there when it was last tried.
pub struct Server {
    address: String,
    down: Mutex<Option<(Instant, String)>>,
}

impl Server {
    /// The server at this address, not tried yet.
    pub fn new(url: &str) -> Result<Self, OpenError> {
        let options = url.split_once('?').map_or("", |(_, options)| options);
        let mut given = options.split('&').filter_map(|option| option.split_once('='));
        let tls = given.find(|(name, mode)| {
            *name == "sslmode" && ["require", "verify-ca", "verify-full"].contains(mode)
        });
        if let Some((_, mode)) = tls {
            return Err(OpenError::NoTls(mode.to_owned()));
        }
        Ok(Self { address: with_options(url, options), down: Mutex::new(None) })
    }

    /// Fails at once for a little while after the server could not be reached, so that waiting units
    /// need not each wait for a connection in turn.
    pub fn check_up(&self) -> Result<(), DbError> {
        match &*self.down.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((when, text)) if when.elapsed() < DOWN_FOR => Err(DbError::Lost(text.clone())),
            Some(_) | None => Ok(()),
        }
    }

    /// A session for units of work. If there is none, [`Self::check_up`] fails for a little while.
    pub fn connect(&self) -> Result<PgConnection, DbError> {
        self.check_up()?;
        let connected = self.open_session();
        let down = match &connected {
            Err(DbError::Lost(text)) => Some((Instant::now(), text.clone())),
            Ok(_) | Err(_) => None,
        };
        *self.down.lock().unwrap_or_else(PoisonError::into_inner) = down;
        connected
    }

    /// A session, whatever came of the last attempt and without a consequence for units of work.
    pub fn open_session(&self) -> Result<PgConnection, DbError> {
        let mut connection = PgConnection::establish(&self.address)?;
        connection.batch_execute(SESSION)?;
        Ok(connection)
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

    /// A session without any bounds of time, for migrations.
    pub fn connect_bare(&self) -> Result<PgConnection, OpenError> {
        PgConnection::establish(&self.address)
            .map_err(|error| OpenError::Unreachable(DbError::from(error).into_text()))
    }
}

fn with_options(url: &str, given: &str) -> String {
    let mut address = url.to_owned();
    for (name, value) in OPTIONS {
        let is_given = given
            .split('&')
            .any(|option| option.split_once('=').is_some_and(|(other, _)| other == name));
        if !is_given {
            let joint = if address.contains('?') { '&' } else { '?' };
            address.push(joint);
            address.push_str(name);
            address.push('=');
            address.push_str(value);
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_what_it_says() {
        let address = with_options("postgres://db/x?connect_timeout=9", "connect_timeout=9");
        assert_eq!(
            address,
            "postgres://db/x?connect_timeout=9&keepalives_idle=15&keepalives_interval=5\
             &keepalives_count=3&tcp_user_timeout=30000"
        );
        assert!(
            with_options("postgres://db/x", "").starts_with("postgres://db/x?connect_timeout=3&")
        );
    }

    #[test]
    fn an_address_that_asks_for_tls_is_refused() {
        for mode in ["require", "verify-ca", "verify-full"] {
            let url = format!("postgres://db/x?application_name=a&sslmode={mode}");
            assert_eq!(Server::new(&url).err(), Some(OpenError::NoTls(mode.to_owned())));
        }
        assert!(Server::new("postgres://db/x?sslmode=prefer").is_ok());
    }
}
