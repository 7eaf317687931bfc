//! One state of a database as a file of SQLite, and a database made of such a file: for backups.

use std::path::{Path, PathBuf};

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::Text;

use crate::engine::errors::{DbError, one_line};
use crate::migrations::{self, migration_status};
use crate::open::{DatabaseUrl, OpenError};
use crate::sqlite::connect::{connect, create};
use crate::transfer::{Progress, TransferError, check_empty, copy_database};

/// Files to which nothing refers are about to be removed, so a backup does not have them: in it, their removal has
/// begun. The job that ends it is there, too.
const FORGET_UNUSED_FILES: &str = "UPDATE blobs SET state = 'deleting' WHERE state = 'present' \
    AND NOT EXISTS (SELECT 1 FROM fusion_views AS v WHERE v.project_id = blobs.project_id AND v.blob_id = blobs.id) \
    AND NOT EXISTS (SELECT 1 FROM documents AS d WHERE d.project_id = blobs.project_id AND d.blob_id = blobs.id)";

/// Writes one state of a database into a new file of SQLite, which no other user can read. A server may be at work on
/// the database. `report` gets the rows that were copied, and all rows; a database that is a file itself is copied by
/// SQLite, which does not say how far it is.
///
/// # Errors
/// [`TransferError`] if the database can't be read, or the file can't be written.
pub fn take_snapshot(
    from: &DatabaseUrl,
    to: &Path,
    report: &mut dyn FnMut(u64, u64),
) -> Result<(), TransferError> {
    let copy = DatabaseUrl::Sqlite(to.to_owned());
    match from {
        DatabaseUrl::Sqlite(path) => {
            let not_opened = |error| TransferError::Open { database: from.to_string(), error };
            create(to)
                .map_err(|error| TransferError::Open { database: copy.to_string(), error })?;
            let mut source = connect(path).map_err(not_opened)?;
            // An empty file is taken; a path is not, unless it is absolute, because it could mean something else.
            let to = std::path::absolute(to).unwrap_or_else(|_| to.to_owned());
            let into = diesel::sql_query("VACUUM INTO ?").bind::<Text, _>(to.to_string_lossy());
            into.execute(&mut source).map_err(|error| failed(from, error))?;
        }
        DatabaseUrl::Postgres(_) => {
            let mut report = |Progress { done, total, .. }: Progress| report(done, total);
            copy_database(from, &copy, true, &mut report)?;
        }
    }
    let mut taken =
        connect(to).map_err(|error| TransferError::Open { database: copy.to_string(), error })?;
    taken.batch_execute(FORGET_UNUSED_FILES).map_err(|error| failed(&copy, error))
}

/// Copies such a file into a database of PostgreSQL, which must be empty.
///
/// # Errors
/// [`TransferError`] if the file can't be read, or the database is not empty or can't be written.
pub fn put_snapshot(
    from: &Path,
    to: &DatabaseUrl,
    report: &mut dyn FnMut(u64, u64),
) -> Result<(), TransferError> {
    let mut report = |Progress { done, total, .. }: Progress| report(done, total);
    copy_database(&DatabaseUrl::Sqlite(from.to_owned()), to, false, &mut report).map(|_| ())
}

/// Sees to it that a database can be made at this address: there is none yet, or it is one of PostgreSQL without a row.
///
/// # Errors
/// [`TransferError`] if there is one, or the address can't be reached.
pub fn check_vacant(url: &DatabaseUrl) -> Result<(), TransferError> {
    match url {
        DatabaseUrl::Sqlite(path) => {
            // An administrator can create an empty file in its place, to set its mode.
            let has_bytes =
                |path: &Path| std::fs::metadata(path).is_ok_and(|found| found.len() > 0);
            let refused =
                |text: String| Err(TransferError::Database { database: url.to_string(), text });
            if has_bytes(path) {
                return refused(
                    "is there already: a database is not restored over another one".to_owned(),
                );
            }
            // SQLite would take it for a part of the new database.
            for suffix in ["-wal", "-journal"] {
                let mut left = path.clone().into_os_string();
                left.push(suffix);
                let left = PathBuf::from(left);
                if has_bytes(&left) {
                    return refused(format!("{} is left of another database", left.display()));
                }
            }
            Ok(())
        }
        DatabaseUrl::Postgres(_) => {
            let not_opened = |error| TransferError::Open { database: url.to_string(), error };
            let status = migration_status(url).map_err(not_opened)?;
            if migrations::check(&status) == Err(OpenError::NoDatabase) {
                return Ok(());
            }
            check_empty(url)
        }
    }
}

fn failed(database: &DatabaseUrl, error: diesel::result::Error) -> TransferError {
    let text = one_line(&DbError::from(error).into_text());
    TransferError::Database { database: database.to_string(), text }
}
