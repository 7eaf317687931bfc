//! The transaction as a unit of work sees it. Each repository trait is implemented on [`Tx`] in the
//! file of its concept.

use std::any::type_name;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::Arc;

use diesel::QueryResult;
use domain::StorageError;
use domain::id::ProjectId;
use domain::lock::{Lock, Mode};
use domain::memory::{ContentMemory, ReservedBytes};
use domain::store::Repositories;

use crate::engine::db::{Db, Dialect};
use crate::engine::errors::DbError;

/// What other readers must be notified of once a unit is committed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitNotifications {
    /// The projects of which tokens changed, or what makes them valid, or a bot can't be found any more.
    pub access: BTreeSet<ProjectId>,
    /// Whether there are new events.
    pub events: bool,
}

impl CommitNotifications {
    /// Those of several units.
    pub fn and(mut self, mut other: Self) -> Self {
        self.access.append(&mut other.access);
        Self { access: self.access, events: self.events || other.events }
    }
}

/// A connection inside a transaction.
pub struct Tx<'a> {
    db: Db<'a>,
    mode: Mode,
    error: Option<DbError>,
    notifications: CommitNotifications,
    has_changed: bool,
    bulk: i64,
    memory: Option<(Arc<ContentMemory>, ProjectId)>,
    content_max: u64,
    reserved: Vec<ReservedBytes>,
    longest: u64,
}

impl Repositories for Tx<'_> {}

impl<'a> Tx<'a> {
    /// The transaction that is open on this connection.
    pub const fn new(db: Db<'a>, mode: Mode) -> Self {
        Self {
            db,
            mode,
            error: None,
            notifications: CommitNotifications { access: BTreeSet::new(), events: false },
            has_changed: false,
            bulk: 0,
            memory: None,
            content_max: u64::MAX,
            reserved: Vec::new(),
            longest: 0,
        }
    }

    /// Says of which project the memory is that reads take.
    pub fn set_memory(&mut self, memory: Option<(Arc<ContentMemory>, ProjectId)>) {
        self.memory = memory;
    }

    /// Has contents of more bytes fail as if not enough memory was free for them.
    pub const fn refuse_contents_above(&mut self, bytes: u64) {
        self.content_max = bytes;
    }

    /// Which database it is.
    pub(crate) const fn dialect(&self) -> Dialect {
        self.db.dialect()
    }

    /// Reserves memory for content that is read. Only the first content of a unit has to be free: a unit that waited
    /// for a second one could wait for itself.
    pub(crate) fn reserve_memory(&mut self, bytes: i64) -> Result<(), StorageError> {
        let bytes = bytes.unsigned_abs();
        if bytes > self.content_max {
            return Err(self.error.get_or_insert(DbError::NoMemory).clone().into());
        }
        let Some((memory, project)) = &self.memory else {
            return Ok(());
        };
        let reserved = if self.reserved.is_empty() {
            memory.try_reserve(*project, bytes)
        } else {
            Ok(memory.reserve(*project, bytes))
        };
        let Ok(reserved) = reserved else {
            let error = self.error.get_or_insert(DbError::NoMemory);
            return Err(error.clone().into());
        };
        self.reserved.extend(reserved);
        Ok(())
    }

    /// Takes the reservations for what the unit has read.
    pub fn take_reserved(&mut self) -> Vec<ReservedBytes> {
        std::mem::take(&mut self.reserved)
    }

    /// Records that a value of so many bytes goes to the database or comes from it, in one row.
    pub(crate) fn record_long_value(&mut self, bytes: u64) {
        self.longest = self.longest.max(bytes);
    }

    /// The bytes of the longest value that the unit has read or stored.
    pub const fn longest_value(&self) -> u64 {
        self.longest
    }

