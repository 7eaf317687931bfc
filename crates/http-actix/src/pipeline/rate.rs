//! How often each token and each project may call.

use std::hash::Hash;
use std::num::NonZeroU32;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::options::RateLimit;
use crate::problem::Problem;

/// The buckets of all callers, tokens or projects, that called lately.
pub struct Rates<K: Hash + Eq + Clone> {
    limiter: DefaultKeyedRateLimiter<K>,
    clock: DefaultClock,
}

impl<K: Hash + Eq + Clone> Rates<K> {
    /// Buckets of this size; `None` if the numbers switch the limit off.
    #[must_use]
    pub fn new(limit: RateLimit) -> Option<Self> {
        let rate = NonZeroU32::new(limit.requests_per_second)?;
        let burst = NonZeroU32::new(limit.burst).unwrap_or(rate);
        let quota = Quota::per_second(rate).allow_burst(burst);
        Some(Self { limiter: RateLimiter::keyed(quota), clock: DefaultClock::default() })
    }

    /// Counts one request of a caller.
    ///
    /// # Errors
    /// 429 with the whole seconds after which there is room again.
    pub fn count(&self, caller: K) -> Result<(), Problem> {
        self.limiter.check_key(&caller).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.clock.now());
            Problem::rate_limited(wait.as_secs() + 1)
        })
    }

    /// Forgets the callers that have not called for a while.
    pub fn forget_idle(&self) {
        self.limiter.retain_recent();
    }
}
