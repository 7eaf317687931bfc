//! How pages are asked for: what stands in a request, and in a word what went wrong.

use bytes::Bytes;
use domain::crawl::{CrawlError, CrawlUrl};
use egress::{EgressError, SetupError};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, HeaderValue};
use hyper::{Request, Response};

use crate::settings::Settings;

/// How many bytes the head of an answer has at most, and how many of a body wait to be read.
const BUFFER: usize = 64 << 10;
/// How many names are looked up at once: as many as 16 crawls need, which is what a node does by default, and of which
/// a project has ten. A name service that does not answer keeps none of the others waiting.
const LOOK_UPS: usize = 64;
/// What is asked for: pages, in the form that says most first.
const WANTED: &str =
    "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.1";

/// Sends requests.
#[derive(Debug)]
pub(crate) struct Client {
    egress: egress::Client<Empty<Bytes>>,
}

impl Client {
    pub(crate) fn new(settings: &Settings) -> Result<Self, SetupError> {
        let egress = egress::Client::new(&egress::Settings {
            user_agent: settings.user_agent.clone(),
            allow_networks: settings.allow_networks.clone(),
            closed: settings.closed.clone(),
            connect_timeout: settings.connect_timeout,
            idle_per_host: settings.connections_per_host,
            buffer: BUFFER,
            look_ups: LOOK_UPS,
        })?;
        Ok(Self { egress })
    }

    /// Asks for a page; the body of the answer has not been read. It is for the caller to bound the time.
    ///
    /// # Errors
    /// There was no answer.
    pub(crate) async fn get(&self, url: &CrawlUrl) -> Result<Response<Incoming>, CrawlError> {
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = url.as_str().parse().map_err(|_| CrawlError::Unreachable)?;
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static(WANTED));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        self.egress.request(request).await.map_err(word)
    }
}

/// What went wrong, in the words of crawls.
fn word(error: EgressError) -> CrawlError {
    match error {
        EgressError::BlockedAddress => CrawlError::BlockedAddress,
        EgressError::BlockedPort => CrawlError::BlockedPort,
        EgressError::DnsFailed => CrawlError::DnsFailed,
        EgressError::Unreachable => CrawlError::Unreachable,
        EgressError::TlsFailed => CrawlError::TlsFailed,
        EgressError::BadAnswer => CrawlError::BadContent,
        EgressError::BrokenOff => CrawlError::BrokenOff,
    }
}
