//! What MaxAge rules ask of the database.

use super::MaxAgeRule;
use crate::access::{Operator, ProjectScope};
use crate::error::StorageError;
use crate::id::{MaxAgeRuleId, ProjectId};
use crate::lock::Lock;

/// MaxAge rules in the database.
pub trait MaxAgeRepository {
    /// The project's rule, held as `lock` says.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn max_age_rule(
        &mut self,
        scope: &ProjectScope,
        id: MaxAgeRuleId,
        lock: Lock,
    ) -> Result<Option<MaxAgeRule>, StorageError>;

    /// Rules of the project, oldest first, at most `limit`, after `after` if that is given.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn max_age_rules(
        &mut self,
        scope: &ProjectScope,
        after: Option<MaxAgeRuleId>,
        limit: u32,
    ) -> Result<Vec<MaxAgeRule>, StorageError>;

    /// Stores a new rule.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn insert_max_age_rule(
        &mut self,
        scope: &ProjectScope,
        rule: &MaxAgeRule,
    ) -> Result<(), StorageError>;

    /// Stores a rule's pattern, age and time of change.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn update_max_age_rule(
        &mut self,
        scope: &ProjectScope,
        rule: &MaxAgeRule,
    ) -> Result<(), StorageError>;

    /// Deletes the project's rule; returns whether there was one.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn delete_max_age_rule(
        &mut self,
        scope: &ProjectScope,
        id: MaxAgeRuleId,
    ) -> Result<bool, StorageError>;

    /// Rules of all projects, by project, then identifier, at most `limit`, after `after` if that is
    /// given.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn all_max_age_rules(
        &mut self,
        operator: Operator,
        after: Option<(ProjectId, MaxAgeRuleId)>,
        limit: u32,
    ) -> Result<Vec<MaxAgeRule>, StorageError>;
}
