//! Configurations of more than 1 MiB, which are stored in units before the one that gives them to a bot: to store megabytes
//! in one unit takes tens of milliseconds, for which all other writers would wait.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::BotConfig;
use super::prepared_change::PreparedChange;
use super::unfinished::{CLOCK_TOLERANCE, RemovalGuard};
use crate::access::{ProjectClaim, ProjectScope};
use crate::context::Context;
use crate::error::{Busy, DomainError, Quota, StorageError};
use crate::id::ConfigId;
use crate::job::handler::JobHandler;
use crate::job::run::JobRun;
use crate::job::{Job, JobKind, StepOutcome};
use crate::json::takes_at_most;
use crate::lock::Lock;
use crate::unit::{BotUnit, Unit};

/// Removes a stored configuration that no bot has.
pub const REMOVE_CONFIG: JobKind = JobKind::new("remove_config");

/// A configuration of more bytes is stored first, so many bytes in a unit.
pub(super) const STEP_BYTES: usize = 1 << 20;
/// How long that may take, and the unit that gives it to a bot.
const STORED_WITHIN: Duration = Duration::from_secs(10 * 60);
/// How many configurations of a project are being stored or removed at most when one more is begun.
const UNUSED_MOST: u32 = 16;
/// How many parts one unit removes, of at most 512 KiB each.
const REMOVED_AT_ONCE: u32 = 4;

/// A stored configuration that no bot has yet.
#[derive(Debug)]
pub(super) struct PendingConfig {
    id: ConfigId,
    /// Removes it, unless it is given to a bot by then.
    removal: Job,
}

/// Has the job remove a pending configuration, if this is dropped before a bot was given it.
pub(super) struct PendingConfigGuard {
    pub config: Arc<PendingConfig>,
    guard: RemovalGuard,
}

impl PendingConfig {
    /// The configuration, which the unit is about to give to a bot.
    ///
    /// # Errors
    /// [`StorageError::Contended`] if it is being removed.
    pub fn take<S>(&self, unit: &mut Unit<'_, S>) -> Result<ConfigId, DomainError> {
        if unit.tx.withdraw_job(&self.removal)? { Ok(self.id) } else { Err(being_removed()) }
    }

    async fn append(
        self: &Arc<Self>,
        context: &Arc<Context>,
        project: &ProjectClaim,
        (text, range): Part,
    ) -> Result<(), DomainError> {
        let (config, claim) = (self.clone(), project.clone());
        let store = move |unit: &mut Unit<'_>| {
            // Locked, so that no worker removes what this unit adds to.
            if !unit.tx.lock_unclaimed_job(&config.removal)? {
                return Err(being_removed());
            }
            let (_, scope) = claim.resolve(unit.tx, Lock::None)?;
            let part = text.get(range.clone()).unwrap_or_default();
            Ok(unit.tx.append_to_config(&scope, config.id, part)?)
        };
        context.write(Some(project.project_id()), store).await
    }
}

impl PendingConfigGuard {
    /// Ends it, because a bot has the configuration.
    pub fn finish(self) {
        self.guard.finish();
    }
}

/// Stores a large configuration, a part of it in each unit; `None` if it is not that large.
///
/// # Errors
/// [`DomainError::NotFound`] if the project is not there, [`DomainError::Busy`] if too many configurations of it are being
/// stored or removed.
pub(super) async fn store_pending<P: PreparedChange>(
    context: &Arc<Context>,
    project: &ProjectClaim,
    value: &Arc<P>,
) -> Result<Option<PendingConfigGuard>, DomainError> {
    let is_large = |config: &BotConfig| !takes_at_most(STEP_BYTES, config);
    if !of_config(context, project, value, is_large).await?.unwrap_or_default() {
        return Ok(None);
    }
    // One text of a project is in memory at a time.
    let mutex = context.config_mutexes.of(project.project_id());
    let _guard = mutex.lock().await;
    let make = |config: &BotConfig| serde_json::to_string(config).unwrap_or_default();
    let Some(text) = of_config(context, project, value, make).await? else { return Ok(None) };
    let text = Arc::new(text);
    let (mut stored, mut pending) = (0, None::<PendingConfigGuard>);
    while stored < text.len() {
        let end = text.floor_char_boundary(stored + STEP_BYTES);
        let part = (text.clone(), stored..end);
        stored = end;
        match &pending {
            None => pending = Some(begin(context, project, part).await?),
            Some(pending) => pending.config.append(context, project, part).await?,
        }
    }
    Ok(pending)
}

