//! A site on loopback with prepared answers, which counts what it is asked.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::crawl::CrawlUrl;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// What a site answers.
pub enum Reply {
    /// These bytes; then it waits for the next request.
    Bytes(Vec<u8>),
    /// These bytes; then it closes the connection.
    Close(Vec<u8>),
    /// These bytes, and after them these again and again.
    Endless(Vec<u8>, Vec<u8>),
    /// The same, a byte at a time. Counts among `dripping` when the first bytes are sent.
    Drip(Vec<u8>, Vec<u8>),
    /// Nothing, ever.
    Silence,
    /// These bytes, when so many requests wait like this one.
    Together(usize, Vec<u8>),
}

/// What a site saw.
#[derive(Default)]
pub struct Seen {
    pub connections: AtomicUsize,
    /// How many bytes were sent of bodies without an end.
    pub sent: AtomicU64,
    /// The heads of all requests.
    pub requests: Mutex<Vec<String>>,
    pub dripping: AtomicUsize,
    waiting: AtomicUsize,
    pub most_waiting: AtomicUsize,
    hung_up: Notify,
}

impl Seen {
    /// The paths that were asked for, without `robots.txt`.
    pub fn paths(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        let paths = requests.iter().map(|head| head.split(' ').nth(1).unwrap().to_owned());
        paths.filter(|path| path != "/robots.txt").collect()
    }

    /// Waits until a client went away from an answer without an end.
    pub async fn hung_up(&self) {
        self.hung_up.notified().await;
    }
}

/// A site; it is gone when this is dropped.
pub struct Site {
    pub address: SocketAddr,
    pub seen: Arc<Seen>,
    serving: JoinSet<()>,
}

type Routes = Arc<dyn Fn(&str, &str) -> Option<Reply> + Send + Sync>;

impl Site {
    /// A site at 127.0.0.1 with these routes: from a path, and the head of the request, to a reply.
    /// What has none is not found.
    pub async fn start(
        routes: impl Fn(&str, &str) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        Self::start_at("127.0.0.1:0", routes).await
    }

    pub async fn start_at(
        at: &str,
        routes: impl Fn(&str, &str) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(at).await.unwrap();
        let (address, seen) = (listener.local_addr().unwrap(), Arc::<Seen>::default());
        let mut serving = JoinSet::new();
        serving.spawn(accept(listener, Arc::new(routes), seen.clone()));
        Self { address, seen, serving }
    }

    pub fn url(&self, path: &str) -> CrawlUrl {
        CrawlUrl::parse(&format!("http://{}{path}", self.address), true).unwrap()
    }

    /// Ends the site: nothing listens at its address any more.
    pub async fn die(mut self) {
        self.serving.shutdown().await;
    }

    pub fn connections(&self) -> usize {
        self.seen.connections.load(Ordering::SeqCst)
    }
}

async fn accept(listener: TcpListener, routes: Routes, seen: Arc<Seen>) {
    // Dropped with this task, and all connections with it.
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        seen.connections.fetch_add(1, Ordering::SeqCst);
        let (routes, seen) = (routes.clone(), seen.clone());
        connections.spawn(async move {
            if serve(stream, routes, &seen).await.is_err() {
                seen.hung_up.notify_one();
            }
        });
    }
}

/// Fails when the client goes away in the middle of an answer.
async fn serve(stream: TcpStream, routes: Routes, seen: &Seen) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).await? == 0 {
                return Ok(());
            }
        }
        let path = head.split(' ').nth(1).unwrap().to_owned();
        let reply = routes(&path, &head);
        seen.requests.lock().unwrap().push(head);
        match reply.unwrap_or_else(|| Reply::Bytes(answer("404 Not Found", "", b"nothing"))) {
            Reply::Bytes(bytes) => stream.write_all(&bytes).await?,
            Reply::Close(bytes) => {
                stream.write_all(&bytes).await?;
                return Ok(());
            }
            Reply::Endless(head, block) => {
                stream.write_all(&head).await?;
                loop {
                    stream.write_all(&block).await?;
                    seen.sent.fetch_add(block.len() as u64, Ordering::SeqCst);
                }
            }
            Reply::Drip(head, block) => {
                stream.write_all(&head).await?;
                seen.dripping.fetch_add(1, Ordering::SeqCst);
                for byte in block.iter().cycle() {
                    stream.write_all(&[*byte]).await?;
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
            Reply::Silence => {
                // Only the end of the connection can be read.
                stream.read_line(&mut String::new()).await?;
                return Err(std::io::ErrorKind::BrokenPipe.into());
            }
            Reply::Together(count, bytes) => {
                let waiting = seen.waiting.fetch_add(1, Ordering::SeqCst) + 1;
                seen.most_waiting.fetch_max(waiting, Ordering::SeqCst);
                while seen.most_waiting.load(Ordering::SeqCst) < count {
                    tokio::task::yield_now().await;
                }
                // A request that comes too early is counted, because these still wait.
                tokio::time::sleep(Duration::from_millis(5)).await;
                seen.waiting.fetch_sub(1, Ordering::SeqCst);
                stream.write_all(&bytes).await?;
            }
        }
    }
}

/// An answer with these lines in its head, and the length of its body.
pub fn answer(status: &str, lines: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{lines}\r\n");
    [head.as_bytes(), body].concat()
}

pub fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// A page of HTML.
pub fn html(body: &str) -> Reply {
    Reply::Bytes(answer("200 OK", "Content-Type: text/html\r\n", body.as_bytes()))
}

/// A text as it is.
pub fn text(body: &str) -> Reply {
    Reply::Bytes(answer("200 OK", "Content-Type: text/plain\r\n", body.as_bytes()))
}

pub fn redirect(to: &str) -> Reply {
    Reply::Bytes(answer("302 Found", &format!("Location: {to}\r\n"), b"elsewhere"))
}
