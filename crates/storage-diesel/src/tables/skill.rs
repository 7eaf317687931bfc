//! Skills in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::BotScope;
use domain::clock::Timestamp;
use domain::id::{BotId, SkillId};
use domain::skill::{AnswerMode, Skill, SkillFields, SkillRepository};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, corrupt, decode};
use crate::sql::json::{from_optional_json, to_optional_json};
use crate::sql::schema::skills;
use crate::tables::rows::{Copied, EACH, after, of_bot, size_of};

const COPIED: Copied = Copied {
    table: "skills",
    columns: "name, skill_id, description, enabled, content, params, tool_call_answer, answer_mode, \
              size",
    only: EACH,
    may_go: false,
};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = skills, primary_key(project_id, bot_id, id), treat_none_as_null = true)]
struct SkillRow {
    id: String,
    project_id: String,
    bot_id: String,
    name: String,
    skill_id: String,
    description: Option<String>,
    enabled: bool,
    content: Option<String>,
    params: Option<String>,
    tool_call_answer: Option<String>,
    answer_mode: String,
    size: i64,
    created_at: i64,
    updated_at: i64,
}

impl TryFrom<SkillRow> for Skill {
    type Error = StorageError;

    fn try_from(row: SkillRow) -> Result<Self, StorageError> {
        let id = row.id.as_str();
        let answers = row.tool_call_answer.as_deref();
        let fields = SkillFields {
            params: from_optional_json("skills.params", id, row.params.as_deref())?,
            tool_call_answer: from_optional_json("skills.tool_call_answer", id, answers)?,
            answer_mode: decode("skills.answer_mode", id, AnswerMode::parse(&row.answer_mode))?,
            name: row.name,
            skill_id: row.skill_id,
            description: row.description,
            enabled: row.enabled,
            content: row.content,
        };
        Ok(Self {
            id: decode("skills.id", id, SkillId::parse(id))?,
            bot_id: decode("skills.bot_id", id, BotId::parse(&row.bot_id))?,
            fields,
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        })
    }
}

/// The row of a skill of the scope's bot.
fn row(scope: &BotScope, skill: &Skill) -> Result<SkillRow, StorageError> {
    if skill.bot_id != scope.bot_id() {
        return Err(corrupt("a skill of another bot was to be stored"));
    }
    let fields = &skill.fields;
    let params = to_optional_json("skills.params", fields.params.as_ref())?;
    let answers = fields.tool_call_answer.as_ref();
    let tool_call_answer = to_optional_json("skills.tool_call_answer", answers)?;
    let texts = [&fields.description, &fields.content, &params, &tool_call_answer];
    Ok(SkillRow {
        id: skill.id.to_string(),
        project_id: scope.project_id().to_string(),
        bot_id: scope.bot_id().to_string(),
        name: fields.name.clone(),
        skill_id: fields.skill_id.clone(),
        description: fields.description.clone(),
        enabled: fields.enabled,
        content: fields.content.clone(),
        answer_mode: fields.answer_mode.as_str().to_owned(),
        size: size_of(texts)?,
        params,
        tool_call_answer,
        created_at: skill.created_at.millis(),
        updated_at: skill.updated_at.millis(),
    })
}

/// The columns of the bot's skill that has this text in one of them.
macro_rules! find_skill {
    ($tx:expr, $scope:expr, $column:ident = $text:expr, $columns:expr) => {{
        let query = of_bot!(skills, $scope).filter(skills::$column.eq($text));
        $tx.query(|db| on_db!(db, db => query.select($columns).get_result(db).optional()))
    }};
}

fn id_of(found: Option<String>) -> Result<Option<SkillId>, StorageError> {
    found.map(|id| decode("skills.id", &id, SkillId::parse(&id))).transpose()
}

impl SkillRepository for Tx<'_> {
    fn skill(&mut self, scope: &BotScope, address: &str) -> Result<Option<Skill>, StorageError> {
        let found = find_skill!(self, scope, skill_id = address, SkillRow::as_select())?;
        let found: Option<SkillRow> = match found {
            Some(row) => Some(row),
            None => find_skill!(self, scope, id = address, SkillRow::as_select())?,
        };
        found.map(Skill::try_from).transpose()
    }

    fn skill_of_name(
        &mut self,
        scope: &BotScope,
        name: &str,
    ) -> Result<Option<SkillId>, StorageError> {
        id_of(find_skill!(self, scope, name = name, skills::id)?)
    }

    fn skill_of_skill_id(
        &mut self,
        scope: &BotScope,
        skill_id: &str,
    ) -> Result<Option<SkillId>, StorageError> {
        id_of(find_skill!(self, scope, skill_id = skill_id, skills::id)?)
    }

    fn skills(
        &mut self,
        scope: &BotScope,
        after_id: Option<SkillId>,
        limit: u32,
    ) -> Result<Vec<Skill>, StorageError> {
        let query = of_bot!(skills, scope)
            .filter(skills::id.gt(after(after_id)))
            .order(skills::id)
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(SkillRow::as_select()).load(db)))?;
        rows.into_iter().map(Skill::try_from).collect()
    }

    fn insert_skill(&mut self, scope: &BotScope, skill: &Skill) -> Result<(), StorageError> {
        let row = row(scope, skill)?;
        self.change_one(
            "inserting a skill",
            |db| on_db!(db, db => diesel::insert_into(skills::table).values(row).execute(db)),
        )
    }

    fn update_skill(&mut self, scope: &BotScope, skill: &Skill) -> Result<(), StorageError> {
        let row = row(scope, skill)?;
        let one = of_bot!(skills, scope).filter(skills::id.eq(skill.id.to_string()));
        self.change_one(
            "updating a skill",
            |db| on_db!(db, db => diesel::update(one).set(row).execute(db)),
        )
    }

    fn delete_skill(&mut self, scope: &BotScope, id: SkillId) -> Result<(), StorageError> {
        let one = of_bot!(skills, scope).filter(skills::id.eq(id.to_string()));
        self.change_one("deleting a skill", |db| on_db!(db, db => diesel::delete(one).execute(db)))
    }

    fn copy_skills(
        &mut self,
        from: &BotScope,
        to: &BotScope,
        now: Timestamp,
        next_id: &mut dyn FnMut() -> SkillId,
    ) -> Result<(), StorageError> {
        self.copy_rows(&COPIED, (from, to), now, || next_id().to_string())
    }

    fn remove_skills(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows("skills", scope, limit)
    }
}
