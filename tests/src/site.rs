//! A site on loopback, for tests of what crawls one or posts to it: it gives the answers that were set, remembers
//! requests, and can keep them waiting.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::sync::{Notify, oneshot};

/// Settings with which a server crawls the sites of tests, and without pauses.
pub const CRAWLS_LOOPBACK: [(&str, &str); 2] =
    [("CRAWLER__ALLOW_NETWORKS", "127.0.0.0/8"), ("CRAWLER__DELAY", "0s")];

/// What a site answers to one path.
#[derive(Debug, Clone)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Bytes,
}

impl Reply {
    /// An answer with this status, and nothing in it.
    #[must_use]
    pub const fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Bytes::new() }
    }

    /// A page with a title, a paragraph of text, and links to these addresses.
    #[must_use]
    pub fn page(title: &str, text: &str, links: &[&str]) -> Self {
        let links: String =
            links.iter().map(|link| format!("<li><a href=\"{link}\">{link}</a></li>")).collect();
        let html = format!(
            "<!DOCTYPE html><html lang=\"en\"><head><title>{title}</title></head><body><main>\
             <h1>{title}</h1><p>{text}</p><ul>{links}</ul></main></body></html>"
        );
        Self::status(200).of_type("text/html; charset=utf-8").body(html)
    }

    /// A redirect to this address.
    #[must_use]
    pub fn redirect(status: u16, to: &str) -> Self {
        Self::status(status).header("Location", to)
    }

    /// The same with another status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// The same with one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same with a `Content-Type`.
    #[must_use]
    pub fn of_type(self, content_type: &str) -> Self {
        self.header("Content-Type", content_type)
    }

    /// The same with other bytes in it.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    fn to_http(&self) -> Response<Full<Bytes>> {
        let mut response = Response::builder().status(self.status);
        for (name, value) in &self.headers {
            response = response.header(name, value);
        }
        response.body(Full::new(self.body.clone())).expect("a valid answer")
    }
}

/// A running site. It ends when this is dropped.
pub struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    released: Notify,
}

#[derive(Default)]
struct State {
    replies: BTreeMap<String, Reply>,
    held: BTreeSet<String>,
    /// How many requests of each path wait for it to be released.
    waiting: BTreeMap<String, usize>,
    /// Path and query of every request, in the order in which they came.
    requests: Vec<String>,
    posts: Vec<Posted>,
    connections: usize,
}

/// A request with a body.
#[derive(Debug, Clone)]
pub struct Posted {
    /// Path and query.
    pub path: String,
    /// Its headers, by their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: Bytes,
}

impl Site {
    /// Starts one on a free port, without any page: all that is asked for is not found.
    ///
    /// # Panics
    /// If there is no free port.
    #[must_use]
    pub fn start() -> Self {
        Self::on(&[0])
    }

    /// Starts one on the first of these ports that is free.
    ///
    /// # Panics
    /// If none is.
    #[must_use]
    pub fn on(ports: &[u16]) -> Self {
        let host = own_host();
        let bound = ports.iter().find_map(|port| TcpListener::bind((host, *port)).ok());
        Self::serving(bound.expect("a free port"))
    }

