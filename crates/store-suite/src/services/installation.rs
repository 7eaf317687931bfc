//! The services on the store of a world, with a clock to set, and blobs, a site and a reader of files in
//! memory.

use std::sync::Arc;
use std::time::Duration;

use crate::services::fake_extractor::FakeExtractor;
use crate::services::site::Site;
use crate::world::{NOW, OPERATOR, World, project_of, wait};
use domain::access::BotClaim;
use domain::blob::BlobKey;
use domain::bot::Bot;
use domain::error::DomainError;
use domain::fusion::{FusionFile, FusionView, PackageUpload};
use domain::id::BlobId;
use domain::input::{Input, Valid};
use domain::job::{Job, JobKind, Queue, StepOutcome};
use domain::skill::Skill;
use domain::stage::Stage;
use domain::store::Store;
use domain::testing::{MemoryBlobs, SetClock, TrustingArchives};
use domain::{Botyard, BotyardBuilder, Limits};

pub(crate) struct Installation {
    pub world: World,
    pub botyard: Botyard,
    pub clock: Arc<SetClock>,
    pub blobs: Arc<MemoryBlobs>,
    pub site: Arc<Site>,
    pub extractor: Arc<FakeExtractor>,
    limits: Limits,
}

impl Installation {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self::with(store, Limits::default())
    }

    pub fn with(store: Arc<dyn Store>, limits: Limits) -> Self {
        let world = World::new(store);
        let clock = Arc::new(SetClock::at(NOW));
        let blobs = Arc::new(MemoryBlobs::new(clock.clone()));
        let site = Arc::<Site>::default();
        let extractor = Arc::<FakeExtractor>::default();
        let botyard = Botyard::builder(world.store.clone(), clock.clone(), world.entropy())
            .blobs(blobs.clone())
            .archives(Arc::new(TrustingArchives))
            .crawler(site.clone())
            .extractor(extractor.clone())
            .limits(limits.clone())
            .build();
        Self { world, botyard, clock, blobs, site, extractor, limits }
    }

    /// The same services on the same blobs, but on the store that is given, such as an `InterceptedStore`.
    pub fn behind(&self, store: Arc<dyn Store>) -> Botyard {
        Botyard::builder(store, self.clock.clone(), self.world.entropy())
            .blobs(self.blobs.clone())
            .archives(Arc::new(TrustingArchives))
            .crawler(self.site.clone())
            .extractor(self.extractor.clone())
            .limits(self.limits.clone())
            .build()
    }

    /// Begins to put services on the same database.
    pub fn builder(&self) -> BotyardBuilder {
        Botyard::builder(self.world.store.clone(), self.clock.clone(), self.world.entropy())
    }

    /// Lets so much time have passed since everything was made.
    pub fn wait_until(&self, since: Duration) {
        self.clock.set(NOW + i64::try_from(since.as_millis()).unwrap());
    }

    /// A body that is in order.
    pub fn body<B: Input>(&self, json: &str) -> Valid<B> {
        B::parse(json.as_bytes(), self.botyard.input_settings()).unwrap()
    }

    /// An input that is in order.
    pub fn valid<B: Input>(&self, input: &B) -> Valid<B> {
        input.check(self.botyard.input_settings()).unwrap()
    }

    pub fn create_skill(&self, claim: &BotClaim, json: &str) -> Result<Skill, DomainError> {
        wait(self.botyard.skills.create(claim, self.body(json)))
    }

    pub fn create_stage(&self, claim: &BotClaim, json: &str) -> Stage {
        wait(self.botyard.stages.create(claim, self.body(json))).unwrap()
    }

    /// A Fusion-View of a type that can have a package.
    pub fn create_view(&self, claim: &BotClaim) -> FusionView {
        let request = self.body(r#"{"type":"h5p","title":"View","b":1.10,"a":null,"c":{}}"#);
        wait(self.botyard.fusion.create(claim, request)).unwrap()
    }

    pub fn begin_upload(
        &self,
        claim: &BotClaim,
        view: &FusionView,
    ) -> Result<PackageUpload, DomainError> {
        wait(self.botyard.fusion.begin_upload(claim, view.id))
    }

    pub fn upload(
        &self,
        claim: &BotClaim,
        view: &FusionView,
        content: &str,
    ) -> Result<FusionFile, DomainError> {
        let mut upload = self.begin_upload(claim, view)?;
        wait(upload.write(&package(content)))?;
        let (id, file) = wait(upload.finish(Some("course.zip")))?;
        assert_eq!(id, view.id);
        Ok(file)
    }

    /// Does all jobs that are due; returns their kinds.
    pub fn work(&self) -> Vec<JobKind> {
        let jobs = &self.botyard.jobs;
        let mut done = Vec::new();
        while let Some(job) = self.claim() {
            let progress = loop {
                match wait(jobs.step(OPERATOR, &job)) {
                    Ok(StepOutcome::Continue) => {}
                    end => break end,
                }
            };
            match progress {
                Ok(StepOutcome::NoFreeSlot) => wait(jobs.defer(OPERATOR, &job)).unwrap(),
                Ok(_) => wait(jobs.finish(OPERATOR, &job)).unwrap(),
                Err(error) => wait(jobs.fail(OPERATOR, &job, &error)).unwrap(),
            }
            done.push(job.kind);
        }
        done
    }

    /// Claims a job that is due, whichever workers do it.
    pub fn claim(&self) -> Option<Job> {
        let claim = |queue| wait(self.botyard.jobs.claim(OPERATOR, queue)).unwrap();
        [Queue::Maintenance, Queue::Crawls, Queue::Extractions].into_iter().find_map(claim)
    }

    pub fn jobs(&self) -> Vec<Job> {
        wait(self.botyard.jobs.page(OPERATOR, None, 1_000)).unwrap()
    }

    /// The bytes that the database counts for the project of a bot.
    pub fn counted_bytes(&self, bot: &Bot) -> u64 {
        let scope = project_of(&self.world.scope(bot));
        self.world.read(move |tx| Ok(tx.blob_bytes(&scope)?))
    }

    /// The blobs whose bytes are there, in the order of their identifiers.
    pub fn stored(&self) -> Vec<BlobId> {
        let mut ids: Vec<_> = self.blobs.keys().iter().filter_map(BlobKey::blob_id).collect();
        ids.sort_unstable();
        ids
    }

    /// What the changelog of a bot says, oldest first: action, resource, its identifier, changes.
    pub fn changelog_entries(
        &self,
        bot: &Bot,
    ) -> Vec<(&'static str, &'static str, String, String)> {
        let entries = self.world.changelog(&self.world.scope(bot), None, u32::MAX);
        let entries = entries.into_iter().rev().map(|entry| {
            let changes = entry.changes.as_str().to_owned();
            (entry.action.as_str(), entry.resource.as_str(), entry.resource_id, changes)
        });
        entries.collect()
    }
}

/// Bytes that begin like an archive.
pub(crate) fn package(content: &str) -> Vec<u8> {
    [b"PK\x03\x04", content.as_bytes()].concat()
}
