//! The repository of MaxAge rules.

use super::MaxAgeRule;
use crate::access::{Operator, ProjectScope};
use crate::error::StorageError;
use crate::id::{MaxAgeRuleId, ProjectId};
use crate::keyval::EntryAddress;
use crate::lock::Lock;

/// Where a clean-up stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CleanUpPosition {
    /// The rule that it went by.
    pub rule: MaxAgeRuleId,
    /// The last entry that it looked at, or none if it had only come to this rule.
    pub after: Option<EntryAddress>,
}

/// MaxAge rules in the database.
pub trait MaxAgeRepository {
    /// The project's rule, locked as `lock` says.
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

    /// The project after this one in the order of identifiers, or the first one, that has a rule; if
    /// `only_stopped`, in whose entries the clean-up stopped before it was through.
    fn project_to_clean_up(
        &mut self,
        operator: Operator,
        after: Option<ProjectId>,
        only_stopped: bool,
    ) -> Result<Option<ProjectId>, StorageError>;

    /// Where the clean-up of the project's entries stopped, if it did.
    fn clean_up_position(
        &mut self,
        scope: &ProjectScope,
    ) -> Result<Option<CleanUpPosition>, StorageError>;

    /// Stores where the clean-up of the project's entries stopped, or that it is through. A change of the
    /// rule in which it stopped, or its end, does away with that.
    fn set_clean_up_position(
        &mut self,
        scope: &ProjectScope,
        position: Option<&CleanUpPosition>,
    ) -> Result<(), StorageError>;
}