/// A part of a text.
type Part = (Arc<String>, Range<usize>);

/// What follows from the new configuration, on a thread of the store, of which a project has few: to write megabytes of
/// JSON takes milliseconds, for which the other connections of a thread of the HTTP server would wait.
async fn of_config<P: PreparedChange, T: Send + 'static>(
    context: &Arc<Context>,
    project: &ProjectClaim,
    value: &Arc<P>,
    make: fn(&BotConfig) -> T,
) -> Result<Option<T>, DomainError> {
    let value = value.clone();
    let make = move |_: &mut Unit<'_>| Ok(value.new_config().map(make));
    context.read(Some(project.project_id()), make).await
}

async fn begin(
    context: &Arc<Context>,
    project: &ProjectClaim,
    (text, range): Part,
) -> Result<PendingConfigGuard, DomainError> {
    let (project_id, claim) = (project.project_id(), project.clone());
    let store = move |unit: &mut Unit<'_>| {
        let (_, scope) = claim.resolve(unit.tx, Lock::None)?;
        if unit.tx.count_unused_configs(&scope)? >= UNUSED_MOST.into() {
            return Err(DomainError::Busy(Busy::Configurations(UNUSED_MOST)));
        }
        check_quota(unit, &scope, text.len())?;
        let id = unit.next_id();
        let due = unit.now().plus(STORED_WITHIN).plus(CLOCK_TOLERANCE);
        let removal = RemoveConfig::new_job(unit, &id).of_project(project_id).due(due);
        unit.enqueue(&removal)?;
        unit.tx.insert_config(&scope, id)?;
        unit.tx.append_to_config(&scope, id, text.get(range.clone()).unwrap_or_default())?;
        Ok(PendingConfig { id, removal })
    };
    let config = Arc::new(context.write(Some(project_id), store).await?);
    let guard = context.unfinished.begin(config.removal.clone());
    Ok(PendingConfigGuard { config, guard })
}

/// Checks that the large configurations of a project have no more bytes than its other content may have, once one is
/// added. The one that it replaces counts until it is there.
fn check_quota(unit: &mut Unit<'_>, scope: &ProjectScope, added: usize) -> Result<(), DomainError> {
    let limit = unit.limits().content_per_project;
    if limit > 0 && unit.tx.large_config_bytes(scope)?.saturating_add(added as u64) > limit {
        return Err(DomainError::QuotaExceeded(Quota::ConfigurationsPerProject(limit)));
    }
    Ok(())
}

/// The error for a configuration whose removal has begun before a bot was given it.
fn being_removed() -> DomainError {
    let text = "storing a configuration took so long that it is being removed";
    StorageError::Contended(text.to_owned()).into()
}

/// Removes a large configuration, in the unit that takes it away from a bot, unless another bot has it; of one that is too
/// long for a unit, a job removes the rest.
pub(super) fn release_config(
    unit: &mut BotUnit<'_>,
    config: Option<ConfigId>,
) -> Result<(), DomainError> {
    let Some(config) = config else { return Ok(()) };
    let project = unit.scope.project();
    if unit.tx.remove_unused_config(&project, config, REMOVED_AT_ONCE)? {
        let job = RemoveConfig::new_job(unit, &config);
        unit.enqueue(&job.of_project(project.project_id()))?;
    }
    Ok(())
}

pub(crate) struct RemoveConfig;

impl JobHandler for RemoveConfig {
    type Subject = ConfigId;

    const KIND: JobKind = REMOVE_CONFIG;

    async fn step(run: JobRun, id: ConfigId) -> Result<StepOutcome, DomainError> {
        let Some(project) = run.job.project_id else { return Ok(StepOutcome::Done) };
        let operator = run.operator;
        run.delete(move |unit| {
            let Some(project) = unit.tx.project(operator, project)? else {
                return Ok(StepOutcome::Done);
            };
            let scope = ProjectScope::at(project.organisation_id, project.id, None);
            let has_more = unit.tx.remove_unused_config(&scope, id, REMOVED_AT_ONCE)?;
            Ok(if has_more { StepOutcome::Continue } else { StepOutcome::Done })
        })
        .await
    }
}
