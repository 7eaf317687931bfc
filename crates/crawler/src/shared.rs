//! What all visits share.

use crate::body::LargeBodies;
use crate::client::Client;
use crate::documents::Documents;
use crate::robots::RobotsCache;
use crate::settings::Settings;
use crate::turns::Turns;
use crate::work::Seats;

/// What all visits share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) client: Client,
    pub(crate) turns: Turns,
    pub(crate) robots: RobotsCache,
    pub(crate) large_bodies: LargeBodies,
    pub(crate) documents: Documents,
    /// For inflating bodies and making Markdown of them.
    pub(crate) seats: Seats,
}
