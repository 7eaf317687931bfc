//! Long configurations of bots, each in rows of its own that copies of the bot share.

use std::iter;

#[cfg(feature = "postgres")]
use diesel::pg::PgRowByRowLoadingMode;
use diesel::prelude::*;
use domain::StorageError;
use domain::bot::BotConfig;
use domain::id::ProjectId;
use domain::text::CONFIG_MAX;

use crate::engine::db::{Db, on_db};
use crate::engine::tx::{Tx, corrupt, number};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::json::{from_json, to_json};
use crate::sql::schema::{bots, large_config_parts, large_configs};

/// A configuration of more bytes is not stored in the row of its bot.
const LARGE: usize = 64 << 10;

/// How many bytes a part of a long configuration has at most. The driver of PostgreSQL keeps buffers for the longest
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

impl Tx<'_> {
    /// The columns for this configuration. A large one is stored.
    pub(super) fn config_columns(
        &mut self,
        project: ProjectId,
        config: &BotConfig,
    ) -> Result<ConfigColumns, StorageError> {
        let config = to_json("bots.config", config)?;
        if config.len() <= LARGE {
            return Ok(ConfigColumns { config, large_config: None });
        }
        let row = (
            large_configs::project_id.eq(project.to_column()),
            large_configs::bytes.eq(number(config.len() as u64)?),
        );
        let id: IdColumn = self.query(|db| {
            on_db!(db, db => diesel::insert_into(large_configs::table)
                .values(row)
                .returning(large_configs::id)
                .get_result(db))
        })?;
        for (number, content) in (0_i64..).zip(parts(&config)) {
            let row = (
                large_config_parts::id.eq(id),
                large_config_parts::project_id.eq(project.to_column()),
                large_config_parts::number.eq(number),
                large_config_parts::content.eq(content),
            );
            self.change_one(
                "storing a part of a configuration",
                |db| on_db!(db, db => diesel::insert_into(large_config_parts::table).values(row).execute(db)),
            )?;
        }
        Ok(ConfigColumns { config: String::new(), large_config: Some(id) })
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
        if text.is_empty() {
            return Err(self.has_gone("the configuration of a bot"));
        }
        if text.len() != bytes {
            let text =
                format!("large_config_parts.content of {bot}: {} of {bytes} bytes", text.len());
            return Err(corrupt(text));
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
        bytes.ok_or_else(|| self.has_gone("the configuration of a bot"))
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
