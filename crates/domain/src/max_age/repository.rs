//! What MaxAge rules ask of the database.

use super::MaxAgeRule;
use crate::access::{Operator, ProjectScope};
use crate::error::StorageError;
use crate::id::{MaxAgeRuleId, ProjectId};
use crate::lock::Lock;

/// MaxAge rules in the database.
pub trait MaxAgeRepository {
    /// The project's rule, held as `lock` says.
    fn max_age_rule(
        &mut self,
        scope: &ProjectScope,
        id: MaxAgeRuleId,
        lock: Lock,
    ) -> Result<Option<MaxAgeRule>, StorageError>;

    /// Rules of the project, oldest first, at most `limit`, after `after` if that is given.
    fn max_age_rules(
        &mut self,
        scope: &ProjectScope,
        after: Option<MaxAgeRuleId>,
        limit: u32,
    ) -> Result<Vec<MaxAgeRule>, StorageError>;

    /// Stores a new rule.
    fn insert_max_age_rule(
        &mut self,
        scope: &ProjectScope,
        rule: &MaxAgeRule,
    ) -> Result<(), StorageError>;

    /// Stores a rule's pattern, age and time of change.
    fn update_max_age_rule(
        &mut self,
        scope: &ProjectScope,
        rule: &MaxAgeRule,
    ) -> Result<(), StorageError>;

    /// Deletes the project's rule; returns whether there was one.
    fn delete_max_age_rule(
        &mut self,
        scope: &ProjectScope,
        id: MaxAgeRuleId,
    ) -> Result<bool, StorageError>;

    /// Rules of all projects, by project, then identifier, at most `limit`, after `after` if that is
    /// given.
    fn all_max_age_rules(
        &mut self,
        operator: Operator,
        after: Option<(ProjectId, MaxAgeRuleId)>,
        limit: u32,
    ) -> Result<Vec<MaxAgeRule>, StorageError>;
}
