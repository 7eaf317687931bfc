//! What all visits share.

use crate::body::LargeBodies;
use crate::client::Client;
use crate::documents::Documents;
use crate::rate_limit::HostRateLimits;
use crate::robots::RobotsCache;
use crate::settings::Settings;
use crate::work::WorkPermits;

/// What all visits share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) client: Client,
    pub(crate) rate_limits: HostRateLimits,
    pub(crate) robots: RobotsCache,
    pub(crate) large_bodies: LargeBodies,
    pub(crate) documents: Documents,
    /// For inflating bodies and making Markdown of them.
    pub(crate) permits: WorkPermits,
}
