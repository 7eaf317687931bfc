//! What all tables below a bot have in common: how the rows of one bot are found, paged, copied to
//! another bot and removed.
//!
//! The statements here are texts, because they are the same for every table. Their placeholders have
//! the form of PostgreSQL, which SQLite takes for names: numbered in the order in which they first
//! occur, they mean the same to both.

use std::borrow::Cow;
use std::collections::BTreeMap;

use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::StorageError;
use domain::access::BotScope;
use domain::clock::Timestamp;
use domain::copy_step::CopyStep;
use uuid::Uuid;

use crate::engine::db::{Db, on_db};
use crate::engine::tx::{Tx, broken, number};
use crate::sql::columns::Stored;
use crate::sql::id::{Id, IdColumn, id_of_text};
use crate::sql::json::to_json;
use crate::sql::statement::{Statement, Value};

/// How many rows one statement copies.
const COPY_BATCH: usize = 100;

/// What a row costs beside its long texts, at most.
const ROW: usize = 2 << 10;

/// How many bytes the rows have that are read at once. They are held in memory until they are sent.
const BATCH_BYTES: i64 = 1 << 20;

/// The rows of a table that belong to the bot of a scope.
macro_rules! of_bot {
    ($table:ident, $scope:expr) => {
        $table::table
            .filter($table::project_id.eq($scope.project_id().to_column()))
            .filter($table::bot_id.eq($scope.bot_id().to_column()))
    };
}
pub(crate) use of_bot;

/// Those of some rows that have one of these identifiers.
macro_rules! with_ids {
    ($tx:expr, $rows:expr, $id:expr, $ids:expr, $Row:ty) => {{
        let ids: Vec<IdColumn> = $ids.iter().map(|id| id.to_column()).collect();
        let rows = $rows.filter($id.eq_any(ids));
        $tx.look_up(|db| on_db!(db, db => rows.select(<$Row>::as_select()).load(db)))
    }};
}
pub(crate) use with_ids;

/// What the ids of a page are greater than.
pub(crate) fn after(id: Option<impl Stored<Column = IdColumn>>) -> IdColumn {
    id.map_or(IdColumn::FIRST, |id| id.to_column())
}

/// What a row counts for in the sum of a bot's content, whose long values have so many bytes.
pub(crate) fn size_of(sizes: impl IntoIterator<Item = usize>) -> Result<i64, StorageError> {
    number((ROW + sizes.into_iter().sum::<usize>()) as u64)
}

/// How many of these rows are read at once, given the bytes of each; the first one always is.
pub(crate) fn fitting(sizes: impl IntoIterator<Item = i64>) -> usize {
    fitting_into(BATCH_BYTES, sizes)
}

/// How many of these rows one unit of work removes, given the bytes of each; the first one always is.
pub(crate) fn removable(sizes: impl IntoIterator<Item = i64>) -> usize {
    fitting_into(REMOVED_BYTES, sizes)
}

fn fitting_into(most: i64, sizes: impl IntoIterator<Item = i64>) -> usize {
    let mut bytes = 0;
    let is_within = |size: &i64| {
        let has_room = bytes == 0 || bytes + size <= most;
        bytes += size;
        has_room
    };
    sizes.into_iter().take_while(is_within).count()
}

/// Reads the next rows of a list as a [`domain::batch::Batch`]: at most `$limit`, and as many as fit. Their sizes
/// are read first. `$query` selects and orders the rows; it is evaluated twice, because a query is consumed.
macro_rules! read_batch {
    ($tx:expr, $query:expr, $size:expr, $Row:ty, $limit:expr) => {{
        let limit: u32 = $limit;
        let sizes = $query.limit(i64::from(limit)).select($size);
        let sizes: Vec<i64> = $tx.look_up(|db| on_db!(db, db => sizes.load(db)))?;
        let count = $crate::tables::bot_rows::fitting(sizes.iter().copied());
        $tx.reserve_memory(sizes.iter().take(count).sum())?;
        let is_last = count == sizes.len() && count < limit as usize;
        let rows = if count == 0 {
            Vec::new()
        } else {
            let rows = $query.limit($crate::engine::tx::number(count as u64)?);
            $tx.look_up(|db| on_db!(db, db => rows.select(<$Row>::as_select()).load(db)))?
        };
        domain::batch::Batch::new(rows, is_last)
    }};
}
pub(crate) use read_batch;

/// The bytes of a row, given as SQL, in a query.
pub(crate) fn row_bytes(size: &str) -> SqlLiteral<BigInt> {
    sql(&format!("CAST({size} AS BIGINT)"))
}

/// The size of a row, as SQL, of a table in which it is a column.
pub(crate) const SIZE: &str = "size";
/// The size of a row whose only long text is its content. The databases know how long it is without reading
/// it.
pub(crate) const OF_CONTENT: &str = "octet_length(content) + 2048";
/// The size of a row without long texts.
pub(crate) const SMALL: &str = "2048";

/// How many bytes of rows one unit of work removes. The database goes through them to set them free.
const REMOVED_BYTES: i64 = 4 << 20;

