//! Long configurations of bots, each in a row of its own that copies of the bot share.

use diesel::prelude::*;
use domain::StorageError;
use domain::bot::BotConfig;
use domain::id::ProjectId;

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, number};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::json::{LongJson, from_json, to_json};
use crate::sql::schema::{bots, large_config_texts, large_configs};
use crate::tables::bot_rows::row_bytes;

/// A configuration of more bytes is not stored in the row of its bot.
const LARGE: usize = 64 << 10;

/// The bytes of a bot's configuration, as SQL.
pub(super) const CONFIG_BYTES: &str = "octet_length(config) + coalesce((SELECT octet_length(large.config) \
     FROM large_config_texts AS large \
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
        self.record_content(config.len() as u64);
        let of_project = large_configs::project_id.eq(project.to_column());
        let id: IdColumn = self.query(|db| {
            on_db!(db, db => diesel::insert_into(large_configs::table)
                .values(of_project)
                .returning(large_configs::id)
                .get_result(db))
        })?;
        let row = (
            large_config_texts::id.eq(id),
            large_config_texts::project_id.eq(project.to_column()),
            large_config_texts::config.eq(config),
        );
        self.change_one(
            "storing a large configuration",
            |db| on_db!(db, db => diesel::insert_into(large_config_texts::table).values(row).execute(db)),
        )?;
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
        let row = large_config_texts::table.find((project, large));
        let query = row.select(large_config_texts::config);
        let config: LongJson<BotConfig> =
            self.look_up(|db| on_db!(db, db => query.get_result(db)))?;
        let config = config.of("large_config_texts.config", bot)?;
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
        let row = large_config_texts::table.find((project, large));
        let query = row.select(row_bytes("octet_length(config)"));
        let bytes: i64 = self.look_up(|db| on_db!(db, db => query.get_result(db)))?;
        Ok(bytes)
    }
}
