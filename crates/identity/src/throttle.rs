//! Slows down guessing (OWASP ASVS 5.0, 6.3.1) of passwords, refresh secrets, reset handles and links.
//!
//! A known device is a browser on which the user has signed in before.
//!
//! - **Unknown device:** an attempt uses up the limits of the address (20 a minute), the IPv6 site (60), the account (10) and all unknown devices together
//!   (600). Failures of the same account from the same address delay it.
//! - **Known device:** at most 30 attempts a minute. Only failures of that device from the same address delay it, so that guessing
//!   elsewhere cannot lock out a control room.
//! - **Codes of a second factor:** wrong codes are also counted for the member, from all addresses together. All unknown devices have one count, and each known
//!   device has a separate count.
//!
//! The counts are in the database, so that a restart does not reset them.

use std::fmt::Display;
use std::net::{IpAddr, Ipv6Addr};

use grid::MemberId;
use store::Store;
use store::throttle::{Admission, AttemptLimits, Counted, FailureDelay};

use crate::error::Error;

/// Delay after a number of failed passwords: none for the first four, then 1 s, doubling up to 15 minutes.
const DELAYS_MS: [i64; 15] = [0, 0, 0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 900_000];
/// Delay after a number of wrong codes: none for the first nine, then one minute, doubling up to one hour. Three of the 1,000,000 six-digit
/// codes are valid at a time. With these delays, guessing with a known password succeeds within a year with a probability of 1 in 40.
const CODE_DELAYS_MS: [i64; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000, 3_600_000];
const FORGET_MS: i64 = 900_000;
const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 3_600_000;
const ADDRESS_PER_MINUTE: i64 = 20;
const ACCOUNT_PER_MINUTE: i64 = 10;
/// Attempts that one known device gets per minute. The limit is so high that a thief of its secret can hardly keep the user out.
const DEVICE_PER_MINUTE: i64 = 30;
/// Attempts that one site gets per minute. An IPv6 subscriber may have 65,536 prefixes that each count as one address.
const SITE_PER_MINUTE: i64 = 60;
/// Attempts that all unknown devices together get per minute. It is a third of the number of hashes that one core can compute.
const STRANGERS_PER_MINUTE: i64 = 600;
/// A warning is logged each time the number of consecutive failures reaches a multiple of this.
const ALERT_EVERY: i32 = 10;

/// An admitted attempt. It counts as a failure until it is settled.
#[derive(Debug)]
pub struct Attempt {
    claim: AttemptLimits,
    failures: i32,
}

impl Attempt {
    /// Records that the attempt succeeded.
    pub async fn settle(self, store: &Store) -> Result<(), Error> {
        Ok(store.settle(&self.claim).await?)
    }

    /// Withdraws the attempt: it is not counted, and earlier failures remain counted.
    pub async fn take_back(self, store: &Store) -> Result<(), Error> {
        Ok(store.take_back(&self.claim, self.failures).await?)
    }

    /// Confirms the failure, which remains counted.
    pub fn failed(self, account: &str) {
        if self.failures > 0 && self.failures % ALERT_EVERY == 0 {
            metrics::counter!("api_guessing_total").increment(1);
            tracing::warn!(account, failures = self.failures, "repeated failures of an account: a password or a code is being guessed");
        }
    }
}

/// An admitted attempt with a code of a second factor. It counts as wrong until it is confirmed as correct.
#[derive(Debug)]
pub struct Code {
    attempt: Attempt,
    is_known: bool,
}

impl Code {
    /// Records that the code was correct. On a known device this clears the failures. For unknown devices the earlier failures remain, because another unknown
    /// device may still be guessing.
    pub async fn was_right(self, store: &Store) -> Result<(), Error> {
        if self.is_known { self.attempt.settle(store).await } else { self.attempt.take_back(store).await }
    }

    /// Withdraws the attempt, because the code could not be checked.
    pub async fn take_back(self, store: &Store) -> Result<(), Error> {
        self.attempt.take_back(store).await
    }

    /// Confirms that the code was wrong. Returns the number of consecutive wrong codes if it is a multiple of ten, else `None`.
    pub fn was_wrong(self, account: &str) -> Option<i32> {
        let failures = self.attempt.failures;
        self.attempt.failed(account);
        (failures > 0 && failures % ALERT_EVERY == 0).then_some(failures)
    }
}

/// Admits an attempt with a code, for a member whose password was correct.
pub async fn code(store: &Store, member: MemberId, device: Option<[u8; 32]>) -> Result<Code, Error> {
    let key = match device {
        Some(device) => key("code-device", &[&member, &format!("{device:02x?}")]),
        None => key("code", &[&member]),
    };
    let slowed = Some(FailureDelay { key, delays_ms: &CODE_DELAYS_MS, forget_ms: HOUR_MS });
    let attempt = admit(store, AttemptLimits { counted: Vec::new(), slowed, now: wire::time::now() }).await?;
    Ok(Code { attempt, is_known: device.is_some() })
}

