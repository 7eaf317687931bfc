//! What every service works with, and the one way in which content of a bot is written.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use crate::access::{BotClaim, BotScope, Operator, ProjectScope};
use crate::archive::ArchiveCheck;
use crate::blob::Blobs;
use crate::body::Rules;
use crate::bot::Bot;
use crate::changelog::{Action, ChangedResource, ChangelogEntry, FieldChange};
use crate::clock::Clock;
use crate::crawl::WebCrawler;
use crate::document::TextExtractor;
use crate::entropy::Entropy;
use crate::error::{Busy, DomainError, Quota};
use crate::id::{BotId, ChangelogEntryId, Ids, ProjectId};
use crate::job::{Bell, Job, Progress};
use crate::keyval::AccessTimes;
use crate::limits::Limits;
use crate::lock::Lock;
use crate::ports::Ports;
use crate::store::{Repositories, Store};

/// How many changelog entries are in memory at once, where one unit writes them for many bots.
const RECORDED_AT_ONCE: usize = 1_000;

/// The ports and rules that the services share.
pub(crate) struct Context {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) ids: Ids,
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) archives: Arc<dyn ArchiveCheck>,
    pub(crate) crawler: Arc<dyn WebCrawler>,
    pub(crate) extractor: Arc<dyn TextExtractor>,
    pub(crate) limits: Limits,
    pub(crate) rules: Arc<Rules>,
    pub(crate) job_bell: Bell,
    /// When key-value entries were read last.
    pub(crate) accesses: AccessTimes,
    /// How many key-value entries went by MaxAge rules.
    pub(crate) cleaned_up: AtomicU64,
    /// Bots whose changelog grew since it was last trimmed.
    grown_changelogs: Mutex<HashSet<BotId>>,
    uploads: Arc<Uploads>,
}

/// How many uploads are in progress, by project.
type Uploads = Mutex<HashMap<ProjectId, usize>>;

/// Stands for one upload in progress.
pub(crate) struct UploadSlot {
    project: ProjectId,
    uploads: Arc<Uploads>,
}

impl Drop for UploadSlot {
    fn drop(&mut self) {
        let mut uploads = self.uploads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = uploads.get_mut(&self.project) {
            *count -= 1;
            if *count == 0 {
                uploads.remove(&self.project);
            }
        }
    }
}

impl Context {
    pub(crate) fn new(ports: Ports, limits: Limits, rules: Arc<Rules>) -> Self {
        let Ports { store, clock, entropy, blobs, archives, crawler, extractor } = ports;
        let ids = Ids::new(clock.clone(), entropy.clone());
        let (grown_changelogs, uploads) = (Mutex::default(), Arc::default());
        Self {
            store,
            clock,
            entropy,
            ids,
            blobs,
            archives,
            crawler,
            extractor,
            limits,
            rules,
            job_bell: Bell::default(),
            accesses: AccessTimes::default(),
            cleaned_up: AtomicU64::default(),
            grown_changelogs,
            uploads,
        }
    }

    /// Checks, after something of a bot went from so many bytes to so many, that the bot has no more
    /// content than it may. What does not grow is let through, also where the quota was lowered.
    pub(crate) fn check_content(
        &self,
        tx: &mut dyn Repositories,
        scope: &BotScope,
        (before, after): (usize, usize),
    ) -> Result<(), DomainError> {
        let limit = self.limits.content_per_bot;
        if limit > 0 && after > before && tx.content_bytes(scope)? > limit {
            return Err(DomainError::QuotaExceeded(Quota::ContentPerBot(limit)));
        }
        Ok(())
    }

    /// Counts an upload of the project in, for as long as the slot lives.
    pub(crate) fn begin_upload(&self, project: ProjectId) -> Result<UploadSlot, DomainError> {
        let limit = self.limits.uploads_per_project;
        let mut uploads = self.uploads.lock().unwrap_or_else(PoisonError::into_inner);
        let count = uploads.entry(project).or_default();
        if *count >= limit {
            return Err(DomainError::Busy(Busy::Uploads(limit)));
        }
        *count += 1;
        Ok(UploadSlot { project, uploads: self.uploads.clone() })
    }

