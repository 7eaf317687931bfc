//! The statements that pages of key-value entries are made of.

use diesel::sql_types::{BigInt, Text};
use domain::keyval::{EntryAddress, KeyvalScope};

use super::range::Range;
use super::rows::{ADDRESS, AddressColumns, HEAD, HeadColumns};
use crate::engine::db::Dialect;
use crate::sql::columns::Stored;
use crate::sql::id::IdColumn;
use crate::sql::statement::{Statement, one_by_one};

/// Up to how many entries with a prefix are put in order for each page. If there are more, they are
/// looked for in the order of pages, where they need not be far apart.
const SORTED: i64 = 20_000;

/// The first entries of a range, whose order must be that of addresses.
pub(super) fn page(dialect: Dialect, range: &Range, limit: u32) -> Statement<HeadColumns> {
    range.first(dialect, Statement::new(format!("SELECT {HEAD}")), limit)
}

/// How many entries a range has, or one more than are put in order.
pub(super) fn count(dialect: Dialect, range: &Range) -> Statement<BigInt> {
    let count = Statement::new("SELECT count(*) FROM (SELECT key");
    range.without_others().first(dialect, count, SORTED + 1).sql(") AS few")
}

/// Whether so many, as [`count`] says, can be put in order.
pub(super) const fn is_short(count: i64) -> bool {
    count <= SORTED
}

/// The first entries of a range to which its other conditions apply as well, among so many that come
/// first in it. They are returned in the order in which they are found, so that no more are looked at
/// than need be: with another `ORDER BY`, SQLite would look at the last before it returns the first.
pub(super) fn among_first(
    dialect: Dialect,
    range: &Range,
    limit: u32,
    examined: u32,
) -> Statement<AddressColumns> {
    let near = Statement::new(format!("SELECT {ADDRESS} FROM (SELECT {ADDRESS}"));
    let near = range.without_others().first(dialect, near, examined).sql(") AS near");
    range.others(near, " WHERE ").sql(" LIMIT ").bind(i64::from(limit))
}

/// The last of so many entries that come first in a range, if it has so many.
pub(super) fn last_of_first(
    dialect: Dialect,
    range: &Range,
    count: u32,
) -> Statement<AddressColumns> {
    let last = Statement::new(format!("SELECT {ADDRESS}"));
    range.without_others().first(dialect, last, 1).sql(" OFFSET ").bind(i64::from(count) - 1)
}

/// The first entries of a range of keys in the order of addresses, after `after`: all its addresses
/// are taken from the index of keys, whose order keeps the databases from scanning the table.
pub(super) fn sorted(
    dialect: Dialect,
    range: &Range,
    after: Option<&EntryAddress>,
    limit: u32,
) -> Statement<AddressColumns> {
    let found = Statement::new(format!("SELECT {ADDRESS} FROM (SELECT {ADDRESS}"));
    let mut sorted = range.first(dialect, found, i64::MAX).sql(") AS found");
    if let Some(EntryAddress { user_id, entry_type, key }) = after {
        sorted = sorted
            .sql(format!(" WHERE ({ADDRESS}) > ("))
            .bind_all([user_id.as_str(), entry_type, key])
            .sql(")");
    }
    sorted.sql(format!(" ORDER BY {ADDRESS} LIMIT ")).bind(i64::from(limit))
}

/// The entries at the addresses of a JSON array.
pub(super) fn named_heads(
    dialect: Dialect,
    scope: &KeyvalScope,
    named: &str,
) -> Statement<HeadColumns> {
    at_named(dialect, Statement::new(format!("SELECT {HEAD}")), scope, named)
}

/// How many bytes the values at the addresses of a JSON array have.
pub(super) fn named_sizes(
    dialect: Dialect,
    scope: &KeyvalScope,
    named: &str,
) -> Statement<(AddressColumns, BigInt)> {
    let select = format!("SELECT {ADDRESS}, CAST(octet_length(value) AS BIGINT)");
    at_named(dialect, Statement::new(select), scope, named)
}

/// The values at the addresses of a JSON array.
pub(super) fn named_values(
    dialect: Dialect,
    scope: &KeyvalScope,
    named: &str,
) -> Statement<(AddressColumns, Text)> {
    at_named(dialect, Statement::new(format!("SELECT {ADDRESS}, value")), scope, named)
}

fn at_named<T>(
    dialect: Dialect,
    select: Statement<T>,
    scope: &KeyvalScope,
    named: &str,
) -> Statement<T> {
    let [entries, end] = one_by_one(dialect, "keyval_entries");
    select
        .sql(" FROM (SELECT value->>0 AS of_user, value->>1 AS of_type, value->>2 AS of_key FROM ")
        .members(dialect, named)
        .sql(" AS these) AS named CROSS JOIN ")
        .sql(entries)
        .sql(" WHERE user_id = of_user AND type = of_type AND key = of_key AND project_id = ")
        .bind(scope.project_id().to_column())
        .sql(" AND owner_id = ")
        .bind(IdColumn(scope.owner_id()))
        .sql(end)
}
