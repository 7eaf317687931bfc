//! Skills in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::BotScope;
use domain::clock::Timestamp;
use domain::id::SkillId;
use domain::json::JsonObject;
use domain::skill::{AnswerMode, Skill, SkillFields, SkillRepository};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, corrupt};
use crate::sql::columns::{FieldColumns as _, IdColumn, Stored, TimeColumn, field_columns};
use crate::sql::schema::skills;
use crate::tables::rows::{Copied, EACH, after, of_bot};

field_columns! {
    SkillColumns of SkillFields in skills {
        always {
            name: String,
            skill_id: String,
            enabled: bool,
            answer_mode: AnswerMode,
        }
        optional {
            description: String,
            content: String,
            params: Vec<JsonObject>,
            tool_call_answer: Vec<String>,
        }
    }
}

const COPIED: Copied = Copied {
    table: "skills",
    columns: &[SkillColumns::NAMES, &["size"]],
    only: EACH,
    may_go: false,
};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = skills)]
struct SkillRow {
    id: IdColumn,
    project_id: IdColumn,
    bot_id: IdColumn,
    #[diesel(embed)]
    fields: SkillColumns,
    size: i64,
    created_at: TimeColumn,
    updated_at: TimeColumn,
}

impl From<SkillRow> for Skill {
    fn from(row: SkillRow) -> Self {
        Self {
            id: Stored::from_column(row.id),
            bot_id: Stored::from_column(row.bot_id),
            fields: row.fields.into_fields(),
            created_at: Stored::from_column(row.created_at),
            updated_at: Stored::from_column(row.updated_at),
        }
    }
}

/// Checks that a skill is one of the scope's bot.
fn check_bot(scope: &BotScope, skill: &Skill) -> Result<(), StorageError> {
    if skill.bot_id == scope.bot_id() {
        return Ok(());
    }
    Err(corrupt("a skill of another bot was to be stored"))
}

/// The columns of the bot's skill that has this text in one of them.
macro_rules! find_skill {
    ($tx:expr, $scope:expr, $column:ident = $text:expr, $columns:expr) => {{
        let query = of_bot!(skills, $scope).filter(skills::$column.eq($text));
        $tx.query(|db| on_db!(db, db => query.select($columns).get_result(db).optional()))
    }};
}

fn id_of(found: Option<IdColumn>) -> Option<SkillId> {
    found.map(Stored::from_column)
}

impl SkillRepository for Tx<'_> {
    fn skill(&mut self, scope: &BotScope, address: &str) -> Result<Option<Skill>, StorageError> {
        let found = find_skill!(self, scope, skill_id = address, SkillRow::as_select())?;
        let found: Option<SkillRow> = match found {
            Some(row) => Some(row),
            None => find_skill!(self, scope, id = address, SkillRow::as_select())?,
        };
        Ok(found.map(Into::into))
    }

    fn skill_of_name(
        &mut self,
        scope: &BotScope,
        name: &str,
    ) -> Result<Option<SkillId>, StorageError> {
        Ok(id_of(find_skill!(self, scope, name = name, skills::id)?))
    }

    fn skill_of_skill_id(
        &mut self,
        scope: &BotScope,
        skill_id: &str,
    ) -> Result<Option<SkillId>, StorageError> {
        Ok(id_of(find_skill!(self, scope, skill_id = skill_id, skills::id)?))
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
        Ok(rows.into_iter().map(Skill::from).collect())
    }

    fn insert_skill(&mut self, scope: &BotScope, skill: &Skill) -> Result<(), StorageError> {
        check_bot(scope, skill)?;
        let row = SkillRow {
            id: skill.id.to_column(),
            project_id: scope.project_id().to_column(),
            bot_id: skill.bot_id.to_column(),
            fields: SkillColumns::of(&skill.fields),
            size: SkillColumns::size(&skill.fields)?,
            created_at: skill.created_at.to_column(),
            updated_at: skill.updated_at.to_column(),
        };
        self.change_one(
            "inserting a skill",
            |db| on_db!(db, db => diesel::insert_into(skills::table).values(row).execute(db)),
        )
    }

    fn update_skill(&mut self, scope: &BotScope, skill: &Skill) -> Result<(), StorageError> {
        check_bot(scope, skill)?;
        let fields = SkillColumns::of(&skill.fields);
        let size = skills::size.eq(SkillColumns::size(&skill.fields)?);
        let updated_at = skills::updated_at.eq(skill.updated_at.to_column());
        let columns = (fields, size, updated_at);
        let one = of_bot!(skills, scope).filter(skills::id.eq(skill.id.to_column()));
        self.change_one(
            "updating a skill",
            |db| on_db!(db, db => diesel::update(one).set(columns).execute(db)),
        )
    }

    fn delete_skill(&mut self, scope: &BotScope, id: SkillId) -> Result<(), StorageError> {
        let one = of_bot!(skills, scope).filter(skills::id.eq(id.to_column()));
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
