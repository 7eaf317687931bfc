//! Which addresses may be reached. Everything that is connected to is checked here, and checked as the
//! address that it is, whatever name, redirect or spelling led to it.

mod ranges;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr, UdpSocket};

use domain::http_url::PORTS;
use ipnet::IpNet;

use crate::error::EgressError;
use crate::settings::Settings;

/// Decides which addresses may be connected to.
#[derive(Debug)]
pub(crate) struct Guard {
    opened: Vec<IpNet>,
    closed: Vec<SocketAddr>,
}

impl Guard {
    pub(crate) fn new(settings: &Settings) -> Self {
        let canonical = |at: &SocketAddr| SocketAddr::new(at.ip().to_canonical(), at.port());
        Self {
            opened: settings.allow_networks.clone(),
            closed: settings.closed.iter().map(canonical).collect(),
        }
    }

    /// Whether this port of this address may be connected to.
    ///
    /// # Errors
    /// [`BlockedAddress`](EgressError::BlockedAddress), or for an address that is open
    /// [`BlockedPort`](EgressError::BlockedPort).
    pub(crate) fn check(&self, at: SocketAddr) -> Result<(), EgressError> {
        let address = at.ip().to_canonical();
        let is_opened = self.opens(address);
        if !(is_opened || ranges::is_public(address)) || self.closes(address, at.port()) {
            return Err(EgressError::BlockedAddress);
        }
        // No other port would open an address that is closed, so this comes second.
        if !(is_opened || PORTS.contains(&at.port())) {
            return Err(EgressError::BlockedPort);
        }
        Ok(())
    }

    /// Whether the installation opens this address. One that stands for another is open if both are.
    fn opens(&self, address: IpAddr) -> bool {
        let is_inside = |address| self.opened.iter().any(|network| network.contains(&address));
        is_inside(address)
            && ranges::embedded(address)
                .map(IpAddr::V4)
                .is_none_or(|inner| is_inside(inner) || ranges::is_public(inner))
    }

    /// Whether this stays closed, whatever is opened.
    fn closes(&self, address: IpAddr, port: u16) -> bool {
        let inner = ranges::embedded(address).map(IpAddr::V4);
        [Some(address), inner].into_iter().flatten().any(|address| {
            // Connecting to the unspecified address leads to this machine.
            address.is_unspecified()
                || ranges::is_metadata(address)
                || self.closed.iter().any(|own| {
                    own.port() == port
                        && (own.ip() == address || own.ip().is_unspecified() && is_own(address))
                })
        })
    }
}

/// Whether an address is one of this machine: others can't be bound.
fn is_own(address: IpAddr) -> bool {
    address.is_loopback() || UdpSocket::bind((address, 0)).is_ok()
}
