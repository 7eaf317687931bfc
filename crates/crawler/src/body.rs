//! Bodies of answers, within bounds.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

use bytes::Bytes;
use domain::crawl::CrawlError;
use flate2::bufread::GzDecoder;
use http_body_util::BodyExt as _;
use hyper::body::Body as HttpBody;
use hyper::header::{CONTENT_ENCODING, HeaderMap};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::trip::Trip;
use crate::turns::Turn;

/// Bodies beyond this size take one of the seats for large ones.
const LARGE: usize = 1 << 20;
/// How many large bodies are in memory at once.
const SEATS: usize = 4;
/// How a stream of gzip begins (RFC 1952, section 2.3.1).
pub(crate) const GZIP: &[u8] = &[0x1f, 0x8b];

/// What becomes of a body that is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// It is an error.
    Refuse,
    /// What is beyond the limit is not read.
    Cut,
}

/// A body as it came over the wire, and its seat if it is large.
#[derive(Debug)]
pub(crate) struct Body {
    bytes: Vec<u8>,
    _seat: Option<Seat>,
}

/// The place of a large body among those of its host, and among those of all hosts.
#[derive(Debug)]
struct Seat {
    _of_host: Option<OwnedSemaphorePermit>,
    _of_all: Option<OwnedSemaphorePermit>,
}

/// The seats for large bodies.
#[derive(Debug)]
pub(crate) struct LargeBodies(Arc<Semaphore>);

impl Default for LargeBodies {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(SEATS)))
    }
}

impl LargeBodies {
    /// Reads a body of at most `limit` bytes at the end of a trip, whose bytes and time it takes.
    /// Waiting for a seat takes none: that time others took.
    pub(crate) async fn read(
        &self,
        mut body: impl HttpBody<Data = Bytes> + Unpin,
        limit: u64,
        beyond: Beyond,
        trip: &mut Trip,
        turn: &Turn,
    ) -> Result<Body, CrawlError> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let announced = body.size_hint().exact().and_then(|size| usize::try_from(size).ok());
        if beyond == Beyond::Refuse && announced.is_some_and(|size| size > limit) {
            return Err(CrawlError::TooLarge);
        }
        let mut bytes = Vec::with_capacity(announced.unwrap_or_default().min(limit).min(LARGE));
        let mut seat = None;
        while let Some(data) = trip.time_left.within(next(&mut body)).await? {
            trip.bytes += data.len() as u64;
            let room = limit - bytes.len();
            if data.len() > room && beyond == Beyond::Refuse {
                return Err(CrawlError::TooLarge);
            }
            if bytes.len() + data.len() > LARGE && seat.is_none() {
                seat = Some(self.seat(turn).await);
            }
            bytes.extend_from_slice(data.get(..room).unwrap_or(&data));
            if data.len() > room {
                break;
            }
        }
        Ok(Body { bytes, _seat: seat })
    }

    async fn seat(&self, turn: &Turn) -> Seat {
        // In this order, so that no seat is empty because its host has too many.
        let of_host = turn.large_body().await;
        Seat { _of_host: of_host, _of_all: self.0.clone().acquire_owned().await.ok() }
    }
}

/// The next piece of a body.
async fn next(
    body: &mut (impl HttpBody<Data = Bytes> + Unpin),
) -> Result<Option<Bytes>, CrawlError> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(|_| CrawlError::BrokenOff)?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// How a body is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Plain,
    Gzip,
}

impl Coding {
    /// What these headers say of their body.
    ///
    /// # Errors
    /// [`UnsupportedType`](CrawlError::UnsupportedType): a coding that was not asked for.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, CrawlError> {
        let mut codings = headers.get_all(CONTENT_ENCODING).iter();
        let coding = codings.next().map(|coding| coding.as_bytes().trim_ascii());
        let is_one_of = |names: &[&str]| {
            coding.is_none_or(|coding| {
                names.iter().any(|name| coding.eq_ignore_ascii_case(name.as_bytes()))
            })
        };
        match codings.next() {
            None if is_one_of(&["", "identity"]) => Ok(Self::Plain),
            None if is_one_of(&["gzip", "x-gzip"]) => Ok(Self::Gzip),
            _ => Err(CrawlError::UnsupportedType),
        }
    }
}

