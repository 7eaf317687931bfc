//! Many clients at once, each of which asks again as soon as it has its answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, anyhow};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::flood::{Ended, Running};
use crate::bench::low_priority;
use crate::bench::request::{JSON, Request, TIMEOUT};

/// How long a client waits after a request that was refused or has failed.
const PAUSE: Duration = Duration::from_millis(100);

/// What all clients of a crowd ask together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each request once.
    Once,
    /// One after the other, again and again.
    Endless,
}

/// Clients that run. They are ended when this is dropped.
pub struct Crowd {
    shared: Arc<Shared>,
    clients: Vec<JoinHandle<()>>,
    /// As many threads as the machine has processors: with one for each client, the system itself wakes others late.
    runtime: Runtime,
}

struct Shared {
    server: SocketAddr,
    requests: Vec<Request>,
    order: Order,
    /// How many requests were begun.
    begun: AtomicUsize,
    answered: AtomicUsize,
    refused: AtomicUsize,
    failed: AtomicUsize,
}

/// A connection over which one request goes after the other.
type Connection = SendRequest<Full<Bytes>>;

impl Crowd {
    /// Has so many clients ask.
    pub fn start(
        server: SocketAddr,
        clients: usize,
        order: Order,
        requests: Vec<Request>,
    ) -> Result<Self> {
        let shared = Arc::new(Shared {
            server,
            requests,
            order,
            begun: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
        });
        let runtime =
            Builder::new_multi_thread().enable_all().on_thread_start(low_priority::take).build()?;
        let client = |shared: Arc<Shared>| runtime.spawn(async move { shared.ask().await });
        let clients = (0..clients).map(|_| client(shared.clone())).collect();
        Ok(Self { shared, clients, runtime })
    }
}

impl Running for Crowd {
    fn end(self: Box<Self>) -> Result<Ended> {
        let Self { shared, clients, runtime } = *self;
        let done = shared.done();
        clients.iter().for_each(JoinHandle::abort);
        for client in clients {
            if runtime.block_on(client).is_err_and(|error| error.is_panic()) {
                return Err(anyhow!("a client came to a sudden end"));
            }
        }
        Ok(Ended::with(done))
    }
}

impl Shared {
    /// One client.
    async fn ask(&self) {
        let mut connection = None;
        while let Some(request) = self.next() {
            let outcome = self.exchange(&mut connection, request).await;
            let counter = match outcome {
                Ok(200) => &self.answered,
                Ok(_) => &self.refused,
                Err(_) => &self.failed,
            };
            counter.fetch_add(1, Ordering::Relaxed);
            if connection.is_none() {
                sleep(PAUSE).await;
            }
        }
    }

    fn next(&self) -> Option<&Request> {
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        match self.order {
            Order::Once => self.requests.get(number),
            Order::Endless => self.requests.get(number % self.requests.len().max(1)),
        }
    }

    /// The status of the answer. Unless that is a 200, the connection is given up.
    async fn exchange(
        &self,
        connection: &mut Option<Connection>,
        request: &Request,
    ) -> Result<u16> {
        let mut open = match connection.take() {
            Some(open) => open,
            None => self.open().await?,
        };
        open.ready().await?;
        let asked = open.send_request(self.message(request)?);
        let mut answer = timeout(TIMEOUT, asked).await??;
        while let Some(frame) = timeout(TIMEOUT, answer.body_mut().frame()).await? {
            frame?;
        }
        let status = answer.status().as_u16();
        if status == 200 {
            *connection = Some(open);
        }
        Ok(status)
    }

    fn message(&self, request: &Request) -> Result<hyper::Request<Full<Bytes>>> {
        let token = &request.token;
        let message = hyper::Request::builder()
            .method(request.method)
            .uri(request.path())
            .header(HOST, self.server.to_string())
            .header(token.header, &token.secret);
        Ok(match request.content() {
            Some(content) => {
                let body = content.bytes.into_inner().into();
                message.header(CONTENT_TYPE, JSON).body(Full::new(body))?
            }
            None => message.body(Full::default())?,
        })
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "that rule is for the server; a benchmark asks servers"
    )]
    async fn open(&self) -> Result<Connection> {
        let stream = TcpStream::connect(self.server).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // Its failure is that of the request which is under way.
        tokio::spawn(async move { drop(connection.await) });
        Ok(sender)
    }

    fn done(&self) -> String {
        let count = |counter: &AtomicUsize| counter.load(Ordering::Relaxed);
        let mut done = format!("{} answered", count(&self.answered));
        for (name, counter) in [("refused", &self.refused), ("broken off", &self.failed)] {
            if count(counter) > 0 {
                done += &format!(", {} {name}", count(counter));
            }
        }
        done
    }
}
