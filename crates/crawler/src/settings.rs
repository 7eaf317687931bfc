//! What an installation decides about its crawls.

use std::net::SocketAddr;
use std::time::Duration;

use ipnet::IpNet;

use crate::product::PRODUCT;

/// How the web is asked, and how much of an answer is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Who asks, in every request. It should say where people find out more.
    pub user_agent: String,
    /// Networks that crawls may reach although they are not public, on every port.
    pub allow_networks: Vec<IpNet>,
    /// Where this server listens. Stays closed, even inside of `allow_networks`; an unspecified
    /// address stands for every address of this machine.
    pub closed: Vec<SocketAddr>,
    /// How much time passes from the start of one request to the start of the next one to the same
    /// host. A `robots.txt` can make it longer.
    pub delay: Duration,
    /// How many requests to one host are under way at once.
    pub connections_per_host: usize,
    /// How long finding the addresses of a name may take, and then connecting.
    pub connect_timeout: Duration,
    /// How long all requests for one page may take together: redirects, answer and body. Waiting for
    /// a permit, or for room for a large body, does not count.
    pub page_timeout: Duration,
    /// How many bytes a body has at most, as it comes over the wire.
    pub wire_bytes: u64,
    /// How many bytes a body has at most when it is decompressed.
    pub inflated_bytes: u64,
    /// How many redirects are followed for one page.
    pub redirects: u8,
    /// How many bytes of a `robots.txt` count; what follows is not read.
    pub robots_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            user_agent: format!("{PRODUCT}/{}", env!("CARGO_PKG_VERSION")),
            allow_networks: Vec::new(),
            closed: Vec::new(),
            delay: Duration::from_millis(200),
            connections_per_host: 4,
            connect_timeout: Duration::from_secs(5),
            page_timeout: Duration::from_secs(30),
            wire_bytes: 10 << 20,
            inflated_bytes: 20 << 20,
            redirects: 5,
            robots_bytes: 512 << 10,
        }
    }
}
