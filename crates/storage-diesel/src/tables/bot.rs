//! Bots in the database.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::StorageError;
use domain::access::{BotClaim, BotScope, Operator, ProjectScope};
use domain::batch::Batch;
use domain::bot::{
    Bot, BotConfig, BotKind, BotRepository, BotState, BotSummary, BotUnlessLarge, LargeBot,
};
use domain::clock::Timestamp;
use domain::id::{BotId, ConfigId, ProjectId};
use domain::lock::Lock;

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, decode, find_locked, number};
use crate::sql::cached_update::cached_update;
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::conditions::conditions;
use crate::sql::schema::{bot_contents, bots};
use crate::tables::bot_rows::{after, of_bot, read_batch, row_bytes, with_ids};
use crate::tables::bot_summary::{BotSummaryRow, state};
use crate::tables::large_config::{CONFIG_BYTES, ConfigColumns};

#[derive(Queryable, Selectable)]
#[diesel(table_name = bots)]
struct BotRow {
    id: IdColumn,
    project_id: IdColumn,
    kind: String,
    state: String,
    #[diesel(embed)]
    config: ConfigColumns,
    created_at: i64,
    updated_at: i64,
    deleted_at: Option<i64>,
    name: String,
}

/// A bot of which nothing is needed but that it is there.
#[derive(Queryable, Selectable)]
#[diesel(table_name = bots)]
struct BotIdRow {
    #[expect(dead_code, reason = "a row has a column")]
    id: IdColumn,
}

#[derive(Insertable)]
#[diesel(table_name = bots, treat_none_as_default_value = false)]
struct NewBot<'a> {
    id: IdColumn,
    project_id: IdColumn,
    kind: &'a str,
    state: &'a str,
    #[diesel(embed)]
    config: ConfigColumns,
    created_at: i64,
    updated_at: i64,
    deleted_at: Option<i64>,
    name: &'a str,
}

impl Tx<'_> {
    fn bot(&mut self, row: BotRow) -> Result<Bot, StorageError> {
        let id = row.id;
        let config = self.config(row.project_id, id, row.name, row.config)?;
        Ok(Bot {
            id: Stored::from_column(id),
            project_id: Stored::from_column(row.project_id),
            kind: decode("bots.kind", id, BotKind::parse(&row.kind))?,
            state: state(id, &row.state, row.deleted_at)?,
            config,
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        })
    }

    fn insert(&mut self, row: NewBot<'_>) -> Result<(), StorageError> {
        let content =
            (bot_contents::project_id.eq(row.project_id), bot_contents::bot_id.eq(row.id));
        self.change_one(
            "inserting a bot",
            |db| on_db!(db, db => diesel::insert_into(bots::table).values(row).execute(db)),
        )?;
        self.change_one(
            "counting a bot's content",
            |db| on_db!(db, db => diesel::insert_into(bot_contents::table).values(content).execute(db)),
        )
    }
}

/// The sum of what triggers have counted. PostgreSQL's sum of whole numbers is of another type.
const CONTENT_BYTES: &str = "CAST(coalesce(sum(bytes), 0) AS BIGINT)";

/// A count. If it is wrong and below 0, the bot can still be changed, and a check tells.
fn content_bytes(bytes: i64) -> u64 {
    u64::try_from(bytes).unwrap_or_default()
}

conditions! {
    /// What the API finds: index `bots_live`.
    Live of bots = "(bots.state = 'active' AND bots.kind = 'regular' AND bots.deleted_at IS NULL)";
    /// What is in the trash: index `bots_in_trash`.
    InTrash of bots = "(bots.state = 'trashed' AND bots.deleted_at IS NULL)";
    /// What was not deleted for good; counted in the index `bots_there`.
    There of bots = "(bots.deleted_at IS NULL)";
    /// What was, and is being torn down.
    Removed of bots = "(bots.deleted_at IS NOT NULL)";
    /// A copy that is not complete: index `bots_unpublished`.
    UnpublishedCopy of bots = "(bots.deleted_at = bots.created_at)";
}

/// The columns `state` and `deleted_at` of a bot that was changed then. One that was deleted permanently is stored
/// as trashed, so that code which does not know the second column does not find it either.
fn state_columns(state: BotState, at: Timestamp) -> (&'static str, Option<i64>) {
    match state {
        BotState::Active | BotState::Archived | BotState::Trashed => (state.as_str(), None),
        BotState::Deleted => (BotState::Trashed.as_str(), Some(at.millis())),
    }
}

/// The bot of a claim or a scope, if it meets a condition.
macro_rules! the_bot {
    ($of:expr, $condition:expr) => {
        bots::table
            .filter(bots::project_id.eq($of.project_id().to_column()))
            .filter(bots::id.eq($of.bot_id().to_column()))
            .filter($condition)
    };
}

/// How many bots of a project meet a condition.
macro_rules! count_bots {
    ($tx:expr, $scope:expr, $condition:expr) => {{
        let query = bots::table
            .filter(bots::project_id.eq($scope.project_id().to_column()))
            .filter($condition)
            .count();
        let count: i64 = $tx.look_up(|db| on_db!(db, db => query.get_result(db)))?;
        u64::try_from(count).map_err(|_| broken("fewer than no bots"))
    }};
}

