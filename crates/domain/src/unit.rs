//! A unit of work as services write it: what it may do, and what it leaves to be done after the commit.

mod effects;

use std::sync::Arc;

use uuid::Uuid;

use crate::access::{BotClaim, BotScope, ProjectClaim, ProjectScope};
use crate::bot::Bot;
use crate::changelog::{Action, ChangedResource, ChangelogEntry, FieldChange};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{DomainError, Quota};
use crate::id::{BotId, ExtractionId, ProjectId};
use crate::job::Job;
use crate::limits::Limits;
use crate::lock::{Lock, Mode};
use crate::store::{Outcome, Repositories, downcast};
use crate::unit::effects::{Effects, RunState};

/// How many changelog entries are in memory at once, where one unit writes them for many bots.
const RECORDED_AT_ONCE: usize = 1_000;

/// One run of a unit of work, with the right `scope` to the content of a bot or a project, if it has one.
///
/// Times and ids of a change are taken from it, inside of the transaction and after what is changed was
/// locked, so that what took effect later does not look earlier. A unit may be run more than once: it
/// changes nothing but through this.
pub(crate) struct Unit<'a, S = ()> {
    pub(crate) tx: &'a mut dyn Repositories,
    pub(crate) scope: S,
    pub(crate) context: &'a Context,
    state: &'a mut RunState,
}

/// A unit of work on a bot that was looked up.
pub(crate) type BotUnit<'a> = Unit<'a, BotScope>;
/// A unit of work on a project that was looked up.
pub(crate) type ProjectUnit<'a> = Unit<'a, ProjectScope>;

impl<S> Unit<'_, S> {
    /// The time of this run: when it was first read. All that a unit changes has one time.
    pub(crate) fn now(&self) -> Timestamp {
        let now = self.state.now.get().unwrap_or_else(|| self.context.clock.now());
        self.state.now.set(Some(now));
        now
    }

    /// A new identifier, greater than all before it.
    pub(crate) fn next_id<I: From<Uuid>>(&self) -> I {
        self.context.ids.next().into()
    }

    /// What tenants may use up.
    pub(crate) const fn limits(&self) -> &Limits {
        &self.context.limits
    }

    /// The same unit with another right.
    pub(crate) fn with_scope<T>(&mut self, scope: T) -> Unit<'_, T> {
        Unit { tx: self.tx, scope, context: self.context, state: self.state }
    }

    /// Adds a job. If it is due, workers of this process are woken once the unit was committed.
    pub(crate) fn enqueue(&mut self, job: &Job) -> Result<(), DomainError> {
        self.state.notify_workers |= job.run_at <= self.now();
        Ok(self.tx.insert_job(job)?)
    }

    /// Has workers of this process look for jobs once the unit was committed.
    pub(crate) const fn notify_workers(&mut self) {
        self.state.notify_workers = true;
    }

    /// Wakes requests of this process that wait for this extraction once the unit was committed.
    pub(crate) fn notify_extraction_end(&mut self, id: ExtractionId) {
        self.state.ended_extractions.push(id);
    }
}

impl BotUnit<'_> {
    /// Writes a change into the changelog of the bot.
    pub(crate) fn record(
        &mut self,
        (action, resource): (Action, ChangedResource),
        resource_id: impl ToString,
        changes: &[FieldChange],
    ) -> Result<(), DomainError> {
        let (id, at) = (self.next_id(), self.now());
        let entry =
            ChangelogEntry::new(id, at, &self.scope, action, resource, resource_id, changes);
        self.state.recorded.insert(self.scope.bot_id());
        Ok(self.tx.record(&self.scope, &entry)?)
    }

    /// Checks, after something of the bot went from so many bytes to so many, that it has no more content
    /// than it may. What does not grow is let through, also where the quota was lowered.
    pub(crate) fn check_content_quota(
        &mut self,
        (before, after): (usize, usize),
    ) -> Result<(), DomainError> {
        let limit = self.limits().content_per_bot;
        if limit > 0 && after > before && self.tx.content_bytes(&self.scope)? > limit {
            return Err(DomainError::QuotaExceeded(Quota::ContentPerBot(limit)));
        }
        Ok(())
    }

    /// The same unit with the right to the project of the bot.
    pub(crate) fn of_project(&mut self) -> ProjectUnit<'_> {
        let scope = self.scope.project();
        self.with_scope(scope)
    }
}

impl ProjectUnit<'_> {
    /// The same unit with the right to a bot of the project.
    pub(crate) fn of_bot(&mut self, bot: BotId) -> BotUnit<'_> {
        let scope = self.scope.with_bot(bot);
        self.with_scope(scope)
    }

    /// Writes what was done to many things into the changelogs of bots of the project: of each thing the
    /// bot, its identifier, and what changed.
    pub(crate) fn record_all<I: ToString>(
        &mut self,
        (action, resource): (Action, ChangedResource),
        changes: impl IntoIterator<Item = (BotId, I, FieldChange)>,
    ) -> Result<(), DomainError> {
        let at = self.now();
        let mut changes = changes.into_iter();
        loop {
            let some = changes.by_ref().take(RECORDED_AT_ONCE);
            let entries: Vec<_> = some
                .map(|(bot, resource_id, change)| {
                    let (id, scope) = (self.next_id(), self.scope.with_bot(bot));
                    ChangelogEntry::new(id, at, &scope, action, resource, resource_id, &[change])
                })
                .collect();
            if entries.is_empty() {
                return Ok(());
            }
            self.state.recorded.extend(entries.iter().map(|entry| entry.bot_id));
            self.tx.record_all(&self.scope, &entries)?;
        }
    }
}

