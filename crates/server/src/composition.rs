//! Puts the parts together: the database and the blob store that the settings name, and the
//! services on them.

use std::sync::Arc;
use std::thread::available_parallelism;

use anyhow::{Context, Result};
use archive::{ArchiveLimits, ArchivePolicy};
use blob_store::BlobStore;
use domain::audit::AuditActor;
use domain::blob::{BlobError, Blobs};
use domain::document::TextExtractor;
use domain::input::{InputSettings, ModelSources};
use domain::{Botyard, BotyardBuilder, Limits};
use http_actix::{HttpLimits, HttpOptions, Pace, RateLimit, RenderMetrics};
use secret_cipher::FileCipher;
use storage_diesel::system::botyard_on;
use storage_diesel::{DieselStore, Options};

use crate::encryption::key_file;
use crate::folder_lock::make_folder;
use crate::operator::OPERATOR;
use crate::outgoing::Outgoing;
use crate::settings::{BlobUrl, DatabaseUrl, Settings};

/// The services and the database under them.
pub struct Composition {
    /// The services.
    pub botyard: Botyard,
    /// The database, to be closed at the end.
    pub store: Arc<DieselStore>,
    parts: Parts,
}

/// What services are made of, except for what sends requests to other servers.
#[derive(Clone)]
struct Parts {
    builder: BotyardBuilder,
    input: InputSettings,
}

impl Parts {
    fn with(self, outgoing: Outgoing) -> Botyard {
        let input = InputSettings { crawls_any_port: outgoing.any_port, ..self.input };
        self.builder
            .crawler(outgoing.crawler)
            .webhook_sender(outgoing.webhook_sender)
            .input_settings(input)
            .build()
    }
}

impl Composition {
    /// The same services, whose changes are recorded in the audit log as those of a person.
    pub fn acting_for(&self, actor: &AuditActor) -> Self {
        let mut parts = self.parts.clone();
        parts.builder = parts.builder.audit(OPERATOR, actor.clone());
        let botyard = parts.clone().with(Outgoing::none());
        Self { botyard, store: self.store.clone(), parts }
    }

    /// The same services with something else that sends requests to other servers.
    pub fn with_outgoing(&self, outgoing: Outgoing) -> Botyard {
        self.parts.clone().with(outgoing)
    }
}

/// Brings the database up to date, creating it if need be; returns the migrations that it lacked.
///
/// # Errors
/// If the database can't be opened, or a migration fails.
pub fn migrate(settings: &Settings) -> Result<Vec<String>> {
    let url = settings.direct_url();
    storage_diesel::migrate(url).with_context(|| url.to_string())
}

/// Opens the blob store, and makes sure that it can be used.
///
/// # Errors
/// If it can't.
pub async fn open_blobs(settings: &Settings) -> Result<Arc<BlobStore>> {
    let url = &settings.blob_url;
    make_folder(&settings.data_dir)?;
    if let BlobUrl::Folder(folder) = url {
        make_folder(folder)?;
    }
    let named = || format!("setting blob_url: {url}");
    let blobs = BlobStore::open(url, settings.data_dir.join("uploads")).with_context(named)?;
    let blobs = blobs.with_reserve(settings.disk.reserve as u64);
    match blobs.check().await {
        // What is there can be read and removed.
        Err(BlobError::Full(reason)) => tracing::warn!("no room for files: {reason}"),
        checked => checked.with_context(named)?,
    }
    Ok(Arc::new(blobs))
}

/// The blob store as it is, for commands that only look at it; `None` if it is a folder that is not there.
///
/// # Errors
/// If it can't be opened.
pub fn find_blobs(settings: &Settings) -> Result<Option<Arc<BlobStore>>> {
    let url = &settings.blob_url;
    if matches!(url, BlobUrl::Folder(folder) if !folder.is_dir()) {
        return Ok(None);
    }
    // Nothing is taken in, so any folder does for what comes in.
    let blobs = BlobStore::open(url, std::env::temp_dir());
    let blobs = blobs.with_context(|| format!("setting blob_url: {url}"))?;
    Ok(Some(Arc::new(blobs)))
}

/// Opens the database, and puts the services on it, on the blob store, on the crawler and on the
/// extractor of documents.
///
/// # Errors
/// If the database can't be opened, or its schema is not this binary's.
pub fn open(
    settings: &Settings,
    blobs: Arc<dyn Blobs>,
    outgoing: Outgoing,
    extractor: Arc<dyn TextExtractor>,
) -> Result<Composition> {
    let limits = &settings.limits;
    let options = Options {
        readers: settings.database.readers_on(cores()) as usize,
        writers: settings.database.writers_on(cores()) as usize,
        listen_url: match &settings.database.listen_url {
            Some(DatabaseUrl::Postgres(url)) => Some(url.clone()),
            Some(DatabaseUrl::Sqlite(_)) | None => None,
        },
        prepared_statements: settings.database.prepares(),
        queue: limits.queue,
        content_memory: limits.content_memory as u64,
        write_batch: limits.write_batch,
        write_batch_time: limits.write_batch_time,
        reserve: settings.disk.reserve as u64,
        ..Options::default()
    };
    let url = &settings.database_url;
    let store = DieselStore::open(url, options).with_context(|| url.to_string())?;
    let store = Arc::new(store);
    let parts = Parts {
        builder: botyard_on(store.clone())
            .blobs(blobs)
            .archives(Arc::new(ArchivePolicy::new(archive_limits(settings))))
            .extractor(extractor)
            .cipher(Arc::new(FileCipher::new(key_file(settings))))
            .limits(domain_limits(settings)),
        input: InputSettings {
            model_sources: ModelSources {
                hosted: settings.model_sources.hosted.clone(),
                selfhosted: settings.model_sources.selfhosted.clone(),
            },
            package_types: settings.fusion.package_types.clone(),
            ..InputSettings::default()
        },
    };
    Ok(Composition { botyard: parts.clone().with(outgoing), store, parts })
}

