//! Sending the requests of a fetch, each when the rate limit of its host lets it.

use std::time::Duration;

use domain::crawl::CrawlError;
use hyper::StatusCode;
use hyper::header::{HeaderMap, RETRY_AFTER};

use crate::body::{Body, Oversized};
use crate::fetch::{Arrived, Fetch, FetchStep};
use crate::shared::Shared;

/// How long a host may ask to be left alone before it is asked once more.
const WAIT_MAX: Duration = Duration::from_secs(30);

impl Shared {
    /// Sends the next request of a fetch when the rate limit of the host lets it. The address is checked by
    /// [`egress`] alone.
    ///
    /// # Errors
    /// There was no answer, or one that leads nowhere.
    pub(crate) async fn step(
        &self,
        fetch: &mut Fetch,
        delay: Duration,
    ) -> Result<FetchStep, CrawlError> {
        let permit = self.rate_limits.take(&fetch.url, delay).await;
        let answer = match fetch.time_left.within(self.client.get(&fetch.url)).await {
            // The host may have closed a connection that had waited just when it was used again. It may
            // as well not want this request, so the next one waits for its permit.
            Err(CrawlError::BrokenOff) if std::mem::take(&mut fetch.may_try_again) => {
                return Ok(FetchStep::Again);
            }
            answer => answer?,
        };
        let (status, headers) = (answer.status(), answer.headers());
        fetch.status = Some(status.as_u16());
        if matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return fetch.redirect(headers).map(FetchStep::Moved);
        }
        let time = wait(status, headers).filter(|time| *time <= WAIT_MAX);
        if let Some(time) = time.filter(|_| fetch.may_wait) {
            fetch.may_wait = false;
            self.rate_limits.pause(&fetch.url, time);
            return Ok(FetchStep::Again);
        }
        Ok(FetchStep::Arrived(Arrived { answer, permit }))
    }

    /// Reads the body at the end of a fetch, and releases the permit.
    ///
    /// # Errors
    /// It broke off, came too slowly or was too large.
    pub(crate) async fn read(
        &self,
        fetch: &mut Fetch,
        arrived: Arrived,
        limit: u64,
        oversized: Oversized,
    ) -> Result<Body, CrawlError> {
        let Arrived { answer, permit } = arrived;
        self.large_bodies.read(answer.into_body(), limit, oversized, fetch, &permit).await
    }
}

/// How long a host that is overloaded wants to be left alone, if it says so.
pub(crate) fn wait(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    let is_overloaded =
        [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE].contains(&status);
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds)).filter(|_| is_overloaded)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn only_an_overloaded_host_is_waited_for() {
        let wait = |status: u16, value: &'static str| {
            let headers = [(RETRY_AFTER, HeaderValue::from_static(value))];
            wait(StatusCode::from_u16(status).unwrap(), &headers.into_iter().collect())
        };
        assert_eq!(wait(429, "7"), Some(Duration::from_secs(7)));
        assert_eq!(wait(503, "30"), Some(WAIT_MAX));
        for (status, value) in [(429, "soon"), (429, "-1"), (500, "7"), (200, "7")] {
            assert_eq!(wait(status, value), None, "{status} {value}");
        }
    }
}
