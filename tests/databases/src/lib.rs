//! Databases of tests, each one's own and gone afterwards: a SQLite file, or a database on the PostgreSQL
//! server that `BOTYARD_TEST_POSTGRES_URL` names.
//!
//! Most tests want the tables to be there. Migrations run once in each process, into a template of which
//! [`Content::Schema`] is a copy.

mod postgres;
mod sqlite;

use std::fmt::Display;
use std::path::Path;

use storage_diesel::DatabaseUrl;

/// The port of the pooler before the server, for a run of the tests through one.
pub const POOLER: &str = "BOTYARD_TEST_POOLER";

/// What a new database has in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Nothing: it has yet to be migrated.
    Nothing,
    /// All tables, without a row.
    Schema,
}

/// A database that is dropped with this.
pub struct OwnDatabase {
    url: DatabaseUrl,
    /// Its name on the server.
    name: Option<String>,
}

impl OwnDatabase {
    /// A SQLite file in this folder, which goes with the folder.
    ///
    /// # Errors
    /// Why it can't be made.
    pub fn sqlite(folder: &Path, content: Content) -> Result<Self, String> {
        let path = folder.join("botyard.db");
        if content == Content::Schema {
            sqlite::copy_template(&path)?;
        }
        Ok(Self { url: DatabaseUrl::Sqlite(path), name: None })
    }

    /// A database on the server.
    ///
    /// # Errors
    /// Why it can't be made.
    pub fn postgres(content: Content) -> Result<Self, String> {
        let (name, url) = postgres::create(content)?;
        Ok(Self { url: DatabaseUrl::Postgres(url), name: Some(name) })
    }

    /// The identifier whose text this is, as SQL.
    #[must_use]
    pub fn id(&self, text: impl Display) -> String {
        id(&self.url, text)
    }

    /// Where it is.
    #[must_use]
    pub const fn url(&self) -> &DatabaseUrl {
        &self.url
    }
}

/// The address of the same database through the pooler that stands before the server of the tests, if
/// `BOTYARD_TEST_POOLER` has its port.
#[must_use]
pub fn pooled(url: &DatabaseUrl) -> Option<String> {
    match url {
        DatabaseUrl::Sqlite(_) => None,
        DatabaseUrl::Postgres(url) => {
            let port: u16 = std::env::var(POOLER).ok()?.parse().ok()?;
            Some(through(url, port))
        }
    }
}

/// The address of the same database on another port of the loopback address.
#[must_use]
pub fn through(url: &str, port: u16) -> String {
    let (_, name) = url.rsplit_once('/').unwrap_or_default();
    format!("postgres://postgres@127.0.0.1:{port}/{name}")
}

/// The identifier whose text this is, as SQL of the database at this address.
#[must_use]
pub fn id(url: &DatabaseUrl, text: impl Display) -> String {
    match url {
        DatabaseUrl::Sqlite(_) => format!("unhex('{text}', '-')"),
        DatabaseUrl::Postgres(_) => format!("CAST('{text}' AS UUID)"),
    }
}

impl Drop for OwnDatabase {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            postgres::drop_database(name);
        }
    }
}