    /// Runs one query that may change something. After the first failure there are no others, because PostgreSQL runs
    /// none in a transaction in which one failed, and SQLite may have lost the transaction.
    pub(crate) fn query<T>(
        &mut self,
        query: impl FnOnce(&mut Db<'_>) -> QueryResult<T>,
    ) -> Result<T, StorageError> {
        self.has_changed = true;
        self.look_up(query)
    }

    /// As [`Self::query`], for a query that changes nothing, whatever comes of it. A unit that is refused after
    /// nothing but look-ups need not be undone.
    pub(crate) fn look_up<T>(
        &mut self,
        query: impl FnOnce(&mut Db<'_>) -> QueryResult<T>,
    ) -> Result<T, StorageError> {
        if let Some(error) = &self.error {
            return Err(error.clone().into());
        }
        query(&mut self.db).map_err(|error| {
            let error = DbError::from(in_rows_of::<T>(error));
            self.error = Some(error.clone());
            error.into()
        })
    }

    /// As [`Self::query`], for a change that does no harm if it stays although the unit is refused, which then need not
    /// be undone for it.
    pub(crate) fn harmless_change<T>(
        &mut self,
        query: impl FnOnce(&mut Db<'_>) -> QueryResult<T>,
    ) -> Result<T, StorageError> {
        self.look_up(query)
    }

    /// Runs one change that must touch exactly one row.
    pub(crate) fn change_one(
        &mut self,
        what: &str,
        query: impl FnOnce(&mut Db<'_>) -> QueryResult<usize>,
    ) -> Result<(), StorageError> {
        match self.query(query)? {
            1 => Ok(()),
            rows => Err(broken(format!("{what}: {rows} rows instead of one"))),
        }
    }

    /// The error for a row that is not there although another one names it. Look-ups on PostgreSQL are not in a
    /// transaction, and units that write see what is committed meanwhile: there it may have been replaced since that one was
    /// read, and the unit is run again.
    pub(crate) fn missing_row(&mut self, what: &str) -> StorageError {
        let error = self.error.get_or_insert_with(|| match (self.db.dialect(), self.mode) {
            (Dialect::Postgres, Mode::LookUp | Mode::Write) => {
                DbError::Collision(format!("{what} was replaced while it was read"))
            }
            (Dialect::Postgres, Mode::Read) | (Dialect::Sqlite, _) => {
                DbError::Broken(format!("{what} is missing"))
            }
        });
        error.clone().into()
    }

    /// The lock to take for a look-up: none in a unit that only reads.
    pub(crate) fn lock(&self, wanted: Lock) -> Lock {
        match self.mode {
            Mode::LookUp | Mode::Read => Lock::None,
            Mode::Write => wanted,
        }
    }

    /// Records that tokens of a project, or what makes them valid, change with this unit, or that a bot can't be
    /// found any more.
    pub(crate) fn record_access_change(&mut self, project: ProjectId) {
        self.notifications.access.insert(project);
    }

    /// Records that there are new events with this unit.
    pub(crate) const fn record_events(&mut self) {
        self.notifications.events = true;
    }

    /// What other readers must be notified of if the unit is committed.
    pub fn notifications(&self) -> CommitNotifications {
        self.notifications.clone()
    }

    /// Whether the unit may have changed something.
    pub const fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// Records that so many bytes are stored or removed which later writing units hardly ever read.
    pub(crate) const fn record_bulk(&mut self, bytes: i64) {
        self.bulk = self.bulk.saturating_add(bytes);
    }

    /// How many bytes of that kind there are in this unit.
    pub const fn bulk(&self) -> i64 {
        self.bulk
    }

    /// The first failure of the database, which undoes the unit even if the unit has swallowed it.
    pub fn take_error(&mut self) -> Option<DbError> {
        self.error.take()
    }
}

/// Runs a look-up of one row with the lock that PostgreSQL needs for it. SQLite has one writer at a
/// time, so there is nothing to lock.
macro_rules! find_locked {
    ($tx:expr, $lock:expr, $query:expr, $row:ty) => {{
        use diesel::prelude::*;
        use domain::lock::Lock;
        use $crate::engine::db::Db;

        let lock: Lock = $tx.lock($lock);
        $tx.look_up(|db| match (db, lock) {
            #[cfg(feature = "sqlite")]
            (Db::Sqlite(db), _) => {
                $query.select(<$row>::as_select()).get_result(&mut **db).optional()
            }
            #[cfg(feature = "postgres")]
            (Db::Pg(db), lock) => {
                let db = &mut **db;
                let query = $query.select(<$row>::as_select());
                match lock {
                    Lock::None => query.get_result(db).optional(),
                    Lock::Shared => query.for_share().get_result(db).optional(),
                    // Not `for_update`: rows that only point to this one must not wait for it.
                    Lock::Exclusive => query.for_no_key_update().get_result(db).optional(),
                }
            }
        })
    }};
}
pub(crate) use find_locked;

/// The error of a column that can't be read, with what was read: diesel names the column, but not its table.
fn in_rows_of<T>(error: diesel::result::Error) -> diesel::result::Error {
    if let diesel::result::Error::DeserializationError(error) = error {
        let rows = type_name::<T>().replace("storage_diesel::tables::", "");
        return diesel::result::Error::DeserializationError(format!("{error} of {rows}").into());
    }
    error
}

/// A defect in the database or in this crate.
pub(crate) fn broken(text: impl Into<String>) -> StorageError {
    StorageError::Broken(text.into())
}

/// Reads a column that only this service writes; anything unreadable in it is a defect.
pub(crate) fn decode<T>(
    column: &str,
    row: impl Display,
    value: Option<T>,
) -> Result<T, StorageError> {
    value.ok_or_else(|| broken(format!("{column} of {row} holds what it must not")))
}

/// A number as both databases keep it.
pub(crate) fn number(number: u64) -> Result<i64, StorageError> {
    i64::try_from(number).map_err(|_| broken(format!("{number} is too large to be stored")))
}

/// Sees to it that as many rows were stored as were to be.
pub(crate) fn all_stored(what: &str, stored: usize, meant: usize) -> Result<(), StorageError> {
    if stored != meant {
        return Err(broken(format!("{stored} of {meant} {what} were stored")));
    }
    Ok(())
}