impl BotRepository for Tx<'_> {
    fn live_bot(&mut self, claim: &BotClaim, lock: Lock) -> Result<Option<Bot>, StorageError> {
        let query = the_bot!(claim, Live);
        let row = find_locked!(self, lock, query, BotRow)?;
        let Some(row) = row else { return Ok(None) };
        let bytes = self.config_bytes(row.project_id, &row.config)?;
        self.reserve_memory(bytes)?;
        self.bot(row).map(Some)
    }

    fn live_bot_unless_large(
        &mut self,
        claim: &BotClaim,
        lock: Lock,
    ) -> Result<Option<BotUnlessLarge>, StorageError> {
        let query = the_bot!(claim, Live);
        let Some(row) = find_locked!(self, lock, query, BotRow)? else { return Ok(None) };
        if let Some(config) = row.config.large_config {
            let updated_at = Timestamp::from_millis(row.updated_at);
            return Ok(Some(BotUnlessLarge::Large(LargeBot {
                config: Stored::from_column(config),
                updated_at,
            })));
        }
        self.reserve_memory(number(row.config.config.len() as u64)?)?;
        Ok(Some(BotUnlessLarge::Small(Box::new(self.bot(row)?))))
    }

    fn has_live_bot(&mut self, claim: &BotClaim, lock: Lock) -> Result<bool, StorageError> {
        let query = the_bot!(claim, Live);
        Ok(find_locked!(self, lock, query, BotIdRow)?.is_some())
    }

    fn live_bots(
        &mut self,
        scope: &ProjectScope,
        after_id: Option<BotId>,
        limit: u32,
    ) -> Result<Batch<Bot>, StorageError> {
        let (project, after_id) = (scope.project_id().to_column(), after(after_id));
        let rows = read_batch!(
            self,
            bots::table
                .filter(bots::project_id.eq(project))
                .filter(bots::id.gt(after_id))
                .filter(Live)
                .order(bots::id),
            row_bytes(CONFIG_BYTES),
            BotRow,
            limit
        );
        rows.try_map(|row| self.bot(row))
    }

    fn live_bots_with_ids(
        &mut self,
        scope: &ProjectScope,
        ids: &[BotId],
    ) -> Result<Vec<Bot>, StorageError> {
        // That they are live is filtered here: by an index that has the condition, SQLite would read all of the project.
        let of_project = bots::table.filter(bots::project_id.eq(scope.project_id().to_column()));
        let rows: Vec<BotRow> = with_ids!(self, of_project, bots::id, ids, BotRow)?;
        let mut live = Vec::new();
        for row in rows {
            let bot = self.bot(row)?;
            if bot.is_live() {
                live.push(bot);
            }
        }
        Ok(live)
    }

    fn count_bots(&mut self, scope: &ProjectScope) -> Result<u64, StorageError> {
        count_bots!(self, scope, There)
    }

    fn count_unpublished_copies(&mut self, scope: &ProjectScope) -> Result<u64, StorageError> {
        count_bots!(self, scope, UnpublishedCopy)
    }

    fn insert_bot(
        &mut self,
        scope: &ProjectScope,
        bot: &Bot,
        stored: Option<ConfigId>,
    ) -> Result<(), StorageError> {
        if bot.project_id != scope.project_id() {
            return Err(broken("a bot of another project was to be inserted"));
        }
        let config = self.config_columns(bot.project_id, (&bot.config, stored))?;
        let (state, deleted_at) = state_columns(bot.state, bot.updated_at);
        self.insert(NewBot {
            id: bot.id.to_column(),
            project_id: bot.project_id.to_column(),
            kind: bot.kind.as_str(),
            state,
            config,
            created_at: bot.created_at.millis(),
            updated_at: bot.updated_at.millis(),
            deleted_at,
            name: &bot.config.name,
        })
    }

    fn insert_copy(
        &mut self,
        original: &BotScope,
        id: BotId,
        at: Timestamp,
        config: &BotConfig,
    ) -> Result<(), StorageError> {
        let query = bots::table
            .filter(bots::project_id.eq(original.project_id().to_column()))
            .filter(bots::id.eq(original.bot_id().to_column()))
            .select(bots::large_config);
        let large_config: Option<IdColumn> =
            self.look_up(|db| on_db!(db, db => query.get_result(db)))?;
        let columns = match large_config {
            None => self.config_columns(original.project_id(), (config, None))?,
            shared => ConfigColumns { config: String::new(), large_config: shared },
        };
        let (state, deleted_at) = state_columns(BotState::Deleted, at);
        self.insert(NewBot {
            id: id.to_column(),
            project_id: original.project_id().to_column(),
            kind: BotKind::Regular.as_str(),
            state,
            config: columns,
            created_at: at.millis(),
            updated_at: at.millis(),
            deleted_at,
            name: &config.name,
        })
    }

    fn update_bot(
        &mut self,
        scope: &BotScope,
        name_before: &str,
        (config, stored): (&BotConfig, Option<ConfigId>),
        at: Timestamp,
    ) -> Result<(), StorageError> {
        let (row, what) = (the_bot!(scope, There), "updating a bot");
        let stored = self.config_columns(scope.project_id(), (config, stored))?;
        let columns = (stored, bots::updated_at.eq(at.millis()));
        // SQLite writes each index of the name that is set, if only to what it is.
        if config.name == name_before {
            self.change_one(what, |db| on_db!(db, db => cached_update(row, columns).execute(db)))
        } else {
            let columns = (columns, bots::name.eq(&config.name));
            self.change_one(what, |db| on_db!(db, db => cached_update(row, columns).execute(db)))
        }
    }

    fn set_bot_state(
        &mut self,
        scope: &BotScope,
        state: BotState,
        at: Timestamp,
    ) -> Result<(), StorageError> {
        let row = the_bot!(scope, There);
        if state != BotState::Active {
            self.record_access_change(scope.project_id());
        }
        let (state, deleted_at) = state_columns(state, at);
        let columns = (
            bots::state.eq(state),
            bots::updated_at.eq(at.millis()),
            bots::deleted_at.eq(deleted_at),
        );
        self.change_one(
            "setting the state of a bot",
            |db| on_db!(db, db => cached_update(row, columns).execute(db)),
        )
    }

    fn show_bot(&mut self, scope: &ProjectScope, id: BotId) -> Result<(), StorageError> {
        let row = bots::table
            .filter(bots::project_id.eq(scope.project_id().to_column()))
            .filter(bots::id.eq(id.to_column()))
            .filter(Removed);
        let columns = (bots::state.eq(BotState::Active.as_str()), bots::deleted_at.eq(None::<i64>));
        self.change_one(
            "showing a bot",
            |db| on_db!(db, db => cached_update(row, columns).execute(db)),
        )
    }

    fn content_bytes(&mut self, scope: &BotScope) -> Result<u64, StorageError> {
        let of_bot = of_bot!(bot_contents, scope).select(sql::<BigInt>(CONTENT_BYTES));
        Ok(content_bytes(self.look_up(|db| on_db!(db, db => of_bot.get_result(db)))?))
    }

    fn content_bytes_of_project(&mut self, scope: &ProjectScope) -> Result<u64, StorageError> {
        let of_project = bot_contents::table
            .filter(bot_contents::project_id.eq(scope.project_id().to_column()))
            .select(sql::<BigInt>(CONTENT_BYTES));
        Ok(content_bytes(self.look_up(|db| on_db!(db, db => of_project.get_result(db)))?))
    }

    fn deleted_bot(&mut self, _: Operator, id: BotId) -> Result<Option<BotSummary>, StorageError> {
        let query = bots::table.filter(bots::id.eq(id.to_column())).filter(Removed);
        find_locked!(self, Lock::Exclusive, query, BotSummaryRow)?
            .map(BotSummaryRow::summary)
            .transpose()
    }

    fn remove_deleted_bot(&mut self, scope: &BotScope) -> Result<Option<ConfigId>, StorageError> {
        let row = bots::table.find((scope.project_id().to_column(), scope.bot_id().to_column()));
        let of_bot = row.select(bots::large_config);
        let config: Option<IdColumn> = self.query(|db| on_db!(db, db => of_bot.get_result(db)))?;
        self.change_one("deleting a bot", |db| on_db!(db, db => diesel::delete(row).execute(db)))?;
        Ok(config.map(Stored::from_column))
    }

    fn bot_in_any_state(
        &mut self,
        _: Operator,
        id: BotId,
        lock: Lock,
    ) -> Result<Option<BotSummary>, StorageError> {
        let query = bots::table.filter(bots::id.eq(id.to_column())).filter(There);
        find_locked!(self, lock, query, BotSummaryRow)?.map(BotSummaryRow::summary).transpose()
    }

    fn bots_in_any_state(
        &mut self,
        _: Operator,
        project: ProjectId,
    ) -> Result<Vec<BotSummary>, StorageError> {
        let query = bots::table
            .filter(bots::project_id.eq(project.to_column()))
            .filter(There)
            .order(bots::id);
        let rows: Vec<BotSummaryRow> =
            self.query(|db| on_db!(db, db => query.select(BotSummaryRow::as_select()).load(db)))?;
        rows.into_iter().map(BotSummaryRow::summary).collect()
    }

    fn bots_trashed_before(
        &mut self,
        _: Operator,
        time: Timestamp,
        limit: u32,
    ) -> Result<Vec<BotId>, StorageError> {
        let query = bots::table
            .filter(InTrash)
            .filter(bots::updated_at.lt(time.millis()))
            .order((bots::updated_at, bots::id))
            .limit(i64::from(limit))
            .select(bots::id);
        let ids: Vec<IdColumn> = self.query(|db| on_db!(db, db => query.load(db)))?;
        Ok(ids.into_iter().map(Stored::from_column).collect())
    }
}
