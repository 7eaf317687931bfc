//! What an installation decides about sending webhooks.

use std::net::SocketAddr;
use std::time::Duration;

use ipnet::IpNet;

/// Where webhooks may go, and how long that may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Who sends, in every request.
    pub user_agent: String,
    /// Networks that webhooks may reach although they are not public, on every port.
    pub allow_networks: Vec<IpNet>,
    /// Where this server listens. Stays closed, even inside of `allow_networks`; an unspecified
    /// address stands for every address of this machine.
    pub closed: Vec<SocketAddr>,
    /// How long finding the addresses of a name may take, and then connecting.
    pub connect_timeout: Duration,
    /// How long a call may take: connecting, sending, and waiting for the head of the answer. In what is then left,
    /// the body of the answer is read.
    pub timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            user_agent: concat!("botyard/", env!("CARGO_PKG_VERSION")).to_owned(),
            allow_networks: Vec::new(),
            closed: Vec::new(),
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(15),
        }
    }
}
