//! MaxAge rules in the database.

use diesel::prelude::*;
use diesel::sql_types::Text;
use domain::StorageError;
use domain::access::{Operator, ProjectScope};
use domain::clock::Timestamp;
use domain::id::{MaxAgeRuleId, ProjectId};
use domain::lock::Lock;
use domain::max_age::{KeyPattern, MaxAgeRepository, MaxAgeRule};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, find_locked};
use crate::sql::keyset::beyond;
use crate::sql::row_macros::table_row;
use crate::sql::schema::max_age_rules;
use crate::tables::bot_rows::after;

table_row! {
    RuleRow of MaxAgeRule in max_age_rules {
        id: MaxAgeRuleId,
        project_id: ProjectId,
        key_pattern: KeyPattern,
        max_age_seconds: f64,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
}

/// The project's rule of this id.
macro_rules! rule_of {
    ($scope:expr, $id:expr) => {
        max_age_rules::table
            .filter(max_age_rules::project_id.eq($scope.project_id().to_string()))
            .filter(max_age_rules::id.eq($id.to_string()))
    };
}

fn check(scope: &ProjectScope, rule: &MaxAgeRule) -> Result<(), StorageError> {
    if rule.project_id != scope.project_id() {
        return Err(broken("a rule of another project was to be stored"));
    }
    Ok(())
}

fn rules_of(rows: Vec<RuleRow>) -> Vec<MaxAgeRule> {
    rows.into_iter().map(MaxAgeRule::from).collect()
}

impl MaxAgeRepository for Tx<'_> {
    fn max_age_rule(
        &mut self,
        scope: &ProjectScope,
        id: MaxAgeRuleId,
        lock: Lock,
    ) -> Result<Option<MaxAgeRule>, StorageError> {
        let row = find_locked!(self, lock, rule_of!(scope, id), RuleRow)?;
        Ok(row.map(MaxAgeRule::from))
    }

    fn max_age_rules(
        &mut self,
        scope: &ProjectScope,
        after_id: Option<MaxAgeRuleId>,
        limit: u32,
    ) -> Result<Vec<MaxAgeRule>, StorageError> {
        let query = max_age_rules::table
            .filter(max_age_rules::project_id.eq(scope.project_id().to_string()))
            .filter(max_age_rules::id.gt(after(after_id)))
            .order(max_age_rules::id)
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(RuleRow::as_select()).load(db)))?;
        Ok(rules_of(rows))
    }

    fn insert_max_age_rule(
        &mut self,
        scope: &ProjectScope,
        rule: &MaxAgeRule,
    ) -> Result<(), StorageError> {
        check(scope, rule)?;
        let row = RuleRow::of(rule);
        self.change_one("inserting a rule", |db| on_db!(db, db => diesel::insert_into(max_age_rules::table).values(row).execute(db)))
    }

    fn update_max_age_rule(
        &mut self,
        scope: &ProjectScope,
        rule: &MaxAgeRule,
    ) -> Result<(), StorageError> {
        check(scope, rule)?;
        let columns = (
            max_age_rules::key_pattern.eq(rule.key_pattern.as_str()),
            max_age_rules::max_age_seconds.eq(rule.max_age_seconds),
            max_age_rules::updated_at.eq(rule.updated_at.millis()),
        );
        let one = rule_of!(scope, rule.id);
        self.change_one(
            "updating a rule",
            |db| on_db!(db, db => diesel::update(one).set(columns).execute(db)),
        )
    }

    fn delete_max_age_rule(
        &mut self,
        scope: &ProjectScope,
        id: MaxAgeRuleId,
    ) -> Result<bool, StorageError> {
        let one = rule_of!(scope, id);
        Ok(self.query(|db| on_db!(db, db => diesel::delete(one).execute(db)))? > 0)
    }

    fn all_max_age_rules(
        &mut self,
        _: Operator,
        after_rule: Option<(ProjectId, MaxAgeRuleId)>,
        limit: u32,
    ) -> Result<Vec<MaxAgeRule>, StorageError> {
        let (project, rule) = after_rule.unzip();
        let place = (max_age_rules::project_id, max_age_rules::id);
        let query = max_age_rules::table
            .filter(beyond(
                place,
                (after(project).into_sql::<Text>(), after(rule).into_sql::<Text>()),
            ))
            .order(place)
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(RuleRow::as_select()).load(db)))?;
        Ok(rules_of(rows))
    }
}
