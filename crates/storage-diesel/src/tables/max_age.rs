//! MaxAge rules in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::{Operator, ProjectScope};
use domain::clock::Timestamp;
use domain::id::{MaxAgeRuleId, ProjectId};
use domain::keyval::EntryAddress;
use domain::lock::Lock;
use domain::max_age::{CleanUpPosition, KeyPattern, MaxAgeRepository, MaxAgeRule};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, decode, find_locked};
use crate::sql::columns::{IdColumn, JsonColumn, Stored};
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
            .filter(max_age_rules::project_id.eq($scope.project_id().to_column()))
            .filter(max_age_rules::id.eq($id.to_column()))
    };
}

/// The project's rule in which the clean-up stopped.
macro_rules! stopped {
    ($scope:expr) => {
        max_age_rules::table
            .filter(max_age_rules::project_id.eq($scope.project_id().to_column()))
            .filter(max_age_rules::position.is_not_null())
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
            .filter(max_age_rules::project_id.eq(scope.project_id().to_column()))
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
            // What the rule means now, the clean-up has not been through.
            max_age_rules::position.eq(None::<String>),
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

    fn project_to_clean_up(
        &mut self,
        _: Operator,
        after_project: Option<ProjectId>,
        only_stopped: bool,
    ) -> Result<Option<ProjectId>, StorageError> {
        let next = max_age_rules::table
            .filter(max_age_rules::project_id.gt(after(after_project)))
            .order(max_age_rules::project_id)
            .limit(1)
            .select(max_age_rules::project_id);
        let found: Option<IdColumn> = if only_stopped {
            let next = next.filter(max_age_rules::position.is_not_null());
            self.query(|db| on_db!(db, db => next.get_result(db).optional()))?
        } else {
            self.query(|db| on_db!(db, db => next.get_result(db).optional()))?
        };
        Ok(found.map(Stored::from_column))
    }

    fn clean_up_position(
        &mut self,
        scope: &ProjectScope,
    ) -> Result<Option<CleanUpPosition>, StorageError> {
        let query = stopped!(scope)
            .order(max_age_rules::id)
            .limit(1)
            .select((max_age_rules::id, max_age_rules::position.assume_not_null()));
        let found: Option<(IdColumn, JsonColumn<Vec<String>>)> =
            self.query(|db| on_db!(db, db => query.get_result(db).optional()))?;
        found.map(|(rule, parts)| position(Stored::from_column(rule), parts)).transpose()
    }

    fn set_clean_up_position(
        &mut self,
        scope: &ProjectScope,
        position: Option<&CleanUpPosition>,
    ) -> Result<(), StorageError> {
        let none = max_age_rules::position.eq(None::<String>);
        self.query(|db| on_db!(db, db => diesel::update(stopped!(scope)).set(none).execute(db)))?;
        if let Some(position) = position {
            let parts = position.after.clone().map_or_else(Vec::new, |address| {
                vec![address.user_id, address.entry_type, address.key]
            });
            let stop = max_age_rules::position.eq(parts.to_column());
            let one = rule_of!(scope, position.rule);
            self.query(|db| on_db!(db, db => diesel::update(one).set(stop).execute(db)))?;
        }
        Ok(())
    }
}

/// A position, of the parts of an address or of none.
fn position(
    rule: MaxAgeRuleId,
    parts: JsonColumn<Vec<String>>,
) -> Result<CleanUpPosition, StorageError> {
    let parts = Vec::<String>::from_column(parts);
    let after = match <[String; 3]>::try_from(parts) {
        Ok([user_id, entry_type, key]) => Some(EntryAddress { user_id, entry_type, key }),
        Err(parts) if parts.is_empty() => None,
        Err(_) => return decode("position", rule, None),
    };
    Ok(CleanUpPosition { rule, after })
}
