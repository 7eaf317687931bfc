//! Deletes of many key-value entries, batch by batch.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_types::BigInt;
#[cfg(feature = "postgres")]
use diesel::sql_types::Text;
use domain::StorageError;
use domain::clock::Timestamp;
use domain::keyval::{EntryAddress, EntryFilter, KeyFilter, KeyvalScope, is_permanent};

use super::looks::named_sizes;
use super::pages::members;
use super::range::{Order, Range};
use super::rows::{ADDRESS, AddressColumns, AddressRow, address};
use crate::engine::db::{Db, Dialect, on_db};
use crate::engine::tx::{Tx, broken};
use crate::sql::columns::Stored;
use crate::sql::id::{IdColumn, id_of_text};
use crate::sql::json::to_json;
use crate::sql::statement::Statement;
use crate::tables::bot_rows::removable;

/// How many entries one call looks at for those that were idle for too long.
const EXAMINED: u32 = 2_000;

/// The condition that an entry is one of `these`, which begin with project, owner, userId, type and key.
pub(super) fn is_member(dialect: Dialect) -> String {
    let [project, owner] = ["these.value->>0", "these.value->>1"].map(|id| id_of_text(dialect, id));
    format!(
        "project_id = {project} AND owner_id = {owner} AND user_id = these.value->>2 \
         AND type = these.value->>3 AND key = these.value->>4"
    )
}

/// That a column is before a time.
type Before = (&'static str, i64);

impl Tx<'_> {
    pub(super) fn delete_batch(
        &mut self,
        scope: &KeyvalScope,
        filter: &EntryFilter,
        keep_permanent: bool,
        after: Option<&EntryAddress>,
        limit: u32,
    ) -> Result<(u64, Option<EntryAddress>), StorageError> {
        let of_permanent = match &filter.key {
            KeyFilter::Any => false,
            KeyFilter::Is(key) | KeyFilter::Prefix(key) => is_permanent(key),
        };
        if keep_permanent && of_permanent {
            return Ok((0, None));
        }
        let order = match filter.key {
            KeyFilter::Prefix(_) | KeyFilter::Is(_) if filter.user_id.is_none() => Order::Key,
            KeyFilter::Any | KeyFilter::Prefix(_) | KeyFilter::Is(_) => Order::Address,
        };
        let Some(range) = Range::of(scope, filter, order).after(after) else {
            return Ok((0, None));
        };
        // Those that stay are examined too, so that a batch ends soon where it finds little.
        let examined = limit.saturating_mul(2);
        let mut found = self.addresses(&range.without_others(), examined)?;
        let is_all = found.len() < examined as usize;
        let last = found.last().cloned();
        found.retain(|address| {
            filter.matches(address) && !(keep_permanent && address.is_permanent())
        });
        let few = self.few_enough(scope, &found, limit)?;
        let is_full = found.len() > few || few >= limit as usize;
        found.truncate(few);
        let end = match found.last() {
            Some(end) if is_full => Some(end.clone()),
            Some(_) | None if is_all => None,
            Some(_) | None => last,
        };
        let range = range.with("project_id = ", scope.project_id().to_column());
        let range = if keep_permanent { range.with("substr(key, 1, 1) <> ", "!") } else { range };
        Ok((self.delete_found(scope, range, &found, None)?, end))
    }

    /// Deletes the first entries of a range, at most `limit`, of which a column is before a time if that is
    /// given; returns their number, and whether those were all.
    pub(super) fn delete_first(
        &mut self,
        scope: &KeyvalScope,
        range: Range,
        before: Option<Before>,
        limit: u32,
    ) -> Result<(u32, bool), StorageError> {
        let range = range.with("project_id = ", scope.project_id().to_column());
        let range = match before {
            Some((column, time)) => range.with(column, time),
            None => range,
        };
        let mut first = self.addresses(&range, limit)?;
        let few = self.few_enough(scope, &first, limit)?;
        let were_all = few == first.len() && few < limit as usize;
        first.truncate(few);
        self.delete_found(scope, range, &first, before)?;
        // Also counts what another unit deleted or wrote again meanwhile: none of that is left to do.
        let count =
            u32::try_from(few).map_err(|_| broken("more entries removed than asked for"))?;
        Ok((count, were_all))
    }

    /// How many of these entries one unit deletes: the first ones, at most `limit`, and at least one. The
    /// database goes through the bytes of their values to set them free.
    fn few_enough(
        &mut self,
        scope: &KeyvalScope,
        addresses: &[EntryAddress],
        limit: u32,
    ) -> Result<usize, StorageError> {
        let addresses = addresses.get(..limit as usize).unwrap_or(addresses);
        if addresses.len() < 2 {
            return Ok(addresses.len());
        }
        let named = to_json("addresses", &members(addresses))?;
        let sizes: Vec<(AddressRow, i64)> = self.query(|db| {
            let sizes = named_sizes(db.dialect(), scope, &named);
            on_db!(db, db => sizes.load(db))
        })?;
        let sizes: HashMap<_, _> =
            sizes.into_iter().map(|(row, bytes)| (address(row), bytes)).collect();
        Ok(removable(addresses.iter().map(|address| sizes.get(address).copied().unwrap_or(0))))
    }

    /// Deletes the first entries of a range, which were found to be these.
    fn delete_found(
        &mut self,
        scope: &KeyvalScope,
        range: Range,
        found: &[EntryAddress],
        before: Option<Before>,
    ) -> Result<u64, StorageError> {
        let Some(last) = found.last() else { return Ok(0) };
        let range = range.up_to(last);
        let by_range: Option<usize> = self.query(|db| match db {
            // No other unit can have written since, and a range is done in one go.
            #[cfg(feature = "sqlite")]
            Db::Sqlite(db) => delete(Dialect::Sqlite, &range).execute(&mut **db).map(Some),
            #[cfg(feature = "postgres")]
            Db::Pg(_) => {
                let _ = &range;
                Ok(None)
            }
        })?;
        match by_range {
            Some(deleted) => Ok(deleted as u64),
            None => self.delete_addresses(scope, found, before),
        }
    }

    /// Deletes the entries at these addresses, of which a column is before a time if that is given.
    fn delete_addresses(
        &mut self,
        scope: &KeyvalScope,
        addresses: &[EntryAddress],
        before: Option<Before>,
    ) -> Result<u64, StorageError> {
        let (project_id, owner_id) = (scope.project_id(), scope.owner_id());
        let members = addresses.iter().map(|EntryAddress { user_id, entry_type, key }| {
            (project_id, owner_id, user_id, entry_type, key)
        });
        let members = to_json("addresses", &members.collect::<Vec<_>>())?;
        let deleted = self.query(|db| {
            let members = locked_members(db, members)?;
            let delete = delete_members(db.dialect(), scope, members, before);
            on_db!(db, db => delete.execute(db))
        })?;
        Ok(deleted as u64)
    }

    /// The addresses of the first entries of a range, in its order.
    fn addresses(&mut self, range: &Range, limit: u32) -> Result<Vec<EntryAddress>, StorageError> {
        let found: Vec<AddressRow> = self.query(|db| {
            let query = addresses(db.dialect(), range, limit);
            on_db!(db, db => query.load(db))
        })?;
        Ok(found.into_iter().map(address).collect())
    }

    pub(super) fn look_for_idle(
        &mut self,
        range: &Range,
        idle_since: Timestamp,
        limit: u32,
    ) -> Result<(Vec<EntryAddress>, Option<EntryAddress>), StorageError> {
        let rows: Vec<(AddressRow, i64)> = self.query(|db| {
            let query = accesses(db.dialect(), range);
            on_db!(db, db => query.load(db))
        })?;
        let is_all = rows.len() < EXAMINED as usize;
        let mut last = None;
        let mut idle = Vec::new();
        for (row, accessed_at) in rows {
            let address = address(row);
            if accessed_at < idle_since.millis() && !address.is_permanent() {
                idle.push(address.clone());
            }
            last = Some(address);
            if idle.len() >= limit as usize {
                return Ok((idle, last));
            }
        }
        Ok((idle, if is_all { None } else { last }))
    }

    pub(super) fn delete_if_idle(
        &mut self,
        scope: &KeyvalScope,
        addresses: &[EntryAddress],
        idle_since: Timestamp,
    ) -> Result<(u64, usize), StorageError> {
        let few = self.few_enough(scope, addresses, u32::MAX)?;
        let addresses = addresses.get(..few).unwrap_or(addresses);
        let idle = Some(("accessed_at < ", idle_since.millis()));
        Ok((self.delete_addresses(scope, addresses, idle)?, few))
    }
}

