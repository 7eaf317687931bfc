//! Sending the requests of a trip, each when it is its turn.

use std::time::Duration;

use domain::crawl::CrawlError;
use hyper::StatusCode;
use hyper::header::{HeaderMap, RETRY_AFTER};

use crate::body::{Beyond, Body};
use crate::shared::Shared;
use crate::trip::{Arrived, Step, Trip};

/// How long a host may ask to be left alone before it is asked once more.
const WAIT_MAX: Duration = Duration::from_secs(30);

impl Shared {
    /// Sends the next request of a trip when it is its turn. Nothing of the address is judged here but
    /// what the guard judges.
    ///
    /// # Errors
    /// There was no answer, or one that leads nowhere.
    pub(crate) async fn step(&self, trip: &mut Trip, delay: Duration) -> Result<Step, CrawlError> {
        let turn = self.turns.take(&trip.url, delay).await;
        let answer = match trip.time_left.within(self.client.get(&trip.url)).await {
            // The host may have closed a connection that had waited just when it was used again. It may
            // as well not want this request, so the next one waits for its turn.
            Err(CrawlError::BrokenOff) if std::mem::take(&mut trip.may_try_again) => {
                return Ok(Step::Again);
            }
            answer => answer?,
        };
        let (status, headers) = (answer.status(), answer.headers());
        trip.status = Some(status.as_u16());
        if matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return trip.redirect(headers).map(Step::Moved);
        }
        let time = wait(status, headers).filter(|time| *time <= WAIT_MAX);
        if let Some(time) = time.filter(|_| trip.may_wait) {
            trip.may_wait = false;
            self.turns.pause(&trip.url, time);
            return Ok(Step::Again);
        }
        Ok(Step::Arrived(Arrived { answer, turn }))
    }

    /// Reads the body at the end of a trip, and gives the turn back.
    ///
    /// # Errors
    /// It broke off, came too slowly or was too large.
    pub(crate) async fn read(
        &self,
        trip: &mut Trip,
        arrived: Arrived,
        limit: u64,
        beyond: Beyond,
    ) -> Result<Body, CrawlError> {
        let Arrived { answer, turn } = arrived;
        self.large_bodies.read(answer.into_body(), limit, beyond, trip, &turn).await
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
