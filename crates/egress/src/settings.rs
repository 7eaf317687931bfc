//! What may be reached, and what a client keeps.

use std::net::SocketAddr;
use std::time::Duration;

use ipnet::IpNet;

/// What may be reached, and what a client keeps of its connections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What requests say of the program that sends them (RFC 9110, section 10.1.5).
    pub user_agent: String,
    /// Networks that may be reached although they are not public, on every port.
    pub allow_networks: Vec<IpNet>,
    /// Where this server listens. Stays closed, even inside of `allow_networks`; an unspecified
    /// address stands for every address of this machine.
    pub closed: Vec<SocketAddr>,
    /// How long finding the addresses of a name may take, and then connecting.
    pub connect_timeout: Duration,
    /// How many names are looked up at once. Each keeps a thread for as long as the name service takes, even if the
    /// caller has stopped waiting.
    pub look_ups: usize,
    /// How many connections to one host wait for its next request. How many are open is for the caller to bound.
    pub idle_per_host: usize,
    /// How many bytes the head of an answer has at most, and how many of a body wait to be read. Less than 8 KiB
    /// count as 8 KiB.
    pub buffer: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            user_agent: concat!("botyard/", env!("CARGO_PKG_VERSION")).to_owned(),
            allow_networks: Vec::new(),
            closed: Vec::new(),
            connect_timeout: Duration::from_secs(5),
            look_ups: 16,
            idle_per_host: 4,
            buffer: 64 << 10,
        }
    }
}
