//! The address of a caller behind the reverse proxies, and the range of addresses that counts as one subscriber.

use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;

/// The header to which each reverse proxy appends the address of its client.
pub const FORWARDED_FOR: &str = "x-forwarded-for";

/// Returns whether an address is one of our reverse proxies.
pub fn is_proxy(address: IpAddr, proxies: &[IpNet]) -> bool {
    proxies.iter().any(|proxy| proxy.contains(&address.to_canonical()))
}

/// Returns the last address of the chain that is not one of our proxies. Addresses before it can be forged by the client (OWASP ASVS 5.0,
/// 4.1.3). `forwarded` has the values of [`FORWARDED_FOR`] in their order; they are ignored if `peer` is not one of our proxies.
pub fn caller<'a>(peer: IpAddr, forwarded: impl Iterator<Item = &'a str>, proxies: &[IpNet]) -> IpAddr {
    if !is_proxy(peer, proxies) {
        return peer;
    }
    let chain: Vec<&str> = forwarded.flat_map(|value| value.split(',')).collect();
    let mut last = peer;
    for named in chain.iter().rev() {
        // Our proxies write valid addresses only, so this entry is not theirs. The caller is the last address that one of our proxies wrote.
        let Ok(address) = named.trim().parse() else { return last };
        last = address;
        if !is_proxy(last, proxies) {
            break;
        }
    }
    last
}

/// Returns the address by which a subscriber is counted: for IPv6 the /64 network, because one subscriber has all of it.
pub fn subscriber(from: IpAddr) -> IpAddr {
    match from {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_none() => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address.to_canonical(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_proxies_are_believed_and_no_further_than_they_saw() {
        let proxies: Vec<IpNet> = ["127.0.0.1/32", "10.0.0.0/30"].map(|proxy| proxy.parse().expect("a network")).into();
        for (peer, forwarded, expected) in [
            ("203.0.113.9", "192.0.2.1", "203.0.113.9"),
            ("127.0.0.1", "192.0.2.1", "192.0.2.1"),
            ("::ffff:127.0.0.1", "192.0.2.1", "192.0.2.1"),
            ("127.0.0.1", "198.51.100.7, 192.0.2.1", "192.0.2.1"),
            ("127.0.0.1", "198.51.100.7, 192.0.2.1, 10.0.0.2", "192.0.2.1"),
            ("127.0.0.1", "192.0.2.1, nonsense", "127.0.0.1"),
            ("127.0.0.1", "", "127.0.0.1"),
        ] {
            let expected: IpAddr = expected.parse().expect("an address");
            let peer = peer.parse().expect("an address");
            assert_eq!(caller(peer, [forwarded].into_iter(), &proxies), expected, "{peer} {forwarded}");
        }
    }

    #[test]
    fn address_counts_by_what_one_subscriber_has() {
        let of = |text: &str| subscriber(text.parse().expect("an address")).to_string();
        assert_eq!(of("192.0.2.7"), "192.0.2.7");
        assert_eq!(of("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }
}