impl Body {
    /// What the body says. Reading from it takes time and keeps a core busy.
    pub(crate) fn content(&self, coding: Coding) -> Box<dyn Read + '_> {
        match coding {
            Coding::Plain => Box::new(self.bytes.as_slice()),
            Coding::Gzip => Box::new(Members(GzDecoder::new(self.bytes.as_slice()))),
        }
    }

    /// All of what the body says, of at most `limit` bytes.
    ///
    /// # Errors
    /// It is larger, ends too early, or is not compressed as it says.
    pub(crate) fn into_content(self, coding: Coding, limit: u64) -> Result<Vec<u8>, CrawlError> {
        let mut content = Vec::new();
        match coding {
            Coding::Plain => content = self.bytes,
            Coding::Gzip => {
                let read = self.content(coding).take(limit.saturating_add(1));
                { read }.read_to_end(&mut content).map_err(|error| {
                    let is_cut_off = error.kind() == ErrorKind::UnexpectedEof;
                    if is_cut_off { CrawlError::BrokenOff } else { CrawlError::BadContent }
                })?;
            }
        }
        if content.len() as u64 > limit { Err(CrawlError::TooLarge) } else { Ok(content) }
    }
}

/// The members of a gzip stream, one after the other. Whatever else follows is left out, as browsers do.
struct Members<'a>(GzDecoder<&'a [u8]>);

