//! The two clients, and how they send requests.

use std::fmt;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH, LINK,
    RETRY_AFTER,
};
use reqwest::multipart::Form;
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder, Response};
use rustls::crypto::{CryptoProvider, ring};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::{Host, Url};

use crate::{Error, Page, Refusal, Result, Tagged};

/// How long it may take to reach the server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// After how long a silent connection is probed. There is no other limit: an upload, or the deletion of all entries,
/// takes as long as it takes.
const KEEPALIVE: Duration = Duration::from_secs(30);
/// What stands in a part of a path as it is (RFC 3986, section 2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Calls the API with a token for one bot. Clones share their connections.
#[derive(Debug, Clone)]
pub struct BotClient {
    pub(crate) http: Http,
}

/// Calls the API with a token for a project. Clones share their connections.
#[derive(Debug, Clone)]
pub struct ProjectClient {
    pub(crate) http: Http,
}

/// What a client of either scheme is made with, and what its changes can depend on.
macro_rules! client {
    ($Client:ident, $header:literal) => {
        impl $Client {
            /// A client of the server at this address, such as `https://bots.example`. Proxies are those of the usual
            /// variables (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`), but for a server on this machine. If the program
            /// has not chosen a provider of cryptography for rustls, this makes `ring` the one of the process.
            ///
            /// # Errors
            /// If the address or the token can't be sent, or TLS can't be set up.
            pub fn new(address: &str, token: &str) -> Result<Self> {
                Ok(Self { http: Http::new(address, $header, token)? })
            }

            /// The same client, for changes that take place only if what they change is in the state with this entity
            /// tag ([`Tagged::entity_tag`]). Otherwise they are refused with the status 412, and what has no tag can't
            /// be changed with it.
            #[must_use]
            pub fn if_match(&self, tag: impl Into<String>) -> Self {
                Self { http: self.http.only_if(IF_MATCH, tag.into()) }
            }

            /// The same client, to store a key-value entry only where there is none.
            #[must_use]
            pub fn if_absent(&self) -> Self {
                Self { http: self.http.only_if(IF_NONE_MATCH, "*".to_owned()) }
            }

            /// The same client, for one change that takes effect once, however often it is called: a later call gets
            /// the answer of the first. The key is 1 to 255 visible ASCII characters, best a new random UUID for each
            /// change.
            #[must_use]
            pub fn once(&self, key: impl Into<String>) -> Self {
                Self { http: self.http.once(key.into()) }
            }
        }
    };
}

client!(BotClient, "X-Api-Key");
client!(ProjectClient, "X-Project-Api-Key");

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A server and a token.
#[derive(Clone)]
pub(crate) struct Http {
    client: reqwest::Client,
    address: Url,
    precondition: Option<(HeaderName, String)>,
    idempotency_key: Option<String>,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the client, which has the token.
        f.debug_tuple("Http").field(&self.address.as_str()).finish()
    }
}

impl Http {
    #[expect(clippy::disallowed_methods, reason = "it calls the server that its program names")]
    fn new(address: &str, header: &'static str, token: &str) -> Result<Self> {
        let address = Url::parse(address).map_err(|_| Error::Address)?;
        let has_more = !address.username().is_empty()
            || address.password().is_some()
            || address.query().is_some()
            || address.fragment().is_some();
        if has_more || !matches!(address.scheme(), "http" | "https") {
            return Err(Error::Address);
        }
        let mut token = HeaderValue::from_str(token).map_err(|_| Error::Token)?;
        token.set_sensitive(true);
        let mut headers = HeaderMap::new();
        headers.insert(header, token);
        if CryptoProvider::get_default().is_none() {
            // An error means that another thread was faster.
            let _ = ring::default_provider().install_default();
        }
        let mut client = reqwest::Client::builder()
            .default_headers(headers)
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_keepalive(KEEPALIVE)
            // The API sends none, and a token belongs to one server.
            .redirect(Policy::none())
            .user_agent(concat!("botyard-client/", env!("CARGO_PKG_VERSION")));
        if is_on_this_machine(&address) {
            client = client.no_proxy();
        }
        Ok(Self { client: client.build()?, address, precondition: None, idempotency_key: None })
    }

