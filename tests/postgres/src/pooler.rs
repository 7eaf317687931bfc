//! A throw-away PgBouncer, which pools by transaction.

use std::ffi::OsStr;

use anyhow::{Context as _, Result};

use crate::account::Account;
use crate::script::Script;

const SCRIPT: &str = include_str!("pooler.sh");

/// A running pooler before a server on the loopback address. It ends when this is dropped.
pub struct Pooler {
    /// Ends the pooler.
    _script: Script,
    port: u16,
}

impl Pooler {
    /// Starts one with this program before the server that listens on the port `server`, as whose role `postgres`
    /// everybody connects. It opens so many `sessions` for each database.
    ///
    /// # Errors
    /// Why it does not start.
    pub fn start(program: &OsStr, server: u16, sessions: usize) -> Result<Self> {
        // It refuses root as PostgreSQL does.
        let account = Account::for_server()?;
        let numbers = [server.to_string(), sessions.to_string()];
        let [server, sessions] = &numbers;
        let arguments = [program, server.as_ref(), sessions.as_ref()];
        let (script, port) = Script::start("PgBouncer", SCRIPT, &arguments, account.as_ref())?;
        let port = port.parse().context("the port of PgBouncer")?;
        Ok(Self { _script: script, port })
    }

    /// The port of the loopback address on which it listens.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }
}