/// Admits an attempt with a password, from an address or a known device.
pub async fn password(store: &Store, account: &str, from: IpAddr, device: Option<[u8; 32]>) -> Result<Attempt, Error> {
    let account = account.trim().to_lowercase();
    let (counted, slowed) = match device {
        Some(device) => {
            let device = format!("{device:02x?}");
            (vec![per_minute("device", &device, DEVICE_PER_MINUTE)], key("slow-device", &[&account, &device, &auth::subscriber(from)]))
        }
        None => (
            [
                from_where(from),
                vec![per_minute("account", &account, ACCOUNT_PER_MINUTE), per_minute("strangers", &"", STRANGERS_PER_MINUTE)],
            ]
            .concat(),
            key("pair", &[&account, &auth::subscriber(from)]),
        ),
    };
    let slowed = Some(FailureDelay { key: slowed, delays_ms: &DELAYS_MS, forget_ms: FORGET_MS });
    admit(store, AttemptLimits { counted, slowed, now: wire::time::now() }).await
}

/// Admits an attempt with a secret that is too long to guess, such as the secret of a link. Only the address is counted.
pub async fn secret(store: &Store, from: IpAddr) -> Result<Attempt, Error> {
    let counted = from_where(from);
    admit(store, AttemptLimits { counted, slowed: None, now: wire::time::now() }).await
}

/// Admits an operation that `whose` may do at most `max` times per hour.
pub async fn hourly(store: &Store, what: &str, whose: impl Display, max: i64) -> Result<Attempt, Error> {
    let counted = vec![Counted { key: key(what, &[&whose]), window_ms: HOUR_MS, max }];
    admit(store, AttemptLimits { counted, slowed: None, now: wire::time::now() }).await
}

/// Admits an operation that `whose` may do at most `max` times per minute.
pub async fn by_minute(store: &Store, what: &str, whose: impl Display, max: i64) -> Result<Attempt, Error> {
    let counted = vec![per_minute(what, &whose, max)];
    admit(store, AttemptLimits { counted, slowed: None, now: wire::time::now() }).await
}

async fn admit(store: &Store, claim: AttemptLimits) -> Result<Attempt, Error> {
    match store.admit(&claim).await? {
        Admission::Granted { failures } => Ok(Attempt { claim, failures }),
        Admission::Wait { ms } => {
            metrics::counter!("api_throttled_total").increment(1);
            Err(Error::TooMany { retry_after_s: u64::try_from(ms).unwrap_or_default().div_ceil(1_000) })
        }
    }
}

fn per_minute(what: &str, whose: &dyn Display, max: i64) -> Counted {
    Counted { key: key(what, &[whose]), window_ms: MINUTE_MS, max }
}

/// Returns the counters of an address and, for IPv6, of its site.
fn from_where(from: IpAddr) -> Vec<Counted> {
    let site = site(from).map(|site| per_minute("site", &site, SITE_PER_MINUTE));
    [Some(per_minute("address", &auth::subscriber(from), ADDRESS_PER_MINUTE)), site].into_iter().flatten().collect()
}

/// Returns the hash of a counter's kind and owner. No part can contain the separator, because newlines are escaped.
fn key(what: &str, whose: &[&dyn Display]) -> [u8; 32] {
    let mut text = what.to_owned();
    for part in whose {
        text.push('\n');
        text.push_str(&part.to_string().escape_default().to_string());
    }
    auth::hash_token(&text)
}

/// Returns the /48 prefix of an IPv6 address, the largest that a site is assigned (RFC 6177). `None` for IPv4: neighbouring addresses
/// belong to other subscribers.
fn site(from: IpAddr) -> Option<Ipv6Addr> {
    let IpAddr::V6(address) = from.to_canonical() else { return None };
    let [a, b, c, ..] = address.segments();
    Some(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_is_the_48_of_an_ipv6_address() {
        let of = |text: &str| site(text.parse().expect("an address")).map(|site| site.to_string());
        assert_eq!(of("2001:db8:1:2:3:4:5:6").as_deref(), Some("2001:db8:1::"));
        assert_eq!((of("192.0.2.7"), of("::ffff:192.0.2.7")), (None, None));
    }

    #[test]
    fn keys_of_different_things_differ() {
        let keys = [key("a", &[&"b\nc"]), key("a", &[&"b", &"c"]), key("a\nb", &[&"c"]), key("a", &[&"b"])];
        assert_eq!(keys.iter().collect::<std::collections::HashSet<_>>().len(), 3, "only a kind, which is ours, may hold the separator");
    }

    #[test]
    fn the_delay_doubles_from_the_fifth_failure_up_to_its_limit() {
        assert!(DELAYS_MS[..4].iter().all(|delay| *delay == 0));
        assert!(DELAYS_MS[4..].windows(2).all(|pair| pair[1] == (pair[0] * 2).min(900_000)), "{DELAYS_MS:?}");
    }
}
