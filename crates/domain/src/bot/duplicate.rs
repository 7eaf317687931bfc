//! Duplicating a bot.
//!
//! The bot is read before the first unit of work that writes. If it has been changed when that begins, the next one
//! reads the bot itself. The first unit that finds it as it was read copies what one unit may, which is all of a small
//! bot. All of a large one would keep other units waiting for as long, so further units copy the rest. Until everything is
//! there the copy looks like a deleted bot; the last unit publishes it. A large configuration is not kept in memory
//! meanwhile, but read again before that unit. A copy that was not finished is removed as a deleted bot is, by the same job.

use std::sync::Arc;
use std::time::Duration;

use super::copy::{CopyProgress, UnpublishedCopy, copy_content};
use super::job::TeardownBot;
use super::original::{Original, ReadState};
use super::service::{BOT, BotService, answer_with, check_bot_quota};
use super::tokens::BotWithTokens;
use super::unfinished::CLOCK_TOLERANCE;
use super::{Bot, BotConfig, BotKind, BotState, DuplicateBot};
use crate::access::{BotClaim, Conditional as _, Operator};
use crate::changelog::{Action, FieldChange};
use crate::document;
use crate::error::{Busy, DomainError, StorageError};
use crate::event::{EventData, EventType};
use crate::id::ProjectId;
use crate::idempotency::AnsweredBot;
use crate::input::Valid;
use crate::job::Job;
use crate::job::handler::JobHandler as _;
use crate::lock::Lock;
use crate::memory::RequestMemory;
use crate::unit::BotUnit;

/// The content that one unit copies.
const STEP_BYTES: u64 = 1 << 20;
/// How often copying begins again because the bot was changed meanwhile.
const ATTEMPTS: u32 = 5;
/// A configuration with longer texts is not kept in memory while the rest is copied.
const KEPT_BYTES: usize = 64 << 10;
/// How long a copy may take.
const MADE_WITHIN: Duration = Duration::from_secs(10 * 60);

/// A duplicate that is being made.
struct Duplicate {
    copy: UnpublishedCopy,
    /// The state of the bot that is copied.
    state: Arc<ReadState>,
    /// The bot itself, unless its configuration is long.
    original: Option<Arc<Original>>,
    /// Removes the copy, unless it is finished by then.
    teardown: Job,
}

/// What the first unit that writes has done.
enum FirstCopyOutcome {
    CopiedAll(Arc<Original>, UnpublishedCopy),
    /// What one unit may copy.
    Copied(Arc<Duplicate>, CopyProgress),
    /// Nothing, because the bot is not what it was when it was read.
    Changed,
}

