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
    DatabaseUrl, HeaderName, List, LogFilter, LogFormat, ModelSource, Optional, Origin, Positive,
    PublicUrl, Size,
};

settings! {
    /// Everything that can be set.
    Settings {
        /// Address and port on which the server listens; port 0 picks a free one.
        listen: SocketAddr = "127.0.0.1:8080";
        /// Folder of everything that the server keeps in files; it is made when it is missing.
        data_dir: PathBuf = "./data";
        /// The database: a SQLite file or a PostgreSQL server; empty means the file `botyard.db` in
        /// `data_dir`.
        database_url: DatabaseUrl = "";
        /// The address under which clients reach the server, where it must name itself; empty when
        /// there is none.
        public_url: Optional<PublicUrl> = "";
        /// Networks of the proxies whose `X-Forwarded-*` headers are believed; a bare address
        /// counts as a network of one.
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

    /// How fast each token may call; beyond it the answer is 429.
    rate_limit: RateLimitSettings {
        /// Requests a second for each token; 0 sets no limit.
        requests_per_second: u32 = "0";
        /// Requests that a token which has been quiet may send at once; 0 means as many as
        /// `rate_limit.requests_per_second`.
        burst: u32 = "0";
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

    /// What happens after SIGTERM.
    shutdown: ShutdownSettings {
        /// How long new connections are still accepted while `/readyz` answers 503, so that a load
        /// balancer can turn to other nodes first.
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
    }

    /// Threads that serve HTTP.
    http: HttpSettings {
        /// Worker threads; 0 means as many as there are cores.
        workers: usize = "0";
    }

    /// Connections to the database.
    database: DatabaseSettings {
        /// SQLite: connections that read beside the one that writes; PostgreSQL: connections of
        /// the pool; 0 means twice the cores, at least 4 and at most 32.
        readers: u32 = "0";
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
        /// Bots in a project; beyond it the answer is 403; 0 sets no quota.
        bots_per_project: u64 = "10000";
        /// Requests in progress at once on a node; beyond it the answer is 503.
        requests_in_flight: Positive<usize> = "4096";
        /// Open connections on a node; beyond it no more are accepted until one is closed.
        connections: Positive<usize> = "10000";
        /// Units of work that wait for the database; beyond it the answer is 503.
        queue: Positive<usize> = "4096";
        /// How long the head of a connection's first request may take to come in.
        request_head_timeout: Positive<Duration> = "5s";
        /// How long a connection without a request stays open.
        keep_alive: Positive<Duration> = "15s";
        /// How long a request may take to be answered; beyond it the answer is 503.
        handler_timeout: Positive<Duration> = "30s";
        /// SQLite: units of work that share one commit at most.
        write_batch: Positive<usize> = "256";
        /// SQLite: how long a commit collects units of work at most.
        write_batch_time: Positive<Duration> = "5ms";
    }
}
