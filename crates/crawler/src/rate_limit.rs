//! The rate limit of each host: how requests to it wait for one another. A host is one with and without `www.`, on
//! whatever port. Hosts that are not asked any more are forgotten.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::crawl::CrawlUrl;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// How many hosts are remembered.
const HOSTS: u64 = 4_096;
/// How long; more than any delay.
const REMEMBERED: Duration = Duration::from_secs(600);
/// How many large bodies of one host are in memory at once. Fewer than of all hosts together, so that a
/// host that sends them slowly does not keep others waiting.
const LARGE_BODIES: usize = 2;

/// The rate limits of all hosts.
#[derive(Debug)]
pub(crate) struct HostRateLimits {
    hosts: Cache<String, Arc<Host>>,
    at_once: usize,
}

#[derive(Debug)]
struct Host {
    permits: Arc<Semaphore>,
    large_bodies: Arc<Semaphore>,
    /// Held by the one request that starts next, while it waits. One that is dropped meanwhile delays no
    /// other.
    start_lock: AsyncMutex<()>,
    /// When the next request may start.
    next: Mutex<Instant>,
}

/// A permit to ask a host: lasts until it is dropped.
#[derive(Debug)]
pub(crate) struct HostPermit {
    host: Arc<Host>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl HostRateLimits {
    /// With so many requests under way to one host.
    pub(crate) fn new(at_once: usize) -> Self {
        let hosts = Cache::builder()
            .max_capacity(HOSTS)
            // A host that is asked now must not be forgotten for one that was asked often.
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(REMEMBERED)
            .build();
        Self { hosts, at_once: at_once.max(1) }
    }

    /// Waits for a permit of the host of this address; the next one starts no earlier than after `delay`.
    pub(crate) async fn take(&self, url: &CrawlUrl, delay: Duration) -> HostPermit {
        let host = self.host(url);
        let permit = host.permits.clone().acquire_owned().await.ok();
        host.start(delay).await;
        HostPermit { host, _permit: permit }
    }

    /// Lets no request to the host of this address begin for so long.
    pub(crate) fn pause(&self, url: &CrawlUrl, time: Duration) {
        let host = self.host(url);
        let mut next = host.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = (*next).max(Instant::now() + time);
    }

    fn host(&self, url: &CrawlUrl) -> Arc<Host> {
        let new = || {
            Arc::new(Host {
                permits: Arc::new(Semaphore::new(self.at_once)),
                large_bodies: Arc::new(Semaphore::new(LARGE_BODIES)),
                start_lock: AsyncMutex::new(()),
                next: Mutex::new(Instant::now()),
            })
        };
        self.hosts.get_with_by_ref(url.site_name(), new)
    }
}

impl Host {
    /// Waits until a request that has a permit may start; pauses that begin meanwhile count as well.
    async fn start(&self, delay: Duration) {
        let _alone = self.start_lock.lock().await;
        while let Err(next) = self.try_start(delay) {
            sleep_until(next).await;
        }
    }

    /// Starts, or says when to try again.
    fn try_start(&self, delay: Duration) -> Result<(), Instant> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if *next > now {
            return Err(*next);
        }
        *next = now + delay;
        Ok(())
    }
}

impl HostPermit {
    /// Waits until this host may send a large body. What is returned can be kept longer than this permit.
    pub(crate) async fn large_body(&self) -> Option<OwnedSemaphorePermit> {
        self.host.large_bodies.clone().acquire_owned().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    const DELAY: Duration = Duration::from_secs(3);

    fn url(text: &str) -> CrawlUrl {
        CrawlUrl::parse(text, true).unwrap()
    }

    /// When each of `count` requests to one host began, in the clock's own time.
    async fn starts(rate_limits: &HostRateLimits, count: usize) -> Vec<Duration> {
        let begun = Instant::now();
        let mut starts = Vec::new();
        for _ in 0..count {
            drop(rate_limits.take(&url("http://a.example/"), DELAY).await);
            starts.push(begun.elapsed());
        }
        starts
    }

    #[tokio::test(start_paused = true)]
    async fn requests_to_a_host_start_apart() {
        let rate_limits = HostRateLimits::new(4);
        assert_eq!(starts(&rate_limits, 3).await, [Duration::ZERO, DELAY, 2 * DELAY]);
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_do_not_wait_for_one_another() {
        let rate_limits = HostRateLimits::new(1);
        let begun = Instant::now();
        let _one = rate_limits.take(&url("http://a.example/"), DELAY).await;
        let _other = rate_limits.take(&url("http://b.example/"), DELAY).await;
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn with_and_without_www_is_one_host() {
        let rate_limits = HostRateLimits::new(4);
        let begun = Instant::now();
        let _one = rate_limits.take(&url("http://a.example/"), DELAY).await;
        let _other = rate_limits.take(&url("https://www.a.example/"), DELAY).await;
        assert_eq!(begun.elapsed(), DELAY);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_goes_away_before_its_turn_delays_no_other() {
        let rate_limits = HostRateLimits::new(4);
        let (url, begun) = (url("http://a.example/"), Instant::now());
        let take = || rate_limits.take(&url, 2 * DELAY);
        let _first = take().await;
        let (one, other) = (timeout(DELAY, take()), timeout(DELAY, take()));
        let (one, other) = tokio::join!(one, other);
        assert!(one.is_err() && other.is_err());
        let _second = take().await;
        assert_eq!(begun.elapsed(), 2 * DELAY);
    }

    #[tokio::test(start_paused = true)]
    async fn only_some_are_under_way_at_once() {
        let rate_limits = HostRateLimits::new(2);
        let url = url("http://a.example/");
        let take = || rate_limits.take(&url, Duration::ZERO);
        let first = take().await;
        let _second = take().await;
        let third = timeout(DELAY, take());
        assert!(third.await.is_err());
        drop(first);
        take().await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_is_kept_by_all() {
        let rate_limits = HostRateLimits::new(4);
        rate_limits.pause(&url("http://a.example/x"), 2 * DELAY);
        assert_eq!(starts(&rate_limits, 2).await, [2 * DELAY, 3 * DELAY]);
        // A pause also delays a request that waits already.
        let url = url("http://a.example/");
        let begun = Instant::now();
        let (_turn, ()) = tokio::join!(rate_limits.take(&url, DELAY), async {
            rate_limits.pause(&url, 2 * DELAY);
        });
        assert_eq!(begun.elapsed(), 2 * DELAY);
    }
}
