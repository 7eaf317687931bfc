//! The turn of one project in a clean-up: its entries are gone through by one rule after the other.

use super::by_rule::{ByRule, ScanEnd, scope};
use super::{CleanUpPosition, MaxAgeRule};
use crate::clock::Timestamp;
use crate::error::DomainError;
use crate::id::{MaxAgeRuleId, ProjectId};
use crate::job::StepOutcome;
use crate::job::run::JobRun;
use crate::lock::Lock;

/// How many rules are held in memory at once.
const RULES: u32 = 100;

/// The turn of one project.
pub(super) struct Turn {
    run: JobRun,
    project: ProjectId,
    now: Timestamp,
}

impl Turn {
    pub(super) const fn new(run: JobRun, project: ProjectId, now: Timestamp) -> Self {
        Self { run, project, now }
    }

    /// Goes on where the last turn of the project stopped, up to the project's last rule or to the end of the
    /// turn. Returns how often it looked for entries, or `None` if another worker has the job by now. A rule
    /// that fails is passed over, and the failure recorded.
    ///
    /// # Errors
    /// If rules or positions can't be read or stored.
    pub(super) async fn take(
        &self,
        failed: &mut Option<DomainError>,
    ) -> Result<Option<u32>, DomainError> {
        let mut looks = 0;
        let (start, mut rules) = self.start().await?;
        let had_stopped = start.is_some();
        let mut after = start.and_then(|start| start.after);
        while let Some(last) = rules.last().map(|rule| rule.id) {
            for rule in rules {
                let id = rule.id;
                let by_rule = ByRule::new(self.run.clone(), rule, self.now);
                match by_rule.scan(after.take(), &mut looks).await {
                    Ok(ScanEnd::Through) => {}
                    Ok(ScanEnd::Stopped(after)) => {
                        let stop = CleanUpPosition { rule: id, after };
                        return Ok(self.end(Some(stop)).await?.then_some(looks));
                    }
                    Ok(ScanEnd::LeaseLost) => return Ok(None),
                    Err(error) => *failed = Some(error),
                }
            }
            rules = self.rules_after(last).await?;
        }
        let has_job = if had_stopped { self.end(None).await? } else { true };
        Ok(has_job.then_some(looks))
    }

    /// Where the last turn stopped, and the first rules from there on.
    async fn start(&self) -> Result<(Option<CleanUpPosition>, Vec<MaxAgeRule>), DomainError> {
        let (operator, project) = (self.run.operator, self.project);
        let start = self.run.context.read(Some(project), move |unit| {
            let Some(scope) = scope(unit, operator, project)? else {
                return Ok((None, Vec::new()));
            };
            let Some(start) = unit.tx.clean_up_position(&scope)? else {
                return Ok((None, unit.tx.max_age_rules(&scope, None, RULES)?));
            };
            let first = unit.tx.max_age_rule(&scope, start.rule, Lock::None)?;
            let others = unit.tx.max_age_rules(&scope, Some(start.rule), RULES)?;
            Ok((Some(start), first.into_iter().chain(others).collect()))
        });
        start.await
    }

    async fn rules_after(&self, last: MaxAgeRuleId) -> Result<Vec<MaxAgeRule>, DomainError> {
        let (operator, project) = (self.run.operator, self.project);
        let rules = self.run.context.read(Some(project), move |unit| {
            let Some(scope) = scope(unit, operator, project)? else {
                return Ok(Vec::new());
            };
            Ok(unit.tx.max_age_rules(&scope, Some(last), RULES)?)
        });
        rules.await
    }

    /// Stores where the turn stopped, or that the project is through; returns whether this attempt still has
    /// the job.
    async fn end(&self, position: Option<CleanUpPosition>) -> Result<bool, DomainError> {
        let (operator, project) = (self.run.operator, self.project);
        let ended = self.run.delete(move |unit| {
            if let Some(scope) = scope(unit, operator, project)? {
                unit.tx.set_clean_up_position(&scope, position.as_ref())?;
            }
            Ok(StepOutcome::Continue)
        });
        Ok(ended.await? != StepOutcome::LeaseLost)
    }
}
