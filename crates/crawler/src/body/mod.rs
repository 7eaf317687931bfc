//! Bodies of answers, within bounds.

#[cfg(test)]
mod tests;

use std::io::{self, ErrorKind, Read};

use bytes::Bytes;
use domain::crawl::CrawlError;
use domain::id::ProjectId;
use flate2::bufread::GzDecoder;
use http_body_util::BodyExt as _;
use hyper::body::Body as HttpBody;
use hyper::header::{CONTENT_ENCODING, HeaderMap};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::fair_permits::{FairPermit, FairPermits};
use crate::fetch::Fetch;
use crate::rate_limit::HostPermit;
use crate::work::Cancellation;

/// Bodies beyond this size take one of the permits for large ones.
const LARGE: usize = 1 << 20;
/// How many large bodies are in memory at once, and how many of them for one project.
const LARGE_BODIES: usize = 4;
const LARGE_BODIES_OF_PROJECT: usize = 3;
/// How a stream of gzip begins (RFC 1952, section 2.3.1).
pub(crate) const GZIP: &[u8] = &[0x1f, 0x8b];

/// What becomes of a body that is too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Oversized {
    /// It is an error.
    Refuse,
    /// What is beyond the limit is not read.
    Truncate,
}

/// A body as it came over the wire, and its permit if it is large.
#[derive(Debug)]
pub(crate) struct Body {
    bytes: Vec<u8>,
    _permit: Option<LargeBodyPermit>,
}

/// The permits of a large body: among those of its host, and among those of its project and all projects.
#[derive(Debug)]
struct LargeBodyPermit {
    _of_host: Option<OwnedSemaphorePermit>,
    _of_all: FairPermit,
}

/// The permits for large bodies.
#[derive(Debug)]
pub(crate) struct LargeBodies(FairPermits);

impl Default for LargeBodies {
    fn default() -> Self {
        Self(FairPermits::new(LARGE_BODIES, || Semaphore::new(LARGE_BODIES_OF_PROJECT)))
    }
}

impl LargeBodies {
    /// Reads a body of at most `limit` bytes at the end of a fetch, whose bytes and time it takes.
    /// Waiting for a permit does not count.
    pub(crate) async fn read(
        &self,
        mut body: impl HttpBody<Data = Bytes> + Unpin,
        limit: u64,
        oversized: Oversized,
        fetch: &mut Fetch,
        host: &HostPermit,
    ) -> Result<Body, CrawlError> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let announced = body.size_hint().exact().and_then(|size| usize::try_from(size).ok());
        if oversized == Oversized::Refuse && announced.is_some_and(|size| size > limit) {
            return Err(CrawlError::TooLarge);
        }
        let mut bytes = Vec::with_capacity(announced.unwrap_or_default().min(limit).min(LARGE));
        let mut permit = None;
        while let Some(data) = fetch.time_left.within(next(&mut body)).await? {
            fetch.bytes += data.len() as u64;
            let room = limit - bytes.len();
            if data.len() > room && oversized == Oversized::Refuse {
                return Err(CrawlError::TooLarge);
            }
            if bytes.len() + data.len() > LARGE && permit.is_none() {
                permit = Some(self.permit(fetch.project_id, host).await);
            }
            bytes.extend_from_slice(data.get(..room).unwrap_or(&data));
            if data.len() > room {
                break;
            }
        }
        Ok(Body { bytes, _permit: permit })
    }

    async fn permit(&self, project: Option<ProjectId>, host: &HostPermit) -> LargeBodyPermit {
        // In this order, so that no body of a host that has too many holds one of its project's permits, or of all.
        let of_host = host.large_body().await;
        LargeBodyPermit { _of_host: of_host, _of_all: self.0.take(project).await }
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
    /// It is larger, ends too early, or is not compressed as it says; or nobody waits for it any more.
    pub(crate) fn into_content(
        self,
        coding: Coding,
        limit: u64,
        cancellation: &Cancellation,
    ) -> Result<Vec<u8>, CrawlError> {
        let mut content = Vec::new();
        match coding {
            Coding::Plain => content = self.bytes,
            Coding::Gzip => {
                let read = cancellation.reader(self.content(coding)).take(limit.saturating_add(1));
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