impl Context {
    /// Runs a unit of work that changes something, on behalf of `tenant`; see
    /// [`crate::store::Store::run`].
    pub(crate) async fn write<T, F>(
        self: &Arc<Self>,
        tenant: Option<ProjectId>,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut Unit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run(Mode::Write, tenant, work).await
    }

    /// Runs a unit of work that only reads, all of it from one state of the database.
    pub(crate) async fn read<T, F>(
        self: &Arc<Self>,
        tenant: Option<ProjectId>,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut Unit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run(Mode::Read, tenant, work).await
    }

    /// Runs a unit of a few look-ups by key; see [`Mode::LookUp`].
    pub(crate) async fn look_up<T, F>(
        self: &Arc<Self>,
        tenant: Option<ProjectId>,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut Unit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run(Mode::LookUp, tenant, work).await
    }

    /// Changes what a bot has, in a unit that begins by looking the bot up with this lock.
    pub(crate) async fn write_bot<T, F>(
        self: &Arc<Self>,
        claim: &BotClaim,
        lock: Lock,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut BotUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_on_bot(Mode::Write, claim, lock, work).await
    }

    /// As [`Self::write_bot`], for work that needs the bot itself.
    pub(crate) async fn write_whole_bot<T, F>(
        self: &Arc<Self>,
        claim: &BotClaim,
        lock: Lock,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut BotUnit<'_>, Bot) -> Result<T, DomainError> + Send + 'static,
    {
        let claim = claim.clone();
        self.write(Some(claim.project_id()), move |unit| {
            let (bot, scope) = claim.resolve(unit.tx, lock)?;
            work(&mut unit.with_scope(scope), bot)
        })
        .await
    }

    /// Reads of a bot in a unit that begins by looking the bot up.
    pub(crate) async fn read_bot<T, F>(
        self: &Arc<Self>,
        claim: &BotClaim,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut BotUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_on_bot(Mode::Read, claim, Lock::None, work).await
    }

    /// As [`Self::read_bot`], for what takes a few look-ups by key.
    pub(crate) async fn look_up_bot<T, F>(
        self: &Arc<Self>,
        claim: &BotClaim,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut BotUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_on_bot(Mode::LookUp, claim, Lock::None, work).await
    }

    /// Changes what a project has, in a unit that begins by looking the project up with this lock.
    pub(crate) async fn write_project<T, F>(
        self: &Arc<Self>,
        claim: &ProjectClaim,
        lock: Lock,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut ProjectUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_on_project(Mode::Write, claim, lock, work).await
    }

    /// Reads of a project in a unit that begins by looking the project up.
    pub(crate) async fn read_project<T, F>(
        self: &Arc<Self>,
        claim: &ProjectClaim,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut ProjectUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_on_project(Mode::Read, claim, Lock::None, work).await
    }

    /// As [`Self::read_project`], for what takes a few look-ups by key.
    pub(crate) async fn look_up_project<T, F>(
        self: &Arc<Self>,
        claim: &ProjectClaim,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut ProjectUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_on_project(Mode::LookUp, claim, Lock::None, work).await
    }

    async fn run_on_bot<T, F>(
        self: &Arc<Self>,
        mode: Mode,
        claim: &BotClaim,
        lock: Lock,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut BotUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        let claim = claim.clone();
        self.run(mode, Some(claim.project_id()), move |unit| {
            let scope = claim.scope(unit.tx, lock)?;
            work(&mut unit.with_scope(scope))
        })
        .await
    }

    async fn run_on_project<T, F>(
        self: &Arc<Self>,
        mode: Mode,
        claim: &ProjectClaim,
        lock: Lock,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut ProjectUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        let claim = claim.clone();
        self.run(mode, Some(claim.project_id()), move |unit| {
            let (_, scope) = claim.resolve(unit.tx, lock)?;
            work(&mut unit.with_scope(scope))
        })
        .await
    }

    /// Runs a unit of work, and after the commit what it leaves to be done.
    async fn run<T, F>(
        self: &Arc<Self>,
        mode: Mode,
        tenant: Option<ProjectId>,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut Unit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        let effects = Effects::new(self.clone());
        let of_unit = effects.clone();
        let context = self.clone();
        let unit = move |tx: &mut dyn Repositories| {
            let mut state = RunState::default();
            let of_run = &mut state;
            let done = work(&mut Unit { tx, scope: (), context: &context, state: of_run })?;
            of_unit.set(state);
            Ok(Box::new(done) as Outcome)
        };
        let done = downcast(self.store.run(mode, tenant, Box::new(unit)).await?)?;
        effects.run();
        Ok(done)
    }
}
