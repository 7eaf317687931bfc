//! The job that deletes what MaxAge rules say.
//!
//! An entry that was read or written within its age must stay, although other nodes write down what
//! was read there only a little later. So the job counts an age from a moment after which it has
//! written down its own accesses, adds the time by which those of other nodes may be late, and lets
//! the delete itself look at the age once more.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use uuid::Uuid;

use super::MaxAgeRule;
use crate::access::ProjectScope;
use crate::clock::Timestamp;
use crate::error::DomainError;
use crate::id::{MaxAgeRuleId, ProjectId};
use crate::job::handler::{JobHandler, Repeat};
use crate::job::run::JobRun;
use crate::job::subject::WholeInstallation;
use crate::job::{JobKind, StepOutcome};
use crate::keyval::{EntryAddress, write_accesses};
use crate::lock::Lock;
use crate::unit::Unit;

/// Deletes key-value entries by MaxAge rules.
pub const CLEAN_UP: JobKind = JobKind::new("clean_up");

/// How late the database may know of an access.
const LAG: Duration = Duration::from_secs(2);
/// How many rules are held in memory at once.
const RULES: u32 = 100;
/// How long the rules of one project have in all, so that one with many entries does not keep the
/// others waiting.
const TIME_OF_PROJECT: Duration = Duration::from_secs(30);
/// How many entries one unit looks at or deletes, so that other writers need not wait long.
const BATCH: u32 = 500;

pub(crate) struct CleanUp;

impl JobHandler for CleanUp {
    type Subject = WholeInstallation;

    const KIND: JobKind = CLEAN_UP;
    const REPEAT: Option<Repeat> = Some(Repeat {
        job: Uuid::from_u128(0x0000_0000_0000_8000_8000_0000_0000_0002),
        after: |limits| limits.clean_up_interval,
    });

    /// Deletes what the rules of all projects say, batch by batch. A rule that fails does not stop the
    /// others; the last failure is returned at the end.
    async fn step(run: JobRun, _: WholeInstallation) -> Result<StepOutcome, DomainError> {
        let (context, operator) = (run.context.clone(), run.operator);
        let now = context.clock.now();
        let mut outcome = write_accesses(&context).await.map(|()| StepOutcome::Done);
        let mut after: Option<(ProjectId, MaxAgeRuleId)> = None;
        let mut until = now;
        loop {
            let rules = context
                .read(None, move |unit| Ok(unit.tx.all_max_age_rules(operator, after, RULES)?))
                .await?;
            if rules.is_empty() {
                return outcome;
            }
            for rule in rules {
                if after.is_none_or(|(project, _)| project != rule.project_id) {
                    until = context.clock.now().plus(TIME_OF_PROJECT);
                }
                after = Some((rule.project_id, rule.id));
                let idle_since = idle_since(&rule, now);
                let round = Arc::new(Round { run: run.clone(), rule, idle_since, until });
                match round.run().await {
                    Ok(StepOutcome::LeaseLost) => return Ok(StepOutcome::LeaseLost),
                    Ok(_) => {}
                    Err(error) => outcome = Err(error),
                }
            }
        }
    }
}

/// Since when an entry must not have been read or written to go by this rule.
fn idle_since(rule: &MaxAgeRule, now: Timestamp) -> Timestamp {
    // What is too long to be counted is longer than anything stays.
    let max_age = Duration::try_from_secs_f64(rule.max_age_seconds).unwrap_or(Duration::MAX);
    now.minus(max_age.saturating_add(LAG))
}

/// One rule, gone by once.
struct Round {
    run: JobRun,
    rule: MaxAgeRule,
    idle_since: Timestamp,
    /// When the time of the project is over.
    until: Timestamp,
}

/// What became of a batch of entries.
enum Batch {
    /// So many of them were deleted.
    Deleted(u64),
    /// The rule is not what it was, so nothing was.
    RuleChanged,
    /// Another worker has the job by now.
    LeaseLost,
}

