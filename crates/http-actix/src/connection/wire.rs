//! A socket as the framework sees it: one request at a time, checked strictly, in bounded time.

use std::future::Future;
use std::io;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use bytes::{Buf as _, BytesMut};
use rustix::net::RecvFlags;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::addresses::ConnectionSlot;
use super::exchange::{Exchange, Refusal};
use super::framing::{BodyProgress, Framing};
use super::head::HeadSearch;
use super::standstill::{SlowWrite, Standstill};
use super::timer::Deadline;

/// What a request that is refused becomes.
const REFUSED: &[u8] = b"- / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n";
/// Bytes that are read from the socket at once.
const PIECE: usize = 8 << 10;
/// How long a client that is still sending is listened to after the answer, so that it reads that
/// instead of a reset connection (RFC 9112, section 9.6).
const LINGER: Duration = Duration::from_secs(2);

/// What replaces each request for another protocol, of as many bytes. There is no other protocol, and
/// the framework would frame the body differently.
const IGNORED: &[u8] = b"ignored";

/// Bounds on what the client at the other end does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Bytes of the target of a request.
    pub(super) target_bytes: usize,
    /// Until the first byte of a new connection, and from the first byte of a head to its end.
    pub(super) head: Duration,
    /// From an answer to the first byte of the next request.
    pub(super) keep_alive: Duration,
    /// Without taking anything of an answer.
    pub(super) standstill: Duration,
}

/// A connection.
pub(super) struct Wire {
    stream: TcpStream,
    exchange: Exchange,
    bounds: Bounds,
    state: State,
    /// What was read and not handed over.
    buffer: BytesMut,
    /// How much of that is checked and may be handed over.
    checked: usize,
    /// Whether the client sends no more.
    is_at_end: bool,
    /// Whether the client may still be sending a body that will not be read.
    is_cut_off: bool,
    /// Until when it may be silent, where that matters.
    deadline: Deadline,
    /// Whether it takes its answer.
    standstill: Standstill,
    /// Resolves when the server goes down.
    stopping: Option<Pin<Box<dyn Future<Output = ()>>>>,
    /// Whether the server's side is closed.
    is_shut: bool,
    _slot: ConnectionSlot,
}

/// Where a connection is.
#[derive(Debug)]
enum State {
    /// The head of a request is awaited, of which a byte has come if it has begun.
    Head { search: HeadSearch, has_begun: bool },
    /// The body of a request is handed over as it comes.
    Body(Framing),
    /// All of a request is handed over, and its answer awaited.
    Answer,
    /// Nothing more is read.
    Over,
}

impl State {
    fn head(has_begun: bool, bounds: Bounds) -> Self {
        Self::Head { search: HeadSearch::new(bounds.target_bytes), has_begun }
    }
}

impl Wire {
    /// A connection that was just accepted. `stopping` resolves when the server goes down.
    pub(super) fn new(
        stream: TcpStream,
        bounds: Bounds,
        slot: ConnectionSlot,
        stopping: Pin<Box<dyn Future<Output = ()>>>,
    ) -> Self {
        Self {
            stream,
            exchange: Exchange::default(),
            bounds,
            state: State::head(false, bounds),
            buffer: BytesMut::new(),
            checked: 0,
            is_at_end: false,
            is_cut_off: false,
            deadline: Deadline::after(bounds.head),
            standstill: Standstill::None,
            stopping: Some(stopping),
            is_shut: false,
            _slot: slot,
        }
    }

