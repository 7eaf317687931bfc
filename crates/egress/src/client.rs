//! The client: one request, one answer. It has no cookies, no referrers, no credentials and no proxies,
//! follows nothing and decompresses nothing, because hyper's client has none of that to begin with.

use std::error::Error;
use std::iter::successors;
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::header::{HeaderValue, USER_AGENT};
use hyper::{Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;

use crate::connector::Connector;
use crate::error::EgressError;
use crate::guard::Guard;
use crate::settings::Settings;

/// How long a connection waits for the next request to its host.
const IDLE: Duration = Duration::from_secs(15);
/// The least that hyper takes as the bound of its buffers.
const BUFFER_MIN: usize = 8 << 10;

/// Why there can't be a client.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The user agent has characters that no header can have.
    #[error("the user agent can't be sent")]
    UserAgent,
    /// TLS can't be set up.
    #[error("TLS can't be set up: {0}")]
    Tls(#[from] rustls::Error),
}

type Http<B> = legacy::Client<HttpsConnector<Connector>, B>;

/// Sends requests whose bodies are `B`, over HTTP/1 with or without TLS. Needs a tokio runtime, and one that goes on
/// running until the client is dropped: connections live in the runtime that began them, and later requests use them
/// again.
#[derive(Debug)]
pub struct Client<B> {
    /// Made with the first request: reading all trusted certificates takes some 20 ms, which most starts of a
    /// server can do without.
    http: OnceCell<Http<B>>,
    connector: Connector,
    user_agent: HeaderValue,
    tls: ConfigBuilder<ClientConfig, WantsVerifier>,
    idle_per_host: usize,
    buffer: usize,
}

impl<B> Client<B>
where
    B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + Unpin + 'static,
{
    /// A client with these settings.
    ///
    /// # Errors
    /// The settings can't be kept, or TLS can't be set up.
    pub fn new(settings: &Settings) -> Result<Self, SetupError> {
        let user_agent =
            HeaderValue::from_str(&settings.user_agent).map_err(|_| SetupError::UserAgent)?;
        let provider = rustls::crypto::ring::default_provider().into();
        let tls =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        Ok(Self {
            http: OnceCell::new(),
            connector: Connector::new(
                Guard::new(settings),
                settings.connect_timeout,
                settings.look_ups,
            ),
            user_agent,
            tls,
            idle_per_host: settings.idle_per_host,
            buffer: settings.buffer.max(BUFFER_MIN),
        })
    }

    async fn http(&self) -> &Http<B> {
        let make = async || {
            // No certificate is trusted should that thread have failed, so that every request with TLS fails.
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
                .pool_max_idle_per_host(self.idle_per_host)
                .http1_max_buf_size(self.buffer)
                .retry_canceled_requests(true)
                .build(connector)
        };
        self.http.get_or_init(make).await
    }

    /// Sends a request, with the user agent, to the absolute URL in it; the body of the answer has not been read. It is
    /// for the caller to bound the time. A connection that the other side closed while it was idle costs nothing if
    /// that is noticed before anything of the request was sent: it is then sent over another one.
    ///
    /// # Errors
    /// There was no answer.
    pub async fn request(
        &self,
        mut request: Request<B>,
    ) -> Result<Response<Incoming>, EgressError> {
        request.headers_mut().insert(USER_AGENT, self.user_agent.clone());
        self.http().await.request(request).await.map_err(|error| word(&error))
    }
}

/// What went wrong, in a word.
fn word(error: &legacy::Error) -> EgressError {
    let sources = || successors(error.source(), |&error| error.source());
    if error.is_connect() {
        // What the connector did not say comes from the layer above it, which is TLS.
        let refused = sources().find_map(|error| error.downcast_ref());
        return refused.copied().unwrap_or(EgressError::TlsFailed);
    }
    let broken = sources().find_map(|error| error.downcast_ref::<hyper::Error>());
    // Heads of answers that are too large count as badly written, too.
    let is_badly_written = broken.is_some_and(hyper::Error::is_parse);
    if is_badly_written { EgressError::BadAnswer } else { EgressError::BrokenOff }
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
