//! The gateways that one of several ingests processes: the gateways of some utilities, or a share of the gateways by name. The assignment is the same after
//! restarts and on every machine. So one ingest receives all messages of a gateway and keeps their order.

use crate::ClientId;

/// The gateways that one ingest takes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Shard {
    /// The utilities; empty for all.
    pub clients: Vec<ClientId>,
    /// The share of their gateways; `None` for all.
    pub share: Option<Share>,
}

/// One of several equal shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Share {
    part: u32,
    of: u32,
}

/// Largest number of shares.
const SHARES: u32 = 1_000;

impl Share {
    /// Share number `part`, counted from 1, of `of`; `None` unless `1 <= part <= of <= 1000`.
    pub fn new(part: u32, of: u32) -> Option<Self> {
        ((1..=of).contains(&part) && of <= SHARES).then_some(Self { part, of })
    }

    /// Parses the form `2/3`.
    pub fn parse(text: &str) -> Option<Self> {
        let (part, of) = text.split_once('/')?;
        Self::new(part.trim().parse().ok()?, of.trim().parse().ok()?)
    }

    /// Returns its number, counted from 1, and the number of shares.
    pub fn numbers(self) -> (u32, u32) {
        (self.part, self.of)
    }

    /// Whether it includes a gateway with this name.
    pub fn covers(self, gateway: &str) -> bool {
        hash(gateway.as_bytes()) % u64::from(self.of) == u64::from(self.part - 1)
    }
}

impl Shard {
    /// Whether it includes a gateway of a utility.
    pub fn covers(&self, client: ClientId, gateway: &str) -> bool {
        (self.clients.is_empty() || self.clients.contains(&client)) && self.share.is_none_or(|share| share.covers(gateway))
    }
}

/// FNV-1a, 64 bit (G. Fowler, L. C. Noll, P. Vo). The hashes of the standard library may change between releases.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        // Test vectors published with the algorithm.
        for (text, expected) in [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)] {
            assert_eq!(hash(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn every_gateway_falls_into_exactly_one_share() {
        for of in 1..=7 {
            let mut sizes = vec![0; of as usize];
            for number in 0..1_000 {
                let name = format!("RTU{number}");
                let parts: Vec<u32> = (1..=of).filter(|part| Share::new(*part, of).is_some_and(|share| share.covers(&name))).collect();
                assert_eq!(parts.len(), 1, "{name} of {of}");
                sizes[parts[0] as usize - 1] += 1;
            }
            assert!(sizes.iter().all(|size| *size > 1_000 / of / 2), "{sizes:?}");
        }
    }

    #[test]
    fn what_is_no_share_is_none() {
        for text in ["", "1", "0/2", "3/2", "1/0", "1/1001", "-1/2", "a/b", "1/2/3"] {
            assert_eq!(Share::parse(text), None, "{text}");
        }
        assert_eq!(Share::parse(" 2 / 3 ").map(Share::numbers), Some((2, 3)));
    }

    #[test]
    fn a_shard_is_of_its_utilities() {
        let shard = Shard { clients: vec![ClientId(2)], share: Share::new(1, 1) };
        assert!(shard.covers(ClientId(2), "R") && !shard.covers(ClientId(1), "R"));
        assert!(Shard::default().covers(ClientId(9), "R"));
    }
}
