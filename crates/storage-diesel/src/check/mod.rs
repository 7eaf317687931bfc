//! Looks for what must not be in a database: rows that break a rule which holds after every unit of work.
//!
//! Each rule (`rules.rs`) is one statement, so it sees one state of the database and nothing that is half done:
//! beside a server at work it finds as much as on a stopped one. [`Checker`] runs them, and reads the rows of blobs
//! page by page, so that the caller can compare them with the files. Repairs are not made here.

mod constraints;
mod finding;
mod rule;
mod rules;
mod sql;

pub use constraints::INTEGRITY;
pub use finding::{Finding, Findings, Repair};

use diesel::prelude::*;
use domain::StorageError;
use domain::access::Operator;
use domain::blob::{Blob, BlobKey, BlobRepository as _};
use domain::clock::Timestamp;
use domain::encryption::{EncryptionKeyId, EncryptionRepository as _};
use domain::id::{BlobId, ProjectId};
use domain::installation::{Installation, InstallationRepository as _};
use domain::lock::{Lock, Mode};
use domain::project::ProjectRepository as _;

use crate::engine::db::OwnDb;
use crate::engine::errors::DbError;
use crate::engine::tx::Tx;
use crate::migrations::{self, migration_status};
use crate::open::{DatabaseUrl, OpenError};
use crate::postgres::server::Server;
use crate::sqlite::connect::{connect, make_reader};

/// A connection of its own to a database, on which nothing is changed.
pub struct Checker {
    db: OwnDb,
    operator: Operator,
}

impl Checker {
    /// Opens a database whose tables are those that this service works with, or says in the findings which
    /// migrations it lacks and opens nothing.
    ///
    /// # Errors
    /// [`OpenError`] if there is no database of this service, it can't be reached, or it is newer than the service.
    pub fn open(
        url: &DatabaseUrl,
        operator: Operator,
        findings: &mut Findings,
    ) -> Result<Option<Self>, OpenError> {
        let status = migration_status(url)?;
        if let Err(error) = migrations::check(&status) {
            let OpenError::SchemaOlder(_) = error else {
                return Err(error);
            };
            for (name, _) in status.into_iter().filter(|(_, applied)| !applied) {
                let sentence = "this migration was not applied: run `botyard migrate`".to_owned();
                findings.push(Finding::new("migration_missing", name, sentence));
            }
            return Ok(None);
        }
        let db = match url {
            DatabaseUrl::Sqlite(path) => {
                let mut connection = connect(path)?;
                make_reader(&mut connection)?;
                OwnDb::Sqlite(connection)
            }
            DatabaseUrl::Postgres(address) => OwnDb::Pg(Server::new(address)?.connect_bare()?),
        };
        Ok(Some(Self { db, operator }))
    }

    /// Goes through all rules; returns how many there are. If the file of SQLite is damaged itself, other rules
    /// are not looked at.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    pub fn check(
        &mut self,
        now: Timestamp,
        findings: &mut Findings,
    ) -> Result<usize, StorageError> {
        let done = self.check_all(now, findings);
        done.map_err(|error| DbError::from(error).into())
    }

    fn check_all(&mut self, now: Timestamp, findings: &mut Findings) -> QueryResult<usize> {
        let mut db = self.db.lend();
        let before = findings.list().len();
        constraints::check(&mut db, findings)?;
        let is_damaged =
            findings.list().iter().skip(before).any(|found| found.kind == constraints::INTEGRITY);
        if is_damaged {
            return Ok(constraints::RULES);
        }
        let rules = rules::all(db.dialect(), now);
        let count = rules.len() + constraints::RULES;
        for rule in rules {
            rule.check(&mut db, findings)?;
        }
        Ok(count)
    }

    /// The installation that the database belongs to, once a server has begun to serve it.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    pub fn installation(&mut self) -> Result<Option<Installation>, StorageError> {
        let operator = self.operator;
        self.tx().installation(operator)
    }

    /// The key with which secrets are encrypted, once a server has begun to use one.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    pub fn encryption_key(&mut self) -> Result<Option<EncryptionKeyId>, StorageError> {
        self.tx().encryption_key(Lock::None)
    }

    /// The project after this one in the order of their ids, or the first.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    pub fn project_after(
        &mut self,
        after: Option<ProjectId>,
    ) -> Result<Option<ProjectId>, StorageError> {
        let operator = self.operator;
        self.tx().project_after(operator, after)
    }

    /// The blobs of a project to which rows can refer, after this one, in the order of their ids; at most `limit`.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    pub fn blobs(
        &mut self,
        project: ProjectId,
        after: Option<BlobId>,
        limit: u32,
    ) -> Result<Vec<Blob>, StorageError> {
        let operator = self.operator;
        self.tx().present_blobs_after(operator, project, after, limit)
    }

    /// How many bytes all blobs have to which rows can refer.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    pub fn blob_totals(&mut self) -> Result<u64, StorageError> {
        let operator = self.operator;
        self.tx().present_blob_bytes(operator)
    }

    /// A blob as it is now.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    pub fn blob(&mut self, id: BlobId) -> Result<Option<Blob>, StorageError> {
        let operator = self.operator;
        self.tx().blob(operator, id)
    }

    /// Those of these keys that have no row.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    pub fn without_row(&mut self, keys: &[BlobKey]) -> Result<Vec<BlobKey>, StorageError> {
        let operator = self.operator;
        self.tx().orphaned_blobs(operator, keys)
    }

    const fn tx(&mut self) -> Tx<'_> {
        Tx::new(self.db.lend(), Mode::Read)
    }
}
