//! A running server with all that a test needs beside it.

use std::future::Future;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use domain::Botyard;
use domain::access::Operator;

use crate::client::{Caller, Client, Relatives};
use crate::database::{Database, Sql};
use crate::installation::Installation;
use crate::server::Server;
use crate::site::CRAWLS_LOOPBACK;
use crate::tenant::Tenant;

/// A server on a database of its own, and the services of the domain on the same database.
pub struct TestApp {
    // Fields are dropped in this order: the server goes before what it runs on.
    server: Server,
    botyard: Botyard,
    installation: Installation,
    agent: ureq::Agent,
}

impl TestApp {
    /// The server that all tests of this database share. Each test works on tenants of its own. Unlike
    /// others, it crawls sites on loopback.
    ///
    /// # Panics
    /// If it does not start; so does every later call.
    #[track_caller]
    pub fn shared(database: Database) -> &'static Self {
        static SQLITE: OnceLock<Result<TestApp, String>> = OnceLock::new();
        static POSTGRES: OnceLock<Result<TestApp, String>> = OnceLock::new();
        let shared = match database {
            Database::Sqlite => &SQLITE,
            Database::Postgres => &POSTGRES,
        };
        let app = shared.get_or_init(|| Self::try_start(database, &CRAWLS_LOOPBACK));
        app.as_ref().unwrap_or_else(|error| panic!("{error}"))
    }

    /// A server of the test's own, with settings that differ: variables without `BOTYARD_` in
    /// front, like `("LIMITS__BOTS_PER_PROJECT", "2")`.
    ///
    /// # Panics
    /// If it does not start.
    #[track_caller]
    #[must_use]
    pub fn start(database: Database, settings: &[(&str, &str)]) -> Self {
        Self::try_start(database, settings).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same with whatever `launch` makes of the command that serves, which may be another program
    /// that becomes the server.
    ///
    /// # Panics
    /// If it does not start.
    #[track_caller]
    #[must_use]
    pub fn launch(
        database: Database,
        settings: &[(&str, &str)],
        launch: impl FnOnce(Command) -> Command,
    ) -> Self {
        Self::try_launch(database, settings, launch).unwrap_or_else(|error| panic!("{error}"))
    }

    fn try_start(database: Database, settings: &[(&str, &str)]) -> Result<Self, String> {
        Self::try_launch(database, settings, |command| command)
    }

    fn try_launch(
        database: Database,
        settings: &[(&str, &str)],
        launch: impl FnOnce(Command) -> Command,
    ) -> Result<Self, String> {
        let installation = Installation::create(database)?;
        let mut command = installation.command(settings);
        command.arg("serve");
        // The server comes first, because it migrates.
        let server = installation.start(&launch(command))?;
        let botyard = installation.open()?;
        Ok(Self { server, botyard, installation, agent: agent() })
    }

    /// A new tenant: a project with a bot, in an organisation of its own.
    #[track_caller]
    #[must_use]
    pub fn tenant(&self) -> Tenant<'_> {
        Tenant::new(self)
    }

    /// A client without a token, who belongs to no tenant.
    #[must_use]
    pub fn anonymous(&self) -> Client<'_> {
        Client::new(self, Caller::Nobody, None, Relatives::default())
    }

    /// The services of the domain on the server's database, in this process.
    #[must_use]
    pub const fn botyard(&self) -> &Botyard {
        &self.botyard
    }

    /// The right to use those services on everything.
    #[must_use]
    pub const fn operator(&self) -> Operator {
        Operator::of_this_installation()
    }

    /// The server.
    #[must_use]
    pub const fn server(&self) -> &Server {
        &self.server
    }

    /// The server, to be stopped.
    pub const fn server_mut(&mut self) -> &mut Server {
        &mut self.server
    }

    /// What the server runs on.
    #[must_use]
    pub const fn installation(&self) -> &Installation {
        &self.installation
    }

    /// A connection past the store.
    #[must_use]
    pub fn sql(&self) -> &Sql {
        self.installation.sql()
    }

    /// Which database it has.
    #[must_use]
    pub const fn database(&self) -> Database {
        self.installation.database()
    }

    /// Waits for a service's answer.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime")
            .block_on(future)
    }

    pub(crate) const fn agent(&self) -> &ureq::Agent {
        &self.agent
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .timeout_global(Some(Duration::from_secs(120)))
        .max_idle_connections(64)
        .max_idle_connections_per_host(64)
        // Well below the server's own patience, so that no request meets a connection just closed.
        .max_idle_age(Duration::from_secs(5))
        .build()
        .into()
}
