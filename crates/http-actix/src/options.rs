//! The options of the HTTP layer, which its caller passes in.

use std::sync::Arc;
use std::time::Duration;

use domain::access::Scheme;
use ipnet::IpNet;

/// Bounds on what comes in. Each is a setting `limits.*`.
#[derive(Debug, Clone)]
pub struct HttpLimits {
    /// Path and query together, in bytes.
    pub path: usize,
    /// One path segment, decoded, in bytes.
    pub path_segment: usize,
    /// A JSON body, in bytes.
    pub json_body: usize,
    /// The body of bot create and update, in bytes.
    pub bot_body: usize,
    /// Bytes of the JSON body that creates or updates a Fusion-View: its 64 KiB of metadata, and room
    /// for the rest.
    pub metadata_body: usize,
    /// Bytes of the JSON body that stores a key-value entry: its 1 MiB of value, and room for the
    /// rest.
    pub keyval_body: usize,
    /// The largest JSON body that lists the files of a client.
    pub plan_body: usize,
    /// An archive that is uploaded, in bytes.
    pub archive: u64,
    /// A document that is uploaded, in bytes.
    pub document: u64,
    /// Parts of a form.
    pub form_parts: usize,
    /// The head of one part of a form, in bytes.
    pub form_part_head: usize,
    /// A text field of a form, in bytes.
    pub form_text: usize,
    /// How fast a body must come.
    pub body_pace: Pace,
    /// All bodies together that are read whole, in bytes.
    pub body_memory: u64,
    /// Requests in progress at once.
    pub requests_in_flight: usize,
    /// Requests in progress of one project at once.
    pub requests_per_project: usize,
    /// Whole lists of one project that are sent at once.
    pub lists_per_project: usize,
    /// Streams of events that are open at once.
    pub event_streams: usize,
    /// Those of one project.
    pub event_streams_per_project: usize,
    /// Those of one token.
    pub event_streams_per_token: usize,
    /// How long a request may take before it is answered with 503.
    pub handler_timeout: Duration,
    /// The same for a request that uploads a file.
    pub upload_timeout: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            path: 8 << 10,
            path_segment: 4 << 10,
            json_body: 2 << 20,
            bot_body: 20 << 20,
            metadata_body: 68 << 10,
            keyval_body: (1 << 20) + (64 << 10),
            plan_body: 4 << 20,
            archive: 256 << 20,
            document: 100 << 20,
            form_parts: 16,
            form_part_head: 8 << 10,
            form_text: 8 << 10,
            body_pace: Pace {
                pause: Duration::from_secs(10),
                rate: 4 << 10,
                rate_after: Duration::from_secs(15),
            },
            body_memory: 64 << 20,
            requests_in_flight: 4_096,
            requests_per_project: 1_024,
            lists_per_project: 64,
            event_streams: 1_000,
            event_streams_per_project: 100,
            event_streams_per_token: 10,
            handler_timeout: Duration::from_secs(30),
            upload_timeout: Duration::from_secs(600),
        }
    }
}

/// How fast a client must send a body. Only the time counts in which it is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The longest pause between two reads.
    pub pause: Duration,
    /// The lowest average rate in bytes a second; 0 for none.
    pub rate: u64,
    /// The time after which the average rate is enforced.
    pub rate_after: Duration,
}

impl Pace {
    /// How long the next byte may be waited for, after so many bytes within this time.
    pub(crate) fn timeout(&self, received: u64, waited: Duration) -> Duration {
        let Some(earned) = received.checked_div(self.rate).map(Duration::from_secs) else {
            return self.pause;
        };
        self.pause.min(earned.max(self.rate_after).saturating_sub(waited))
    }
}

/// How often a token or a project may call.
#[derive(Debug, Clone, Copy)]
pub struct RateLimit {
    /// Requests a second in the long run.
    pub requests_per_second: u32,
    /// Requests at once.
    pub burst: u32,
}

/// Renders the metrics in Prometheus' text format.
pub type RenderMetrics = Arc<dyn Fn() -> String + Send + Sync>;

/// The options of the HTTP layer.
#[derive(Clone)]
pub struct HttpOptions {
    /// The header of the scheme `APIKeyHeader`.
    pub bot_header: String,
    /// The header of the scheme `APIKeyHeaderProject`.
    pub project_header: String,
    /// Bounds on what comes in.
    pub limits: HttpLimits,
    /// How often one token may be used; `None` for no limit.
    pub token_rate: Option<RateLimit>,
    /// How often all tokens of one project and its bots may be used; `None` for no limit.
    pub project_rate: Option<RateLimit>,
    /// How long a request waits for the extraction that it asks for, beyond the time that it has
    /// otherwise; zero for not at all.
    pub extraction_wait: Duration,
    /// Origins that browsers may call from; none switches CORS off.
    pub cors_origins: Vec<String>,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Where the service is reached from outside, for the API document.
    pub public_url: Option<String>,
    /// What `/metrics` answers; `None` if it is served elsewhere or not at all.
    pub metrics: Option<RenderMetrics>,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            bot_header: "X-Api-Key".into(),
            project_header: "X-Project-Api-Key".into(),
            limits: HttpLimits::default(),
            token_rate: None,
            project_rate: None,
            extraction_wait: Duration::from_secs(20),
            cors_origins: Vec::new(),
            trusted_proxies: Vec::new(),
            public_url: None,
            metrics: None,
        }
    }
}

impl HttpOptions {
    /// The header in which a token of this scheme is presented.
    #[must_use]
    pub fn token_header(&self, scheme: Scheme) -> &str {
        match scheme {
            Scheme::Bot => &self.bot_header,
            Scheme::Project => &self.project_header,
        }
    }
}

/// How the server treats its sockets.
#[derive(Debug, Clone)]
pub struct SocketOptions {
    /// Threads that answer requests.
    pub workers: usize,
    /// Open connections of all workers together.
    pub connections: usize,
    /// Open connections of one address, if it is no trusted proxy's.
    pub connections_per_address: usize,
    /// How long the head of a request may take from its first byte, and the first byte of a connection.
    pub request_head_timeout: Duration,
    /// How long a connection stays open without a request.
    pub keep_alive: Duration,
    /// How long a client may take nothing of its answer.
    pub standstill_timeout: Duration,
    /// How long requests in progress may take when the server stops.
    pub shutdown_grace: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_waited_for_as_long_as_its_pace_is_right() {
        let second = Duration::from_secs(1);
        let pace = Pace { pause: 10 * second, rate: 4_096, rate_after: 15 * second };
        for (received, waited, timeout) in [
            (0, 0, 10),
            (1, 4, 10),
            (1, 6, 9),
            (1, 15, 0),
            (16 * 4_096, 15, 1),
            (100 * 4_096, 15, 10),
            (100 * 4_096, 99, 1),
            (100 * 4_096, 200, 0),
        ] {
            let found = pace.timeout(received, waited * second);
            assert_eq!(found, timeout * second, "{received} bytes in {waited} s");
        }
        assert_eq!(Pace { rate: 0, ..pace }.timeout(0, 100 * second), 10 * second);
    }
}
