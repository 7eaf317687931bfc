//! A unit of work as services write it: what it may do, and what it leaves to be done after the commit.

mod effects;
mod look_up;
mod once;
mod precondition;
mod run;

pub(crate) use once::earlier;
pub(crate) use run::Purpose;
use uuid::Uuid;

use crate::access::{BotScope, InProject, ProjectScope};
use crate::audit::{AuditEntry, AuditedResource};
use crate::changelog::{Action, ChangedResource, ChangelogEntry, FieldChange};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{DomainError, Quota};
use crate::event::{Event, EventData, EventType};
use crate::id::{BotId, EventId, ExtractionId, JobId, UserId};
use crate::job::{DEFERRED, Job};
use crate::limits::Limits;
use crate::store::Repositories;
use crate::unit::effects::RunState;

/// How many things that are recorded at once have events of their own. Beyond it, one event counts them.
pub(crate) const SINGLE_EVENTS_MAX: usize = 100;

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

    /// Records in the audit log what is done to something, if it is done for a person.
    pub(crate) fn audit(
        &mut self,
        resource: AuditedResource,
        subject: impl ToString,
    ) -> Result<(), DomainError> {
        let Some(audited) = &self.context.audited else {
            return Ok(());
        };
        let entry = AuditEntry {
            id: self.next_id(),
            at: self.now(),
            actor: audited.actor.clone(),
            resource: resource.as_str().to_owned(),
            subject: subject.to_string(),
        };
        Ok(self.tx.insert_audit_entry(audited.operator, &entry)?)
    }

    /// Makes waiting jobs due now, except those that were deferred for a free slot, which are due in a moment. A running
    /// job looks once more for something to do before it waits.
    pub(crate) fn wake_jobs(&mut self, ids: &[JobId]) -> Result<(), DomainError> {
        let now = self.now();
        self.notify_workers();
        Ok(self.tx.wake_jobs(ids, now, now.plus(DEFERRED))?)
    }

    /// Makes jobs due that wait, also those that were deferred for a moment.
    pub(crate) fn wake_deferred_jobs(&mut self, ids: &[JobId]) -> Result<(), DomainError> {
        let now = self.now();
        self.notify_workers();
        Ok(self.tx.wake_jobs(ids, now, now)?)
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

impl<S: InProject> Unit<'_, S> {
    /// Writes an event of what is done under the unit's right.
    pub(crate) fn emit(
        &mut self,
        event_type: EventType,
        resource_id: impl ToString,
        data: &EventData,
    ) -> Result<(), DomainError> {
        let id = self.next_id();
        self.emit_as(id, event_type, resource_id, data)
    }

    /// The same with an identifier that was taken before.
    pub(crate) fn emit_as(
        &mut self,
        id: EventId,
        event_type: EventType,
        resource_id: impl ToString,
        data: &EventData,
    ) -> Result<(), DomainError> {
        let event = (id, self.now());
        let event = Event::new(event, &self.scope, event_type, resource_id, data);
        self.add_events(&[event])
    }

    fn add_events(&mut self, events: &[Event]) -> Result<(), DomainError> {
        if events.is_empty() {
            return Ok(());
        }
        self.state.projects_with_events.insert(self.scope.project_id());
        Ok(self.tx.add_events(&self.scope.in_project(), events)?)
    }
}

