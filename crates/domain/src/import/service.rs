//! Storing files of records.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::{ImportKind, ImportPosition, Imported, ImportedRecord};
use crate::access::OwnerClaim;
use crate::audit::AuditedResource;
use crate::blob::Sha256;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{DomainError, Resource};
use crate::id::UserId;
use crate::lock::Lock;
use crate::recorder::{Record, put_entries, write_records};
use crate::unit::{BotUnit, ProjectUnit, SINGLE_EVENTS_MAX};
use crate::user::UserRefusal;

/// How many records one unit of work stores.
const RECORDS_AT_ONCE: usize = 500;
/// How many bytes of lines one unit of work stores, if it stores more than one line.
const BYTES_AT_ONCE: usize = 1 << 20;
/// For how long a file is recognised as already imported.
const KNOWN: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Imports of files.
#[derive(Clone)]
pub struct ImportService {
    context: Arc<Context>,
}

impl ImportService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Begins to store a file, or goes on with it if a part of it is stored already. Nothing is stored yet.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or project is not there. [`DomainError::Refused`] if something else than
    /// entries is for a project.
    pub async fn begin(&self, claim: OwnerClaim, file: Imported) -> Result<ImportRun, DomainError> {
        let Imported { kind, records, sha256 } = file;
        let sha256 = match &claim {
            OwnerClaim::Bot(claim) => Sha256::of(format!("{} {sha256}", claim.bot_id()).as_bytes()),
            OwnerClaim::Project(_) if kind.is_of_projects() => sha256,
            OwnerClaim::Project(_) => {
                let only = "only key-value entries are for a project";
                return Err(DomainError::Refused(only.to_owned()));
            }
        };
        let (context, records) = (self.context.clone(), Arc::new(records));
        let mut run = ImportRun {
            context,
            claim,
            kind,
            sha256,
            records,
            stored: 0,
            completed_at: None,
            forgets: None,
            is_audited: false,
        };
        run.look_up_position().await?;
        Ok(run)
    }
}

/// A file that is being stored, a unit of work at a time.
pub struct ImportRun {
    context: Arc<Context>,
    claim: OwnerClaim,
    kind: ImportKind,
    /// The hash of the file and of its bot.
    sha256: Sha256,
    records: Arc<Vec<ImportedRecord>>,
    stored: usize,
    /// When all of the file was stored, if it was before this attempt.
    completed_at: Option<Timestamp>,
    /// How many records of the file are stored that the first unit forgets.
    forgets: Option<u64>,
    /// Whether the audit log says already that this file is imported.
    is_audited: bool,
}

impl ImportRun {
    /// How many of the records are stored, those of earlier attempts included.
    #[must_use]
    pub const fn stored(&self) -> usize {
        self.stored
    }

