use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;

fn guard(opened: &[&str], closed: &[&str]) -> Guard {
    Guard::new(&Settings {
        allow_networks: opened.iter().map(|network| network.parse().unwrap()).collect(),
        closed: closed.iter().map(|at| at.parse().unwrap()).collect(),
        ..Settings::default()
    })
}

fn checked(guard: &Guard, address: &str, port: u16) -> Result<(), EgressError> {
    guard.check(SocketAddr::new(address.parse().unwrap(), port))
}

#[test]
fn only_the_public_internet_is_open() {
    let guard = guard(&[], &[]);
    for address in [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.0.3.0",
        "192.31.195.255",
        "192.31.197.0",
        "192.52.192.255",
        "192.52.194.0",
        "192.88.98.255",
        "192.88.100.0",
        "192.167.255.255",
        "192.169.0.0",
        "192.175.47.255",
        "192.175.49.0",
        "198.17.255.255",
        "198.20.0.0",
        "198.51.99.255",
        "198.51.101.0",
        "203.0.112.255",
        "203.0.114.0",
        "223.255.255.255",
        "::ffff:1.1.1.1",
        "2000::",
        "2001:200::",
        "2001:db7:ffff::",
        "2001:db9::",
        "2003::",
        "2620:4f:7fff::",
        "2620:4f:8001::",
        "3ffd:ffff::",
        "3fff:1000::",
        "3fff:ffff::",
    ] {
        assert_eq!(checked(&guard, address, 443), Ok(()), "{address}");
    }
    for address in [
        "0.0.0.0",
        "0.255.255.255",
        "10.0.0.0",
        "10.255.255.255",
        "100.64.0.0",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255",
        "168.63.129.16",
        "169.254.169.254",
        "169.254.255.255",
        "172.16.0.0",
        "172.31.255.255",
        "192.0.0.255",
        "192.0.2.1",
        "192.31.196.1",
        "192.52.193.1",
        "192.88.99.1",
        "192.168.255.255",
        "192.175.48.1",
        "198.18.0.0",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.0",
        "255.255.255.255",
        "::",
        "::1",
        "::1.1.1.1",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "64:ff9b::1.1.1.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::10.0.0.1",
        "64:ff9b:1:ffff::1",
        "100::1",
        "100:0:0:1::1",
        "1fff:ffff::",
        "2001::1",
        "2001:1::1",
        "2001:3::1",
        "2001:4:112::1",
        "2001:20::1",
        "2001:30::1",
        "2001:1ff:ffff::",
        "2001:db8::1",
        "2002:101:101::1",
        "2620:4f:8000::1",
        "3ffe::1",
        "3ffe:ffff:ffff::",
        "3fff::1",
        "3fff:fff:ffff::",
        "4000::",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ] {
        assert_eq!(checked(&guard, address, 443), Err(EgressError::BlockedAddress), "{address}");
    }
}

#[test]
fn ports_are_few_outside_of_opened_networks() {
    let guard = guard(&["10.1.0.0/16", "fd01::/16", "::1/128"], &[]);
    for port in [80, 443, 8080, 8443] {
        assert_eq!(checked(&guard, "1.1.1.1", port), Ok(()));
    }
    for (address, port, expected) in [
        ("1.1.1.1", 22, Err(EgressError::BlockedPort)),
        ("1.1.1.1", 0, Err(EgressError::BlockedPort)),
        ("10.2.0.1", 5432, Err(EgressError::BlockedAddress)),
        ("10.2.0.1", 80, Err(EgressError::BlockedAddress)),
        ("10.1.2.3", 80, Ok(())),
        ("10.1.2.3", 5432, Ok(())),
        ("::ffff:10.1.2.3", 5432, Ok(())),
        ("fd01::1", 9, Ok(())),
        ("::1", 9, Ok(())),
        ("fd02::1", 80, Err(EgressError::BlockedAddress)),
    ] {
        assert_eq!(checked(&guard, address, port), expected, "{address} {port}");
    }
}

