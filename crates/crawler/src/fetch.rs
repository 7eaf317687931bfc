//! The way to one page: requests, one after the other, for as long as they are redirected, within the
//! time that one page has.

use std::future::Future;
use std::time::Duration;

use domain::crawl::{CrawlError, CrawlUrl};
use domain::id::ProjectId;
use hyper::Response;
use hyper::body::Incoming;
use hyper::header::{HeaderMap, LOCATION};
use tokio::time::{Instant, timeout};

use crate::rate_limit::HostPermit;
use crate::settings::Settings;

/// One fetch: an address, and the redirects that are followed from it.
#[derive(Debug)]
pub(crate) struct Fetch {
    /// The project for which it is; none for what all projects share.
    pub(crate) project_id: Option<ProjectId>,
    /// What is asked for next, or was asked for last.
    pub(crate) url: CrawlUrl,
    /// The status of the last answer.
    pub(crate) status: Option<u16>,
    /// How many bytes of bodies came over the wire.
    pub(crate) bytes: u64,
    pub(crate) time_left: TimeLeft,
    redirects_left: u8,
    pub(crate) may_wait: bool,
    pub(crate) may_try_again: bool,
}

/// How much time a fetch still has.
#[derive(Debug)]
pub(crate) struct TimeLeft(Duration);

/// What one request came to.
#[derive(Debug)]
pub(crate) enum FetchStep {
    /// A redirect to here. The caller decides whether to follow it.
    Moved(CrawlUrl),
    /// The host asked to be left alone for a while, or broke off; it is to be asked once more.
    Again,
    /// Any other answer.
    Arrived(Arrived),
}

/// An answer whose body has not been read. Holds its permit of the host.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) answer: Response<Incoming>,
    pub(crate) permit: HostPermit,
}

impl Fetch {
    pub(crate) fn new(url: CrawlUrl, project_id: Option<ProjectId>, settings: &Settings) -> Self {
        Self {
            project_id,
            url,
            status: None,
            bytes: 0,
            redirects_left: settings.redirects,
            time_left: TimeLeft(settings.page_timeout),
            may_wait: true,
            may_try_again: true,
        }
    }

    /// Where these headers of a redirect lead. Nothing but the address is carried over.
    pub(crate) fn redirect(&mut self, headers: &HeaderMap) -> Result<CrawlUrl, CrawlError> {
        let Some(left) = self.redirects_left.checked_sub(1) else {
            return Err(CrawlError::TooManyRedirects);
        };
        self.redirects_left = left;
        let location = headers.get(LOCATION).and_then(|to| str::from_utf8(to.as_bytes()).ok());
        let to = location.and_then(|to| self.url.join(to)).ok_or(CrawlError::BadRedirect)?;
        if self.url.url().scheme() == "https" && to.url().scheme() != "https" {
            return Err(CrawlError::BadRedirect);
        }
        Ok(to)
    }
}

impl TimeLeft {
    /// Does the work in the time that is left, and takes away what it needed.
    ///
    /// # Errors
    /// That of the work, or the time was over.
    pub(crate) async fn within<T>(
        &mut self,
        work: impl Future<Output = Result<T, CrawlError>>,
    ) -> Result<T, CrawlError> {
        // What is ready at once would be done even then.
        if self.0.is_zero() {
            return Err(CrawlError::Timeout);
        }
        let begun = Instant::now();
        let done = timeout(self.0, work).await.unwrap_or(Err(CrawlError::Timeout));
        self.0 = self.0.saturating_sub(begun.elapsed());
        done
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn redirect(from: &str, location: &[u8]) -> Result<String, CrawlError> {
        let from = CrawlUrl::parse(from, false).unwrap();
        let headers = [(LOCATION, HeaderValue::from_bytes(location).unwrap())];
        let to =
            Fetch::new(from, None, &Settings::default()).redirect(&headers.into_iter().collect());
        to.map(|to| to.to_string())
    }

    #[test]
    fn redirects_lead_to_addresses_or_nowhere() {
        for (location, to) in [
            ("b?c", "https://a.example/x/b?c"),
            ("//www.a.example/", "https://www.a.example/"),
            ("https://b.example:444/#d", "https://b.example:444/"),
            ("/ä", "https://a.example/%C3%A4"),
        ] {
            let found = redirect("https://a.example/x/y", location.as_bytes());
            assert_eq!(found.as_deref(), Ok(to), "{location}");
        }
        for location in [
            &b"http://a.example/"[..],
            b"ftp://a.example/",
            b"https://u@a.example/",
            b"\xff",
            b"\\",
        ] {
            let found = redirect("https://a.example/", location);
            assert_eq!(found, Err(CrawlError::BadRedirect), "{location:?}");
        }
        assert!(redirect("http://a.example/", b"https://a.example/").is_ok());
        let mut fetch = Fetch::new(
            CrawlUrl::parse("http://a.example/", false).unwrap(),
            None,
            &Settings::default(),
        );
        assert_eq!(fetch.redirect(&HeaderMap::new()), Err(CrawlError::BadRedirect));
    }
}
