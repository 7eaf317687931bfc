//! Which database, with which bounds, and why it can't be opened.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Where the database is.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// A file on a local disk.
    Sqlite(PathBuf),
    /// A server, as `postgres://user:password@host:port/database?option=value`.
    Postgres(String),
}

impl DatabaseUrl {
    /// The error where this database is not in the build.
    #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
    pub(crate) const fn not_in_build(&self) -> OpenError {
        match self {
            Self::Sqlite(_) => OpenError::NotInBuild { database: "SQLite", feature: "sqlite" },
            Self::Postgres(_) => {
                OpenError::NotInBuild { database: "PostgreSQL", feature: "postgres" }
            }
        }
    }
}

impl FromStr for DatabaseUrl {
    type Err = OpenError;

    /// Reads `sqlite:` followed by a path, or a PostgreSQL address.
    fn from_str(text: &str) -> Result<Self, OpenError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        let path = text
            .strip_prefix("sqlite://")
            .or_else(|| text.strip_prefix("sqlite:"))
            .filter(|path| !path.is_empty())
            .ok_or(OpenError::BadUrl)?;
        Ok(Self::Sqlite(PathBuf::from(path)))
    }
}

impl fmt::Display for DatabaseUrl {
    /// The address without its password and its options, which may hold one too. An address that
    /// can't be taken apart is not shown at all: who knows where its password ends?
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = match self {
            Self::Sqlite(path) => return write!(f, "sqlite:{}", path.display()),
            Self::Postgres(address) => address,
        };
        let parsed = url::Url::parse(address).ok();
        let Some((url, host)) = parsed.as_ref().and_then(|url| Some((url, url.host_str()?))) else {
            return f.write_str("postgres://***");
        };
        write!(f, "{}://", url.scheme())?;
        if !url.username().is_empty() {
            write!(f, "{}@", url.username())?;
        }
        f.write_str(host)?;
        if let Some(port) = url.port() {
            write!(f, ":{port}")?;
        }
        f.write_str(url.path())
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What is called with one line when going on would endanger data. It is not expected to return.
pub type OnFatal = Arc<dyn Fn(&str) + Send + Sync>;

/// Bounds of a store.
#[derive(Clone)]
pub struct Options {
    /// Connections that reading units run on. A tenant has half of them at most, and on SQLite no more than half of the
    /// cores.
    pub readers: usize,
    /// PostgreSQL: connections that writing units run on, beside those that read. A tenant has half of
    /// them at most.
    pub writers: usize,
    /// Units that may wait in each queue, of which a tenant has a quarter at most. One more is refused
    /// at once. Reading and writing units wait in queues of their own.
    pub queue: usize,
    /// Bytes of contents that are read and not answered yet. A project has half of them.
    pub content_memory: u64,
    /// PostgreSQL: for how long a unit is tried again while another holds a row that it needs.
    pub lock_wait: Duration,
    /// PostgreSQL: the address of the server itself, if the store's address is that of a pooler that pools by
    /// transaction, such as PgBouncer. The session that listens for changes of other processes goes there. Sessions of
    /// the pooler keep nothing from one transaction to the next, prepared statements excepted.
    pub listen_url: Option<String>,
    /// PostgreSQL: whether statements are prepared once for each session. A pooler that pools by transaction has to
    /// know of them; PgBouncer does from version 1.21 on.
    pub prepared_statements: bool,
    /// How many writing units are committed together at most.
    pub write_batch: usize,
    /// How long writing units are collected into one commit at most.
    pub write_batch_time: Duration,
    /// SQLite: an upper bound for the database, in pages of 8192 bytes.
    pub sqlite_max_pages: Option<u32>,
    /// SQLite: bytes of the disk that are kept back for deletes. While less is free there, and in the file
    /// itself, services add nothing for tenants.
    pub reserve: u64,
    /// SQLite: called when a commit failed in the file system. What the disk holds is then unknown,
    /// and a second attempt could succeed without having stored all, so the default ends the process.
    pub on_fatal: OnFatal,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            readers: 4,
            writers: 4,
            queue: 4_096,
            content_memory: 32 << 20,
            lock_wait: Duration::from_secs(10),
            listen_url: None,
            prepared_statements: true,
            write_batch: 256,
            write_batch_time: Duration::from_millis(5),
            sqlite_max_pages: None,
            reserve: 0,
            on_fatal: Arc::new(|line| {
                tracing::error!("{line}");
                std::process::exit(1);
            }),
        }
    }
}

