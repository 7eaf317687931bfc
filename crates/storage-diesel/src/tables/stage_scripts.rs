//! The scripts of stages, in a table of their own.

use std::collections::HashMap;

use diesel::prelude::*;
use domain::StorageError;
use domain::access::BotScope;
use domain::id::StageId;
use domain::stage::{Stage, StageFields};

use crate::engine::db::on_db;
use crate::engine::tx::Tx;
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::schema::stage_scripts;
use crate::tables::bot_rows::{CopiedWith, of_bot};

/// They are copied with their stages.
pub(super) const SCRIPTS: CopiedWith = CopiedWith {
    table: "stage_scripts",
    owner: "stage_id",
    columns: "enter_js, exit_js, pre_condition_js",
};

/// The scripts of one stage, of which it has at least one.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = stage_scripts, treat_none_as_default_value = false)]
struct ScriptsRow {
    stage_id: IdColumn,
    project_id: IdColumn,
    bot_id: IdColumn,
    enter_js: Option<String>,
    exit_js: Option<String>,
    pre_condition_js: Option<String>,
}

/// The scripts of a stage.
pub(super) const fn scripts(fields: &StageFields) -> [&Option<String>; 3] {
    [&fields.enter_js, &fields.exit_js, &fields.pre_condition_js]
}

impl Tx<'_> {
    /// Stages of the bot with their scripts.
    pub(super) fn with_scripts(
        &mut self,
        scope: &BotScope,
        mut stages: Vec<Stage>,
    ) -> Result<Vec<Stage>, StorageError> {
        if stages.is_empty() {
            return Ok(stages);
        }
        let ids: Vec<_> = stages.iter().map(|stage| stage.id.to_column()).collect();
        let query = of_bot!(stage_scripts, scope).filter(stage_scripts::stage_id.eq_any(ids));
        let rows =
            self.query(|db| on_db!(db, db => query.select(ScriptsRow::as_select()).load(db)))?;
        let by_stage = rows.into_iter().map(|row| (StageId::from_column(row.stage_id), row));
        let mut by_stage: HashMap<_, _> = by_stage.collect();
        for stage in &mut stages {
            if let Some(row) = by_stage.remove(&stage.id) {
                stage.fields.enter_js = row.enter_js;
                stage.fields.exit_js = row.exit_js;
                stage.fields.pre_condition_js = row.pre_condition_js;
            }
        }
        Ok(stages)
    }

    /// Stores the scripts of a stage that has none stored.
    pub(super) fn insert_scripts(
        &mut self,
        scope: &BotScope,
        stage: &Stage,
    ) -> Result<(), StorageError> {
        let fields = &stage.fields;
        if scripts(fields).iter().all(|script| script.is_none()) {
            return Ok(());
        }
        let row = ScriptsRow {
            stage_id: stage.id.to_column(),
            project_id: scope.project_id().to_column(),
            bot_id: scope.bot_id().to_column(),
            enter_js: fields.enter_js.clone(),
            exit_js: fields.exit_js.clone(),
            pre_condition_js: fields.pre_condition_js.clone(),
        };
        let insert = diesel::insert_into(stage_scripts::table).values(row);
        self.change_one("inserting scripts", |db| on_db!(db, db => insert.execute(db)))
    }

    /// Removes the scripts of a stage that stays. Those of one that goes go with it.
    pub(super) fn delete_scripts(
        &mut self,
        scope: &BotScope,
        stage: StageId,
    ) -> Result<(), StorageError> {
        let one =
            of_bot!(stage_scripts, scope).filter(stage_scripts::stage_id.eq(stage.to_column()));
        self.query(|db| on_db!(db, db => diesel::delete(one).execute(db)))?;
        Ok(())
    }
}