    /// Reads of a bot in one unit, which begins by looking the bot up.
    pub(crate) async fn read_bot<T, F>(&self, claim: &BotClaim, unit: F) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories, &BotScope) -> Result<T, DomainError> + Send + 'static,
    {
        let claim = claim.clone();
        self.store
            .read(move |tx| {
                let scope = claim.scope(tx, Lock::None)?;
                unit(tx, &scope)
            })
            .await
    }

    /// As [`Self::read_bot`], for what takes a few look-ups by key.
    pub(crate) async fn look_up_of_bot<T, F>(
        &self,
        claim: &BotClaim,
        unit: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories, &BotScope) -> Result<T, DomainError> + Send + 'static,
    {
        let claim = claim.clone();
        self.store
            .look_up(move |tx| {
                let scope = claim.scope(tx, Lock::None)?;
                unit(tx, &scope)
            })
            .await
    }

    /// Changes what a bot has in one unit, which begins by looking the bot up and holding it. Times
    /// and ids of the change are taken inside of it: what took effect later must not look earlier.
    pub(crate) async fn write_bot<T, F>(
        &self,
        claim: &BotClaim,
        lock: Lock,
        unit: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories, &BotScope) -> Result<T, DomainError> + Send + 'static,
    {
        let (bot, claim) = (claim.bot_id(), claim.clone());
        let unit = move |tx: &mut dyn Repositories| {
            let scope = claim.scope(tx, lock)?;
            unit(tx, &scope)
        };
        self.write_recorded(bot, unit).await
    }

    /// Does a step of a job in one unit, unless another worker has the job by now.
    pub(crate) async fn step<F>(
        &self,
        operator: Operator,
        job: &Job,
        unit: F,
    ) -> Result<Progress, DomainError>
    where
        F: Fn(&mut dyn Repositories) -> Result<Progress, DomainError> + Send + 'static,
    {
        let job = job.clone();
        let unit = move |tx: &mut dyn Repositories| {
            if !tx.holds_job(operator, &job)? {
                return Ok(Progress::Lost);
            }
            unit(tx)
        };
        self.store.write(unit).await
    }

    /// As [`Self::write_bot`], for units that need the bot itself.
    pub(crate) async fn write_whole_bot<T, F>(
        &self,
        claim: &BotClaim,
        lock: Lock,
        unit: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories, Bot, &BotScope) -> Result<T, DomainError> + Send + 'static,
    {
        let (bot, claim) = (claim.bot_id(), claim.clone());
        let unit = move |tx: &mut dyn Repositories| {
            let (bot, scope) = claim.resolve(tx, lock)?;
            unit(tx, bot, &scope)
        };
        self.write_recorded(bot, unit).await
    }

    /// Runs a unit that writes into the changelog of this bot.
    async fn write_recorded<T, F>(&self, bot: BotId, unit: F) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    {
        let done = self.store.write(unit).await?;
        self.changelog_grew(bot);
        Ok(done)
    }

    /// Writes a change into the changelog of the bot that `scope` stands for.
    pub(crate) fn record(
        &self,
        tx: &mut dyn Repositories,
        scope: &BotScope,
        (action, resource): (Action, ChangedResource),
        resource_id: impl ToString,
        changes: &[FieldChange],
    ) -> Result<(), DomainError> {
        let id = ChangelogEntryId::from_uuid(self.ids.next());
        let at = self.clock.now();
        let entry = ChangelogEntry::new(id, at, scope, action, resource, resource_id, changes);
        Ok(tx.record(scope, &entry)?)
    }

    /// Writes what was done to many things into the changelogs of bots of the project: of each thing the
    /// bot, its identifier, and what changed.
    pub(crate) fn record_all<I: ToString>(
        &self,
        tx: &mut dyn Repositories,
        scope: &ProjectScope,
        (action, resource): (Action, ChangedResource),
        changes: impl IntoIterator<Item = (BotId, I, FieldChange)>,
    ) -> Result<(), DomainError> {
        let at = self.clock.now();
        let mut entries = changes.into_iter().map(|(bot, resource_id, change)| {
            let id = ChangelogEntryId::from_uuid(self.ids.next());
            let scope = scope.with_bot(bot);
            ChangelogEntry::new(id, at, &scope, action, resource, resource_id, &[change])
        });
        loop {
            let some: Vec<_> = entries.by_ref().take(RECORDED_AT_ONCE).collect();
            if some.is_empty() {
                return Ok(());
            }
            tx.record_all(scope, &some)?;
        }
    }

    /// Remembers a bot whose changelog may have to be trimmed.
    pub(crate) fn changelog_grew(&self, bot: BotId) {
        self.grown_changelogs.lock().unwrap_or_else(PoisonError::into_inner).insert(bot);
    }

    /// The bots remembered since the last call.
    pub(crate) fn take_grown_changelogs(&self) -> Vec<BotId> {
        self.grown_changelogs.lock().unwrap_or_else(PoisonError::into_inner).drain().collect()
    }
}
