//! Connections that begin something and get no further, or hardly.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::mem;
use std::net::{SocketAddr, TcpStream};
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

/// How slow connections end.
#[derive(Debug, Clone, Copy)]
pub enum Until {
    /// They are closed here.
    Ended,
    /// The server closes all of them, which may take so long. Those that send are opened again until the flood ends.
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
        let is_second = matches!(kind, ConnectionKind::SecondHead);
        let opener = Opener {
            server: server.address,
            first: is_second.then(|| server.request("GET", "/healthz")),
            begin: kind.begin(server)?,
        };
        let streams = (0..count).map(|_| opener.open()).collect::<Result<Vec<_>>>()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let ports = streams.iter().map(|slow| Ok(slow.stream.local_addr()?.port()));
        let work = Work {
            ports: ports.collect::<io::Result<_>>()?,
            opener,
            streams,
            last_opened: Instant::now(),
            oldest: Duration::ZERO,
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
        self.is_over.store(true, Ordering::Relaxed);
        let thread = self.thread.take().map(JoinHandle::join).transpose();
        let after = thread.map_err(|_| anyhow!("the slow connections came to a sudden end"))?;
        let after = after.transpose()?.flatten();
        let closed = match self.until {
            Until::Ended => None,
            Until::Closed(target) => Some(Closed { after, target }),
        };
        Ok(Ended { done: format!("{} at once", self.count), closed })
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

/// Opens connections of one kind.
struct Opener {
    server: SocketAddr,
    /// What is asked before.
    first: Option<Request>,
    begin: Vec<u8>,
}

/// A connection, and when it was opened.
struct SlowStream {
    stream: TcpStream,
    opened: Instant,
}

impl Opener {
    fn open(&self) -> Result<SlowStream> {
        let mut connection = Connection::open(self.server)?;
        if let Some(first) = &self.first {
            connection.ask(first)?;
        }
        let mut stream = connection.stream().try_clone()?;
        stream.write_all(&self.begin)?;
        stream.set_nonblocking(true)?;
        Ok(SlowStream { stream, opened: Instant::now() })
    }
}

/// What the thread of slow connections does.
struct Work {
    opener: Opener,
    /// Those of which it is not known that the server has closed them.
    streams: Vec<SlowStream>,
    /// When the last of them was opened.
    last_opened: Instant,
    /// How long the one was open that the server left open for longest.
    oldest: Duration,
    /// The ports of all that were ever opened.
    ports: HashSet<u16>,
    trickles: bool,
    until: Until,
    is_over: Arc<AtomicBool>,
}

impl Work {
    /// Returns how long a connection was open at most, if the server has closed all of them.
    fn run(mut self) -> Result<Option<Duration>> {
        let mut trickled = Instant::now();
        while !self.is_over.load(Ordering::Relaxed) {
            sleep(LOOK);
            if self.trickles && trickled.elapsed() >= TRICKLE {
                trickled = Instant::now();
                self.trickle(true)?;
            }
        }
        let Until::Closed(target) = self.until else { return Ok(None) };
        while self.last_opened.elapsed() < target + GRACE {
            if sockets::open(self.opener.server, &self.ports)? == 0 {
                let last = self.streams.iter().map(|slow| slow.opened.elapsed()).max();
                return Ok(Some(self.oldest.max(last.unwrap_or_default())));
            }
            sleep(LOOK);
            if self.trickles && trickled.elapsed() >= TRICKLE {
                trickled = Instant::now();
                self.trickle(false)?;
            }
        }
        Ok(None)
    }

    /// Sends a byte on each connection, and opens those again that the server has closed, if that is wanted.
    fn trickle(&mut self, reopens: bool) -> Result<()> {
        for mut slow in mem::take(&mut self.streams) {
            if slow.stream.write(b"x").is_err() {
                self.oldest = self.oldest.max(slow.opened.elapsed());
                if !reopens {
                    continue;
                }
                slow = self.opener.open()?;
                self.last_opened = slow.opened;
                self.ports.insert(slow.stream.local_addr()?.port());
            }
            self.streams.push(slow);
        }
        Ok(())
    }
}
