//! A running server with all that a test needs beside it.

use std::future::Future;
use std::ops::Deref;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use domain::Botyard;
use domain::access::Operator;
use http_actix::HttpLimits;
use test_databases::Content;

use crate::database::{Database, Sql};
use crate::installation::Installation;
use crate::local::{Counting, Local};
use crate::server::Server;
use crate::site::CRAWLS_LOOPBACK;

/// A server on a database of its own, and the services of the domain on the same database.
pub struct TestApp {
    // Fields are dropped in this order: what answers goes before what it runs on.
    answering: Answering,
    botyard: Botyard,
    installation: Installation,
    agent: ureq::Agent,
}

/// A server that tests share: its database, its settings, and the server once a test has asked for it.
type SharedServer =
    (Database, &'static [(&'static str, &'static str)], &'static OnceLock<Result<TestApp, String>>);

/// What answers requests.
enum Answering {
    Server(Server),
    /// The API in this process, and how many units it has begun in order to write.
    Local(Local, Arc<AtomicU64>),
}

impl TestApp {
    /// The server that all tests of this database share. Each test works on tenants of its own. Unlike
    /// others, it crawls sites on loopback.
    ///
    /// # Panics
    /// If it does not start; so does every later call.
    #[track_caller]
    pub fn shared(database: Database) -> &'static Self {
        Self::sharing(database, &CRAWLS_LOOPBACK)
    }

    /// The same with settings that differ: the server that all tests of this database share which ask for
    /// the same settings. They are variables as [`Self::start`] takes them.
    ///
    /// # Panics
    /// If it does not start; so does every later call.
    #[track_caller]
    pub fn sharing(
        database: Database,
        settings: &'static [(&'static str, &'static str)],
    ) -> &'static Self {
        static SERVERS: Mutex<Vec<SharedServer>> = Mutex::new(Vec::new());
        let server = {
            let mut servers = SERVERS.lock().unwrap_or_else(PoisonError::into_inner);
            let known = servers.iter().find(|(of, with, _)| *of == database && *with == settings);
            match known {
                Some((.., server)) => *server,
                None => {
                    // As long as the process: statics are never dropped.
                    let server: &'static OnceLock<_> = Box::leak(Box::default());
                    servers.push((database, settings, server));
                    server
                }
            }
        };
        let app = server.get_or_init(|| Self::try_start(database, settings));
        app.as_ref().unwrap_or_else(|error| panic!("{error}"))
    }

    /// A server of the test's own, for tests that stop it, read its log or its metrics, look into its folders, count
    /// all rows of a table, or take all of something that it has once; with settings that differ: variables without
    /// `BOTYARD_` in front, like `("LIMITS__BOTS_PER_PROJECT", "2")`.
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
        let installation = Installation::create(database, Content::Schema)?;
        let mut command = installation.serving(settings);
        command.arg("serve");
        let server = installation.start(&launch(command))?;
        let botyard = installation.open()?;
        let answering = Answering::Server(server);
        Ok(Self { answering, botyard, installation, agent: agent() })
    }

    /// The API in this process, without a socket and without a server's jobs, on a database of its own: for what
    /// holds whatever way a request comes in.
    ///
    /// # Panics
    /// If the database can't be made.
    #[track_caller]
    #[must_use]
    pub fn in_process(database: Database, limits: HttpLimits) -> Self {
        let started = || -> Result<Self, String> {
            let installation = Installation::create(database, Content::Schema)?;
            let writes = Arc::new(AtomicU64::new(0));
            let counting = Counting { store: installation.store()?, writes: writes.clone() };
            let local = Local::start(installation.begun_on(Arc::new(counting))?, limits)?;
            let botyard = installation.open()?;
            let answering = Answering::Local(local, writes);
            Ok(Self { answering, botyard, installation, agent: agent() })
        };
        started().unwrap_or_else(|error| panic!("{error}"))
    }

    /// How many units the API in this process has begun in order to write.
    ///
    /// # Panics
    /// If it is a server.
    #[must_use]
    #[track_caller]
    pub fn writes(&self) -> u64 {
        match &self.answering {
            Answering::Local(_, writes) => writes.load(Ordering::SeqCst),
            Answering::Server(_) => panic!("a server's units can't be counted from here"),
        }
    }

    /// The API in this process, if that is what answers.
    pub(crate) const fn local(&self) -> Option<&Local> {
        match &self.answering {
            Answering::Local(local, _) => Some(local),
            Answering::Server(_) => None,
        }
    }

    /// Whether requests go to the API in this process, and not to a server.
    #[must_use]
    pub const fn is_in_process(&self) -> bool {
        self.local().is_some()
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
    ///
    /// # Panics
    /// If the API is in this process.
    #[must_use]
    #[track_caller]
    pub fn server(&self) -> &Server {
        match &self.answering {
            Answering::Server(server) => server,
            Answering::Local(..) => panic!("there is no server"),
        }
    }

    /// The server, to be stopped.
    ///
    /// # Panics
    /// If the API is in this process.
    #[track_caller]
    pub fn server_mut(&mut self) -> &mut Server {
        match &mut self.answering {
            Answering::Server(server) => server,
            Answering::Local(..) => panic!("there is no server"),
        }
    }

    /// What the server runs on.
    #[must_use]
    pub const fn installation(&self) -> &Installation {
        &self.installation
    }

    /// A connection past the store; what is changed through it is noticed by the server.
    #[must_use]
    pub const fn sql(&self) -> ServedSql<'_> {
        ServedSql(self)
    }

    /// Which database it has.
    #[must_use]
    pub const fn database(&self) -> Database {
        self.installation.database()
    }

    /// Has a server notice what was changed past it, which it does by itself a moment later: it looks when it is
    /// asked whether it is ready.
    fn let_notice(&self) {
        if let Answering::Server(server) = &self.answering {
            let request = self.agent.get(format!("{}/readyz", server.url()));
            // Whether it is ready is for the tests to say. A server may have been stopped by its test.
            let limited = request.config().timeout_global(Some(Duration::from_secs(5))).build();
            drop(limited.call());
        }
    }

    /// Waits for a service's answer. The server notices what the service has changed.
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let done = runtime.expect("a runtime").block_on(future);
        self.let_notice();
        done
    }

    pub(crate) const fn agent(&self) -> &ureq::Agent {
        &self.agent
    }
}

/// The connection past the store of an app.
pub struct ServedSql<'a>(&'a TestApp);

impl Deref for ServedSql<'_> {
    type Target = Sql;

    fn deref(&self) -> &Sql {
        self.0.installation.sql()
    }
}

impl ServedSql<'_> {
    /// Runs one statement, which the server notices; returns the number of rows that it touched.
    #[track_caller]
    pub fn execute(&self, statement: &str) -> usize {
        let touched = self.0.installation.sql().execute(statement);
        self.0.let_notice();
        touched
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
        // Well below the server's own timeout, so that no request meets a connection just closed.
        .max_idle_age(Duration::from_secs(5))
        .build()
        .into()
}