#[test]
fn some_addresses_stay_closed_in_opened_networks() {
    let listeners = ["127.0.0.1:3000", "[::ffff:127.0.0.1]:3001", "10.0.0.7:3002"];
    let guard = guard(&["0.0.0.0/0", "::/0"], &listeners);
    for (address, port) in [
        ("0.0.0.0", 80),
        ("::", 80),
        ("::ffff:0.0.0.0", 80),
        ("169.254.169.254", 80),
        ("::ffff:169.254.169.254", 80),
        ("64:ff9b::169.254.169.254", 80),
        ("2002:a9fe:a9fe::1", 80),
        ("fd00:ec2::254", 80),
        ("127.0.0.1", 3000),
        ("::ffff:127.0.0.1", 3000),
        ("127.0.0.1", 3001),
        ("10.0.0.7", 3002),
        ("64:ff9b::10.0.0.7", 3002),
    ] {
        let expected = Err(EgressError::BlockedAddress);
        assert_eq!(checked(&guard, address, port), expected, "{address} {port}");
    }
    for (address, port) in [("127.0.0.1", 80), ("10.0.0.7", 80), ("10.0.0.8", 3002), ("::1", 3000)]
    {
        assert_eq!(checked(&guard, address, port), Ok(()), "{address} {port}");
    }
}

#[test]
fn a_listener_on_every_address_closes_those_of_this_machine() {
    for listener in ["0.0.0.0:3000", "[::]:3000"] {
        let guard = guard(&["0.0.0.0/0", "::/0"], &[listener]);
        for address in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
            let expected = Err(EgressError::BlockedAddress);
            assert_eq!(checked(&guard, address, 3000), expected, "{address}");
            assert_eq!(checked(&guard, address, 3001), Ok(()), "{address}");
        }
        // Of a range for documents, which no machine has.
        assert_eq!(checked(&guard, "203.0.113.7", 3000), Ok(()));
    }
}

#[test]
fn what_stands_for_another_address_is_open_if_both_are() {
    let guard = guard(&["64:ff9b::/96"], &[]);
    assert_eq!(checked(&guard, "64:ff9b::1.1.1.1", 80), Ok(()));
    assert_eq!(checked(&guard, "64:ff9b::10.0.0.1", 80), Err(EgressError::BlockedAddress));
    assert_eq!(checked(&guard, "64:ff9b::127.0.0.1", 80), Err(EgressError::BlockedAddress));
}

proptest! {
    #[test]
    fn an_address_is_checked_alike_in_both_families(bits: u32) {
        let guard = guard(&[], &[]);
        let four = Ipv4Addr::from_bits(bits);
        let check = |address: IpAddr| guard.check(SocketAddr::new(address, 443));
        prop_assert_eq!(check(four.into()), check(four.to_ipv6_mapped().into()));
        // What the standard library knows to be of special use is never open.
        if four.is_private()
            || four.is_loopback()
            || four.is_link_local()
            || four.is_multicast()
            || four.is_documentation()
            || four.is_broadcast()
            || four.is_unspecified()
        {
            prop_assert!(check(four.into()).is_err());
        }
        let translated = format!("64:ff9b::{four}").parse::<Ipv6Addr>().unwrap();
        prop_assert!(check(translated.into()).is_err());
    }

    #[test]
    fn of_ipv6_only_one_eighth_is_open(bits: u128) {
        let guard = guard(&[], &[]);
        let six = Ipv6Addr::from_bits(bits);
        if guard.check(SocketAddr::new(six.into(), 443)).is_ok() && six.to_ipv4_mapped().is_none() {
            prop_assert_eq!(bits >> 125, 1);
        }
    }

    #[test]
    fn opening_a_network_opens_nothing_else(bits: u32, length in 8..=32_u8) {
        let network = format!("10.32.0.0/{length}");
        let open = guard(&[&network], &[]);
        let four = SocketAddr::new(Ipv4Addr::from_bits(bits).into(), 443);
        let inside = network.parse::<IpNet>().unwrap().contains(&four.ip());
        prop_assert_eq!(open.check(four).is_ok(), inside || guard(&[], &[]).check(four).is_ok());
    }
}