/// What a further unit has done.
enum CopyOutcome {
    Copied(CopyProgress),
    CopiedAll,
    /// Nothing, because the bot is not what it was when it was read.
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
        let mut is_first = true;
        let mut read = self.read_original(claim, request.clone()).await?;
        for _ in 0..=ATTEMPTS {
            match self.begin(claim, request.clone(), read.take(), is_first).await? {
                FirstCopyOutcome::CopiedAll(original, copy) => {
                    return Ok(copied(claim, copy, original));
                }
                FirstCopyOutcome::Copied(duplicate, progress) => {
                    is_first = false;
                    let guard = self.context.unfinished.begin(duplicate.teardown.clone());
                    let copy = duplicate.copy;
                    let shown = self.copy_rest(claim, &request, duplicate, progress).await?;
                    if let Some(original) = shown {
                        guard.finish();
                        return Ok(copied(claim, copy, original));
                    }
                }
                FirstCopyOutcome::Changed => {}
            }
        }
        let text = "a bot was changed again and again while it was copied";
        Err(StorageError::Contended(text.to_owned()).into())
    }

    /// The bot as it is now. `None` if it is not there: the unit that writes refuses that, unless the request was
    /// carried out before.
    async fn read_original(
        &self,
        claim: &BotClaim,
        request: Arc<Valid<DuplicateBot>>,
    ) -> Result<Option<Arc<Original>>, DomainError> {
        let (project, claim) = (claim.project_id(), claim.clone());
        let read =
            self.context.read(Some(project), move |unit| Original::read(unit, &claim, &request));
        match read.await {
            Ok(original) => Ok(Some(Arc::new(original.with_reserved(RequestMemory::take())))),
            Err(DomainError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn begin(
        &self,
        claim: &BotClaim,
        request: Arc<Valid<DuplicateBot>>,
        read: Option<Arc<Original>>,
        is_first: bool,
    ) -> Result<FirstCopyOutcome, DomainError> {
        let of_unit = claim.clone();
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let original = match &read {
                    Some(read) if read.state.is_current(unit)? => read.clone(),
                    // The next attempt reads it itself, when this one is no longer in memory.
                    Some(_) => {
                        unit.did_nothing();
                        return Ok(FirstCopyOutcome::Changed);
                    }
                    None => Arc::new(Original::read(unit, &of_unit, &request)?),
                };
                original.check_precondition(unit)?;
                check_quota(unit)?;
                document::check_no_rename_goes_on(unit)?;
                let bytes = unit.tx.content_bytes(&unit.scope)?;
                if bytes > 0 {
                    unit.of_project().check_content_quota(bytes)?;
                }
                original.size_check.clone()?;
                // Before anything is copied: a refusal must not take the time of a copy.
                if is_first && bytes > STEP_BYTES {
                    check_slots(unit, 1)?;
                }
                // The id is taken while the project is locked, so that bots sort in the order in which they came to be.
                let copy = UnpublishedCopy { id: unit.next_id(), at: unit.now() };
                unit.tx.insert_copy(&unit.scope, copy.id, copy.at, &original.config)?;
                let begun = copy_content(unit, copy, CopyProgress::default(), STEP_BYTES)?;
                let Some(progress) = begun else {
                    publish(unit, copy, &original)?;
                    return Ok(FirstCopyOutcome::CopiedAll(original, copy));
                };
                unit.answer_later();
                // Many short rows take several steps as well. What begins again has been let in already.
                if is_first {
                    check_slots(unit, 0)?;
                }
                let teardown = TeardownBot::new_job(unit, &copy.id)
                    .of_project(unit.scope.project_id())
                    .due(copy.at.plus(MADE_WITHIN).plus(CLOCK_TOLERANCE));
                unit.enqueue(&teardown)?;
                let state = original.state.clone();
                let is_short = original.config.text_size() <= KEPT_BYTES;
                let original = is_short.then_some(original);
                let duplicate = Duplicate { copy, state, original, teardown };
                Ok(FirstCopyOutcome::Copied(Arc::new(duplicate), progress))
            })
            .await
    }

    /// Has copies and configurations removed now that are not made any further, instead of when the slowest one would
    /// be finished. Copies count towards
    /// [`Limits::duplicates_per_project`](crate::Limits::duplicates_per_project) until they are removed.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails; the next call goes on with those that were not reached.
    pub async fn remove_unfinished(&self, _operator: Operator) -> Result<(), DomainError> {
        let unfinished = &self.context.unfinished;
        let mut removals = unfinished.take();
        while let Some(removal) = removals.last().cloned() {
            let make_due = self.context.delete(removal.project_id, move |unit| {
                if unit.tx.withdraw_job(&removal)? {
                    let due = unit.now();
                    unit.enqueue(&removal.clone().due(due))?;
                }
                Ok(())
            });
            if let Err(error) = make_due.await {
                removals.into_iter().for_each(|removal| unfinished.add(removal));
                return Err(error);
            }
            removals.pop();
        }
        Ok(())
    }

    /// Copies what is left, and shows the copy. `None` if it has to begin again.
    async fn copy_rest(
        &self,
        claim: &BotClaim,
        request: &Arc<Valid<DuplicateBot>>,
        duplicate: Arc<Duplicate>,
        mut progress: CopyProgress,
    ) -> Result<Option<Arc<Original>>, DomainError> {
        // The precondition was evaluated at the beginning, which is the state that the copy shows.
        let claim = &claim.unconditional();
        loop {
            let of_unit = duplicate.clone();
            let step = self
                .context
                .write_claimed(claim, Lock::Shared, move |unit| of_unit.copy_some(unit, progress));
            match step.await? {
                CopyOutcome::Copied(further) => progress = further,
                CopyOutcome::CopiedAll => break,
                CopyOutcome::Changed => return Ok(None),
            }
        }
        let original = match duplicate.original.clone() {
            Some(original) => original,
            None => match self.read_original(claim, request.clone()).await? {
                Some(original) => original,
                None => return Ok(None),
            },
        };
        let of_unit = original.clone();
        let finish = move |unit: &mut BotUnit<'_>| duplicate.finish(unit, &of_unit);
        let shown = self.context.write_claimed(claim, Lock::Exclusive, finish).await?;
        Ok(shown.then_some(original))
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
        if !unit.tx.lock_unclaimed_job(&self.teardown)? {
            return Err(being_removed());
        }
        if !self.state.is_current(unit)? {
            return Ok(CopyOutcome::Changed);
        }
        let further = copy_content(unit, self.copy, progress, STEP_BYTES)?;
        Ok(further.map_or(CopyOutcome::CopiedAll, CopyOutcome::Copied))
    }

    /// Shows the copy, unless the bot was changed since the copy was begun. If it was not, what was read of it meanwhile is
    /// in the same state.
    fn finish(&self, unit: &mut BotUnit<'_>, original: &Original) -> Result<bool, DomainError> {
        if !self.state.is_current(unit)? {
            unit.answer_later();
            return Ok(false);
        }
        check_quota(unit)?;
        // What was copied is counted already.
        unit.of_project().check_content_quota(0)?;
        if !unit.tx.withdraw_job(&self.teardown)? {
            return Err(being_removed());
        }
        publish(unit, self.copy, original)?;
        Ok(true)
    }
}

