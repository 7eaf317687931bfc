//! How many connections each address has open, so that none takes them all.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use ipnet::IpNet;
use metrics::{Gauge, gauge};

/// The open connections of each address.
pub(crate) struct Addresses {
    /// How many one address may have.
    most: usize,
    /// Their connections are not counted, because each stands for many clients.
    proxies: Vec<IpNet>,
    open: Mutex<HashMap<IpAddr, usize>>,
    /// All of them, those of proxies included.
    gauge: Gauge,
}

impl Addresses {
    pub(crate) fn new(most: usize, proxies: Vec<IpNet>) -> Arc<Self> {
        let gauge = gauge!("botyard_http_connections");
        Arc::new(Self { most: most.max(1), proxies, open: Mutex::default(), gauge })
    }

    /// Counts a connection of this address until the slot is dropped. `None` if the address has the
    /// maximum already.
    pub(crate) fn enter(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionSlot> {
        let peer = peer.to_canonical();
        if self.proxies.iter().any(|network| network.contains(&peer)) {
            return Some(self.slot(None));
        }
        let key = network(peer);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(key).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(self.slot(Some(key)))
    }

    fn slot(self: &Arc<Self>, key: Option<IpAddr>) -> ConnectionSlot {
        self.gauge.increment(1.0);
        ConnectionSlot { addresses: self.clone(), key }
    }

    fn leave(&self, key: IpAddr) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                open.remove(&key);
            }
        }
    }
}

/// Counts one open connection, until it is dropped.
pub(crate) struct ConnectionSlot {
    addresses: Arc<Addresses>,
    /// The address that it counts for, if it is none of a proxy.
    key: Option<IpAddr>,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.addresses.gauge.decrement(1.0);
        if let Some(key) = self.key.take() {
            self.addresses.leave(key);
        }
    }
}

/// What counts as one address: of IPv6 the network that a single client has.
pub(crate) fn network(peer: IpAddr) -> IpAddr {
    const NETWORK: u128 = !0 << 64;
    match peer {
        IpAddr::V4(_) => peer,
        IpAddr::V6(peer) => Ipv6Addr::from_bits(peer.to_bits() & NETWORK).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_as_many_connections_as_it_may() {
        let addresses = Addresses::new(2, vec!["10.0.0.0/8".parse().unwrap()]);
        let enter = |peer: &str| addresses.enter(peer.parse().unwrap());
        let held = [enter("192.0.2.1").unwrap(), enter("::ffff:192.0.2.1").unwrap()];
        assert!(enter("192.0.2.1").is_none());
        let other = enter("192.0.2.2").unwrap();
        let proxy: Vec<_> = (0..9).map(|_| enter("10.1.2.3").unwrap()).collect();
        drop(held);
        assert!(enter("192.0.2.1").is_some());
        let network = [enter("2001:db8::1").unwrap(), enter("2001:db8::2").unwrap()];
        assert!(enter("2001:db8::3").is_none());
        assert!(enter("2001:db8:0:1::3").is_some());
        drop((other, proxy, network));
        assert!(addresses.open.lock().unwrap().is_empty());
    }
}
