//! Stages in the database.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use domain::StorageError;
use domain::access::BotScope;
use domain::batch::Batch;
use domain::clock::Timestamp;
use domain::copy_step::CopyStep;
use domain::id::StageId;
use domain::stage::{Stage, StageFields, StageRepository};

use crate::engine::db::{Db, on_db};
use crate::engine::tx::{Tx, all_stored, broken};
use crate::sql::columns::{IdColumn, JsonColumn, Stored};
use crate::sql::json::to_json;
use crate::sql::row_macros::{ContentSize as _, FieldColumns as _, field_columns};
use crate::sql::schema::stages;
use crate::sql::statement::Statement;
use crate::tables::bot_resource::{bot_resource, bot_resource_methods};
use crate::tables::bot_rows::{Copied, EACH, SIZE, after, of_bot, read_batch};
use crate::tables::stage_scripts::{SCRIPTS, scripts};

field_columns! {
    StageColumns of StageFields in stages {
        indexed, all but UnindexedStageColumns {
            name: String,
        }
        always {
            title: String,
        }
        optional {
            hidden: bool,
            footer: bool,
            force_skills: bool,
            skills: Vec<String>,
        }
        elsewhere {
            enter_js: String,
            exit_js: String,
            pre_condition_js: String,
        }
    }
}

/// The sum of the sizes of lists. The length of a long list is known without reading it.
const SKILL_LIST_BYTES: &str = "CAST(coalesce(sum(CASE WHEN octet_length(skills) > 4096 \
     THEN octet_length(skills) ELSE 4096 END), 0) AS BIGINT)";

bot_resource!(StageRow of Stage with StageColumns in stages, "a stage");

impl Tx<'_> {
    /// The `skills` of the bot's stages whose text holds another text, which those with a skill do
    /// but a few others may, too.
    fn stages_that_mention(
        &mut self,
        scope: &BotScope,
        text: &str,
        after_id: Option<StageId>,
        limit: u32,
    ) -> Result<Vec<(StageId, Vec<String>)>, StorageError> {
        let query = of_bot!(stages, scope)
            .filter(stages::id.gt(after(after_id)))
            .order(stages::id)
            .limit(i64::from(limit))
            .select((stages::id, stages::skills.assume_not_null()));
        let found: Vec<(IdColumn, JsonColumn<Vec<String>>)> = self.query(|db| {
            let position = match db {
                #[cfg(feature = "postgres")]
                Db::Pg(_) => "strpos",
                #[cfg(feature = "sqlite")]
                Db::Sqlite(_) => "instr",
            };
            let mentions =
                sql::<Bool>(position).sql("(stages.skills, ").bind::<Text, _>(text).sql(") > 0");
            on_db!(db, db => query.filter(mentions).load(db))
        })?;
        let found = found.into_iter();
        Ok(found
            .map(|(id, skills)| (Stored::from_column(id), Stored::from_column(skills)))
            .collect())
    }
}

/// Stores the skills of some stages, of which there must be one.
fn skills_update(
    scope: &BotScope,
    lists: &[(StageId, Vec<String>)],
    now: Timestamp,
) -> Result<Statement<()>, StorageError> {
    let update = Statement::new(
        "UPDATE stages SET skills = new.column2, size = size - coalesce(octet_length(skills), 0) \
             + octet_length(new.column2), updated_at = ",
    );
    let mut update = update.bind(now.millis());
    for (index, (id, skills)) in lists.iter().enumerate() {
        let before = if index == 0 { " FROM (VALUES (" } else { "), (" };
        let skills = to_json("a list of skills", skills)?;
        update = update.sql(before).bind(id.to_column()).sql(", ").bind(skills);
    }
    Ok(update
        .sql(")) AS new WHERE project_id = ")
        .bind(scope.project_id().to_column())
        .sql(" AND bot_id = ")
        .bind(scope.bot_id().to_column())
        .sql(" AND id = new.column1"))
}