    /// The request in progress.
    pub(super) fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    /// Goes on until there is something to be handed over, or nothing will come any more.
    fn poll_checked(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.checked == 0 {
            match &mut self.state {
                State::Head { search, .. } => {
                    // An empty line before a request is not part of it (RFC 9112, section 2.2).
                    while self.buffer.starts_with(b"\r\n") {
                        self.buffer.advance(2);
                    }
                    let found =
                        if *self.buffer == *b"\r" { Ok(None) } else { search.find(&self.buffer) };
                    match found {
                        Ok(Some(head)) => {
                            self.checked = head.length;
                            for at in head.upgrades {
                                if let Some(name) = self.buffer.get_mut(at) {
                                    name.copy_from_slice(IGNORED);
                                }
                            }
                            self.exchange.begin(None);
                            self.state = match head.body {
                                Framing::Length(0) => State::Answer,
                                body @ (Framing::Length(_) | Framing::Chunked(_)) => {
                                    State::Body(body)
                                }
                            };
                        }
                        Ok(None) => ready!(self.poll_head(context))?,
                        Err(refusal) => self.refuse(refusal),
                    }
                }
                State::Body(body) => {
                    let (count, progress) = body.advance(&self.buffer);
                    self.checked = count;
                    match progress {
                        BodyProgress::More if count == 0 => ready!(self.poll_body(context))?,
                        BodyProgress::More => {}
                        BodyProgress::Complete => self.state = State::Answer,
                        BodyProgress::Broken(fault) => {
                            self.exchange.break_body(fault);
                            self.cut_off();
                        }
                    }
                }
                State::Answer => ready!(self.poll_answer(context))?,
                State::Over => return Poll::Ready(Ok(())),
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Waits for more of a head.
    fn poll_head(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.poll_more(context)?.is_ready() {
            if self.is_at_end {
                self.state = State::Over;
            } else if let State::Head { has_begun, .. } = &mut self.state
                && !std::mem::replace(has_begun, true)
            {
                self.deadline.move_to(self.bounds.head);
            }
            return Poll::Ready(Ok(()));
        }
        if self.deadline.poll(context).is_ready() {
            if self.buffer.is_empty() {
                self.state = State::Over;
            } else {
                count_closed("slow_head");
                self.refuse(Refusal::TooSlow);
            }
            return Poll::Ready(Ok(()));
        }
        if self.buffer.is_empty() && self.is_stopping(context) && !self.has_arrived() {
            self.state = State::Over;
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    }

    /// Waits for more of a body. Its reader bounds how long that may take; once the request is
    /// answered there is no reader, so this does.
    fn poll_body(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.poll_more(context)?.is_ready() {
            if self.is_at_end {
                self.state = State::Over;
            }
            return Poll::Ready(Ok(()));
        }
        self.exchange.wake_when_answered(context.waker());
        if !self.exchange.is_answered() {
            self.deadline.move_to(LINGER);
        } else if self.deadline.poll(context).is_ready() {
            count_closed("slow_body");
            self.cut_off();
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    }

    /// Waits until the framework has all of the answer, and the client has taken what it can. Meanwhile a
    /// little of what follows is read, because that is how a reset connection is noticed.
    fn poll_answer(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.exchange.is_answered() && !self.standstill.is_waiting() {
            let has_begun = !self.buffer.is_empty();
            let bounds = self.bounds;
            self.deadline.move_to(if has_begun { bounds.head } else { bounds.keep_alive });
            self.state = if self.is_cut_off { State::Over } else { State::head(has_begun, bounds) };
            return Poll::Ready(Ok(()));
        }
        self.exchange.wake_when_answered(context.waker());
        while !self.is_at_end && self.buffer.len() < PIECE {
            ready!(self.poll_more(context))?;
        }
        if self.is_at_end && self.exchange.ends_with_client() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Poll::Pending
    }

    /// Reads what has come, or notes that no more will.
    fn poll_more(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_at_end {
            return Poll::Ready(Ok(()));
        }
        ready!(self.stream.poll_read_ready(context))?;
        let mut piece = [0; PIECE];
        let mut piece = ReadBuf::new(&mut piece);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut piece))?;
        self.is_at_end = piece.filled().is_empty();
        self.buffer.extend_from_slice(piece.filled());
        Poll::Ready(Ok(()))
    }

    /// Has the application refuse what came, which is the last that is read.
    fn refuse(&mut self, refusal: Refusal) {
        self.exchange.begin(Some(refusal));
        self.buffer.clear();
        self.buffer.extend_from_slice(REFUSED);
        self.checked = REFUSED.len();
        self.state = State::Answer;
        self.is_cut_off = true;
    }

    /// Reads nothing more, although the client may be sending.
    fn cut_off(&mut self) {
        self.state = State::Over;
        self.is_cut_off = true;
    }

    fn is_stopping(&mut self, context: &mut Context<'_>) -> bool {
        if self.stopping.as_mut().is_some_and(|stopping| stopping.as_mut().poll(context).is_ready())
        {
            self.stopping = None;
        }
        self.stopping.is_none()
    }

    /// Whether something has arrived that the runtime has not noticed yet.
    fn has_arrived(&self) -> bool {
        rustix::net::recv(&self.stream, &mut [0_u8; 1], RecvFlags::PEEK)
            .is_ok_and(|(_, count)| count > 0)
    }

    /// The client has taken something.
    fn progressed(&mut self, context: &mut Context<'_>) {
        if !matches!(mem::take(&mut self.standstill), Standstill::None) {
            // The next request may be waiting for that.
            context.waker().wake_by_ref();
        }
    }

    /// Drops what the client is still sending, for a little while.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while !self.is_at_end && self.deadline.poll(context).is_pending() {
            self.buffer.clear();
            if ready!(self.poll_more(context)).is_err() {
                break;
            }
        }
        Poll::Ready(())
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_checked(context))?;
        let count = this.checked.min(into.remaining());
        into.put_slice(this.buffer.get(..count).unwrap_or_default());
        this.buffer.advance(count);
        this.checked -= count;
        if this.buffer.is_empty() {
            // An idle connection keeps no memory.
            this.buffer = BytesMut::new();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if let Poll::Ready(written) = Pin::new(&mut this.stream).poll_write(context, bytes) {
            this.progressed(context);
            return Poll::Ready(written);
        }
        let (stream, time) = (&this.stream, this.bounds.standstill);
        Poll::Ready(match ready!(this.standstill.poll_write(context, stream, bytes, time)) {
            Ok(SlowWrite::Written(count)) => {
                // The next request may be waiting for that, and its answer is what is written next.
                context.waker().wake_by_ref();
                Ok(count)
            }
            Ok(SlowWrite::Progressed(count)) => {
                this.progressed(context);
                Ok(count)
            }
            Ok(SlowWrite::Ended) => {
                count_closed("standstill");
                Err(io::ErrorKind::TimedOut.into())
            }
            Err(error) => Err(error.into()),
        })
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.is_shut {
            ready!(Pin::new(&mut this.stream).poll_shutdown(context))?;
            this.is_shut = true;
            this.deadline.move_to(LINGER);
        }
        // The client may have sent more than was read, and closing would reset the connection.
        if this.is_cut_off || matches!(this.state, State::Body(_) | State::Answer) {
            ready!(this.poll_linger(context));
        }
        Poll::Ready(Ok(()))
    }
}

/// Counts a connection that was closed, or not taken on, because of a limit of connections or a time-out.
pub(super) fn count_closed(reason: &'static str) {
    metrics::counter!("botyard_http_connections_closed_total", "reason" => reason).increment(1);
}
