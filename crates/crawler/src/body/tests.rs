use std::convert::Infallible;
use std::io::Write as _;
use std::pin::Pin;
use std::sync::Arc;
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
use crate::fair_permits::tests::project;
use crate::rate_limit::HostRateLimits;
use crate::settings::Settings;

const LIMIT: u64 = 1 << 30;

/// How long a page may take.
fn page_time() -> Duration {
    Settings::default().page_timeout
}

/// Reads a body of this host, for no project.
async fn read(
    permits: &LargeBodies,
    rate_limits: &HostRateLimits,
    host: &str,
    body: impl HttpBody<Data = Bytes> + Unpin,
) -> Result<Body, CrawlError> {
    read_for(permits, rate_limits, (None, host), body).await
}

async fn read_for(
    permits: &LargeBodies,
    rate_limits: &HostRateLimits,
    (project, host): (Option<ProjectId>, &str),
    body: impl HttpBody<Data = Bytes> + Unpin,
) -> Result<Body, CrawlError> {
    let url = CrawlUrl::parse(&format!("http://{host}/"), false).unwrap();
    let permit = rate_limits.take(&url, Duration::ZERO).await;
    let mut fetch = Fetch::new(url, project, &Settings::default());
    permits.read(body, LIMIT, Oversized::Refuse, &mut fetch, &permit).await
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
async fn a_host_has_two_of_the_permits_and_all_have_four() {
    let (permits, rate_limits) = (LargeBodies::default(), HostRateLimits::new(9));
    let large = async |host| {
        let read = read(&permits, &rate_limits, host, of_size(LARGE + 1));
        // The clock goes on only when nothing else does.
        timeout(page_time(), read).await.ok().map(|body| body.unwrap())
    };
    let one = large("a.example").await;
    let _other = large("www.a.example").await.unwrap();
    assert!(one.is_some() && large("a.example").await.is_none());
    let _third = large("b.example").await.unwrap();
    let _fourth = large("c.example").await.unwrap();
    assert!(large("c.example").await.is_none());
    assert!(read(&permits, &rate_limits, "a.example", of_size(LARGE)).await.is_ok());
    drop(one);
    // The reads that gave up while they waited hold no permit any more.
    assert!(large("c.example").await.is_some());
    assert!(large("a.example").await.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_project_has_three_of_the_permits() {
    let (permits, rate_limits) = (LargeBodies::default(), HostRateLimits::new(9));
    let large = async |number, host| {
        let read = (project(number), host);
        let read = read_for(&permits, &rate_limits, read, of_size(LARGE + 1));
        timeout(page_time(), read).await.ok().map(|body| body.unwrap())
    };
    let _first = large(1, "a.example").await.unwrap();
    let _second = large(1, "b.example").await.unwrap();
    let third = large(1, "c.example").await;
    assert!(third.is_some() && large(1, "d.example").await.is_none());
    let _of_other = large(2, "d.example").await.unwrap();
    assert!(large(2, "e.example").await.is_none());
    drop(third);
    assert!(large(1, "d.example").await.is_some());
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_permit_is_not_the_time_of_the_page() {
    let (permits, rate_limits) = (LargeBodies::default(), HostRateLimits::new(9));
    let stuck = || {
        let body = Stuck(Some(vec![b'x'; LARGE + 1].into()));
        read(&permits, &rate_limits, "a.example", body)
    };
    // Two at once, one after the other: the last ones have waited as long as a page may take twice.
    let begun = tokio::time::Instant::now();
    let stuck = async { tokio::join!(stuck(), stuck(), stuck(), stuck()) };
    let large = read(&permits, &rate_limits, "a.example", of_size(LARGE + 1));
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
    let waiting = Arc::new(());
    Body { bytes, _permit: None }.into_content(Coding::Gzip, limit, &Cancellation::by(&waiting))
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
    let plain = Body { bytes: b"botyard".to_vec(), _permit: None };
    let waiting = Arc::new(());
    let read = plain.into_content(Coding::Plain, 6, &Cancellation::by(&waiting));
    assert_eq!(read, Err(CrawlError::TooLarge));
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
