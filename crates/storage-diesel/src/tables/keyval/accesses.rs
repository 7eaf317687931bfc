//! When key-value entries were read last.

use std::collections::BTreeSet;

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::StorageError;
use domain::keyval::{Access, EntryAddress};

use super::deletes::is_member;
use crate::engine::db::{Db, Dialect, on_db};
use crate::engine::tx::{Tx, broken};
use crate::sql::id::id_of_text;
use crate::sql::json::to_json;
use crate::sql::statement::Statement;

impl Tx<'_> {
    /// Returns the places of those that another unit holds.
    pub(super) fn set_accesses(&mut self, accesses: &[Access]) -> Result<Vec<usize>, StorageError> {
        let all = members(accesses.iter().enumerate())?;
        let Some(free) = self.lock_free(&all)? else {
            self.set(all)?;
            return Ok(Vec::new());
        };
        let numbered = accesses.iter().enumerate();
        let (free, others): (Vec<_>, Vec<_>) = numbered.partition(|(at, _)| free.contains(at));
        self.set(members(free)?)?;
        if others.is_empty() {
            return Ok(Vec::new());
        }
        let others = members(others)?;
        let locked: Vec<i64> = self.query(|db| {
            let waiting = waiting(db.dialect(), &others);
            on_db!(db, db => waiting.load(db))
        })?;
        locked.into_iter().map(place).collect()
    }

    /// Locks those of these entries that are there and that no other unit holds; `None` stands for all,
    /// on a database that has one writer at a time.
    fn lock_free(&mut self, members: &str) -> Result<Option<BTreeSet<usize>>, StorageError> {
        let locked: Option<Vec<i64>> = self.query(|db| match db {
            #[cfg(feature = "postgres")]
            Db::Pg(db) => lock_free(Dialect::Postgres, members).load(&mut **db).map(Some),
            #[cfg(feature = "sqlite")]
            Db::Sqlite(_) => {
                let _ = members;
                Ok(None)
            }
        })?;
        locked.map(|locked| locked.into_iter().map(place).collect()).transpose()
    }

    fn set(&mut self, members: String) -> Result<(), StorageError> {
        self.query(|db| {
            let set = set(db.dialect(), members);
            on_db!(db, db => set.execute(db))
        })?;
        Ok(())
    }
}

/// A JSON array of accesses: project, owner, userId, type, key, time, place.
fn members<'a>(
    accesses: impl IntoIterator<Item = (usize, &'a Access)>,
) -> Result<String, StorageError> {
    let members = accesses.into_iter().map(|(place, Access { scope, address, at })| {
        let EntryAddress { user_id, entry_type, key } = address;
        (scope.project_id(), scope.owner_id(), user_id, entry_type, key, at.millis(), place)
    });
    to_json("accesses", &members.collect::<Vec<_>>())
}

fn place(place: i64) -> Result<usize, StorageError> {
    usize::try_from(place).map_err(|_| broken("an access has no place"))
}

/// Each of the entries of a JSON array gets its time, unless it has a later one.
pub(super) fn set(dialect: Dialect, members: String) -> Statement<()> {
    let [project, owner] = ["value->>0", "value->>1"].map(|id| id_of_text(dialect, id));
    Statement::new(format!(
        "UPDATE keyval_entries SET accessed_at = new_at FROM (SELECT {project} AS project, \
         {owner} AS owner, value->>2 AS of_user, value->>3 AS of_type, value->>4 AS of_key, \
         CAST(value->>5 AS BIGINT) AS new_at FROM "
    ))
    .members(dialect, members)
    .sql(
        " AS these) AS accesses WHERE project_id = project AND owner_id = owner \
         AND user_id = of_user AND type = of_type AND key = of_key AND accessed_at < new_at",
    )
}

/// Those entries of a JSON array that are there and that can be locked without waiting, which keep
/// their locks. A time of access is not important enough to let a unit wait for it.
#[cfg(feature = "postgres")]
pub(super) fn lock_free(dialect: Dialect, members: &str) -> Statement<BigInt> {
    places(dialect, members).sql(" FOR NO KEY UPDATE OF keyval_entries SKIP LOCKED")
}

/// Those entries of a JSON array that are there and have an earlier time.
pub(super) fn waiting(dialect: Dialect, members: &str) -> Statement<BigInt> {
    places(dialect, members).sql(" AND accessed_at < CAST(these.value->>5 AS BIGINT)")
}

fn places(dialect: Dialect, members: &str) -> Statement<BigInt> {
    Statement::new("SELECT CAST(these.value->>6 AS BIGINT) FROM ")
        .members(dialect, members)
        .sql(" AS these CROSS JOIN keyval_entries WHERE ")
        .sql(is_member(dialect))
}