fn domain_limits(settings: &Settings) -> Limits {
    let (limits, crawler) = (&settings.limits, &settings.crawler);
    Limits {
        bots_per_project: limits.bots_per_project,
        max_age_rules_per_project: limits.max_age_rules_per_project,
        webhooks_per_project: limits.webhooks_per_project,
        content_per_bot: limits.content_per_bot as u64,
        skill_lists_per_bot: limits.skill_lists_per_bot as u64,
        content_per_project: limits.content_per_project as u64,
        blob_bytes_per_project: limits.blob_bytes_per_project as u64,
        archive_bytes: limits.archive as u64,
        uploads_per_project: limits.uploads_per_project,
        duplicates_per_project: limits.duplicates_per_project,
        blob_grace: settings.blobs.grace,
        clean_up_interval: settings.cleanup.interval,
        crawls_per_project: limits.crawls_per_project,
        crawls_per_bot: limits.crawls_per_bot,
        kept_crawls_per_bot: limits.kept_crawls_per_bot,
        queued_crawls_per_project: limits.queued_crawls_per_project,
        crawl_pages: crawler.pages,
        crawl_bytes: crawler.bytes as u64,
        crawl_time: crawler.time,
        documents_per_project: limits.documents_per_project,
        document_bytes: limits.document_bytes as u64,
        extractions_per_project: settings
            .extraction
            .share_of_project(limits.extractions_per_project, cores()),
        queued_extractions_per_project: limits.queued_extractions_per_project,
        job_lease: settings.jobs.lease,
        idempotency_keep: settings.idempotency.keep,
        idempotency_keys_per_project: settings.idempotency.keys_per_project,
        idempotency_bytes_per_project: settings.idempotency.bytes_per_project as u64,
        events_keep: settings.events.keep,
        events_per_project: settings.events.max_per_project,
        deliveries_per_project: settings.webhooks.workers_per_project,
        webhook_retries: settings.webhooks.retries.clone(),
    }
}

fn archive_limits(settings: &Settings) -> ArchiveLimits {
    let limits = &settings.limits;
    ArchiveLimits {
        entries: limits.archive_entries,
        entry_bytes: limits.archive_entry as u64,
        total_bytes: limits.archive_total as u64,
        ratio: limits.archive_ratio,
        ratio_from: limits.archive_ratio_from as u64,
        time: limits.archive_time,
    }
}

/// The options of the HTTP layer.
pub fn http_options(settings: &Settings, metrics: Option<RenderMetrics>) -> HttpOptions {
    let limits = &settings.limits;
    let rate = &settings.rate_limit;
    let rate_of = |requests_per_second, burst| {
        let burst = if burst == 0 { requests_per_second } else { burst };
        (requests_per_second > 0).then_some(RateLimit { requests_per_second, burst })
    };
    HttpOptions {
        bot_header: settings.auth.bot_header.clone(),
        project_header: settings.auth.project_header.clone(),
        limits: HttpLimits {
            path: limits.path,
            path_segment: limits.path_segment,
            json_body: limits.json_body,
            bot_body: limits.bot_body,
            metadata_body: limits.metadata_body,
            keyval_body: limits.keyval_body,
            plan_body: limits.plan_body,
            archive: limits.archive as u64,
            document: limits.document_bytes as u64,
            form_parts: limits.form_parts,
            form_part_head: limits.form_part_head,
            form_text: limits.form_text,
            body_pace: Pace {
                pause: limits.body_pause,
                rate: limits.body_rate as u64,
                rate_after: limits.body_rate_after,
            },
            body_memory: limits.body_memory as u64,
            requests_in_flight: limits.requests_in_flight,
            requests_per_project: limits.requests_per_project(),
            lists_per_project: limits.lists_per_project,
            event_streams: settings.events.streams,
            event_streams_per_project: settings.events.streams_per_project,
            event_streams_per_token: settings.events.streams_per_token,
            handler_timeout: limits.handler_timeout,
            upload_timeout: limits.upload_timeout,
        },
        token_rate: rate_of(rate.requests_per_second, rate.burst),
        project_rate: rate_of(rate.project_requests_per_second, rate.project_burst),
        extraction_wait: settings.extraction.wait,
        cors_origins: settings.cors.allowed_origins.clone(),
        trusted_proxies: settings.trusted_proxies.clone(),
        public_url: settings.public_url.clone(),
        metrics,
    }
}

/// The cores that this process may use.
pub fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}