/// A table below a bot, and which of its columns a copy of a row takes over.
pub(crate) struct Copied {
    pub table: &'static str,
    pub columns: &'static [&'static [&'static str]],
    /// The bytes of a row, as SQL.
    pub size: &'static str,
    /// Which rows are copied.
    pub only: &'static str,
    /// Whether rows go without their bot being locked. One that goes in this moment is not copied.
    pub may_go: bool,
    /// Rows of another table that belong to one of these each, and are copied with it.
    pub with: Option<CopiedWith>,
}

/// A table whose rows belong to one row of another each; they have its `project_id` and `bot_id`.
#[derive(Clone, Copy)]
pub(crate) struct CopiedWith {
    pub table: &'static str,
    /// The column that names the row to which one belongs.
    pub owner: &'static str,
    pub columns: &'static str,
}

/// What [`Copied`] says of a table of which every row is copied.
pub(crate) const EACH: &str = "TRUE";

#[derive(QueryableByName)]
struct RowSize {
    #[diesel(sql_type = Id)]
    id: IdColumn,
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

impl Tx<'_> {
    /// How many rows of a bot meet some conditions, but at most `limit`.
    pub(crate) fn count_rows(
        &mut self,
        table: &'static str,
        scope: &BotScope,
        conditions: Vec<(&'static str, Value)>,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let rows = of_bot_in(table, "SELECT count(*) FROM (SELECT 1 AS one", scope, None);
        let rows: Statement<BigInt> = conditions
            .into_iter()
            .fold(rows, |rows, (condition, value)| rows.sql(condition).bind(value))
            .sql(" LIMIT ")
            .bind(i64::from(limit))
            .sql(") AS few");
        let count: i64 = self.look_up(|db| on_db!(db, db => rows.get_result(db)))?;
        u32::try_from(count).map_err(|_| broken("more rows counted than asked for"))
    }

    /// Copies a table's rows of one bot to another of the same project, in the order of their ids, from where
    /// the step is and as far as it goes; returns whether all are copied. Only ids leave the database.
    pub(crate) fn copy_rows(
        &mut self,
        copied: &Copied,
        (from, to): (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        mut next_id: impl FnMut() -> IdColumn,
    ) -> Result<bool, StorageError> {
        if from.project_id() != to.project_id() {
            return Err(broken("rows were to be copied to another project"));
        }
        loop {
            let found = self.rows_to_copy(copied, from, step.after())?;
            let has_room = |row: &&RowSize| step.try_spend(row.bytes.unsigned_abs());
            let few: Vec<_> = found.iter().take_while(has_room).collect();
            if let Some(last) = few.last() {
                step.set_after(Some(last.id.0));
                let ids = few.iter().map(|row| (row.id.0, next_id().0)).collect();
                self.copy_batch(copied, (from, to), now, &ids)?;
            }
            if few.len() < found.len() {
                return Ok(false);
            }
            if found.len() < COPY_BATCH {
                step.set_after(None);
                return Ok(true);
            }
        }
    }

    fn rows_to_copy(
        &mut self,
        Copied { table, size, only, .. }: &Copied,
        scope: &BotScope,
        after_id: Option<Uuid>,
    ) -> Result<Vec<RowSize>, StorageError> {
        let query = diesel::sql_query(format!(
            "SELECT id, CAST({size} AS BIGINT) AS bytes FROM {table} \
             WHERE project_id = $1 AND bot_id = $2 AND id > $3 AND {only} \
             ORDER BY id LIMIT {COPY_BATCH}"
        ));
        let query = query
            .bind::<Id, _>(scope.project_id().to_column())
            .bind::<Id, _>(scope.bot_id().to_column())
            .bind::<Id, _>(after_id.map_or(IdColumn::FIRST, IdColumn));
        self.query(|db| on_db!(db, db => query.load(db)))
    }

    /// Copies some rows, given by their ids and those of their copies.
    fn copy_batch(
        &mut self,
        copied: &Copied,
        (from, to): (&BotScope, &BotScope),
        now: Timestamp,
        ids: &BTreeMap<Uuid, Uuid>,
    ) -> Result<(), StorageError> {
        let Copied { table, may_go, .. } = copied;
        let columns = copied.columns.concat().join(", ");
        // The ids are one value, so that the text of the statement is the same for any number of
        // rows.
        let pairs = to_json("ids", ids)?;
        let count = self.query(|db| {
            let members = id_pairs(db, "$3");
            // A cross join, because it makes SQLite look up each id instead of each row.
            let copy = diesel::sql_query(format!(
                "INSERT INTO {table} (id, project_id, bot_id, created_at, updated_at, {columns}) \
                 SELECT new_id, project_id, $1, $2, $2, {columns} FROM {members} \
                 CROSS JOIN {table} WHERE project_id = $4 AND bot_id = $5 AND id = old_id"
            ));
            let copy = copy
                .bind::<Id, _>(to.bot_id().to_column())
                .bind::<BigInt, _>(now.millis())
                .bind::<Text, _>(&pairs)
                .bind::<Id, _>(from.project_id().to_column())
                .bind::<Id, _>(from.bot_id().to_column());
            on_db!(db, db => copy.execute(db))
        })?;
        if count != ids.len() && !may_go {
            return Err(broken(format!("{count} of {} rows of {table} were copied", ids.len())));
        }
        copied.with.map_or(Ok(()), |with| self.copy_with(with, (from, to), &pairs))
    }

    /// Copies what belongs to some rows, given by their ids and those of their copies.
    fn copy_with(
        &mut self,
        CopiedWith { table, owner, columns }: CopiedWith,
        (from, to): (&BotScope, &BotScope),
        pairs: &str,
    ) -> Result<(), StorageError> {
        self.query(|db| {
            let members = id_pairs(db, "$2");
            let copy = diesel::sql_query(format!(
                "INSERT INTO {table} ({owner}, project_id, bot_id, {columns}) \
                 SELECT new_id, project_id, $1, {columns} FROM {members} \
                 CROSS JOIN {table} WHERE project_id = $3 AND bot_id = $4 AND {owner} = old_id"
            ));
            let copy = copy
                .bind::<Id, _>(to.bot_id().to_column())
                .bind::<Text, _>(pairs)
                .bind::<Id, _>(from.project_id().to_column())
                .bind::<Id, _>(from.bot_id().to_column());
            on_db!(db, db => copy.execute(db))
        })?;
        Ok(())
    }

    /// Removes at most `limit` of a table's rows of a bot, oldest first, and at least one; returns how many
    /// went. The table comes with the bytes of a row, as SQL.
    pub(crate) fn remove_rows(
        &mut self,
        table: (&'static str, &'static str),
        scope: &BotScope,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let removed = self.remove_rows_telling("id", table, scope, limit)?;
        u32::try_from(removed.len()).map_err(|_| broken("more rows removed than asked for"))
    }

    /// As [`Self::remove_rows`], but returns what each row had in a column.
    pub(crate) fn remove_rows_telling(
        &mut self,
        column: &'static str,
        table: (&'static str, &'static str),
        scope: &BotScope,
        limit: u32,
    ) -> Result<Vec<Option<IdColumn>>, StorageError> {
        Ok(self.remove_rows_of(None, column, table, scope, limit)?.0)
    }

    /// As [`Self::remove_rows_telling`], of those rows that have a value in a column if one is given; returns as
    /// well whether those were all.
    pub(crate) fn remove_rows_of(
        &mut self,
        only: Option<(&'static str, IdColumn)>,
        column: &'static str,
        (table, size): (&'static str, &'static str),
        scope: &BotScope,
        limit: u32,
    ) -> Result<(Vec<Option<IdColumn>>, bool), StorageError> {
        let first: Statement<(Id, BigInt)> =
            of_bot_in(table, format!("SELECT id, CAST({size} AS BIGINT)"), scope, only)
                .sql(" ORDER BY id LIMIT ")
                .bind(i64::from(limit));
        let first: Vec<(IdColumn, i64)> = self.query(|db| on_db!(db, db => first.load(db)))?;
        let mut bytes = 0;
        let has_room = |(_, size): &&(IdColumn, i64)| {
            let has_room = bytes < REMOVED_BYTES;
            bytes += size;
            has_room
        };
        let few: Vec<_> = first.iter().take_while(has_room).collect();
        let were_all = few.len() == first.len() && first.len() < limit as usize;
        let Some((last, _)) = few.last() else {
            return Ok((Vec::new(), true));
        };
        let removal: Statement<Nullable<Id>> = of_bot_in(table, "DELETE", scope, only)
            .sql(" AND id <= ")
            .bind(*last)
            .sql(format!(" RETURNING {column}"));
        Ok((self.query(|db| on_db!(db, db => removal.load(db)))?, were_all))
    }
}

/// The columns `old_id` and `new_id`, of the JSON object in a parameter.
fn id_pairs(db: &Db<'_>, parameter: &str) -> String {
    let members = match db {
        #[cfg(feature = "postgres")]
        Db::Pg(_) => format!("json_each_text({parameter}::json)"),
        #[cfg(feature = "sqlite")]
        Db::Sqlite(_) => format!("json_each({parameter})"),
    };
    let [old, new] = ["key", "value"].map(|text| id_of_text(db.dialect(), text));
    format!("(SELECT {old} AS old_id, {new} AS new_id FROM {members}) AS ids")
}

/// Goes on with the rows of a bot in a table, or those of them that have a value in a column.
fn of_bot_in<T>(
    table: &'static str,
    begin: impl Into<Cow<'static, str>>,
    scope: &BotScope,
    only: Option<(&'static str, IdColumn)>,
) -> Statement<T> {
    let of_bot = Statement::new(begin)
        .sql(" FROM ")
        .sql(table)
        .sql(" WHERE project_id = ")
        .bind(scope.project_id().to_column())
        .sql(" AND bot_id = ")
        .bind(scope.bot_id().to_column());
    match only {
        Some((column, value)) => of_bot.sql(" AND ").sql(column).sql(" = ").bind(value),
        None => of_bot,
    }
}
