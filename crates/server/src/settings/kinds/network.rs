//! Addresses and networks.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;

use super::{Scalar, Shape};

impl Scalar for SocketAddr {
    type Value = Self;
    const SHAPE: Shape = Shape::new(
        "address with a port",
        "127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080",
        "ADDRESS:PORT",
    );

    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| Self::SHAPE.mismatch())
    }
}

impl Scalar for IpNet {
    type Value = Self;
    const SHAPE: Shape = Shape::new(
        "network",
        "an address such as 10.0.0.7 or a range such as 10.0.0.0/8 or fd00::/8",
        "NETWORK",
    );

    fn read(text: &str) -> Result<Self, String> {
        let single = || text.parse::<IpAddr>().map(Self::from);
        text.parse().or_else(|_| single()).map_err(|_| Self::SHAPE.mismatch())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_port() {
        for good in ["127.0.0.1:0", "[::1]:8080", "0.0.0.0:65535"] {
            assert!(<SocketAddr as Scalar>::read(good).is_ok(), "{good}");
        }
        for bad in ["", "127.0.0.1", ":8080", "8080", "localhost:80", "::1:80", "1.2.3.4:65536"] {
            assert!(<SocketAddr as Scalar>::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_bare_address_is_a_network_of_one() {
        for (text, network) in [
            ("10.0.0.7", "10.0.0.7/32"),
            ("fd00::7", "fd00::7/128"),
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("::/0", "::/0"),
        ] {
            assert_eq!(<IpNet as Scalar>::read(text).unwrap().to_string(), network);
        }
        for bad in ["", "10.0.0.0/33", "10.0.0/8", "proxy", "10.0.0.0/", "fd00::/129"] {
            assert!(<IpNet as Scalar>::read(bad).is_err(), "{bad}");
        }
    }
}
