//! Duplicating a bot.
//!
//! The first unit of work copies what one unit may, which is all of a small bot. All of a large one would keep
//! other units waiting for as long, so the rest is copied bit by bit. Until everything is there the copy is
//! hidden as a bot that was deleted is; the last unit shows it. What is left of a copy that came to no end is
//! removed as a deleted bot is, by the same job.

use std::sync::Arc;
use std::time::Duration;

use super::copy::{CopyProgress, copy_content};
use super::job::TeardownBot;
use super::service::{BOT, BotService, BotWithTokens, check_bot_quota, judge, new_bot};
use super::{Bot, BotConfig, BotKind, BotState, DuplicateBot};
use crate::access::{BotClaim, Operator};
use crate::changelog::{Action, ContentChanges, FieldChange};
use crate::error::{Busy, DomainError, StorageError};
use crate::event::{EventData, EventType};
use crate::input::Valid;
use crate::job::Job;
use crate::job::handler::JobHandler as _;
use crate::lock::Lock;
use crate::unit::BotUnit;

/// The content that one unit copies.
const STEP_BYTES: u64 = 1 << 20;
/// How often copying begins again because the bot was changed meanwhile.
const ATTEMPTS: u32 = 5;
/// Up to this difference between the clocks of nodes, no change of the bot goes unnoticed, and no copy is removed
/// while it is being made.
const CLOCK_TOLERANCE: Duration = Duration::from_secs(10 * 60);
/// How long a copy may take.
const MADE_WITHIN: Duration = Duration::from_secs(10 * 60);

/// A duplicate that is being made.
struct Duplicate {
    /// As it will be; it is hidden until then.
    copy: Bot,
    /// The name of the bot that is copied.
    original_name: String,
    /// The latest changes of the bot at the beginning.
    changes: ContentChanges,
    /// Removes the copy, unless it is finished by then.
    teardown: Job,
}

/// What the first unit has done.
enum Begun {
    CopiedAll(Box<Bot>),
    /// What one unit may copy.
    Copied(Arc<Duplicate>, CopyProgress),
}

/// What a further unit has done.
enum CopyOutcome {
    Copied(CopyProgress),
    CopiedAll,
    /// Nothing, because the bot is not what it was at the beginning.
    Changed,
}

impl BotService {
    /// Copies the bot into the same project, as it is at one time. Tokens, users, history, usage, feedback,
    /// changelog and key-value entries stay behind.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there, [`DomainError::QuotaExceeded`] if the project has as many bots
    /// or as much content as it may, [`DomainError::Busy`] if too many duplicates of the project are being made,
    /// [`StorageError::Contended`] if the bot was changed again and again meanwhile.
    pub async fn duplicate(
        &self,
        claim: &BotClaim,
        request: Valid<DuplicateBot>,
    ) -> Result<BotWithTokens, DomainError> {
        let request = Arc::new(request);
        for attempt in 0..ATTEMPTS {
            let (duplicate, progress) = match self.begin(claim, request.clone(), attempt).await? {
                Begun::CopiedAll(bot) => {
                    return Ok(BotWithTokens { bot: *bot, tokens: Vec::new() });
                }
                Begun::Copied(duplicate, progress) => (duplicate, progress),
            };
            let in_progress = self.context.unfinished_copies.begin(duplicate.teardown.clone());
            if let Some(bot) = self.copy_rest(claim, duplicate, progress).await? {
                in_progress.finish();
                return Ok(BotWithTokens { bot, tokens: Vec::new() });
            }
        }
        let text = "a bot was changed again and again while it was copied";
        Err(StorageError::Contended(text.to_owned()).into())
    }

