//! Connections that begin something and get no further, or hardly.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::flood::{Closed, Ended, Running};
use super::sockets;
use crate::bench::form::{self, FormFile};
use crate::bench::low_priority;
use crate::bench::request::{Connection, Content, JSON, Request};
use crate::bench::server::Botyard;

/// How often each connection sends a byte, if it sends any.
const TRICKLE: Duration = Duration::from_secs(1);
/// How often it is checked whether the server has closed all of them.
const LOOK: Duration = Duration::from_millis(200);
/// How much longer than it should take that is waited for.
const GRACE: Duration = Duration::from_secs(20);
/// How long a body is said to be.
const LENGTH: u64 = 1 << 20;
/// How much of a form is sent at once: a little more than the head of its file.
const FORM_BEGIN: u64 = 256;

/// What a connection begins.
pub enum ConnectionKind {
    /// The head of its first request.
    FirstHead,
    /// The head of the request after the first one.
    SecondHead,
    /// A request with a body of JSON.
    JsonBody(Request),
    /// A request with a form.
    FormBody(Request),
    /// A request whose answer is not read.
    Reader(Request),
}

/// How long slow connections go on.
#[derive(Debug, Clone, Copy)]
pub enum Until {
    /// Until they are closed here.
    Ended,
    /// Until the server has closed all of them, which may take so long.
    Closed(Duration),
}

/// Connections that are open. They are closed when this is dropped.
pub struct SlowConnections {
    count: usize,
    until: Until,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Option<Duration>>>>,
}

impl SlowConnections {
    /// Opens so many.
    pub fn open(
        server: &Botyard,
        count: usize,
        kind: &ConnectionKind,
        until: Until,
    ) -> Result<Self> {
        let begin = kind.begin(server)?;
        let probe = server.request("GET", "/healthz");
        let mut streams = Vec::new();
        for _ in 0..count {
            let mut connection = Connection::open(server.address)?;
            if matches!(kind, ConnectionKind::SecondHead) {
                connection.ask(&probe)?;
            }
            let mut stream = connection.stream().try_clone()?;
            stream.write_all(&begin)?;
            streams.push(stream);
        }
        let is_over = Arc::new(AtomicBool::new(false));
        let ports = streams.iter().map(|stream| Ok(stream.local_addr()?.port()));
        let work = Work {
            server: server.address,
            ports: ports.collect::<io::Result<_>>()?,
            streams,
            trickles: !matches!(kind, ConnectionKind::Reader(_)),
            until,
            is_over: is_over.clone(),
        };
        let thread = thread::Builder::new().spawn(move || {
            low_priority::take();
            work.run()
        })?;
        Ok(Self { count, until, is_over, thread: Some(thread) })
    }
}

impl Running for SlowConnections {
    fn end(mut self: Box<Self>) -> Result<Ended> {
        if matches!(self.until, Until::Ended) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        let thread = self.thread.take().map(JoinHandle::join).transpose();
        let after = thread.map_err(|_| anyhow!("the slow connections came to a sudden end"))?;
        let after = after.transpose()?.flatten();
        let closed = match self.until {
            Until::Ended => None,
            Until::Closed(target) => Some(Closed { after, target }),
        };
        Ok(Ended { done: format!("{} begun", self.count), closed })
    }
}

impl Drop for SlowConnections {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl ConnectionKind {
    /// What is sent at once.
    fn begin(&self, server: &Botyard) -> Result<Vec<u8>> {
        let mut begin = Vec::new();
        match self {
            Self::FirstHead | Self::SecondHead => {
                begin.extend(b"GET /healthz HTTP/1.1\r\nHost: slow\r\nX-Slow: ");
            }
            Self::JsonBody(request) => {
                let content =
                    Content { media_type: JSON.to_owned(), length: LENGTH, bytes: &b"{"[..] };
                request.write(server.address, Some(content), &mut begin)?;
            }
            Self::FormBody(request) => {
                let bytes = io::repeat(b'x');
                let file =
                    FormFile { name: "slow.txt", media_type: "text/plain", length: LENGTH, bytes };
                let Content { media_type, length, bytes } = form::content(&[], file);
                let bytes = io::Read::take(bytes, FORM_BEGIN);
                let content = Content { media_type, length, bytes };
                request.write(server.address, Some(content), &mut begin)?;
            }
            Self::Reader(request) => {
                request.write(server.address, None::<Content<&[u8]>>, &mut begin)?;
            }
        }
        Ok(begin)
    }
}

/// What the thread of slow connections does.
struct Work {
    server: std::net::SocketAddr,
    streams: Vec<TcpStream>,
    ports: HashSet<u16>,
    trickles: bool,
    until: Until,
    is_over: Arc<AtomicBool>,
}

impl Work {
    /// Returns after how long the server had closed all connections, if it had.
    fn run(self) -> Result<Option<Duration>> {
        let begin = Instant::now();
        let longest = match self.until {
            Until::Ended => Duration::MAX,
            Until::Closed(target) => target + GRACE,
        };
        for stream in &self.streams {
            stream.set_nonblocking(true)?;
        }
        let mut trickled = begin;
        while !self.is_over.load(Ordering::Relaxed) && begin.elapsed() < longest {
            sleep(LOOK);
            if self.trickles && trickled.elapsed() >= TRICKLE {
                trickled = Instant::now();
                for mut stream in &self.streams {
                    // One that the server has closed takes nothing any more.
                    drop(stream.write(b"x"));
                }
            }
            if matches!(self.until, Until::Closed(_))
                && sockets::open(self.server, &self.ports)? == 0
            {
                return Ok(Some(begin.elapsed()));
            }
        }
        Ok(None)
    }
}