    fn only_if(&self, header: HeaderName, tag: String) -> Self {
        Self { precondition: Some((header, tag)), ..self.clone() }
    }

    fn once(&self, key: String) -> Self {
        Self { idempotency_key: Some(key), ..self.clone() }
    }

    /// Begins a request. The parts of the path are as they are meant, not encoded.
    pub(crate) fn request(&self, method: Method, path: &[&str]) -> Result<Request> {
        let mut whole = self.address.path().trim_end_matches('/').to_owned();
        for part in path {
            // In a URL they are steps, also encoded, and lead to another resource.
            if matches!(*part, "" | "." | "..") {
                return Err(Error::Path((*part).to_owned()));
            }
            whole.push('/');
            whole.extend(utf8_percent_encode(part, ENCODED));
        }
        let mut url = self.address.clone();
        url.set_path(&whole);
        let mut request = self.client.request(method, url);
        if let Some((header, tag)) = &self.precondition {
            request = request.header(header, tag);
        }
        if let Some(key) = &self.idempotency_key {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        Ok(Request(request))
    }
}

/// A request that is being put together.
pub(crate) struct Request(RequestBuilder);

impl Request {
    pub(crate) fn query(self, query: &impl Serialize) -> Self {
        Self(self.0.query(query))
    }

    pub(crate) fn header(self, name: &'static str, value: &str) -> Self {
        Self(self.0.header(name, value))
    }

    pub(crate) fn json(self, body: &impl Serialize) -> Result<Self> {
        let body = serde_json::to_vec(body).map_err(Error::Body)?;
        Ok(Self(self.0.header(CONTENT_TYPE, "application/json").body(body)))
    }

    pub(crate) fn form(self, form: Form) -> Self {
        Self(self.0.multipart(form))
    }

    /// Sends it, and returns the answer of a success.
    ///
    /// # Errors
    /// If there is no answer, or a refusal.
    pub(crate) async fn send(self) -> Result<Response> {
        let response = self.0.send().await?;
        let status = response.status();
        if status.is_success() || status == reqwest::StatusCode::NOT_MODIFIED {
            return Ok(response);
        }
        let seconds = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = seconds.and_then(|text| text.parse().ok()).map(Duration::from_secs);
        let problem = read(response).await?;
        Err(Error::Refused(Box::new(Refusal { problem, retry_after })))
    }

    /// The thing that the answer describes.
    pub(crate) async fn one<T: DeserializeOwned>(self) -> Result<T> {
        read(self.send().await?).await
    }

    /// The thing that the answer describes, and the tag of its state.
    pub(crate) async fn tagged<T: DeserializeOwned>(self) -> Result<Tagged<T>> {
        let response = self.send().await?;
        let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
        let tag = tag.map(str::to_owned);
        Ok(Tagged { entity_tag: tag, inner: read(response).await? })
    }

