//! What all tables below a bot have in common: how the rows of one bot are found, paged, copied to
//! another bot and removed.
//!
//! The statements here are texts, because they are the same for every table. Their placeholders have
//! the form of PostgreSQL, which SQLite takes for names: numbered in the order in which they first
//! occur, they mean the same to both.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::StorageError;
use domain::access::BotScope;
use domain::clock::Timestamp;

use crate::engine::db::{Db, on_db};
use crate::engine::tx::{Tx, corrupt, number};
use crate::sql::json::to_json;

/// How many rows one statement copies.
const COPY_BATCH: usize = 100;

/// What a row costs beside its long texts, at most.
const ROW: usize = 2 << 10;

/// A page ends early once its rows have so many bytes.
const PAGE_BYTES: i64 = 4 << 20;

/// The rows of a table that belong to the bot of a scope.
macro_rules! of_bot {
    ($table:ident, $scope:expr) => {
        $table::table
            .filter($table::project_id.eq($scope.project_id().to_string()))
            .filter($table::bot_id.eq($scope.bot_id().to_string()))
    };
}
pub(crate) use of_bot;

/// What the ids of a page are greater than.
pub(crate) fn after(id: Option<impl ToString>) -> String {
    // Every id is greater than the empty text.
    id.map(|id| id.to_string()).unwrap_or_default()
}

/// What a row counts for in the sum of a bot's content, whose long values have so many bytes.
pub(crate) fn size_of(sizes: impl IntoIterator<Item = usize>) -> Result<i64, StorageError> {
    number((ROW + sizes.into_iter().sum::<usize>()) as u64)
}

/// How many of these rows have room in a page, given the bytes of each; the first one always has.
pub(crate) fn fitting(sizes: impl IntoIterator<Item = i64>) -> usize {
    let mut bytes = 0;
    let is_within = |size: &i64| {
        let has_room = bytes == 0 || bytes + size <= PAGE_BYTES;
        bytes += size;
        has_room
    };
    sizes.into_iter().take_while(is_within).count()
}

/// A table below a bot, and which of its columns a copy of a row takes over.
pub(crate) struct Copied {
    pub table: &'static str,
    pub columns: &'static [&'static [&'static str]],
    /// Which rows are copied.
    pub only: &'static str,
    /// Whether rows go without their bot being held. One that goes in this moment is not copied.
    pub may_go: bool,
}

/// What [`Copied`] says of a table of which every row is copied.
pub(crate) const EACH: &str = "TRUE";

#[derive(QueryableByName)]
struct ColumnValue {
    #[diesel(sql_type = Nullable<Text>)]
    value: Option<String>,
}

impl Tx<'_> {
    /// Copies a table's rows of one bot to another of the same project, in the order of their ids.
    /// Only ids leave the database.
    pub(crate) fn copy_rows(
        &mut self,
        copied: &Copied,
        (from, to): (&BotScope, &BotScope),
        now: Timestamp,
        mut next_id: impl FnMut() -> String,
    ) -> Result<(), StorageError> {
        if from.project_id() != to.project_id() {
            return Err(corrupt("rows were to be copied to another project"));
        }
        let mut after = String::new();
        loop {
            let originals = self.ids_to_copy(copied, from, &after)?;
            let Some(last) = originals.last() else {
                return Ok(());
            };
            after.clone_from(last);
            let count = originals.len();
            let ids = originals.into_iter().map(|original| (original, next_id())).collect();
            self.copy_batch(copied, (from, to), now, &ids)?;
            if count < COPY_BATCH {
                return Ok(());
            }
        }
    }

    fn ids_to_copy(
        &mut self,
        Copied { table, only, .. }: &Copied,
        scope: &BotScope,
        after: &str,
    ) -> Result<Vec<String>, StorageError> {
        let query = diesel::sql_query(format!(
            "SELECT id AS value FROM {table} WHERE project_id = $1 AND bot_id = $2 AND id > $3 \
             AND {only} ORDER BY id LIMIT {COPY_BATCH}"
        ));
        let query = query
            .bind::<Text, _>(scope.project_id().to_string())
            .bind::<Text, _>(scope.bot_id().to_string())
            .bind::<Text, _>(after);
        let found: Vec<ColumnValue> = self.query(|db| on_db!(db, db => query.load(db)))?;
        Ok(found.into_iter().filter_map(|row| row.value).collect())
    }

    /// Copies some rows, given by their ids and those of their copies.
    fn copy_batch(
        &mut self,
        copied: &Copied,
        (from, to): (&BotScope, &BotScope),
        now: Timestamp,
        ids: &BTreeMap<String, String>,
    ) -> Result<(), StorageError> {
        let Copied { table, may_go, .. } = copied;
        let columns = copied.columns.concat().join(", ");
        // The ids are one value, so that the text of the statement is the same for any number of
        // rows.
        let pairs = to_json("ids", ids)?;
        let count = self.query(|db| {
            let members = match db {
                Db::Pg(_) => "json_each_text($3::json)",
                Db::Sqlite(_) => "json_each($3)",
            };
            // A cross join, because it makes SQLite look up each id instead of each row.
            let copy = diesel::sql_query(format!(
                "INSERT INTO {table} (id, project_id, bot_id, created_at, updated_at, {columns}) \
                 SELECT new_id, project_id, $1, $2, $2, {columns} \
                 FROM (SELECT key AS old_id, value AS new_id FROM {members}) AS ids \
                 CROSS JOIN {table} WHERE project_id = $4 AND bot_id = $5 AND id = old_id"
            ));
            let copy = copy
                .bind::<Text, _>(to.bot_id().to_string())
                .bind::<BigInt, _>(now.millis())
                .bind::<Text, _>(&pairs)
                .bind::<Text, _>(from.project_id().to_string())
                .bind::<Text, _>(from.bot_id().to_string());
            on_db!(db, db => copy.execute(db))
        })?;
        if count != ids.len() && !may_go {
            return Err(corrupt(format!("{count} of {} rows of {table} were copied", ids.len())));
        }
        Ok(())
    }

    /// Removes at most `limit` of a table's rows of a bot, oldest first; returns how many went.
    pub(crate) fn remove_rows(
        &mut self,
        table: &str,
        scope: &BotScope,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let removed = self.remove_rows_telling("id", table, scope, limit)?;
        u32::try_from(removed.len()).map_err(|_| corrupt("more rows removed than asked for"))
    }

    /// As [`Self::remove_rows`], but returns what each row had in a column.
    pub(crate) fn remove_rows_telling(
        &mut self,
        column: &str,
        table: &str,
        scope: &BotScope,
        limit: u32,
    ) -> Result<Vec<Option<String>>, StorageError> {
        let removal = diesel::sql_query(format!(
            "DELETE FROM {table} WHERE project_id = $1 AND bot_id = $2 AND id <= \
             (SELECT max(id) FROM (SELECT id FROM {table} WHERE project_id = $1 AND bot_id = $2 \
             ORDER BY id LIMIT $3) AS few) RETURNING {column} AS value"
        ));
        let removal = removal
            .bind::<Text, _>(scope.project_id().to_string())
            .bind::<Text, _>(scope.bot_id().to_string())
            .bind::<BigInt, _>(i64::from(limit));
        let removed: Vec<ColumnValue> = self.query(|db| on_db!(db, db => removal.load(db)))?;
        Ok(removed.into_iter().map(|row| row.value).collect())
    }
}
