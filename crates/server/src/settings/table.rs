//! The table of settings: names, kinds, defaults and what each is for.
//!
//! To add a setting, add its sentence and its line here, use the new field of [`Settings`], and
//! refresh `docs/settings.md` with `cargo xtask openapi`. A value that no kind describes yet gets
//! one in [`kinds`](super::kinds).

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;

use super::define::settings;
use super::kinds::{
    BlobUrl, CollectorUrl, DatabaseUrl, HeaderName, List, LogFilter, LogFormat, ModelSource,
    Optional, Origin, PackageType, Positive, PublicUrl, Size, UserAgent,
};

settings! {
    /// Everything that can be set.
    Settings {
        /// Address and port on which the server listens; port 0 picks a free one.
        listen: SocketAddr = "127.0.0.1:8080";
        /// Folder of everything that the server keeps in files; it is made when it is missing.
        data_dir: PathBuf = "./data";
        /// The database: a SQLite file or a PostgreSQL server; empty means the file `botyard.db` in `data_dir`.
        database_url: DatabaseUrl = "";
        /// The blob store: a folder or a bucket, which nodes that share a database share as well; empty
        /// means the folder `blobs` in `data_dir`.
        blob_url: BlobUrl = "";
        /// The address under which clients reach the server, where it must name itself; empty when there is none.
        public_url: Optional<PublicUrl> = "";
        /// Networks of the proxies whose `X-Forwarded-*` headers are believed; a bare address is a network of one.
        trusted_proxies: List<IpNet> = "";
    }

    /// The headers in which tokens come.
    auth: AuthSettings {
        /// Header of the token for one bot (APIKeyHeader).
        bot_header: HeaderName = "X-Api-Key";
        /// Header of the token for a project and its bots (APIKeyHeaderProject).
        project_header: HeaderName = "X-Project-Api-Key";
    }

    /// The two values that a bot's `modelSource` may take.
    model_sources: ModelSourceSettings {
        /// The value for models that run elsewhere.
        hosted: ModelSource = "hosted";
        /// The value for models of one's own.
        selfhosted: ModelSource = "selfhosted";
    }

    /// Fusion-Views.
    fusion: FusionSettings {
        /// The values of `type` with which a Fusion-View can have a package uploaded.
        package_types: List<PackageType> = "website,webapp,scorm,h5p,webgl";
    }

    /// How fast each token, and each project with all its tokens, may call; beyond it the answer is 429.
    rate_limit: RateLimitSettings {
        /// Requests a second for each token; 0 sets no limit.
        requests_per_second: u32 = "0";
        /// Requests that a token which has been quiet may send at once; 0 means as many as
        /// `rate_limit.requests_per_second`.
        burst: u32 = "0";
        /// Requests a second for each project, with all tokens of it and of its bots, on a node; 0 sets no limit.
        project_requests_per_second: u32 = "1000";
        /// Requests that a project which has been quiet may send at once; 0 means as many as
        /// `rate_limit.project_requests_per_second`.
        project_burst: u32 = "2000";
    }

    /// What scripts on other websites may do.
    cors: CorsSettings {
        /// Origins whose scripts may call the API, each named exactly; empty means none.
        allowed_origins: List<Origin> = "";
    }

    /// The life of bots.
    bots: BotSettings {
        /// How long a bot stays in the trash before it is deleted for good; 0s keeps it for ever.
        purge_trash_after: Duration = "0s";
    }

    /// Uploaded files.
    blobs: BlobSettings {
        /// How long a file stays after nothing refers to it any more; longer than a backup takes, which copies the
        /// database first and the files second.
        grace: Duration = "1h";
    }

    /// Secrets in the database, which are encrypted.
    secrets: SecretSettings {
        /// The file of the keys with which they are encrypted, which nodes that share a database share as well, and
        /// which belongs in no backup of the database; it is made when it is missing and no key has been used yet, and
        /// empty means the file `secrets.key` in `data_dir`.
        key_file: PathBuf = "";
    }

    /// The disks of the database file and of uploaded files.
    disk: DiskSettings {
        /// How much stays free for deletes: while a disk has less, whatever adds to it is refused and the server is not
        /// ready; 0 keeps nothing back.
        reserve: Size = "64MiB";
    }

    /// Key-value entries that go by MaxAge rules.
    cleanup: CleanupSettings {
        /// How long after a clean-up the next one begins.
        interval: Positive<Duration> = "30s";
    }

    /// Work that is done later, beside the requests.
    jobs: JobSettings {
        /// How long other nodes wait for a node that does not answer before they take over its job; the least is 1s.
        lease: Duration = "60s";
        /// Jobs that a node does at once, beside website-crawls and extractions.
        workers: Positive<usize> = "2";
    }

    /// Website-crawls: how the web is asked, and how much of it is taken.
    crawler: CrawlerSettings {
        /// What the crawler calls itself; empty means `botyard/` with the version, and `public_url` where there is one.
        user_agent: UserAgent = "";
        /// Networks that crawls may reach although they are not public, on every port; empty means none, and everybody
        /// who can start a crawl can read what is opened here.
        allow_networks: List<IpNet> = "";
        /// How long after the beginning of a request the next one to the same host may begin; what a site's
        /// `robots.txt` asks for can make it longer.
        delay: Duration = "200ms";
        /// Requests of a node to one host at once, whichever crawls they are for.
        connections_per_host: Positive<usize> = "4";
        /// How long finding the address of a host may take, and then connecting.
        connect_timeout: Positive<Duration> = "5s";
        /// How long fetching a page may take, redirects included and waiting for its turn not.
        page_timeout: Positive<Duration> = "30s";
        /// A page as it comes over the wire; beyond it the page has an error and no content.
        wire_bytes: Positive<Size> = "10MiB";
        /// The same when it is decompressed.
        inflated_bytes: Positive<Size> = "20MiB";
        /// Redirects on the way to one page; beyond it the page has an error.
        redirects: u8 = "5";
        /// How much of a `robots.txt` counts.
        robots_bytes: Positive<Size> = "512KiB";
        /// Pages of one crawl; beyond it the crawl ends with what it has.
        pages: Positive<u32> = "5000";
        /// All that one crawl fetches; beyond it the crawl ends with what it has.
        bytes: Positive<Size> = "500MiB";
        /// How long one crawl may take; beyond it the crawl ends with what it has.
        time: Positive<Duration> = "60m";
        /// Crawls that a node does at once.
        workers: Positive<usize> = "16";
    }

    /// Documents: how they are made into chunks, and what that may take.
    extraction: ExtractionSettings {
        /// How long a request that uploads, replaces or extracts a document waits for its chunks; then the answer is
        /// that they are still to come; 0s does not wait.
        wait: Duration = "20s";
        /// Documents that a node extracts at once, each in a process of its own; 0 means half of the cores, at least 2.
        workers: usize = "0";
        /// How long the extraction of a document may take; beyond it, as with all that follow, it fails.
        time: Positive<Duration> = "120s";
        /// How long its process may compute.
        cpu: Positive<Duration> = "60s";
        /// Memory of its process; the least is 256MiB.
        memory: Positive<Size> = "1GiB";
        /// What its process answers.
        result: Positive<Size> = "64MiB";
        /// Text of a document.
        text: Positive<Size> = "20MiB";
        /// Chunks of a document.
        chunks: Positive<u32> = "100000";
        /// Pages of a document that has pages.
        pages: Positive<u32> = "2000";
        /// Pages and images of a document in which text is read from what they show.
        ocr_pages: Positive<u32> = "200";
        /// Pixels of an image in which text is read.
        image_pixels: Positive<u64> = "50000000";
        /// Files in a document that is an archive of them, as those of Office are.
        archive_entries: Positive<u32> = "10000";
        /// All of them together, unpacked.
        archive_total: Positive<Size> = "512MiB";
        /// How deep elements may lie in one another in a document that is made of XML.
        xml_depth: Positive<u32> = "256";
    }

    /// Answers to requests with an `Idempotency-Key`, which are given again when such a request is repeated.
    idempotency: IdempotencySettings {
        /// How long they are kept.
        keep: Positive<Duration> = "24h";
        /// Answers of a project; beyond it the oldest go; 0 sets no bound.
        keys_per_project: u64 = "100000";
        /// Bytes of the answers of a project; beyond it the oldest go; 0 sets no bound.
        bytes_per_project: Size = "64MiB";
    }

    /// Events: what has happened in a project.
    events: EventsSettings {
        /// How long they are kept.
        keep: Positive<Duration> = "168h";
        /// Events of a project; beyond it the oldest go; 0 sets no bound.
        max_per_project: u64 = "1000000";
        /// Streams of events that are open at once on a node; beyond it the answer is 429.
        streams: Positive<usize> = "1000";
        /// Streams of one project that are open at once on a node; beyond it the answer is 429.
        streams_per_project: Positive<usize> = "100";
        /// Streams of one token that are open at once on a node; beyond it the answer is 429.
        streams_per_token: Positive<usize> = "10";
    }

    /// Webhooks, which send events to other servers.
    webhooks: WebhooksSettings {
        /// How long an attempt may take, from finding the address to the head of the answer.
        timeout: Positive<Duration> = "15s";
        /// How long after a failed attempt the next one is due, after the first, the second, and so on, each up to a
        /// tenth longer; there are no more attempts than these and the first.
        retries: List<Duration> = "5s,5m,30m,2h,5h,10h,14h,20h,24h";
        /// Networks that webhooks may reach although they are not public, on every port; empty means none, and
        /// everybody who can create a webhook can send requests to what is opened here.
        allow_networks: List<IpNet> = "";
        /// Deliveries that a node has under way at once.
        workers: Positive<usize> = "64";
        /// Deliveries of one project that a node has under way at once.
        workers_per_project: Positive<usize> = "8";
    }

    /// What happens after SIGTERM.
    shutdown: ShutdownSettings {
        /// How long new connections are still accepted while `/readyz` answers 503, so that a load balancer can turn to
        /// other nodes first.
        delay: Duration = "0s";
        /// How long requests in progress may take to end before they are cut off.
        grace: Duration = "20s";
    }

    /// Prometheus metrics.
    metrics: MetricsSettings {
        /// Address and port that serve `/metrics` instead of `listen`; empty serves it on `listen`.
        listen: Optional<SocketAddr> = "";
    }

    /// The log, on standard error.
    log: LogSettings {
        /// How lines are written; `auto` is text on a terminal and JSON elsewhere.
        format: LogFormat = "auto";
        /// The least level that is logged, for all or for single modules.
        level: LogFilter = "info";
        /// Bytes of log lines that wait because standard error is not read; further lines are dropped and counted.
        buffer: Positive<Size> = "4MiB";
    }

    /// Spans of requests for an OpenTelemetry collector.
    otlp: OtlpSettings {
        /// The collector, which takes OTLP over HTTP at `/v1/traces` below this address, in a build with the feature
        /// `otlp`, as packages are; empty when there is none.
        endpoint: Optional<CollectorUrl> = "";
        /// Of the requests without a valid `traceparent`, one in so many becomes a span; those with one do if their
        /// caller records the trace.
        one_in: Positive<u32> = "1";
    }

    /// Threads that serve HTTP.
    http: HttpSettings {
        /// Worker threads; 0 means as many as there are cores.
        workers: usize = "0";
    }

    /// Connections to the database.
    database: DatabaseSettings {
        /// Connections that read; a project can use half of them at once, on SQLite no more than half of the cores; 0
        /// means twice the cores, at least 8 and at most 16.
        readers: u32 = "0";
        /// PostgreSQL: connections that write, beside those that read; a project can use half of them at once; 0 means
        /// twice the cores, at least 8 and at most 16; SQLite has one.
        writers: u32 = "0";
        /// PostgreSQL: the address of the server itself, if `database_url` leads to a pooler that pools by transaction,
        /// such as PgBouncer; migrations and the session that listens go there.
        listen_url: Optional<DatabaseUrl> = "";
        /// PostgreSQL: whether each session prepares its statements once, which PgBouncer allows from version 1.21 on;
        /// empty means that it does unless `database.listen_url` is set.
        prepared_statements: Optional<bool> = "";
    }

    /// Bounds that keep one client, or one mistake, from taking the server away from all others.
    limits: Limits {
        /// Path and query of a request in all; beyond it the answer is 414.
        path: Positive<Size> = "8KiB";
        /// One decoded segment of a path; beyond it the answer is 414.
        path_segment: Positive<Size> = "4KiB";
        /// A JSON body; beyond it the answer is 413.
        json_body: Positive<Size> = "2MiB";
        /// The JSON body that creates or updates a bot; beyond it the answer is 413.
        bot_body: Positive<Size> = "20MiB";
        /// The JSON body that creates or updates a Fusion-View or a user; beyond it the answer is 413.
        metadata_body: Positive<Size> = "68KiB";
        /// The JSON body that stores a key-value entry; beyond it the answer is 413.
        keyval_body: Positive<Size> = "1088KiB";
        /// The JSON body that lists files for a plan of uploads; beyond it the answer is 413.
        plan_body: Positive<Size> = "4MiB";
        /// A package that is uploaded; beyond it the answer is 413.
        archive: Positive<Size> = "256MiB";
        /// Entries of a package, folders included; beyond it the answer is 422.
        archive_entries: Positive<u64> = "10000";
        /// One entry of a package, unpacked; beyond it the answer is 422.
        archive_entry: Positive<Size> = "256MiB";
        /// All entries of a package together, unpacked; beyond it the answer is 422.
        archive_total: Positive<Size> = "1GiB";
        /// How many times its packed size an entry of a package may have, unpacked; beyond it the answer is 422.
        archive_ratio: Positive<u64> = "200";
        /// Entries of a package up to this size may have any ratio, because small texts pack well.
        archive_ratio_from: Size = "10MiB";
        /// How long a package may take to be checked; beyond it the answer is 422.
        archive_time: Positive<Duration> = "30s";
        /// Parts of a form; beyond it the answer is 422.
        form_parts: Positive<usize> = "16";
        /// The head of one part of a form; beyond it the answer is 422.
        form_part_head: Positive<Size> = "8KiB";
        /// A field of a form that is no file; beyond it the answer is 422.
        form_text: Positive<Size> = "8KiB";
        /// Bots in a project; beyond it the answer is 403; 0 sets no quota.
        bots_per_project: u64 = "10000";
        /// MaxAge rules of a project; beyond it the answer is 403; 0 sets no quota.
        max_age_rules_per_project: u32 = "100";
        /// Webhooks of a project; beyond it the answer is 403; 0 sets no quota.
        webhooks_per_project: u32 = "100";
        /// Skills, stages, Fusion-Views and visual blocks of a bot, in bytes, without uploaded files; beyond it the
        /// answer is 403; 0 sets no quota.
        content_per_bot: Size = "256MiB";
        /// The same of all bots of a project, in bytes; a deleted bot counts until its content is removed, and a
        /// duplicate while it is made; beyond it the answer is 403; 0 sets no quota.
        content_per_project: Size = "4GiB";
        /// The lists of skills in a bot's stages, a stage counting 4 KiB at least; beyond it: 403; 0 sets no quota.
        skill_lists_per_bot: Size = "4MiB";
        /// Uploaded files of a project, in bytes; beyond it the answer is 413; 0 sets no quota.
        blob_bytes_per_project: Size = "50GiB";
        /// Uploads of a project at once on a node; beyond it the answer is 429.
        uploads_per_project: Positive<usize> = "8";
        /// Duplicates of a project's bots with more than 1 MiB of content that are being made at once, or were broken
        /// off and are not removed yet; beyond it the answer is 429.
        duplicates_per_project: Positive<u32> = "4";
        /// Website-crawls of a project at once; beyond it they wait.
        crawls_per_project: Positive<u32> = "10";
        /// Website-crawls of a bot at once; beyond it they wait.
        crawls_per_bot: Positive<u32> = "2";
        /// Website-crawls of a bot, those that have ended included; beyond it the answer is 403; 0 sets no quota.
        kept_crawls_per_bot: u64 = "1000";
        /// Website-crawls of a project that wait; beyond it the answer is 429.
        queued_crawls_per_project: Positive<u32> = "100";
        /// A document that is uploaded; beyond it the answer is 413.
        document_bytes: Positive<Size> = "100MiB";
        /// Documents of a project; beyond it the answer is 403; 0 sets no quota.
        documents_per_project: u64 = "100000";
        /// Documents of a project that are extracted at once, fewer than a node has workers if several; beyond it they wait.
        extractions_per_project: Positive<u32> = "2";
        /// Documents of a project that wait to be extracted; beyond it the answer is 429.
        queued_extractions_per_project: Positive<u32> = "100";
        /// Requests in progress at once on a node; beyond it the answer is 503.
        requests_in_flight: Positive<usize> = "4096";
        /// Requests of one project in progress at once on a node; beyond it the answer is 429; 0 means a quarter of
        /// `limits.requests_in_flight`.
        requests_in_flight_per_project: usize = "0";
        /// Lists without `limit` of one project that are sent at once on a node; beyond it the answer is 429.
        lists_per_project: Positive<usize> = "64";
        /// Open connections on a node; beyond it no more are accepted until one is closed.
        connections: Positive<usize> = "10000";
        /// Units of work that wait for the database; beyond it the answer is 503.
        queue: Positive<usize> = "4096";
        /// Contents that were read from the database and are not sent yet, of which a project has half; beyond it
        /// requests for contents of more than 16 KiB wait, and are answered with 503 after 10 s.
        content_memory: Positive<Size> = "32MiB";
        /// Bodies of JSON of requests in progress, of which a project has half; beyond it bodies of more than 16 KiB
        /// wait, and are answered with 503 after 10 s.
        body_memory: Positive<Size> = "64MiB";
        /// Open connections of one address, or of one IPv6 network of 64 bits, that is none of `trusted_proxies`;
        /// beyond it further ones are closed at once; 0 means half of all.
        connections_per_address: usize = "0";
        /// How long the head of a request may take to come in; beyond it the answer is 408.
        request_head_timeout: Positive<Duration> = "5s";
        /// How long nothing of a body may come; beyond it the answer is 408.
        body_pause: Positive<Duration> = "10s";
        /// Bytes a second that must come of a body on average while the server waits for it; below it the answer is
        /// 408; 0 sets no rate.
        body_rate: Size = "4KiB";
        /// How long the average does not count.
        body_rate_after: Duration = "15s";
        /// How long a connection without a request stays open.
        keep_alive: Positive<Duration> = "15s";
        /// How long a client may take nothing of its answer before the connection is closed.
        standstill_timeout: Positive<Duration> = "30s";
        /// How long a request may take to be answered; beyond it the answer is 503, or 408 if its body is not complete.
        handler_timeout: Positive<Duration> = "30s";
        /// The same for a request that uploads a file.
        upload_timeout: Positive<Duration> = "10m";
        /// Units of work that share one commit at most.
        write_batch: Positive<usize> = "256";
        /// How long a commit collects units of work at most; on SQLite one that takes a fifth of it is its last.
        write_batch_time: Positive<Duration> = "5ms";
    }
}
