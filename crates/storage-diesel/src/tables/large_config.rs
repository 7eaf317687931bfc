//! Large configurations of bots, each in rows of its own that copies of the bot share.

use std::iter;

use diesel::dsl::{exists, max, sql};
#[cfg(feature = "postgres")]
use diesel::pg::PgRowByRowLoadingMode;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::StorageError;
use domain::access::ProjectScope;
use domain::bot::{BotConfig, ConfigRepository};
use domain::id::{ConfigId, ProjectId};
use domain::text::CONFIG_MAX;

use crate::engine::db::{Db, on_db};
use crate::engine::tx::{Tx, broken, find_locked, number};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::conditions::conditions;
use crate::sql::json::{from_json, to_json};
use crate::sql::schema::{bots, large_config_parts, large_configs};
use crate::sql::statement::Statement;

/// A configuration of more bytes is not stored in the row of its bot.
const LARGE: usize = 64 << 10;

/// How many bytes a part of a large configuration has at most. The driver of PostgreSQL keeps buffers for the longest
/// row that it has read, in each session.
const PART: usize = 512 << 10;

/// The bytes of a bot's configuration, as SQL.
pub(super) const CONFIG_BYTES: &str = "octet_length(config) + coalesce((SELECT large.bytes FROM large_configs AS large \
     WHERE large.project_id = bots.project_id AND large.id = large_config), 0)";

/// A configuration as the row of its bot has it. How many bots have a large one is counted by triggers.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = bots, treat_none_as_null = true, treat_none_as_default_value = false)]
pub(super) struct ConfigColumns {
    /// Empty if it is large.
    pub config: String,
    pub large_config: Option<IdColumn>,
}

conditions! {
    /// What no bot has: index `large_configs_unused`.
    Unused of large_configs = "(large_configs.bots = 0)";
}

/// A large configuration of which nothing is needed but that it is there.
#[derive(Queryable, Selectable)]
#[diesel(table_name = large_configs)]
struct LargeConfigRow {
    #[expect(dead_code, reason = "a row has a column")]
    id: IdColumn,
}

impl Tx<'_> {
    /// The columns for this configuration. A large one is stored, unless it is already.
    pub(super) fn config_columns(
        &mut self,
        project: ProjectId,
        (config, stored): (&BotConfig, Option<ConfigId>),
    ) -> Result<ConfigColumns, StorageError> {
        if let Some(stored) = stored {
            let large_config = Some(stored.to_column());
            return Ok(ConfigColumns { config: String::new(), large_config });
        }
        let config = to_json("bots.config", config)?;
        if config.len() <= LARGE {
            return Ok(ConfigColumns { config, large_config: None });
        }
        let bytes = number(config.len() as u64)?;
        let id = self.insert_large_config(project, None, bytes)?;
        self.insert_parts(project, id, 0, &config)?;
        Ok(ConfigColumns { config: String::new(), large_config: Some(id.to_column()) })
    }

    /// Stores a large configuration without its text, which has or will have so many bytes.
    fn insert_large_config(
        &mut self,
        project: ProjectId,
        id: Option<ConfigId>,
        bytes: i64,
    ) -> Result<ConfigId, StorageError> {
        let row = (
            id.map(|id| large_configs::id.eq(id.to_column())),
            large_configs::project_id.eq(project.to_column()),
            large_configs::bytes.eq(bytes),
        );
        let id: IdColumn = self.query(|db| {
            on_db!(db, db => diesel::insert_into(large_configs::table)
                .values(row)
                .returning(large_configs::id)
                .get_result(db))
        })?;
        Ok(Stored::from_column(id))
    }

    fn insert_parts(
        &mut self,
        project: ProjectId,
        id: ConfigId,
        first: i64,
        text: &str,
    ) -> Result<(), StorageError> {
        for (number, content) in (first..).zip(parts(text)) {
            let row = (
                large_config_parts::id.eq(id.to_column()),
                large_config_parts::project_id.eq(project.to_column()),
                large_config_parts::number.eq(number),
                large_config_parts::content.eq(content),
            );
            self.change_one(
                "storing a part of a configuration",
                |db| on_db!(db, db => diesel::insert_into(large_config_parts::table).values(row).execute(db)),
            )?;
        }
        Ok(())
    }

    /// The configuration of a bot, of which these are the columns.
    pub(super) fn config(
        &mut self,
        project: IdColumn,
        bot: IdColumn,
        name: String,
        columns: ConfigColumns,
    ) -> Result<BotConfig, StorageError> {
        let Some(large) = columns.large_config else {
            return from_json("bots.config", bot, &columns.config);
        };
        let bytes = self.large_config_bytes(project, large)?;
        let bytes = usize::try_from(bytes).unwrap_or_default();
        let mut text = String::with_capacity(bytes.min(CONFIG_MAX));
        // In one statement, because look-ups on PostgreSQL are not in a transaction.
        let query = large_config_parts::table
            .filter(large_config_parts::project_id.eq(project))
            .filter(large_config_parts::id.eq(large))
            .order(large_config_parts::number)
            .select(large_config_parts::content);
        self.look_up(|db| {
            let append = |part: QueryResult<String>| part.map(|part| text.push_str(&part));
            match db {
                #[cfg(feature = "sqlite")]
                Db::Sqlite(db) => query.load_iter(*db)?.try_for_each(append),
                // Row by row, so that not all of them are in memory once more.
                #[cfg(feature = "postgres")]
                Db::Pg(db) => {
                    query.load_iter::<_, PgRowByRowLoadingMode>(*db)?.try_for_each(append)
                }
            }
        })?;
        if text.len() != bytes {
            // It is removed bit by bit when no bot has it any more.
            let used =
                large_configs::table.find((project, large)).filter(large_configs::bots.gt(0));
            let is_used = diesel::select(exists(used));
            if text.is_empty()
                || !self.look_up(|db| on_db!(db, db => is_used.get_result::<bool>(db)))?
            {
                return Err(self.missing_row("the configuration of a bot"));
            }
            let text =
                format!("large_config_parts.content of {bot}: {} of {bytes} bytes", text.len());
            return Err(broken(text));
        }
        let config: BotConfig = from_json("large_config_parts.content", bot, &text)?;
        Ok(BotConfig { name, ..config })
    }

    /// How many bytes the configuration has of which these are the columns.
    pub(super) fn config_bytes(
        &mut self,
        project: IdColumn,
        columns: &ConfigColumns,
    ) -> Result<i64, StorageError> {
        let Some(large) = columns.large_config else {
            return number(columns.config.len() as u64);
        };
        self.large_config_bytes(project, large)
    }

    fn large_config_bytes(
        &mut self,
        project: IdColumn,
        large: IdColumn,
    ) -> Result<i64, StorageError> {
        let query = large_configs::table.find((project, large)).select(large_configs::bytes);
        let bytes: Option<i64> =
            self.look_up(|db| on_db!(db, db => query.get_result(db).optional()))?;
        bytes.ok_or_else(|| self.missing_row("the configuration of a bot"))
    }
}

