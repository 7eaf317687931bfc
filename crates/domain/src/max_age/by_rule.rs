//! One rule in the turn of a project: the scan of the entries that it may apply to.
//!
//! An entry that was read or written within its age must stay, although other nodes write down what
//! was read there only a little later. So an age is counted from a moment after which the job has
//! written down its own accesses, the time is added by which those of other nodes may be late, and the
//! delete itself looks at the age once more.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::MaxAgeRule;
use crate::access::{Operator, ProjectScope};
use crate::clock::Timestamp;
use crate::error::DomainError;
use crate::event::{EventData, EventType};
use crate::id::ProjectId;
use crate::job::run::JobRun;
use crate::keyval::EntryAddress;
use crate::lock::Lock;
use crate::unit::Unit;

/// How often a turn looks for entries at most. A look takes some milliseconds, and so does the delete that may
/// follow it. Of large entries a delete takes few, and each further one counts as a look.
pub(super) const QUERIES_PER_TURN: u32 = 5;

/// How late the database may know of an access.
const ACCESS_WRITE_DELAY: Duration = Duration::from_secs(2);
/// How many entries one unit looks for or deletes, so that other writers need not wait long.
const BATCH: u32 = 500;

/// How a scan of a project's entries ended.
pub(super) enum ScanEnd {
    /// At the last entry, or because the rule is not what it was.
    Through,
    /// After this entry, or before the first one, because the turn is over.
    Stopped(Option<EntryAddress>),
    /// Another worker has the job by now.
    LeaseLost,
}

/// The outcome of a unit that deletes a batch of entries.
enum DeleteOutcome {
    /// The first `through` entries of the batch were decided on, and `count` of these deleted.
    Deleted { count: u64, through: usize },
    /// The rule is not what it was, so nothing was.
    RuleChanged,
    /// Another worker has the job by now.
    LeaseLost,
}

/// One rule, and what it says now.
pub(super) struct ByRule {
    run: JobRun,
    rule: MaxAgeRule,
    idle_since: Timestamp,
}

impl ByRule {
    pub(super) fn new(run: JobRun, rule: MaxAgeRule, now: Timestamp) -> Arc<Self> {
        let idle_since = idle_since(&rule, now);
        Arc::new(Self { run, rule, idle_since })
    }

    /// Scans the entries that are idle, after this one if it is given, and deletes those that the rule
    /// means.
    pub(super) async fn scan(
        self: Arc<Self>,
        mut after: Option<EntryAddress>,
        queries: &mut u32,
    ) -> Result<ScanEnd, DomainError> {
        let context = &self.run.context;
        let prefix = self.rule.key_pattern.literal_prefix();
        while *queries < QUERIES_PER_TURN {
            *queries += 1;
            let (by_rule, prefix) = (self.clone(), prefix.clone());
            let idle = context.read(Some(self.rule.project_id), move |unit| {
                let Some(scope) = by_rule.scope(unit)? else {
                    return Ok((Vec::new(), None));
                };
                let (scope, since) = ((&scope).into(), by_rule.idle_since);
                Ok(unit.tx.idle_entries(&scope, &prefix, since, after.as_ref(), BATCH)?)
            });
            let (mut idle, next) = idle.await?;
            idle.retain(|address| self.rule.key_pattern.matches(&address.key));
            if let Some(end) = self.delete_all(idle, queries).await? {
                return Ok(end);
            }
            if next.is_none() {
                return Ok(ScanEnd::Through);
            }
            after = next;
        }
        Ok(ScanEnd::Stopped(after))
    }

    /// Deletes these entries as [`Self::delete`], of large ones few at a time; returns how the scan ends, if it
    /// does.
    async fn delete_all(
        self: &Arc<Self>,
        idle: Vec<EntryAddress>,
        queries: &mut u32,
    ) -> Result<Option<ScanEnd>, DomainError> {
        let context = &self.run.context;
        let mut idle: Arc<[_]> = idle.into();
        while !idle.is_empty() {
            let (by_rule, of_unit) = (self.clone(), idle.clone());
            let project = Some(self.rule.project_id);
            let delete = context.delete(project, move |unit| by_rule.delete(unit, &of_unit));
            let (count, through) = match delete.await? {
                DeleteOutcome::Deleted { count, through } => (count, through),
                DeleteOutcome::RuleChanged => return Ok(Some(ScanEnd::Through)),
                DeleteOutcome::LeaseLost => return Ok(Some(ScanEnd::LeaseLost)),
            };
            context.cleaned_up.fetch_add(count, Ordering::Relaxed);
            let (done, left) = idle.split_at_checked(through).unwrap_or_default();
            if !left.is_empty() {
                if *queries >= QUERIES_PER_TURN {
                    return Ok(Some(ScanEnd::Stopped(done.last().cloned())));
                }
                *queries += 1;
            }
            idle = left.into();
        }
        Ok(None)
    }

    /// Deletes those of these entries that are still idle, also by what this process knows and the
    /// database does not. The rule is looked up once more and locked, so that nothing goes by a rule
    /// after its change or its end was acknowledged.
    fn delete(
        &self,
        unit: &mut Unit<'_>,
        addresses: &[EntryAddress],
    ) -> Result<DeleteOutcome, DomainError> {
        if !unit.tx.lock_own_job(self.run.operator, &self.run.job)? {
            return Ok(DeleteOutcome::LeaseLost);
        }
        let Some(scope) = self.scope(unit)? else {
            return Ok(DeleteOutcome::RuleChanged);
        };
        if unit.tx.max_age_rule(&scope, self.rule.id, Lock::Shared)?.as_ref() != Some(&self.rule) {
            return Ok(DeleteOutcome::RuleChanged);
        }
        let (project, scope) = (scope.clone(), (&scope).into());
        let accesses = &unit.context.accesses;
        let was_read =
            |address: &&EntryAddress| accesses.was_read_since(scope, address, self.idle_since);
        let idle: Vec<_> = addresses.iter().filter(|address| !was_read(address)).cloned().collect();
        let (count, few) = unit.tx.delete_idle_entries(&scope, &idle, self.idle_since)?;
        if count > 0 {
            let rule = self.rule.id;
            let data = EventData { rule_id: Some(rule), count: Some(count), ..EventData::NONE };
            unit.with_scope(project).emit(EventType::KeyvalExpired, rule, &data)?;
        }
        let next = idle.get(few);
        let through = next.and_then(|next| addresses.iter().position(|address| address == next));
        Ok(DeleteOutcome::Deleted { count, through: through.unwrap_or(addresses.len()) })
    }

    fn scope(&self, unit: &mut Unit<'_>) -> Result<Option<ProjectScope>, DomainError> {
        scope(unit, self.run.operator, self.rule.project_id)
    }
}

/// Since when an entry must not have been read or written to go by this rule.
fn idle_since(rule: &MaxAgeRule, now: Timestamp) -> Timestamp {
    // What is too long to be counted is longer than anything stays.
    let max_age = Duration::try_from_secs_f64(rule.max_age_seconds).unwrap_or(Duration::MAX);
    now.minus(max_age.saturating_add(ACCESS_WRITE_DELAY))
}

/// The right to a project; `None` if that is gone.
pub(super) fn scope(
    unit: &mut Unit<'_>,
    operator: Operator,
    project: ProjectId,
) -> Result<Option<ProjectScope>, DomainError> {
    let project = unit.tx.project(operator, project)?;
    let claim = project.map(|project| operator.project(&project));
    let found = claim.map(|claim| claim.resolve(unit.tx, Lock::None)).transpose()?;
    Ok(found.map(|(_, scope)| scope))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::id::MaxAgeRuleId;
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
