//! What can be done with MaxAge rules.

use std::sync::Arc;

use super::{CreateMaxAgeRule, MaxAgeRule, UpdateMaxAgeRule};
use crate::access::ProjectClaim;
use crate::context::Context;
use crate::error::{DomainError, Quota, Resource};
use crate::id::MaxAgeRuleId;
use crate::input::Valid;
use crate::lock::Lock;

/// MaxAge rules. A project is locked only where its rules are counted: otherwise a rule only needs its project to
/// exist, which a foreign key enforces.
#[derive(Clone)]
pub struct MaxAgeService {
    context: Arc<Context>,
}

impl MaxAgeService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Rules of the project, oldest first, at most `limit`, after `after` if that is given.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project is not there.
    pub async fn page(
        &self,
        claim: &ProjectClaim,
        after: Option<MaxAgeRuleId>,
        limit: u32,
    ) -> Result<Vec<MaxAgeRule>, DomainError> {
        self.context
            .read_claimed(claim, move |unit| {
                Ok(unit.tx.max_age_rules(&unit.scope, after, limit)?)
            })
            .await
    }

    /// Creates a rule.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project is not there, [`DomainError::QuotaExceeded`] if it has
    /// as many rules as it may.
    pub async fn create(
        &self,
        claim: &ProjectClaim,
        request: Valid<CreateMaxAgeRule>,
    ) -> Result<MaxAgeRule, DomainError> {
        // Held exclusively, because two rules created at once must not both be the last that fits.
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let quota = unit.limits().max_age_rules_per_project;
                let rules = unit.tx.max_age_rules(&unit.scope, None, quota)?;
                if quota > 0 && rules.len() >= quota as usize {
                    return Err(DomainError::QuotaExceeded(Quota::MaxAgeRulesPerProject(quota)));
                }
                let now = unit.now();
                let rule = MaxAgeRule {
                    id: unit.next_id(),
                    project_id: unit.scope.project_id(),
                    key_pattern: request.key_pattern.clone(),
                    max_age_seconds: request.max_age_seconds,
                    created_at: now,
                    updated_at: now,
                };
                unit.tx.insert_max_age_rule(&unit.scope, &rule)?;
                Ok(rule)
            })
            .await
    }

    /// Changes the fields that the update names. An update that changes nothing leaves no trace.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the rule is not there.
    pub async fn update(
        &self,
        claim: &ProjectClaim,
        id: MaxAgeRuleId,
        request: Valid<UpdateMaxAgeRule>,
    ) -> Result<MaxAgeRule, DomainError> {
        self.context
            .write_claimed(claim, Lock::None, move |unit| {
                let found = unit.tx.max_age_rule(&unit.scope, id, Lock::Exclusive)?;
                let mut rule = found.ok_or(DomainError::NotFound(Resource::MaxAgeRule))?;
                let before = rule.clone();
                request.apply(&mut rule);
                if rule != before {
                    rule.updated_at = unit.now();
                    unit.tx.update_max_age_rule(&unit.scope, &rule)?;
                }
                Ok(rule)
            })
            .await
    }

    /// Deletes a rule. No entry goes by it any more once this has returned.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the rule is not there.
    pub async fn delete(
        &self,
        claim: &ProjectClaim,
        id: MaxAgeRuleId,
    ) -> Result<MaxAgeRuleId, DomainError> {
        self.context
            .delete_claimed(claim, Lock::None, move |unit| {
                let was_there = unit.tx.delete_max_age_rule(&unit.scope, id)?;
                was_there.then_some(id).ok_or(DomainError::NotFound(Resource::MaxAgeRule))
            })
            .await
    }
}