impl Round {
    /// Walks along the entries that are idle, and deletes those that the rule means.
    async fn run(self: Arc<Self>) -> Result<StepOutcome, DomainError> {
        let context = &self.run.context;
        let prefix = self.rule.key_pattern.literal_prefix();
        let mut after: Option<EntryAddress> = None;
        loop {
            let (round, prefix) = (self.clone(), prefix.clone());
            let idle = context.read(Some(self.rule.project_id), move |unit| {
                let Some(scope) = round.scope(unit)? else {
                    return Ok((Vec::new(), None));
                };
                let (scope, since) = ((&scope).into(), round.idle_since);
                Ok(unit.tx.idle_entries(&scope, &prefix, since, after.as_ref(), BATCH)?)
            });
            let (mut idle, next) = idle.await?;
            idle.retain(|address| self.rule.key_pattern.matches(&address.key));
            if !idle.is_empty() {
                let (round, project) = (self.clone(), Some(self.rule.project_id));
                match context.write(project, move |unit| round.delete(unit, &idle)).await? {
                    Batch::Deleted(count) => {
                        context.cleaned_up.fetch_add(count, Ordering::Relaxed);
                    }
                    Batch::RuleChanged => return Ok(StepOutcome::Done),
                    Batch::LeaseLost => return Ok(StepOutcome::LeaseLost),
                }
            }
            if next.is_none() || context.clock.now() > self.until {
                return Ok(StepOutcome::Done);
            }
            after = next;
        }
    }

    /// Deletes those of these entries that are still idle, also by what this process knows and the
    /// database does not. The rule is looked up once more and held, so that nothing goes by a rule
    /// after its change or its end was acknowledged.
    fn delete(
        &self,
        unit: &mut Unit<'_>,
        addresses: &[EntryAddress],
    ) -> Result<Batch, DomainError> {
        if !unit.tx.holds_job(self.run.operator, &self.run.job)? {
            return Ok(Batch::LeaseLost);
        }
        let Some(scope) = self.scope(unit)? else {
            return Ok(Batch::RuleChanged);
        };
        if unit.tx.max_age_rule(&scope, self.rule.id, Lock::Shared)?.as_ref() != Some(&self.rule) {
            return Ok(Batch::RuleChanged);
        }
        let scope = (&scope).into();
        let accesses = &unit.context.accesses;
        let was_read =
            |address: &&EntryAddress| accesses.was_read_since(scope, address, self.idle_since);
        let idle: Vec<_> = addresses.iter().filter(|address| !was_read(address)).cloned().collect();
        let deleted = unit.tx.delete_idle_entries(&scope, &idle, self.idle_since)?;
        Ok(Batch::Deleted(deleted))
    }

    /// The right to the rule's project; `None` if that is gone.
    fn scope(&self, unit: &mut Unit<'_>) -> Result<Option<ProjectScope>, DomainError> {
        let operator = self.run.operator;
        let project = unit.tx.project(operator, self.rule.project_id)?;
        let claim = project.map(|project| operator.project(&project));
        let found = claim.map(|claim| claim.resolve(unit.tx, Lock::None)).transpose()?;
        Ok(found.map(|(_, scope)| scope))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::max_age::KeyPattern;

    #[test]
    fn an_age_is_counted_with_two_seconds_more() {
        let now = Timestamp::from_millis(1_000_000);
        for (seconds, expected) in [
            (1.0, 997_000),
            (0.5, 997_500),
            (0.001, 997_999),
            (0.000_4, 998_000),
            (5e-324, 998_000),
            (1_000.0, 0),
            (1e30, 0),
            (f64::MAX, 0),
        ] {
            let rule = MaxAgeRule {
                id: MaxAgeRuleId::from_uuid(Uuid::nil()),
                project_id: ProjectId::from_uuid(Uuid::nil()),
                key_pattern: KeyPattern::any(),
                max_age_seconds: seconds,
                created_at: now,
                updated_at: now,
            };
            assert_eq!(idle_since(&rule, now), Timestamp::from_millis(expected), "{seconds}");
        }
    }
}
