//! What sites forbid in their `robots.txt`, and how slowly they want to be asked.

mod cache;
mod rules;
#[cfg(test)]
mod tests;

use std::io::Read as _;
use std::sync::Arc;

use domain::crawl::{CrawlError, CrawlUrl};
use tokio::time::Instant;

use crate::body::{Coding, Oversized};
use crate::fetch::{Fetch, FetchStep};
use crate::requests::wait;
use crate::shared::Shared;

pub(crate) use cache::{RobotsCache, Unknown};
pub(crate) use rules::Rules;

use cache::CachedRules;

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
        known.insert(CachedRules::after(read, before, Instant::now())).rules.clone()
    }

    /// Goes by RFC 9309, section 2.3.1: what the site does not have forbids nothing, what it can't hand
    /// out forbids everything. Redirects may lead to other sites.
    async fn read_rules(&self, url: &CrawlUrl) -> Result<Rules, Unknown> {
        let Some(file) = url.join("/robots.txt") else { return Ok(Rules::default()) };
        let mut fetch = Fetch::new(file, None, &self.settings);
        let arrived = loop {
            match self.step(&mut fetch, self.settings.delay).await {
                Ok(FetchStep::Moved(to)) => fetch.url = to,
                Ok(FetchStep::Again) => {}
                Ok(FetchStep::Arrived(arrived)) => break arrived,
                // The RFC lets these count as rules that are not there.
                Err(CrawlError::TooManyRedirects) => return Ok(Rules::default()),
                // It says nothing of redirects that only this crawler does not follow, from `https`
                // to `http`. The site has rules there, and what they forbid is not known.
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
        let body = self.read(&mut fetch, arrived, limit, Oversized::Truncate).await?;
        let mut text = Vec::new();
        // What can't be read to its end counts as far as it can.
        let _ = body.content(coding).take(limit).read_to_end(&mut text);
        Ok(Rules::parse(&text))
    }
}
