//! The rules of sites, as far as they are remembered.

use std::sync::Arc;
use std::time::Duration;

use domain::crawl::CrawlError;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::Rules;

/// How many sites' rules are remembered. Hostile ones have a megabyte each.
const SITES: u64 = 64;
/// How long they are.
pub(super) const REMEMBERED: Duration = Duration::from_secs(600);
/// How long it is remembered that they could not be read, if the site does not ask for more time. That
/// passes, and all clients of this node wait for it.
pub(super) const FAILURE_REMEMBERED: Duration = Duration::from_secs(30);

/// The rules of the sites that were visited last. The first visit that finds none fetches them; others to
/// the same site wait for it.
#[derive(Debug)]
pub(crate) struct RobotsCache(pub(super) Cache<String, Arc<Mutex<Option<CachedRules>>>>);

#[derive(Debug)]
pub(super) struct CachedRules {
    pub(super) rules: Result<Arc<Rules>, Unknown>,
    pub(super) until: Instant,
}

/// Why it is unknown what a site forbids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unknown {
    pub(crate) error: CrawlError,
    /// The status that the site gave instead of its rules.
    pub(crate) status: Option<u16>,
    /// How long it wants to be left alone, if it says so.
    pub(super) wait: Option<Duration>,
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

impl CachedRules {
    /// What is known once the rules were read, or could not be. Those that can't be read again hold until
    /// they can (RFC 9309, section 2.4).
    pub(super) fn after(read: Result<Rules, Unknown>, before: Option<Self>, now: Instant) -> Self {
        let time = match &read {
            Ok(_) => REMEMBERED,
            Err(unknown) => unknown.wait.unwrap_or_default().clamp(FAILURE_REMEMBERED, REMEMBERED),
        };
        let before = before.and_then(|before| before.rules.ok());
        let rules = read.map(Arc::new).or_else(|unknown| before.ok_or(unknown));
        Self { rules, until: now + time }
    }
}