impl Read for Members<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.0.read(buffer)?;
            let rest = *self.0.get_ref();
            if length > 0 || buffer.is_empty() || !rest.starts_with(GZIP) {
                return Ok(length);
            }
            self.0 = GzDecoder::new(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io::Write as _;
    use std::pin::Pin;
    use std::task::{Context, Poll};
    use std::time::Duration;

    use domain::crawl::CrawlUrl;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use http_body_util::Full;
    use hyper::body::Frame;
    use hyper::header::HeaderValue;
    use proptest::prelude::*;
    use tokio::time::timeout;

    use super::*;
    use crate::settings::Settings;
    use crate::turns::Turns;

    const LIMIT: u64 = 1 << 30;

    /// How long a page may take.
    fn page_time() -> Duration {
        Settings::default().page_timeout
    }

    /// Reads a body of this host.
    async fn read(
        seats: &LargeBodies,
        turns: &Turns,
        host: &str,
        body: impl HttpBody<Data = Bytes> + Unpin,
    ) -> Result<Body, CrawlError> {
        let url = CrawlUrl::parse(&format!("http://{host}/"), false).unwrap();
        let turn = turns.take(&url, Duration::ZERO).await;
        let mut trip = Trip::new(url, &Settings::default());
        seats.read(body, LIMIT, Beyond::Refuse, &mut trip, &turn).await
    }

    fn of_size(size: usize) -> Full<Bytes> {
        Full::new(vec![b'x'; size].into())
    }

    /// A large piece, and then nothing more for ever.
    struct Stuck(Option<Bytes>);

    impl HttpBody for Stuck {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            self.0.take().map_or(Poll::Pending, |piece| Poll::Ready(Some(Ok(Frame::data(piece)))))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_has_two_of_the_seats_and_all_have_four() {
        let (seats, turns) = (LargeBodies::default(), Turns::new(9));
        let large = async |host| {
            let read = read(&seats, &turns, host, of_size(LARGE + 1));
            // The clock goes on only when nothing else does.
            timeout(page_time(), read).await.ok().map(|body| body.unwrap())
        };
        let one = large("a.example").await;
        let _other = large("www.a.example").await.unwrap();
        assert!(one.is_some() && large("a.example").await.is_none());
        let _third = large("b.example").await.unwrap();
        let _fourth = large("c.example").await.unwrap();
        assert!(large("c.example").await.is_none());
        assert!(read(&seats, &turns, "a.example", of_size(LARGE)).await.is_ok());
        drop(one);
        // Nobody who gave up has kept anything.
        assert!(large("c.example").await.is_some());
        assert!(large("a.example").await.is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_for_a_seat_is_not_the_time_of_the_page() {
        let (seats, turns) = (LargeBodies::default(), Turns::new(9));
        let stuck = || {
            let body = Stuck(Some(vec![b'x'; LARGE + 1].into()));
            read(&seats, &turns, "a.example", body)
        };
        // Two at once, one after the other: the last ones have waited as long as a page may take twice.
        let begun = tokio::time::Instant::now();
        let stuck = async { tokio::join!(stuck(), stuck(), stuck(), stuck()) };
        let large = read(&seats, &turns, "a.example", of_size(LARGE + 1));
        let ((one, _, _, other), large) = tokio::join!(stuck, large);
        assert_eq!(one.err(), Some(CrawlError::Timeout));
        assert_eq!(other.err(), Some(CrawlError::Timeout));
        assert_eq!(begun.elapsed(), 2 * page_time());
        assert_eq!(large.unwrap().bytes.len(), LARGE + 1);
    }

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    fn inflate(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, CrawlError> {
        Body { bytes, _seat: None }.into_content(Coding::Gzip, limit)
    }

    #[test]
    fn content_is_bounded_and_whole() {
        let zipped = gzip(b"botyard");
        assert_eq!(inflate(zipped.clone(), 7).unwrap(), b"botyard");
        assert_eq!(inflate(zipped.clone(), 6), Err(CrawlError::TooLarge));
        assert_eq!(inflate(zipped[..zipped.len() - 1].to_vec(), 7), Err(CrawlError::BrokenOff));
        assert_eq!(inflate(b"nothing is compressed".to_vec(), 7), Err(CrawlError::BadContent));
        let twice = [zipped.clone(), zipped.clone()].concat();
        assert_eq!(inflate(twice.clone(), 14).unwrap(), b"botyardbotyard");
        for rest in [&b"\0\0\0"[..], b"\x1f", b"<!-- cached -->"] {
            assert_eq!(inflate([&twice, rest].concat(), 14).unwrap(), b"botyardbotyard");
        }
        let cut_off = &zipped[..zipped.len() - 1];
        assert_eq!(inflate([&zipped, cut_off].concat(), 14), Err(CrawlError::BrokenOff));
        assert_eq!(inflate(gzip(&vec![0; 1 << 20]), 1 << 16), Err(CrawlError::TooLarge));
        let plain = Body { bytes: b"botyard".to_vec(), _seat: None };
        assert_eq!(plain.into_content(Coding::Plain, 6), Err(CrawlError::TooLarge));
    }

    #[test]
    fn only_known_codings_are_read() {
        let of = |values: &[&'static str]| {
            let named = |value| (CONTENT_ENCODING, HeaderValue::from_static(value));
            Coding::of(&values.iter().map(|value| named(value)).collect())
        };
        for values in [&[][..], &["identity"], &[" Identity"], &[""]] {
            assert_eq!(of(values), Ok(Coding::Plain), "{values:?}");
        }
        for values in [&["gzip"], &["GZip"], &["x-gzip"]] {
            assert_eq!(of(values), Ok(Coding::Gzip), "{values:?}");
        }
        for values in [&["br"][..], &["deflate"], &["gzip, gzip"], &["gzip", "gzip"]] {
            assert_eq!(of(values), Err(CrawlError::UnsupportedType), "{values:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>, at in 0..40_usize, byte: u8) {
            let mut zipped = gzip(&bytes);
            let at = at % zipped.len();
            zipped[at] = byte;
            if let Ok(content) = inflate(zipped, 1 << 16) {
                prop_assert!(content.len() <= 1 << 16);
            }
            let _ = inflate(bytes, 1 << 16);
        }
    }
}