    async fn begin(
        &self,
        claim: &BotClaim,
        request: Arc<Valid<DuplicateBot>>,
        attempt: u32,
    ) -> Result<Begun, DomainError> {
        // Held exclusively, so that no change is in progress whose entry in the changelog is not there yet.
        self.context
            .write_whole_bot(claim, Lock::Exclusive, move |unit, bot| {
                judge(unit, &bot)?;
                let original_name = bot.config.name.clone();
                let copy = new_copy(unit, bot, &request)?;
                let hidden = Bot { state: BotState::Removed, ..copy };
                unit.tx.insert_copy(&unit.scope, &hidden)?;
                let copy = Bot { state: BotState::Active, ..hidden };
                let begun = copy_content(unit, &copy, CopyProgress::default(), STEP_BYTES)?;
                let Some(progress) = begun else {
                    show(unit, &copy, &original_name)?;
                    return Ok(Begun::CopiedAll(Box::new(copy)));
                };
                unit.answer_later();
                // What begins again has been let in already.
                if attempt == 0 {
                    check_slots(unit)?;
                }
                let teardown = TeardownBot::new_job(unit, &copy.id)
                    .of_project(copy.project_id)
                    .due(copy.created_at.plus(MADE_WITHIN).plus(CLOCK_TOLERANCE));
                unit.enqueue(&teardown)?;
                let changes = latest_changes(unit, &copy)?;
                let duplicate = Duplicate { copy, original_name, changes, teardown };
                Ok(Begun::Copied(Arc::new(duplicate), progress))
            })
            .await
    }

    /// Has copies removed now that are not made any further, instead of when the slowest copy would be finished.
    /// They count towards [`Limits::duplicates_per_project`](crate::Limits::duplicates_per_project) until they
    /// are removed.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails; the next call goes on with the copies that were not
    /// reached.
    pub async fn remove_unfinished_copies(&self, _operator: Operator) -> Result<(), DomainError> {
        let unfinished = &self.context.unfinished_copies;
        let mut teardowns = unfinished.take();
        while let Some(teardown) = teardowns.last().cloned() {
            let make_due = self.context.write(teardown.project_id, move |unit| {
                if unit.tx.withdraw_job(&teardown)? {
                    let due = unit.now();
                    unit.enqueue(&teardown.clone().due(due))?;
                }
                Ok(())
            });
            if let Err(error) = make_due.await {
                teardowns.into_iter().for_each(|teardown| unfinished.add(teardown));
                return Err(error);
            }
            teardowns.pop();
        }
        Ok(())
    }

    /// Copies what is left, and shows the copy. `None` if it has to begin again.
    async fn copy_rest(
        &self,
        claim: &BotClaim,
        duplicate: Arc<Duplicate>,
        mut progress: CopyProgress,
    ) -> Result<Option<Bot>, DomainError> {
        // The precondition was judged at the beginning, which is the state that the copy shows.
        let claim = &claim.unconditional();
        loop {
            let of_unit = duplicate.clone();
            let step = self
                .context
                .write_bot(claim, Lock::Shared, move |unit| of_unit.copy_some(unit, progress));
            match step.await? {
                CopyOutcome::Copied(further) => progress = further,
                CopyOutcome::CopiedAll => break,
                CopyOutcome::Changed => return Ok(None),
            }
        }
        self.context.write_bot(claim, Lock::Exclusive, move |unit| duplicate.finish(unit)).await
    }
}

impl Duplicate {
    fn copy_some(
        &self,
        unit: &mut BotUnit<'_>,
        progress: CopyProgress,
    ) -> Result<CopyOutcome, DomainError> {
        unit.answer_later();
        // Held, so that no worker removes what this unit copies.
        if !unit.tx.holds_unclaimed_job(&self.teardown)? {
            return Err(being_removed());
        }
        if !self.is_current(unit)? {
            return Ok(CopyOutcome::Changed);
        }
        let further = copy_content(unit, &self.copy, progress, STEP_BYTES)?;
        Ok(further.map_or(CopyOutcome::CopiedAll, CopyOutcome::Copied))
    }

