//! What sites forbid in their `robots.txt`, and how slowly they want to be asked.

mod rules;
#[cfg(test)]
mod tests;

use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use domain::crawl::{CrawlError, CrawlUrl};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::Shared;
use crate::body::{Beyond, Coding};
use crate::trip::{Step, Trip, wait};

pub(crate) use rules::Rules;

/// How many sites' rules are remembered. Hostile ones have a megabyte each.
const SITES: u64 = 64;
/// How long they are.
const REMEMBERED: Duration = Duration::from_secs(600);
/// How long it is remembered that they could not be read, if the site does not ask for more time. That
/// passes, and all clients of this node wait for it.
const FAILURE_REMEMBERED: Duration = Duration::from_secs(30);

/// The rules of the sites that were visited last. Whoever finds no rules fetches them; others for the
/// same site wait for these.
#[derive(Debug)]
pub(crate) struct RobotsCache(Cache<String, Arc<Mutex<Option<Known>>>>);

#[derive(Debug)]
struct Known {
    rules: Result<Arc<Rules>, Unknown>,
    until: Instant,
}

/// Why nobody knows what a site forbids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unknown {
    pub(crate) error: CrawlError,
    /// The status that the site gave instead of its rules.
    pub(crate) status: Option<u16>,
    /// How long it wants to be left alone, if it says so.
    wait: Option<Duration>,
}

impl From<CrawlError> for Unknown {
    fn from(error: CrawlError) -> Self {
        Self { error, status: None, wait: None }
    }
}

impl Default for RobotsCache {
    fn default() -> Self {
        let cache = Cache::builder()
            .max_capacity(SITES)
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(REMEMBERED);
        Self(cache.build())
    }
}

impl Known {
    /// What is known once the rules were read, or could not be. Those that can't be read again hold until
    /// they can (RFC 9309, section 2.4).
    fn after(read: Result<Rules, Unknown>, before: Option<Self>, now: Instant) -> Self {
        let time = match &read {
            Ok(_) => REMEMBERED,
            Err(unknown) => unknown.wait.unwrap_or_default().clamp(FAILURE_REMEMBERED, REMEMBERED),
        };
        let before = before.and_then(|before| before.rules.ok());
        let rules = read.map(Arc::new).or_else(|unknown| before.ok_or(unknown));
        Self { rules, until: now + time }
    }
}

impl Shared {
    /// The rules for this address.
    ///
    /// # Errors
    /// They can't be read, so nothing may be fetched.
    pub(crate) async fn rules(&self, url: &CrawlUrl) -> Result<Arc<Rules>, Unknown> {
        let site = self.robots.0.get_with(url.url().origin().ascii_serialization(), Arc::default);
        let mut known = site.lock().await;
        if let Some(known) = known.as_ref().filter(|known| known.until > Instant::now()) {
            return known.rules.clone();
        }
        let read = self.read_rules(url).await;
        let before = known.take();
        known.insert(Known::after(read, before, Instant::now())).rules.clone()
    }

    /// Goes by RFC 9309, section 2.3.1: what the site does not have forbids nothing, what it can't hand
    /// out forbids everything. Redirects may lead to other sites.
    async fn read_rules(&self, url: &CrawlUrl) -> Result<Rules, Unknown> {
        let Some(file) = url.join("/robots.txt") else { return Ok(Rules::default()) };
        let mut trip = Trip::new(file, &self.settings);
        let arrived = loop {
            match self.step(&mut trip, self.settings.delay).await {
                Ok(Step::Moved(to)) => trip.url = to,
                Ok(Step::Again) => {}
                Ok(Step::Arrived(arrived)) => break arrived,
                // The RFC lets these count as rules that are not there.
                Err(CrawlError::TooManyRedirects) => return Ok(Rules::default()),
                // It says nothing of redirects that only this crawler does not follow, from `https`
                // to `http`. The site has rules there, and nobody knows what they forbid.
                Err(error) => return Err(error.into()),
            }
        };
        let status = arrived.answer.status();
        match status.as_u16() {
            200..300 => {}
            // A site that is asked too often has not said that everything may be fetched.
            code @ (429 | 500..) => {
                let wait = wait(status, arrived.answer.headers());
                return Err(Unknown { wait, status: Some(code), error: CrawlError::HttpError });
            }
            _ => return Ok(Rules::default()),
        }
        let coding = Coding::of(arrived.answer.headers())?;
        let limit = self.settings.robots_bytes;
        let body = self.read(&mut trip, arrived, limit, Beyond::Cut).await?;
        let mut text = Vec::new();
        // What can't be read to its end counts as far as it can.
        let _ = body.content(coding).take(limit).read_to_end(&mut text);
        Ok(Rules::parse(&text))
    }
}
