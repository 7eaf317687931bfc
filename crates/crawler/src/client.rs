//! The client: one request, one answer. It has no cookies, no referrers, no credentials and no proxies,
//! follows nothing and decompresses nothing, because hyper's client has none of that to begin with.

use std::error::Error;
use std::iter::successors;
use std::time::Duration;

use bytes::Bytes;
use domain::crawl::{CrawlError, CrawlUrl};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, HeaderValue, USER_AGENT};
use hyper::{Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;

use crate::connector::{Connector, NoConnection};
use crate::guard::Guard;
use crate::settings::Settings;

/// How long a connection waits for the next request to its host.
const IDLE: Duration = Duration::from_secs(15);
/// How many bytes the head of an answer has at most, and how many of a body wait to be read.
const BUFFER: usize = 64 << 10;
/// What is asked for: pages, in the form that says most first.
const WANTED: &str =
    "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.1";

/// Why there can't be a crawler.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The user agent has characters that no header can have.
    #[error("the user agent can't be sent")]
    UserAgent,
    /// TLS can't be set up.
    #[error("TLS can't be set up: {0}")]
    Tls(#[from] rustls::Error),
}

type Http = legacy::Client<HttpsConnector<Connector>, Empty<Bytes>>;

/// Sends requests.
#[derive(Debug)]
pub(crate) struct Client {
    /// Made with the first request: reading all trusted certificates takes some 20 ms, which most starts of a
    /// server can do without.
    http: OnceCell<Http>,
    connector: Connector,
    tls: ConfigBuilder<ClientConfig, WantsVerifier>,
    connections_per_host: usize,
    user_agent: HeaderValue,
}

impl Client {
    pub(crate) fn new(settings: &Settings) -> Result<Self, SetupError> {
        let provider = rustls::crypto::ring::default_provider().into();
        let tls =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let user_agent =
            HeaderValue::from_str(&settings.user_agent).map_err(|_| SetupError::UserAgent)?;
        Ok(Self {
            http: OnceCell::new(),
            connector: Connector::new(Guard::new(settings), settings.connect_timeout),
            tls,
            connections_per_host: settings.connections_per_host,
            user_agent,
        })
    }

    async fn http(&self) -> &Http {
        let make = async || {
            // No certificate is trusted should that thread have failed, so that every page with TLS fails.
            let roots = spawn_blocking(trusted).await.unwrap_or_else(|_| RootCertStore::empty());
            let tls = self.tls.clone().with_root_certificates(roots).with_no_client_auth();
            let connector = HttpsConnectorBuilder::new()
                .with_tls_config(tls)
                .https_or_http()
                .enable_http1()
                .wrap_connector(self.connector.clone());
            legacy::Client::builder(TokioExecutor::new())
                .pool_timer(TokioTimer::new())
                .pool_idle_timeout(IDLE)
                .pool_max_idle_per_host(self.connections_per_host)
                .http1_max_buf_size(BUFFER)
                .build(connector)
        };
        self.http.get_or_init(make).await
    }

    /// Asks for a page; the body of the answer has not been read. It is for the caller to bound the time.
    ///
    /// # Errors
    /// There was no answer.
    pub(crate) async fn get(&self, url: &CrawlUrl) -> Result<Response<Incoming>, CrawlError> {
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = url.as_str().parse().map_err(|_| CrawlError::Unreachable)?;
        let headers = request.headers_mut();
        headers.insert(USER_AGENT, self.user_agent.clone());
        headers.insert(ACCEPT, HeaderValue::from_static(WANTED));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        self.http().await.request(request).await.map_err(|error| word(&error))
    }
}

/// What went wrong, in a word.
fn word(error: &legacy::Error) -> CrawlError {
    let sources = || successors(error.source(), |&error| error.source());
    if error.is_connect() {
        // What the connector did not say comes from the layer above it, which is TLS.
        let refused = sources().find_map(|error| error.downcast_ref::<NoConnection>());
        return refused.map_or(CrawlError::TlsFailed, |refused| refused.0);
    }
    let broken = sources().find_map(|error| error.downcast_ref::<hyper::Error>());
    // Heads of answers that are too large count as badly written, too.
    let is_badly_written = broken.is_some_and(hyper::Error::is_parse);
    if is_badly_written { CrawlError::BadContent } else { CrawlError::BrokenOff }
}

/// The certificates that this machine trusts, the ones of its own network included; where it has none, those
/// that Mozilla trusts.
fn trusted() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned());
    }
    roots
}