impl StageRepository for Tx<'_> {
    bot_resource_methods! { StageRow of Stage, StageId in stages;
        delete delete_stage
        remove remove_stages
    }

    fn stage(&mut self, scope: &BotScope, id: StageId) -> Result<Option<Stage>, StorageError> {
        let query = of_bot!(stages, scope).filter(stages::id.eq(id.to_column()));
        let row = self.look_up(
            |db| on_db!(db, db => query.select(StageRow::as_select()).get_result(db).optional()),
        )?;
        self.reserve_memory(row.as_ref().map_or(0, |row| row.size))?;
        let stage = row.map(Stage::from);
        Ok(self.with_scripts(scope, stage.into_iter().collect())?.pop())
    }

    fn stages(
        &mut self,
        scope: &BotScope,
        after_id: Option<StageId>,
        limit: u32,
    ) -> Result<Batch<Stage>, StorageError> {
        let stages = StageRow::page(self, scope, after_id, limit)?;
        let is_last = stages.is_last();
        Ok(Batch::new(self.with_scripts(scope, stages.into_items())?, is_last))
    }

    fn stages_with_skill(
        &mut self,
        scope: &BotScope,
        skill_id: &str,
        after_id: Option<StageId>,
        limit: u32,
    ) -> Result<Vec<(StageId, Vec<String>)>, StorageError> {
        let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
        let mentioned = to_json("a skillId", &skill_id)?;
        let mut after = after_id;
        let mut found = Vec::new();
        while found.len() < wanted {
            let page = self.stages_that_mention(scope, &mentioned, after, limit)?;
            let is_last = page.len() < wanted;
            let Some((last, _)) = page.last() else {
                break;
            };
            after = Some(*last);
            for (id, skills) in page {
                if skills.iter().any(|skill| skill == skill_id) && found.len() < wanted {
                    found.push((id, skills));
                }
            }
            if is_last {
                break;
            }
        }
        Ok(found)
    }

    fn stages_with_ids(
        &mut self,
        scope: &BotScope,
        ids: &[StageId],
    ) -> Result<Vec<Stage>, StorageError> {
        let stages = StageRow::with_ids(self, scope, ids)?;
        self.with_scripts(scope, stages)
    }

    fn skill_list_bytes(&mut self, scope: &BotScope) -> Result<u64, StorageError> {
        let of_bot = of_bot!(stages, scope).select(sql::<BigInt>(SKILL_LIST_BYTES));
        let bytes: i64 = self.look_up(|db| on_db!(db, db => of_bot.get_result(db)))?;
        Ok(u64::try_from(bytes).unwrap_or_default())
    }

    fn insert_stage(&mut self, scope: &BotScope, stage: &Stage) -> Result<(), StorageError> {
        StageRow::insert(self, scope, stage)?;
        self.insert_scripts(scope, stage)
    }

    fn update_stage(
        &mut self,
        scope: &BotScope,
        from: &Stage,
        to: &Stage,
    ) -> Result<(), StorageError> {
        StageRow::update(self, scope, from, to)?;
        if scripts(&from.fields) == scripts(&to.fields) {
            return Ok(());
        }
        self.delete_scripts(scope, to.id)?;
        self.insert_scripts(scope, to)
    }

    fn update_skills_of_stages(
        &mut self,
        scope: &BotScope,
        lists: &[(StageId, Vec<String>)],
        now: Timestamp,
    ) -> Result<(), StorageError> {
        if lists.is_empty() {
            return Ok(());
        }
        let update = skills_update(scope, lists, now)?;
        let stored = self.query(|db| on_db!(db, db => update.execute(db)))?;
        all_stored("lists of skills", stored, lists.len())
    }

    fn copy_stages(
        &mut self,
        bots: (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        next_id: &mut dyn FnMut() -> StageId,
    ) -> Result<bool, StorageError> {
        let copied = Copied { with: Some(SCRIPTS), ..StageRow::COPIED };
        self.copy_rows(&copied, bots, now, step, || next_id().to_column())
    }
}
