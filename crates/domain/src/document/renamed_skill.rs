//! The `skillId` of a bot's copies of documents, after a skill was renamed. A bot may have as many copies as its
//! project has documents: the unit that renames the skill changes the first of them, and a job the rest.

use std::time::Duration;

use crate::access::BotScope;
use crate::changelog::{Action, ChangedResource, FieldChange};
use crate::error::{Busy, DomainError};
use crate::id::BotId;
use crate::job::handler::JobHandler;
use crate::job::run::JobRun;
use crate::job::{Job, JobKind, StepOutcome};
use crate::lock::Lock;
use crate::unit::BotUnit;

/// Renames the skill of the copies of documents that a bot has.
pub const RENAME_SKILL_OF_COPIES: JobKind = JobKind::new("rename_skill_of_copies");

/// How many copies one unit changes, so that other writers need not wait long.
const BATCH: u32 = 1_000;

pub(crate) struct RenameSkillOfCopies;

impl JobHandler for RenameSkillOfCopies {
    type Subject = BotId;

    const KIND: JobKind = RENAME_SKILL_OF_COPIES;
    // Requests are refused until it is done.
    const RETRY_DELAY: Option<Duration> = Some(Duration::from_secs(5));

    async fn step(run: JobRun, bot: BotId) -> Result<StepOutcome, DomainError> {
        let (operator, position) = (run.operator, run.job.position.clone());
        run.write(move |unit| {
            let renamed = position.as_deref().and_then(|position| position.split_once(SEPARATOR));
            let Some((old, new)) = renamed else { return Ok(StepOutcome::Done) };
            let Some(bot) = unit.tx.bot_in_any_state(operator, bot, Lock::Exclusive)? else {
                return Ok(StepOutcome::Done);
            };
            let scope = BotScope::of_operator(unit.tx, operator, &bot)?;
            let has_more = rename_some(&mut unit.with_scope(scope), old, new)?;
            Ok(if has_more { StepOutcome::Continue } else { StepOutcome::Done })
        })
        .await
    }
}

/// Stands between the old and the new `skillId` in the position of a job: neither has one.
const SEPARATOR: char = ' ';

/// Puts a skill's new `skillId` in the place of its old one in the copies that the bot has: in the first ones at once.
pub(crate) fn rename_skill(
    unit: &mut BotUnit<'_>,
    old: &str,
    new: &str,
) -> Result<(), DomainError> {
    if rename_some(unit, old, new)? {
        let job = RenameSkillOfCopies::new_job(unit, &unit.scope.bot_id());
        let job = Job { position: Some(format!("{old}{SEPARATOR}{new}")), ..job };
        unit.enqueue(&job.of_project(unit.scope.project_id()))?;
    }
    Ok(())
}

/// Checks that no job has copies of the bot left to rename: if another skill got the `skillId` that they still have, or
/// if they were copied to another bot, they would be renamed wrongly or not at all.
///
/// # Errors
/// [`DomainError::Busy`] if there is one.
pub(crate) fn check_no_rename_goes_on(unit: &mut BotUnit<'_>) -> Result<(), DomainError> {
    if unit.tx.has_open_job_of_bot(&unit.scope, &RENAME_SKILL_OF_COPIES)? {
        return Err(DomainError::Busy(Busy::SkillOfCopies));
    }
    Ok(())
}

/// Renames at most a batch; returns whether there may be more.
fn rename_some(unit: &mut BotUnit<'_>, old: &str, new: &str) -> Result<bool, DomainError> {
    let now = unit.now();
    let copies = unit.tx.rename_skill_of_bot_documents(&unit.scope, (old, new), now, BATCH)?;
    let has_more = copies.len() >= BATCH as usize;
    let (bot, change) = (unit.scope.bot_id(), FieldChange::new("skillId", &old, &new));
    let changes = copies.into_iter().map(|copy| (bot, copy, change.clone()));
    unit.of_project().record_all((Action::Update, ChangedResource::Document), changes)?;
    Ok(has_more)
}
