//! A copy of a whole database.

use std::path::Path;

use super::error::TransferError;
use super::indexes;
use super::insert::InsertBatch;
use super::progress::{Progress, TransferPhase};
use super::row::for_each_row;
use super::side::Side;
use super::summary::{Summary, TableSummary, summarize_all};
use super::tables::TABLES;
use crate::migrations::migrate;
use crate::open::DatabaseUrl;

/// Copies all rows of a database to another one, which is migrated and must be empty; returns what each table has.
///
/// One state of the source is read, in one transaction, a row at a time. All is written in one transaction, and read
/// again and compared before that is committed: after an error the target is still empty. A PostgreSQL database that a
/// server works on is refused; as a source it is taken if it `is_live`. Whether a server works on a file of SQLite is
/// not known here: the caller must hold its folder. This blocks until all is done.
///
/// # Errors
/// [`TransferError`]
pub fn copy_database(
    from: &DatabaseUrl,
    to: &DatabaseUrl,
    is_live: bool,
    report: &mut dyn FnMut(Progress),
) -> Result<Vec<TableSummary>, TransferError> {
    if is_same(from, to) {
        return Err(TransferError::Same(from.to_string()));
    }
    let mut source = Side::open(from)?;
    source.begin_reading()?;
    if !is_live {
        source.claim()?;
    }
    migrate(to).map_err(|error| TransferError::Open { database: to.to_string(), error })?;
    let mut target = Side::open(to)?;
    target.begin_writing()?;
    target.claim()?;
    target.check_empty()?;

    let total = source.count_all()?;
    let indexes = indexes::drop_all(&mut target)?;
    let mut copied = Vec::new();
    let mut done = 0;
    for table in TABLES {
        let mut summary = Summary::default();
        let mut batch = InsertBatch::new(table);
        for_each_row(&mut source, table, |row| {
            summary.add(&row);
            batch.add(row, &mut target)?;
            done += 1;
            report(Progress { phase: TransferPhase::Copying, table: table.name, done, total });
            Ok(())
        })?;
        batch.store(&mut target)?;
        copied.push(summary.of(table));
    }
    report(Progress { phase: TransferPhase::Indexing, table: "", done, total });
    indexes::create(&mut target, &indexes)?;
    let stored = summarize_all(&mut target, total, report)?;
    if let Some((original, _)) = copied.iter().zip(&stored).find(|(from, to)| from != to) {
        return Err(TransferError::Differs(original.table.clone()));
    }
    target.commit()?;
    Ok(copied)
}

/// Sees to it that no table of a database, which is up to date, has a row.
pub(crate) fn check_empty(database: &DatabaseUrl) -> Result<(), TransferError> {
    Side::open(database)?.check_empty()
}

/// Whether both name the same database. Of servers only the addresses are compared: a database that is not empty is
/// refused as a target anyway.
fn is_same(from: &DatabaseUrl, to: &DatabaseUrl) -> bool {
    match (from, to) {
        (DatabaseUrl::Sqlite(from), DatabaseUrl::Sqlite(to)) => {
            let real = |path: &Path| path.canonicalize().ok();
            from == to || real(from).is_some_and(|from| Some(from) == real(to))
        }
        (DatabaseUrl::Postgres(from), DatabaseUrl::Postgres(to)) => from == to,
        (DatabaseUrl::Sqlite(_), DatabaseUrl::Postgres(_))
        | (DatabaseUrl::Postgres(_), DatabaseUrl::Sqlite(_)) => false,
    }
}