impl BotUnit<'_> {
    /// Writes a change into the changelog of the bot, and the event of it.
    pub(crate) fn record(
        &mut self,
        (action, resource): (Action, ChangedResource),
        resource_id: impl ToString,
        changes: &[FieldChange],
    ) -> Result<(), DomainError> {
        let entry = self.entry((action, resource), resource_id, changes);
        let event = EventType::of_change(action, resource).map(|event_type| {
            let (id, data) = ((self.next_id(), entry.at), &EventData::NONE);
            Event::new(id, &self.scope, event_type, &entry.resource_id, data)
        });
        if event.is_some() {
            self.state.projects_with_events.insert(self.scope.project_id());
        }
        self.record_entry(&entry, event.as_ref())
    }

    /// Writes a change into the changelog of the bot, but no event.
    pub(crate) fn record_without_event(
        &mut self,
        what: (Action, ChangedResource),
        resource_id: impl ToString,
        changes: &[FieldChange],
    ) -> Result<(), DomainError> {
        let entry = self.entry(what, resource_id, changes);
        self.record_entry(&entry, None)
    }

    fn entry(
        &self,
        (action, resource): (Action, ChangedResource),
        resource_id: impl ToString,
        changes: &[FieldChange],
    ) -> ChangelogEntry {
        let (id, at) = (self.next_id(), self.now());
        ChangelogEntry::new(id, at, &self.scope, action, resource, resource_id, changes)
    }

    /// Writes into the changelog of the bot that these users were made, and the events of it: one of each, or one that
    /// counts them.
    pub(crate) fn record_new_users(
        &mut self,
        users: &[UserId],
        is_counted: bool,
    ) -> Result<(), DomainError> {
        let (id, at, count) = (self.next_id(), self.now(), users.len());
        self.record_entry(&ChangelogEntry::of_new_users(id, at, &self.scope, count), None)?;
        if is_counted {
            return self.emit_count(EventType::UsersImported, count);
        }
        self.emit_all(EventType::UserCreated, users)
    }

    /// Writes the event that so much was recorded at once.
    pub(crate) fn emit_count(
        &mut self,
        event_type: EventType,
        count: usize,
    ) -> Result<(), DomainError> {
        let bot = self.scope.bot_id();
        let data = EventData { count: Some(count as u64), ..EventData::NONE };
        self.emit(event_type, bot, &data)
    }

    /// Writes an event of each of these.
    pub(crate) fn emit_all<I: ToString>(
        &mut self,
        event_type: EventType,
        resource_ids: &[I],
    ) -> Result<(), DomainError> {
        let at = self.now();
        let event = |id: &I| {
            let event = (self.next_id(), at);
            Event::new(event, &self.scope, event_type, id.to_string(), &EventData::NONE)
        };
        let events: Vec<_> = resource_ids.iter().map(event).collect();
        self.add_events(&events)
    }

    fn record_entry(
        &mut self,
        entry: &ChangelogEntry,
        event: Option<&Event>,
    ) -> Result<(), DomainError> {
        self.state.recorded.insert(self.scope.bot_id());
        Ok(self.tx.record(&self.scope, entry, event)?)
    }

    /// Checks, after something of the bot went from so many bytes to so many, that neither the bot nor its project has
    /// more content than it may. What does not grow is let through, also where the quota was lowered. Bots of a project
    /// that grow at the same time may exceed its quota by what they grow.
    pub(crate) fn check_content_quota(
        &mut self,
        (before, after): (usize, usize),
    ) -> Result<(), DomainError> {
        if after <= before {
            return Ok(());
        }
        let limit = self.limits().content_per_bot;
        if limit > 0 && self.tx.content_bytes(&self.scope)? > limit {
            return Err(DomainError::QuotaExceeded(Quota::ContentPerBot(limit)));
        }
        self.of_project().check_content_quota(0)
    }

    /// The same unit with the right to the project of the bot.
    pub(crate) fn of_project(&mut self) -> ProjectUnit<'_> {
        let scope = self.scope.project();
        self.with_scope(scope)
    }
}

impl ProjectUnit<'_> {
    /// Checks that the bots of the project have no more content than they may, once so many bytes are added.
    pub(crate) fn check_content_quota(&mut self, more: u64) -> Result<(), DomainError> {
        let limit = self.limits().content_per_project;
        if limit > 0 && self.tx.content_bytes_of_project(&self.scope)?.saturating_add(more) > limit
        {
            return Err(DomainError::QuotaExceeded(Quota::ContentPerProject(limit)));
        }
        Ok(())
    }

    /// The same unit with the right to a bot of the project.
    pub(crate) fn of_bot(&mut self, bot: BotId) -> BotUnit<'_> {
        let scope = self.scope.with_bot(bot);
        self.with_scope(scope)
    }

    /// Writes what was done to many things into the changelogs of bots of the project, and the events of it: of each
    /// thing the bot, its identifier, and what changed.
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
            let Some(event_type) = EventType::of_change(action, resource) else { continue };
            let events: Vec<_> = entries
                .iter()
                .map(|entry| {
                    let scope = self.scope.with_bot(entry.bot_id);
                    let event = (self.next_id(), at);
                    Event::new(event, &scope, event_type, &entry.resource_id, &EventData::NONE)
                })
                .collect();
            self.add_events(&events)?;
        }
    }
}