/// Why a database can't be opened: one line for the person who starts the service. It never holds a
/// password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The address is of no known form.
    #[error(
        "the database address must be `sqlite:` followed by a path, or begin with `postgres://`"
    )]
    BadUrl,
    /// The address is that of a database which this build has no client for.
    #[error("this build of botyard can't use {database}: it needs the cargo feature `{feature}`")]
    NotInBuild {
        /// Its name.
        database: &'static str,
        /// What the build lacks.
        feature: &'static str,
    },
    /// The folder in which the database's folder lies is missing.
    #[error("there is no folder {}", .0.display())]
    NoFolder(PathBuf),
    /// The file or its folder can't be written.
    #[error("{} can't be written: {reason}", path.display())]
    NotWritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The server does not answer, or does not let this account in.
    #[error("PostgreSQL can't be reached: {0}")]
    Unreachable(String),
    /// The address or a variable asks for TLS, which this build can't do.
    #[error(
        "`{0}` asks for TLS, which this build of botyard does not have: it needs the cargo feature \
         `postgres-tls`. Without it, connect to a server on this machine or through a tunnel, and say \
         `sslmode=disable`"
    )]
    NoTls(String),
    /// The mode is no word that PostgreSQL's client library knows.
    #[error("`sslmode` must be disable, allow, prefer, require, verify-ca or verify-full")]
    BadSslMode,
    /// Units and the session that listens do not meet.
    #[error(
        "notifications of other nodes are not received: `database.listen_url` must lead to the same database as \
         `database_url`, and past a pooler that pools by transaction"
    )]
    NoNotifications,
    /// Earlier ones can corrupt a database that several connections use.
    #[error("SQLite {found} is too old: at least {needed} is needed")]
    SqliteTooOld {
        /// The library that was found.
        found: String,
        /// The first that will do.
        needed: &'static str,
    },
    /// A newer version of this service was here.
    #[error(
        "the database was migrated by a newer version of botyard, which knows the migrations {0}"
    )]
    SchemaNewer(String),
    /// There is no database of this service: nothing has been migrated.
    #[error(
        "there is no database yet. If a server has one elsewhere, name it as that server does, with \
         `--data-dir` or `--database-url` or their variables; to make one here run `botyard migrate`"
    )]
    NoDatabase,
    /// Not all migrations have been run.
    #[error("the database is not up to date: run `botyard migrate` (missing: {0})")]
    SchemaOlder(String),
    /// A migration failed; it was undone.
    #[error("the migration of the database failed: {0}")]
    Migration(String),
    /// Anything else.
    #[error("the database can't be opened: {0}")]
    Failed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_distinguished_and_shown_without_secrets() {
        let shown = |text: &str| text.parse::<DatabaseUrl>().map(|url| format!("{url:?}"));
        assert_eq!(shown("sqlite:data/botyard.db").unwrap(), "sqlite:data/botyard.db");
        assert_eq!(shown("sqlite:///srv/botyard.db").unwrap(), "sqlite:/srv/botyard.db");
        assert_eq!(
            shown("postgres://ada:secret@db:5432/botyard?password=secret").unwrap(),
            "postgres://ada@db:5432/botyard"
        );
        assert_eq!(shown("postgresql://db/botyard").unwrap(), "postgresql://db/botyard");
        assert_eq!(shown("postgres://db/x?password=a@b").unwrap(), "postgres://db/x");
        for odd in ["postgres://ada:sec?ret@db/x", "postgres://ada:se/cret@db/x"] {
            assert!(!shown(odd).unwrap().contains("ret"), "{odd}");
        }
        for bad in ["", "sqlite:", "botyard.db", "host=db password=secret", "mysql://db"] {
            assert_eq!(shown(bad), Err(OpenError::BadUrl), "{bad}");
        }
    }
}
