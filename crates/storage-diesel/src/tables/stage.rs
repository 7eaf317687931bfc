//! Stages in the database.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use domain::StorageError;
use domain::access::BotScope;
use domain::clock::Timestamp;
use domain::id::{BotId, StageId};
use domain::stage::{Stage, StageFields, StageRepository};

use crate::engine::db::{Db, on_db};
use crate::engine::tx::{Tx, corrupt, decode, number};
use crate::sql::json::{from_json, from_optional_json, to_json, to_optional_json};
use crate::sql::schema::stages;
use crate::tables::rows::{Copied, EACH, after, of_bot, size_of};

const COPIED: Copied = Copied {
    table: "stages",
    columns: "title, name, hidden, footer, force_skills, skills, enter_js, exit_js, \
              pre_condition_js, size",
    only: EACH,
    may_go: false,
};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = stages, primary_key(project_id, bot_id, id), treat_none_as_null = true)]
struct StageRow {
    id: String,
    project_id: String,
    bot_id: String,
    title: String,
    name: String,
    hidden: Option<bool>,
    footer: Option<bool>,
    force_skills: Option<bool>,
    size: i64,
    created_at: i64,
    updated_at: i64,
    skills: Option<String>,
    enter_js: Option<String>,
    exit_js: Option<String>,
    pre_condition_js: Option<String>,
}

impl TryFrom<StageRow> for Stage {
    type Error = StorageError;

    fn try_from(row: StageRow) -> Result<Self, StorageError> {
        let id = row.id.as_str();
        let fields = StageFields {
            skills: from_optional_json("stages.skills", id, row.skills.as_deref())?,
            title: row.title,
            name: row.name,
            hidden: row.hidden,
            footer: row.footer,
            force_skills: row.force_skills,
            enter_js: row.enter_js,
            exit_js: row.exit_js,
            pre_condition_js: row.pre_condition_js,
        };
        Ok(Self {
            id: decode("stages.id", id, StageId::parse(id))?,
            bot_id: decode("stages.bot_id", id, BotId::parse(&row.bot_id))?,
            fields,
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        })
    }
}

/// The row of a stage of the scope's bot.
fn row(scope: &BotScope, stage: &Stage) -> Result<StageRow, StorageError> {
    if stage.bot_id != scope.bot_id() {
        return Err(corrupt("a stage of another bot was to be stored"));
    }
    let fields = &stage.fields;
    let skills = to_optional_json("stages.skills", fields.skills.as_ref())?;
    let texts = [&skills, &fields.enter_js, &fields.exit_js, &fields.pre_condition_js];
    Ok(StageRow {
        id: stage.id.to_string(),
        project_id: scope.project_id().to_string(),
        bot_id: scope.bot_id().to_string(),
        title: fields.title.clone(),
        name: fields.name.clone(),
        hidden: fields.hidden,
        footer: fields.footer,
        force_skills: fields.force_skills,
        size: size_of(texts)?,
        created_at: stage.created_at.millis(),
        updated_at: stage.updated_at.millis(),
        skills,
        enter_js: fields.enter_js.clone(),
        exit_js: fields.exit_js.clone(),
        pre_condition_js: fields.pre_condition_js.clone(),
    })
}

impl Tx<'_> {
    /// The `skills` of the bot's stages whose text holds another text, which those with a skill do
    /// but a few others may, too.
    fn stages_that_mention(
        &mut self,
        scope: &BotScope,
        text: &str,
        after: String,
        limit: u32,
    ) -> Result<Vec<(String, String)>, StorageError> {
        let query = of_bot!(stages, scope)
            .filter(stages::id.gt(after))
            .order(stages::id)
            .limit(i64::from(limit))
            .select((stages::id, stages::skills.assume_not_null()));
        self.query(|db| {
            let position = match db {
                Db::Pg(_) => "strpos",
                Db::Sqlite(_) => "instr",
            };
            let mentions =
                sql::<Bool>(position).sql("(stages.skills, ").bind::<Text, _>(text).sql(") > 0");
            on_db!(db, db => query.filter(mentions).load(db))
        })
    }
}

impl StageRepository for Tx<'_> {
    fn stage(&mut self, scope: &BotScope, id: StageId) -> Result<Option<Stage>, StorageError> {
        let query = of_bot!(stages, scope).filter(stages::id.eq(id.to_string()));
        let row = self.query(
            |db| on_db!(db, db => query.select(StageRow::as_select()).get_result(db).optional()),
        )?;
        row.map(Stage::try_from).transpose()
    }

    fn stages(
        &mut self,
        scope: &BotScope,
        after_id: Option<StageId>,
        limit: u32,
    ) -> Result<Vec<Stage>, StorageError> {
        let query = of_bot!(stages, scope)
            .filter(stages::id.gt(after(after_id)))
            .order(stages::id)
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(StageRow::as_select()).load(db)))?;
        rows.into_iter().map(Stage::try_from).collect()
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
        let mut after = after(after_id);
        let mut found = Vec::new();
        while found.len() < wanted {
            let page = self.stages_that_mention(scope, &mentioned, after, limit)?;
            let is_last = page.len() < wanted;
            let Some((last, _)) = page.last() else {
                break;
            };
            after = last.clone();
            for (id, skills) in page {
                let skills: Vec<String> = from_json("stages.skills", &id, &skills)?;
                if skills.iter().any(|skill| skill == skill_id) && found.len() < wanted {
                    found.push((decode("stages.id", &id, StageId::parse(&id))?, skills));
                }
            }
            if is_last {
                break;
            }
        }
        Ok(found)
    }

    fn insert_stage(&mut self, scope: &BotScope, stage: &Stage) -> Result<(), StorageError> {
        let row = row(scope, stage)?;
        self.change_one(
            "inserting a stage",
            |db| on_db!(db, db => diesel::insert_into(stages::table).values(row).execute(db)),
        )
    }

    fn update_stage(&mut self, scope: &BotScope, stage: &Stage) -> Result<(), StorageError> {
        let row = row(scope, stage)?;
        let one = of_bot!(stages, scope).filter(stages::id.eq(stage.id.to_string()));
        self.change_one(
            "updating a stage",
            |db| on_db!(db, db => diesel::update(one).set(row).execute(db)),
        )
    }

    fn update_stage_skills(
        &mut self,
        scope: &BotScope,
        id: StageId,
        skills: &[String],
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let one = of_bot!(stages, scope).filter(stages::id.eq(id.to_string()));
        let skills = to_json("stages.skills", &skills)?;
        let grown = number(skills.len() as u64)?;
        let size = sql::<BigInt>("stages.size - coalesce(octet_length(stages.skills), 0) + ");
        let size = stages::size.eq(size.bind::<BigInt, _>(grown));
        let columns = (stages::skills.eq(skills), size, stages::updated_at.eq(now.millis()));
        self.change_one(
            "updating the skills of a stage",
            |db| on_db!(db, db => diesel::update(one).set(columns).execute(db)),
        )
    }

    fn delete_stage(&mut self, scope: &BotScope, id: StageId) -> Result<(), StorageError> {
        let one = of_bot!(stages, scope).filter(stages::id.eq(id.to_string()));
        self.change_one("deleting a stage", |db| on_db!(db, db => diesel::delete(one).execute(db)))
    }

    fn copy_stages(
        &mut self,
        from: &BotScope,
        to: &BotScope,
        now: Timestamp,
        next_id: &mut dyn FnMut() -> StageId,
    ) -> Result<(), StorageError> {
        self.copy_rows(&COPIED, (from, to), now, || next_id().to_string())
    }

    fn remove_stages(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows("stages", scope, limit)
    }
}