impl ConfigRepository for Tx<'_> {
    fn insert_config(&mut self, scope: &ProjectScope, id: ConfigId) -> Result<(), StorageError> {
        self.insert_large_config(scope.project_id(), Some(id), 0).map(drop)
    }

    fn append_to_config(
        &mut self,
        scope: &ProjectScope,
        id: ConfigId,
        text: &str,
    ) -> Result<(), StorageError> {
        let project = scope.project_id();
        let of_config = large_config_parts::table
            .filter(large_config_parts::project_id.eq(project.to_column()))
            .filter(large_config_parts::id.eq(id.to_column()));
        let parts = of_config.select(max(large_config_parts::number));
        let last: Option<i64> = self.query(|db| on_db!(db, db => parts.get_result(db)))?;
        let bytes = number(text.len() as u64)?;
        let one = large_configs::table.find((project.to_column(), id.to_column()));
        let grown = large_configs::bytes.eq(large_configs::bytes + bytes);
        self.change_one(
            "appending to a configuration",
            |db| on_db!(db, db => diesel::update(one).set(grown).execute(db)),
        )?;
        self.insert_parts(project, id, last.map_or(0, |last| last + 1), text)
    }

    fn remove_unused_config(
        &mut self,
        scope: &ProjectScope,
        id: ConfigId,
        limit: u32,
    ) -> Result<bool, StorageError> {
        let (project, id) = (scope.project_id().to_column(), id.to_column());
        let one = large_configs::table.find((project, id)).filter(Unused);
        if find_locked!(self, Lock::Exclusive, one, LargeConfigRow)?.is_none() {
            return Ok(false);
        }
        let of_config = |begin: Statement<()>| {
            begin
                .sql(" FROM large_config_parts WHERE project_id = ")
                .bind(project)
                .sql(" AND id = ")
                .bind(id)
        };
        let removal = of_config(Statement::new("DELETE"));
        let removal = of_config(removal.sql(" AND number IN (SELECT number"))
            .sql(" ORDER BY number LIMIT ")
            .bind(i64::from(limit))
            .sql(")");
        let removed = self.query(|db| on_db!(db, db => removal.execute(db)))?;
        if removed >= limit as usize {
            return Ok(true);
        }
        let delete = diesel::delete(large_configs::table.find((project, id)));
        self.change_one("removing a configuration", |db| on_db!(db, db => delete.execute(db)))?;
        Ok(false)
    }

    fn large_config_bytes(&mut self, scope: &ProjectScope) -> Result<u64, StorageError> {
        let query = large_configs::table
            .filter(large_configs::project_id.eq(scope.project_id().to_column()))
            .select(sql::<BigInt>("CAST(coalesce(sum(bytes), 0) AS BIGINT)"));
        let bytes: i64 = self.look_up(|db| on_db!(db, db => query.get_result(db)))?;
        u64::try_from(bytes).map_err(|_| broken("fewer than no bytes of configurations"))
    }

    fn count_unused_configs(&mut self, scope: &ProjectScope) -> Result<u64, StorageError> {
        let query = large_configs::table
            .filter(large_configs::project_id.eq(scope.project_id().to_column()))
            .filter(Unused)
            .count();
        let count: i64 = self.look_up(|db| on_db!(db, db => query.get_result(db)))?;
        u64::try_from(count).map_err(|_| broken("fewer than no configurations"))
    }
}

/// A long text in parts.
fn parts(mut text: &str) -> impl Iterator<Item = &str> {
    iter::from_fn(move || {
        let (part, rest) = text.split_at(text.floor_char_boundary(PART));
        text = rest;
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_its_parts() {
        // Characters of three bytes, so that no part ends where it is full.
        let text = "€".repeat(PART);
        let parts: Vec<_> = parts(&text).collect();
        assert_eq!(parts.concat(), text);
        assert!(parts.iter().all(|part| part.len() <= PART));
        assert_eq!(parts.len(), 4);
        assert_eq!(super::parts("").count(), 0);
    }
}