    /// Shows the copy, unless the bot was changed at last.
    fn finish(&self, unit: &mut BotUnit<'_>) -> Result<Option<Bot>, DomainError> {
        if !self.is_current(unit)? {
            unit.answer_later();
            return Ok(None);
        }
        check_room(unit)?;
        // What was copied is counted already.
        unit.of_project().check_content_quota(0)?;
        if !unit.tx.withdraw_job(&self.teardown)? {
            return Err(being_removed());
        }
        show(unit, &self.copy, &self.original_name)?;
        Ok(Some(self.copy.clone()))
    }

    /// Whether the bot is as it was at the beginning.
    fn is_current(&self, unit: &mut BotUnit<'_>) -> Result<bool, DomainError> {
        Ok(!latest_changes(unit, &self.copy)?.has_more_than(&self.changes))
    }
}

/// The error for a copy whose teardown has begun before it was finished.
fn being_removed() -> DomainError {
    let text = "copying a bot took so long that the copy is being removed";
    StorageError::Contended(text.to_owned()).into()
}

/// The changes of the bot that is copied, from shortly before the copy was begun.
fn latest_changes(unit: &mut BotUnit<'_>, copy: &Bot) -> Result<ContentChanges, DomainError> {
    let since = copy.created_at.minus(CLOCK_TOLERANCE);
    Ok(unit.tx.content_changes(&unit.scope, since)?)
}

/// The copy as it will be, if the project has room for it.
fn new_copy(unit: &mut BotUnit<'_>, bot: Bot, request: &DuplicateBot) -> Result<Bot, DomainError> {
    check_room(unit)?;
    match unit.tx.content_bytes(&unit.scope)? {
        0 => {}
        bytes => unit.of_project().check_content_quota(bytes)?,
    }
    let name = request.name_for(&bot.config.name);
    let config = BotConfig { name, ..bot.config };
    config.check_size()?;
    Ok(new_bot(&unit.of_project(), BotKind::Regular, config))
}

/// Checks that the project has room for one more bot. It is held, as for a bot that is created.
fn check_room(unit: &mut BotUnit<'_>) -> Result<(), DomainError> {
    unit.scope.project_claim().resolve(unit.tx, Lock::Exclusive)?;
    check_bot_quota(&mut unit.of_project())
}

/// Checks that the project has no more hidden copies than it may, with the one of this unit. One that is not
/// made any further counts until it is removed: otherwise a client could fill the disk by beginning copies and
/// leaving.
fn check_slots(unit: &mut BotUnit<'_>) -> Result<(), DomainError> {
    let limit = unit.limits().duplicates_per_project;
    if unit.tx.count_hidden_copies(&unit.scope.project())? > u64::from(limit) {
        return Err(DomainError::Busy(Busy::Duplicates(limit)));
    }
    Ok(())
}

/// Shows a copy that is complete, and writes the duplication into the changelogs of the bot and of its copy.
fn show(unit: &mut BotUnit<'_>, copy: &Bot, original_name: &str) -> Result<(), DomainError> {
    unit.tx.show_bot(&unit.scope.project(), copy.id)?;
    let renamed = [FieldChange::new("name", &original_name, &copy.config.name.as_str())];
    unit.record((Action::Duplicate, BOT), copy.id, &renamed)?;
    let original = unit.scope.bot_id();
    let data = EventData { copy_id: Some(copy.id), ..EventData::NONE };
    unit.emit(EventType::BotDuplicated, original, &data)?;
    let copied = copy.config.as_changes();
    let (mut of_project, data) =
        (unit.of_project(), EventData { original_id: Some(original), ..EventData::NONE });
    let mut of_copy = of_project.of_bot(copy.id);
    of_copy.record((Action::Duplicate, BOT), copy.id, &copied)?;
    of_copy.emit(EventType::BotCreated, copy.id, &data)?;
    unit.answer_shows(Some(copy.id));
    unit.answer_with(|_| Ok(BotWithTokens { bot: copy.clone(), tokens: Vec::new() }))
}