    /// The page of a list.
    pub(crate) async fn page<T: DeserializeOwned>(self) -> Result<Page<T>> {
        let response = self.send().await?;
        let next = next_cursor(response.url(), response.headers());
        let header = |name: &str| response.headers().get(name)?.to_str().ok();
        let total = header("x-total-count").and_then(|value| value.parse().ok());
        let follow = header("x-follow-cursor").map(str::to_owned);
        Ok(Page { next, total, follow, items: read(response).await? })
    }
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T> {
    let status = response.status().as_u16();
    let body = response.bytes().await?;
    serde_json::from_slice(&body).map_err(|source| Error::Answer { status, source })
}

fn is_on_this_machine(address: &Url) -> bool {
    match address.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// The cursor in `Link: <…?cursor=…>; rel="next"` (RFC 8288), which is `after` for events. There may be other links, of
/// a proxy.
fn next_cursor(url: &Url, headers: &HeaderMap) -> Option<String> {
    let links = headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok());
    // No comma stands in a cursor or in a path of the API.
    let mut links = links.flat_map(|value| value.split(','));
    let target = links.find_map(|link| {
        let (target, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
        parameters.split(';').any(|one| one.trim() == "rel=\"next\"").then_some(target)
    })?;
    let next = url.join(target).ok()?;
    next.query_pairs()
        .find_map(|(name, value)| matches!(&*name, "cursor" | "after").then(|| value.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url_of(address: &str, path: &[&str]) -> Result<String> {
        let http = Http::new(address, "X-Api-Key", "byb_1")?;
        Ok(http.request(Method::GET, path)?.0.build()?.url().to_string())
    }

    #[test]
    fn parts_of_a_path_are_encoded() {
        let url = url_of("http://localhost:1/behind/", &["keyval", "a/b", "100 %?#", "é"]).unwrap();
        assert_eq!(url, "http://localhost:1/behind/keyval/a%2Fb/100%20%25%3F%23/%C3%A9");
    }

    #[test]
    fn parts_that_a_url_can_not_have_are_refused() {
        for part in ["", ".", ".."] {
            let refused = url_of("http://localhost:1", &["keyval", part, "key"]);
            assert!(matches!(refused, Err(Error::Path(name)) if name == part), "{part:?}");
        }
        // These are names like any other.
        for (part, encoded) in [("%2e%2e", "%252e%252e"), ("..\n", "..%0A"), ("a\tb\r", "a%09b%0D")]
        {
            let url = url_of("http://localhost:1", &["keyval", part]).unwrap();
            assert_eq!(url, format!("http://localhost:1/keyval/{encoded}"));
        }
    }

    #[test]
    fn an_address_without_a_server_and_a_token_with_a_line_break_are_refused() {
        for address in [
            "",
            "localhost:8080",
            "/api",
            "ftp://localhost",
            "mailto:a@b",
            "http://user:secret@localhost",
            "http://localhost/?a=1",
            "http://localhost/#a",
        ] {
            assert!(matches!(BotClient::new(address, "byb_1"), Err(Error::Address)), "{address}");
        }
        let refused = ProjectClient::new("http://localhost", "byp_1\nX: y");
        assert!(matches!(refused, Err(Error::Token)));
    }

    #[test]
    fn a_client_does_not_show_its_token() {
        let client = ProjectClient::new("http://localhost:1", "byp_secret").unwrap();
        assert!(!format!("{client:?}").contains("byp_"), "{client:?}");
    }

    #[test]
    fn the_next_page_is_found_by_its_cursor() {
        let url = Url::parse("http://localhost:1/api/bots?limit=2").unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(next_cursor(&url, &headers), None);
        let link = "</api/bots?limit=2&cursor=a%20b>; rel=\"next\"";
        headers.insert(LINK, HeaderValue::from_static(link));
        assert_eq!(next_cursor(&url, &headers).as_deref(), Some("a b"));
        headers.insert(LINK, HeaderValue::from_static("</style.css>; rel=preload"));
        assert_eq!(next_cursor(&url, &headers), None);
        headers.append(LINK, HeaderValue::from_static(link));
        assert_eq!(next_cursor(&url, &headers).as_deref(), Some("a b"));
    }

    #[test]
    fn a_server_on_this_machine_is_recognised() {
        for (address, expected) in [
            ("http://localhost:1", true),
            ("http://127.1.2.3", true),
            ("http://[::1]:1", true),
            ("https://bots.example", false),
            ("http://10.0.0.1", false),
        ] {
            assert_eq!(is_on_this_machine(&Url::parse(address).unwrap()), expected, "{address}");
        }
    }
}