    fn serving(listener: TcpListener) -> Self {
        listener.set_nonblocking(true).expect("a listener that does not block");
        let address = listener.local_addr().expect("the address of a bound listener");
        let shared = Arc::new(Shared::default());
        let (stop, stopped) = oneshot::channel();
        let serving = shared.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
            // Dropping the runtime at the end closes the connections that are still open.
            runtime.expect("a runtime").block_on(async {
                tokio::select! {
                    () = serve(listener, serving) => {}
                    _ = stopped => {}
                }
            });
        });
        Self { address, shared, running: Some((stop, thread)) }
    }

    /// Answers a path, with its query, in this way from now on.
    pub fn set(&self, path: &str, reply: Reply) {
        self.state().replies.insert(path.to_owned(), reply);
    }

    /// Leaves requests for this path without an answer, until it is released.
    pub fn hold(&self, path: &str) {
        self.state().held.insert(path.to_owned());
    }

    /// Answers those who wait, and all later ones.
    pub fn release(&self, path: &str) {
        self.state().held.remove(path);
        self.shared.released.notify_waiters();
    }

    /// How many wait for this path to be released.
    #[must_use]
    pub fn waiting(&self, path: &str) -> usize {
        self.state().waiting.get(path).copied().unwrap_or_default()
    }

    /// The address of a path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Where it is, without the port.
    #[must_use]
    pub fn host(&self) -> String {
        self.address.ip().to_string()
    }

    /// Path and query of every request so far, in the order in which they came.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        self.state().requests.clone()
    }

    /// The bodies that were posted so far, in the order in which they came.
    #[must_use]
    pub fn posts(&self) -> Vec<Posted> {
        self.state().posts.clone()
    }

    /// How often a path was asked for.
    #[must_use]
    pub fn hits(&self, path: &str) -> usize {
        self.state().requests.iter().filter(|asked| *asked == path).count()
    }

    /// How many connections clients have opened.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.state().connections
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }
}

impl Posted {
    async fn read(path: String, request: Request<Incoming>) -> Option<Self> {
        let (head, body) = request.into_parts();
        let header = |(name, value): (&HeaderName, &HeaderValue)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        };
        let headers = head.headers.iter().filter_map(header).collect();
        Some(Self { path, headers, body: body.collect().await.ok()?.to_bytes() })
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(self: &Arc<Self>, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let asked = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
        self.state().requests.push(asked.clone());
        if request.method() == Method::POST {
            let Some(posted) = Posted::read(asked.clone(), request).await else {
                return Reply::status(400).to_http();
            };
            self.state().posts.push(posted);
        }
        self.wait_for(&asked).await;
        let reply = self.state().replies.get(&asked).cloned();
        reply
            .unwrap_or_else(|| Reply::status(404).of_type("text/plain").body("Nobody is here."))
            .to_http()
    }

    async fn wait_for(self: &Arc<Self>, asked: &str) {
        // Counts the request as one that waits until this is dropped, also when its client goes away.
        let mut waits = None;
        loop {
            // Created before the state is read, so that a release in between wakes it.
            let released = self.released.notified();
            if !self.state().held.contains(asked) {
                return;
            }
            waits.get_or_insert_with(|| Waiting::new(self.clone(), asked));
            released.await;
        }
    }
}

/// An address of the site's own: a crawler sends each host only so many requests at once, and those that one
/// test keeps waiting must not hold up another's.
fn own_host() -> Ipv4Addr {
    static SITES: AtomicU16 = AtomicU16::new(1);
    let [high, low] = SITES.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    let own = Ipv4Addr::new(127, 44, high, low);
    // Not every system has more than one address on loopback.
    TcpListener::bind((own, 0)).map_or(Ipv4Addr::LOCALHOST, |_| own)
}

/// A request that waits.
struct Waiting {
    shared: Arc<Shared>,
    asked: String,
}

impl Waiting {
    fn new(shared: Arc<Shared>, asked: &str) -> Self {
        *shared.state().waiting.entry(asked.to_owned()).or_default() += 1;
        Self { shared, asked: asked.to_owned() }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(count) = self.shared.state().waiting.get_mut(&self.asked) {
            *count -= 1;
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            // A thread that is gone already has said why.
            let _ = stop.send(());
            let _ = thread.join();
        }
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener of the runtime");
    loop {
        let Ok((socket, _)) = listener.accept().await else { continue };
        shared.state().connections += 1;
        let shared = shared.clone();
        tokio::spawn(async move {
            let service = hyper::service::service_fn(|request| {
                let shared = shared.clone();
                async move { Ok::<_, Infallible>(shared.answer(request).await) }
            });
            let http = hyper::server::conn::http1::Builder::new();
            // A client that goes away is no matter.
            let _ = http.serve_connection(TokioIo::new(socket), service).await;
        });
    }
}
