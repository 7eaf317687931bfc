//! Skills in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::BotScope;
use domain::batch::Batch;
use domain::clock::Timestamp;
use domain::copy_step::CopyStep;
use domain::id::SkillId;
use domain::json::JsonObject;
use domain::skill::{AnswerMode, Skill, SkillFields, SkillRepository};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::row_macros::{ContentSize as _, FieldColumns as _, field_columns};
use crate::sql::schema::skills;
use crate::tables::bot_resource::{bot_resource, bot_resource_methods};
use crate::tables::bot_rows::{Copied, EACH, SIZE, after, of_bot, read_batch};

field_columns! {
    SkillColumns of SkillFields in skills {
        indexed, all but UnindexedSkillColumns {
            name: String,
            skill_id: String,
        }
        always {
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

bot_resource!(SkillRow of Skill with SkillColumns in skills, "a skill");

/// The columns of the bot's skill that has this text in one of them.
macro_rules! find_skill {
    ($tx:expr, $scope:expr, $column:ident = $text:expr, $columns:expr) => {{
        let query = of_bot!(skills, $scope).filter(skills::$column.eq($text));
        $tx.look_up(|db| on_db!(db, db => query.select($columns).get_result(db).optional()))
    }};
}

fn id_of(found: Option<IdColumn>) -> Option<SkillId> {
    found.map(Stored::from_column)
}

impl SkillRepository for Tx<'_> {
    bot_resource_methods! { SkillRow of Skill, SkillId in skills;
        page skills
        with_ids skills_with_ids
        insert insert_skill
        update update_skill
        delete delete_skill
        copy copy_skills
        remove remove_skills
    }

    fn skill(
        &mut self,
        scope: &BotScope,
        id_or_skill_id: &str,
    ) -> Result<Option<Skill>, StorageError> {
        let found = find_skill!(self, scope, skill_id = id_or_skill_id, SkillRow::as_select())?;
        let found: Option<SkillRow> = match found {
            Some(row) => Some(row),
            None => match SkillId::parse(id_or_skill_id) {
                Some(id) => find_skill!(self, scope, id = id.to_column(), SkillRow::as_select())?,
                None => None,
            },
        };
        self.reserve_memory(found.as_ref().map_or(0, |row| row.size))?;
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
}