    /// Whether all of them are.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.stored >= self.records.len()
    }

    /// When all of the file was stored, if it was before this attempt.
    #[must_use]
    pub const fn completed_at(&self) -> Option<Timestamp> {
        self.completed_at
    }

    /// Has a file stored once more of which all was stored before. Until the first unit of work, nothing is forgotten.
    pub fn start_again(&mut self) {
        if self.completed_at.take().is_some() {
            self.forgets = Some(self.stored as u64);
            self.stored = 0;
        }
    }

    /// Checks what only the database knows of the records that are not stored, if they take more than one unit of work.
    /// One unit checks it by itself.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there. [`DomainError::RecordsRefused`] with every record that can't be
    /// stored: [`DomainError::NotFound`] if it names a user whom the bot does not have, [`DomainError::UserRefused`] if
    /// another user, or an earlier record, has the guestId of a new one.
    pub async fn check(&self) -> Result<(), DomainError> {
        let OwnerClaim::Bot(claim) = &self.claim else { return Ok(()) };
        let is_whole = self.next_range().end >= self.records.len();
        if is_whole || !self.kind.is_checked_by_database() {
            return Ok(());
        }
        let mut refused = Vec::new();
        let mut from = self.stored;
        while from < self.records.len() {
            let (records, end) = (self.records.clone(), from + RECORDS_AT_ONCE);
            let read = move |unit: &mut BotUnit<'_>| {
                let some = records.iter().enumerate().take(end).skip(from);
                refusals(unit, some.map(|(index, of)| (index, &of.record)))
            };
            refused.extend(self.context.read_claimed(claim, read).await?);
            from = end;
        }
        self.refuse_repeated_guests(&mut refused);
        if refused.is_empty() { Ok(()) } else { Err(DomainError::RecordsRefused(refused)) }
    }

    /// Stores the next records in one unit of work, or none of them. Things of the same time are listed in the order of
    /// their records.
    ///
    /// # Errors
    /// As [`Self::check`], for what has changed since then or was not checked. [`DomainError::Refused`] if another
    /// process has gone on with the same file. What [`Self::stored`] says is stored anyhow.
    pub async fn store_next(&mut self) -> Result<(), DomainError> {
        let (range, records) = (self.next_range(), self.records.clone());
        let (end, audits) = (range.end, !self.is_audited);
        let is_part_of_many = records.len() > SINGLE_EVENTS_MAX;
        let step = self.step(&range);
        match &self.claim {
            OwnerClaim::Bot(claim) => {
                let work = move |unit: &mut BotUnit<'_>| {
                    if audits {
                        unit.audit(AuditedResource::Bot, unit.scope.bot_id())?;
                    }
                    step.map_or(Ok(()), |step| step.advance(unit))?;
                    let some = records.get(range.clone()).unwrap_or_default();
                    write_records(unit, some.iter().map(|of| &of.record), is_part_of_many)
                        .map_err(|error| behind(range.start, error))
                };
                // The bot is not locked, so that its changes need not wait. Foreign keys ensure that it exists.
                self.context.write_claimed(claim, Lock::None, work).await?;
            }
            OwnerClaim::Project(claim) => {
                let work = move |unit: &mut ProjectUnit<'_>| {
                    let scope = unit.scope.clone();
                    if audits {
                        unit.audit(AuditedResource::Project, scope.project_id())?;
                    }
                    let some = records.get(range.clone()).unwrap_or_default();
                    let entries = some.iter().filter_map(|of| of.record.as_entry()).collect();
                    put_entries(&mut unit.with_scope((&scope).into()), entries)
                };
                self.context.write_claimed(claim, Lock::None, work).await?;
            }
        }
        (self.stored, self.is_audited, self.forgets) = (end, true, None);
        Ok(())
    }

    /// The records that the next unit of work stores.
    fn next_range(&self) -> Range<usize> {
        let mut bytes = 0;
        let rest = self.records.get(self.stored..).unwrap_or_default().iter();
        let fitting = rest.take(RECORDS_AT_ONCE).take_while(|record| {
            let is_first = bytes == 0;
            bytes += record.bytes;
            is_first || bytes <= BYTES_AT_ONCE
        });
        self.stored..self.stored + fitting.count()
    }

    /// What has to be written down when these records are stored, if anything.
    fn step(&self, range: &Range<usize>) -> Option<Step> {
        let is_complete = range.end >= self.records.len();
        let (before, records) = (range.start as u64, range.end as u64);
        let step =
            Step { before, records, is_complete, forgets: self.forgets, sha256: self.sha256 };
        (!self.kind.replaces()).then_some(step)
    }

    /// Finds out how many of the records earlier attempts stored.
    async fn look_up_position(&mut self) -> Result<(), DomainError> {
        let OwnerClaim::Bot(claim) = &self.claim else { return Ok(()) };
        let sha256 = self.sha256;
        let look_up =
            move |unit: &mut BotUnit<'_>| Ok(unit.tx.import_position(&unit.scope, sha256)?);
        let known_since = self.context.clock.now().minus(KNOWN);
        let position = self.context.read_claimed(claim, look_up).await?;
        let is_known =
            |found: &ImportPosition| !found.is_complete || found.updated_at >= known_since;
        if let Some(found) = position.filter(is_known) {
            let stored = usize::try_from(found.records).unwrap_or(usize::MAX);
            self.stored = stored.min(self.records.len());
            self.completed_at = found.is_complete.then_some(found.updated_at);
        }
        Ok(())
    }

    /// Adds users whose guestId an earlier record has, if that is not refused itself.
    fn refuse_repeated_guests(&self, refused: &mut Vec<(usize, DomainError)>) {
        let known: HashSet<usize> = refused.iter().map(|(index, _)| *index).collect();
        let mut guests = HashSet::new();
        for (index, of) in self.records.iter().enumerate() {
            let Record::User(user) = &of.record else { continue };
            if !known.contains(&index) && !guests.insert(user.guest_id.as_str()) {
                refused.push((index, DomainError::UserRefused(UserRefusal::GuestIdRepeated)));
            }
        }
        refused.sort_by_key(|(index, _)| *index);
    }
}