/// What is answered. The request holds the memory of it.
fn copied(claim: &BotClaim, copy: UnpublishedCopy, original: Arc<Original>) -> BotWithTokens {
    let config = match Arc::try_unwrap(original) {
        Ok(original) => {
            // There are none if it was the unit that writes which read the bot: then the request has them already.
            RequestMemory::keep_also(original.reserved);
            original.config
        }
        Err(shared) => shared.config.clone(),
    };
    copy_with(copy, claim.project_id(), config)
}

/// The copy, once it is shown.
const fn copy_with(
    copy: UnpublishedCopy,
    project_id: ProjectId,
    config: BotConfig,
) -> BotWithTokens {
    let bot = Bot {
        id: copy.id,
        project_id,
        kind: BotKind::Regular,
        state: BotState::Active,
        config,
        created_at: copy.at,
        updated_at: copy.at,
    };
    BotWithTokens { bot, tokens: Vec::new() }
}

/// The error for a copy whose teardown has begun before it was finished.
fn being_removed() -> DomainError {
    let text = "copying a bot took so long that the copy is being removed";
    StorageError::Contended(text.to_owned()).into()
}

/// Checks that the project may have one more bot. It is locked, as for a bot that is created.
fn check_quota(unit: &mut BotUnit<'_>) -> Result<(), DomainError> {
    unit.scope.project_claim().resolve(unit.tx, Lock::Exclusive)?;
    check_bot_quota(&mut unit.of_project())
}

/// Checks that the project has no more unpublished copies than it may, with so many that are about to be begun. One that
/// nobody goes on with counts until it is removed: otherwise a client could fill the disk by beginning copies and leaving.
fn check_slots(unit: &mut BotUnit<'_>, about_to_begin: u64) -> Result<(), DomainError> {
    let limit = unit.limits().duplicates_per_project;
    let copies = unit.tx.count_unpublished_copies(&unit.scope.project())?;
    if copies + about_to_begin > u64::from(limit) {
        return Err(DomainError::Busy(Busy::Duplicates(limit)));
    }
    Ok(())
}

/// Publishes a copy that is complete, and writes the duplication into the changelogs of the bot and of its copy.
fn publish(
    unit: &mut BotUnit<'_>,
    copy: UnpublishedCopy,
    original: &Original,
) -> Result<(), DomainError> {
    let project = unit.scope.project();
    unit.tx.show_bot(&project, copy.id)?;
    let renamed = [FieldChange::new("name", &original.name, &original.config.name)];
    unit.record((Action::Duplicate, BOT), copy.id, &renamed)?;
    let original_id = unit.scope.bot_id();
    let data = EventData { copy_id: Some(copy.id), ..EventData::NONE };
    unit.emit(EventType::BotDuplicated, original_id, &data)?;
    let (mut of_project, data) =
        (unit.of_project(), EventData { original_id: Some(original_id), ..EventData::NONE });
    let mut of_copy = of_project.of_bot(copy.id);
    of_copy.record((Action::Duplicate, BOT), copy.id, &original.changes_of_copy)?;
    of_copy.emit(EventType::BotCreated, copy.id, &data)?;
    unit.answer_shows(Some(copy.id));
    let answered = AnsweredBot { id: copy.id, updated_at: copy.at };
    answer_with(unit, &original.config, answered, || {
        copy_with(copy, project.project_id(), original.config.clone())
    })
}