/// The addresses of the first entries of a range.
pub(super) fn addresses(dialect: Dialect, range: &Range, limit: u32) -> Statement<AddressColumns> {
    range.first(dialect, Statement::new(format!("SELECT {ADDRESS}")), limit)
}

/// The first entries of a range, and when they were read last.
pub(super) fn accesses(dialect: Dialect, range: &Range) -> Statement<(AddressColumns, BigInt)> {
    range.first(dialect, Statement::new(format!("SELECT {ADDRESS}, accessed_at")), EXAMINED)
}

/// All entries of a range go.
#[cfg(feature = "sqlite")]
pub(super) fn delete(dialect: Dialect, range: &Range) -> Statement<()> {
    range.in_table(dialect, Statement::new("DELETE"))
}

/// Those entries of a JSON array go, of which a column is before a time if that is given.
pub(super) fn delete_members(
    dialect: Dialect,
    scope: &KeyvalScope,
    members: String,
    before: Option<Before>,
) -> Statement<()> {
    let delete = Statement::new("DELETE FROM keyval_entries WHERE project_id = ")
        .bind(scope.project_id().to_column())
        .sql(" AND owner_id = ")
        .bind(IdColumn(scope.owner_id()))
        .sql(format!(" AND ({ADDRESS}) IN (SELECT value->>2, value->>3, value->>4 FROM "))
        .members(dialect, members)
        .sql(" AS these)");
    match before {
        Some((column, time)) => delete.sql(" AND ").sql(column).bind(time),
        None => delete,
    }
}

/// Those entries of a JSON array that are there, where a member begins with project, owner, userId,
/// type and key. On PostgreSQL they are locked: all that changes several entries does so first, in the same
/// order, and changes no others, so that no two units wait for each other in a circle.
fn locked_members(db: &mut Db<'_>, members: String) -> QueryResult<String> {
    match db {
        #[cfg(feature = "postgres")]
        Db::Pg(db) => {
            let locked_members: Vec<String> = lock(Dialect::Postgres, &members).load(&mut **db)?;
            Ok(format!("[{}]", locked_members.join(",")))
        }
        #[cfg(feature = "sqlite")]
        Db::Sqlite(_) => Ok(members),
    }
}

#[cfg(feature = "postgres")]
pub(super) fn lock(dialect: Dialect, members: &str) -> Statement<Text> {
    Statement::new("SELECT CAST(these.value AS TEXT) FROM ")
        .members(dialect, members)
        .sql(" AS these CROSS JOIN keyval_entries WHERE ")
        .sql(is_member(dialect))
        .sql(" ORDER BY project_id, owner_id, user_id, type, key FOR NO KEY UPDATE OF keyval_entries")
}
