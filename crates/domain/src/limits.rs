//! What tenants may use up.

use std::time::Duration;

/// The seconds of [`Limits::webhook_retries`]: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
const WEBHOOK_RETRIES: [u64; 9] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/// Numbers that bound what tenants can use up. Every one is a setting.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bots of a project, in any state; 0 switches the quota off.
    pub bots_per_project: u64,
    /// MaxAge rules of a project; 0 switches the quota off.
    pub max_age_rules_per_project: u32,
    /// Webhooks of a project; 0 switches the quota off.
    pub webhooks_per_project: u32,
    /// Bytes of all skills, stages, Fusion-Views and visual blocks of a bot, which bounds what a duplicate
    /// copies; 0 switches the quota off.
    pub content_per_bot: u64,
    /// Bytes of the same of all bots of a project, deleted ones included until their content is removed; 0 switches the
    /// quota off.
    pub content_per_project: u64,
    /// Bytes of the lists of skills in the stages of a bot, where each stage counts 4 KiB at least. It bounds what the
    /// rename of a skill reads and writes; 0 switches the quota off.
    pub skill_lists_per_bot: u64,
    /// Bytes of all blobs of a project; 0 switches the quota off.
    pub blob_bytes_per_project: u64,
    /// Bytes of one archive.
    pub archive_bytes: u64,
    /// Uploads of a project at once on one node.
    pub uploads_per_project: usize,
    /// Duplicates of a project's bots with more than 1 MiB of content that are being made at once, or were
    /// broken off and are not removed yet.
    pub duplicates_per_project: u32,
    /// How long a blob stays after nothing refers to it any more.
    pub blob_grace: Duration,
    /// How long after a clean-up of key-value entries the next one is due.
    pub clean_up_interval: Duration,
    /// Website-crawls of a project that run at once.
    pub crawls_per_project: u32,
    /// Website-crawls of a bot that run at once.
    pub crawls_per_bot: u32,
    /// Website-crawls of a project that wait.
    pub queued_crawls_per_project: u32,
    /// Website-crawls of a bot, ended ones included; 0 switches the quota off.
    pub kept_crawls_per_bot: u64,
    /// Pages of a website-crawl.
    pub crawl_pages: u32,
    /// Bytes that a website-crawl fetches.
    pub crawl_bytes: u64,
    /// How long a website-crawl takes.
    pub crawl_time: Duration,
    /// Documents of a project; 0 switches the quota off.
    pub documents_per_project: u64,
    /// Bytes of one document.
    pub document_bytes: u64,
    /// Extractions of a project that run at once.
    pub extractions_per_project: u32,
    /// Extractions of a project that wait.
    pub queued_extractions_per_project: u32,
    /// For how long a worker has a job before others may take it over.
    pub job_lease: Duration,
    /// For how long answers to requests with keys are kept.
    pub idempotency_keep: Duration,
    /// Answers to requests with keys that a project has; 0 switches the bound off.
    pub idempotency_keys_per_project: u64,
    /// Bytes of the answers to requests with keys that a project has; 0 switches the bound off.
    pub idempotency_bytes_per_project: u64,
    /// For how long events are kept.
    pub events_keep: Duration,
    /// Events of a project; beyond it the oldest go; 0 sets no bound.
    pub events_per_project: u64,
    /// Deliveries to webhooks of a project that are under way at once on one node.
    pub deliveries_per_project: usize,
    /// How long after a failed attempt an event is sent to a webhook again: after the first, the second, and so on.
    pub webhook_retries: Vec<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bots_per_project: 10_000,
            max_age_rules_per_project: 100,
            webhooks_per_project: 100,
            content_per_bot: 256 << 20,
            content_per_project: 4 << 30,
            skill_lists_per_bot: 4 << 20,
            blob_bytes_per_project: 50 << 30,
            archive_bytes: 256 << 20,
            uploads_per_project: 8,
            duplicates_per_project: 4,
            blob_grace: Duration::from_secs(60 * 60),
            clean_up_interval: Duration::from_secs(30),
            crawls_per_project: 10,
            crawls_per_bot: 2,
            queued_crawls_per_project: 100,
            kept_crawls_per_bot: 1_000,
            crawl_pages: 5_000,
            crawl_bytes: 500 << 20,
            crawl_time: Duration::from_secs(60 * 60),
            documents_per_project: 100_000,
            document_bytes: 100 << 20,
            extractions_per_project: 2,
            queued_extractions_per_project: 100,
            job_lease: Duration::from_secs(60),
            idempotency_keep: Duration::from_secs(24 * 60 * 60),
            idempotency_keys_per_project: 100_000,
            idempotency_bytes_per_project: 64 << 20,
            events_keep: Duration::from_secs(7 * 24 * 60 * 60),
            events_per_project: 1_000_000,
            deliveries_per_project: 8,
            webhook_retries: WEBHOOK_RETRIES.map(Duration::from_secs).to_vec(),
        }
    }
}
