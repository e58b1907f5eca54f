//! Slows guessing down: per account and address, from the fifth failure on, twice as long each time (trust.md S4).
//!
//! Kept in memory for now: a restart forgets it, and several api processes count apart.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures that cost nothing.
const FREE: u32 = 4;
const DELAY_MAX: Duration = Duration::from_mins(15);
/// Entries kept. At the bound those that no longer delay anybody go first, then the ones that end soonest: memory stays bounded under a flood.
const ENTRIES_MAX: usize = 10_000;

#[derive(Debug, Clone, Copy)]
struct Tries {
    failures: u32,
    until: Instant,
    seen: Instant,
}

/// The failures of late.
#[derive(Debug, Default)]
pub(crate) struct Throttle {
    entries: Mutex<HashMap<(String, IpAddr), Tries>>,
}

impl Throttle {
    /// How long this account must still wait when tried from this address.
    pub(crate) fn wait(&self, account: &str, from: IpAddr, now: Instant) -> Option<Duration> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.get(&key(account, from)).map(|tries| tries.until.saturating_duration_since(now)).filter(|wait| !wait.is_zero())
    }

    /// Counts a failure.
    pub(crate) fn failed(&self, account: &str, from: IpAddr, now: Instant) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= ENTRIES_MAX {
            entries.retain(|_, tries| now.saturating_duration_since(tries.seen) < DELAY_MAX);
            if entries.len() >= ENTRIES_MAX
                && let Some(soonest) = entries.iter().min_by_key(|(_, tries)| tries.until).map(|(key, _)| key.clone())
            {
                entries.remove(&soonest);
            }
        }
        let tries = entries.entry(key(account, from)).or_insert(Tries { failures: 0, until: now, seen: now });
        if now.saturating_duration_since(tries.seen) > DELAY_MAX {
            tries.failures = 0;
        }
        tries.failures += 1;
        tries.seen = now;
        tries.until = now + delay(tries.failures);
    }

    /// Forgets the failures after a success.
    pub(crate) fn succeeded(&self, account: &str, from: IpAddr) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).remove(&key(account, from));
    }
}

/// An IPv6 subscriber has a whole /64, so that is what counts.
fn key(account: &str, from: IpAddr) -> (String, IpAddr) {
    let from = match from {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_none() => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address.to_canonical(),
    };
    (account.trim().to_lowercase(), from)
}

/// 0 for the first four failures, then 1 s, 2 s, 4 s up to a quarter of an hour.
fn delay(failures: u32) -> Duration {
    match failures.checked_sub(FREE + 1) {
        None => Duration::ZERO,
        Some(doubled) => Duration::from_secs(1_u64.checked_shl(doubled).unwrap_or(u64::MAX)).min(DELAY_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_from_the_fifth_failure_up_to_its_limit() {
        let cases = [(1, 0), (4, 0), (5, 1), (6, 2), (8, 8), (14, 512), (15, 900), (200, 900)];
        for (failures, seconds) in cases {
            assert_eq!(delay(failures).as_secs(), seconds, "{failures}");
        }
    }

    #[test]
    fn another_address_is_not_locked_out_and_success_forgets() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let attacker: IpAddr = "203.0.113.9".parse().expect("an address");
        let control_room: IpAddr = "192.0.2.1".parse().expect("an address");
        for _ in 0..6 {
            throttle.failed("Admin", attacker, now);
        }
        assert!(throttle.wait("admin ", attacker, now).is_some());
        assert!(throttle.wait("admin", control_room, now).is_none());
        assert!(throttle.wait("admin", attacker, now + Duration::from_secs(3)).is_none());
        throttle.succeeded("admin", attacker);
        throttle.failed("admin", attacker, now);
        assert!(throttle.wait("admin", attacker, now).is_none());
    }

    #[test]
    fn a_flood_of_names_stays_bounded() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let from: IpAddr = "2001:db8::1".parse().expect("an address");
        for number in 0..ENTRIES_MAX + 10 {
            throttle.failed(&number.to_string(), from, now);
        }
        assert!(throttle.entries.lock().expect("unpoisoned").len() <= ENTRIES_MAX);
    }
}