/// How far a file is before and after a unit of work.
#[derive(Debug, Clone, Copy)]
struct Step {
    before: u64,
    records: u64,
    is_complete: bool,
    /// How many records are stored that are forgotten now.
    forgets: Option<u64>,
    sha256: Sha256,
}

impl Step {
    /// Writes down how much of the file is stored now.
    fn advance(self, unit: &mut BotUnit<'_>) -> Result<(), DomainError> {
        let Self { before, records, is_complete, forgets, sha256 } = self;
        let now = unit.now();
        if before == 0 {
            unit.tx.forget_old_imports(&unit.scope, now.minus(KNOWN))?;
        }
        if let Some(stored) = forgets {
            ensure_ours(unit.tx.forget_import(&unit.scope, sha256, stored)?)?;
        }
        let position = ImportPosition { sha256, records, is_complete, updated_at: now };
        ensure_ours(unit.tx.advance_import(&unit.scope, before, position)?)
    }
}

/// Refuses to go on with a file that another process has gone on with.
fn ensure_ours(is_ours: bool) -> Result<(), DomainError> {
    if is_ours {
        return Ok(());
    }
    Err(DomainError::Refused("another process has gone on with the same file".to_owned()))
}

/// Why records can't be stored, as far as the database knows it.
fn refusals<'a>(
    unit: &mut BotUnit<'_>,
    records: impl Iterator<Item = (usize, &'a Record)>,
) -> Result<Vec<(usize, DomainError)>, DomainError> {
    let (mut refused, mut users) = (Vec::new(), HashMap::<UserId, bool>::new());
    for (index, record) in records {
        match record {
            Record::User(user) => {
                if unit.tx.user_of_guest(&unit.scope, &user.guest_id)?.is_some() {
                    refused.push((index, DomainError::UserRefused(UserRefusal::GuestIdTaken)));
                }
            }
            Record::History(item) => {
                let id = item.user_id;
                let is_there = match users.get(&id) {
                    Some(is_there) => *is_there,
                    None => unit.tx.user(&unit.scope, id, Lock::None)?.is_some(),
                };
                users.insert(id, is_there);
                if !is_there {
                    refused.push((index, DomainError::NotFound(Resource::User)));
                }
            }
            Record::Usage(_)
            | Record::Feedback(_)
            | Record::Entry(_)
            | Record::VisualBlock(_)
            | Record::Tokens(_) => {}
        }
    }
    Ok(refused)
}

/// The error of records of which `count` others come before.
fn behind(count: usize, error: DomainError) -> DomainError {
    let DomainError::RecordsRefused(refused) = error else { return error };
    let refused = refused.into_iter().map(|(index, error)| (count + index, error));
    DomainError::RecordsRefused(refused.collect())
}
