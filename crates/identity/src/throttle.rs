//! Slows guessing down (trust.md S4): of passwords wherever they are asked for, of refresh secrets, handles and links.
//!
//! A stranger's try counts for the address (20 a minute), the site of an IPv6 address (60), the account (10, from wherever) and all strangers together
//! (600), and is delayed by the failures of that account from that address. On a device on which the person has signed in before only the failures of that device from there delay (and
//! 30 a minute are all it gets), so that nobody can lock out a control room. Wrong codes of a second factor count for the person besides, from wherever:
//! those of strangers together, those of each known device apart. The counts are in the database: a restart does not forget them.

use std::fmt::Display;
use std::net::{IpAddr, Ipv6Addr};

use grid::MemberId;
use store::Store;
use store::throttle::{Admission, Claim, Counted, Slowed};

use crate::error::Error;

/// Nothing for the first four failures, then 1 s, 2 s, 4 s up to a quarter of an hour.
const DELAYS_MS: [i64; 15] = [0, 0, 0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 900_000];
/// Of codes: nothing for the first nine wrong ones, then a minute, two, four up to an hour. Of six digits three are good at a time, so that who has
/// nothing but the password gets one right within a year by one chance in forty.
const CODE_DELAYS_MS: [i64; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000, 3_600_000];
const FORGET_MS: i64 = 900_000;
const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 3_600_000;
const ADDRESS_PER_MINUTE: i64 = 20;
const ACCOUNT_PER_MINUTE: i64 = 10;
/// What a known device gets, from wherever: enough that few who have a copy of its secret do not keep its person out.
const DEVICE_PER_MINUTE: i64 = 30;
/// What one site gets: an IPv6 subscriber may have 65,536 times what counts as an address.
const SITE_PER_MINUTE: i64 = 60;
/// What all strangers get together: a third of what one core hashes.
const STRANGERS_PER_MINUTE: i64 = 600;
/// Every so many failures in a row somebody should look.
const ALERT_EVERY: i32 = 10;

/// A try that may be made. It counts as a failure until it is settled.
#[derive(Debug)]
pub struct Try {
    claim: Claim,
    failures: i32,
}

impl Try {
    /// It was no failure.
    pub async fn settle(self, store: &Store) -> Result<(), Error> {
        Ok(store.settle(&self.claim).await?)
    }

    /// It came to nothing: neither is it counted, nor are the failures before it forgotten.
    pub async fn take_back(self, store: &Store) -> Result<(), Error> {
        Ok(store.take_back(&self.claim, self.failures).await?)
    }

    /// It was one, and stays counted.
    pub fn failed(self, account: &str) {
        if self.failures > 0 && self.failures % ALERT_EVERY == 0 {
            metrics::counter!("api_guessing_total").increment(1);
            tracing::warn!(account, failures = self.failures, "somebody goes on guessing a password or a code");
        }
    }
}

/// A code of a second factor that may be tried. It counts as wrong until it was right.
#[derive(Debug)]
pub struct Code {
    attempt: Try,
    is_known: bool,
}

impl Code {
    /// It was right. On a device of the person that is the end of it; of strangers another may go on guessing, so those before stay.
    pub async fn was_right(self, store: &Store) -> Result<(), Error> {
        if self.is_known { self.attempt.settle(store).await } else { self.attempt.take_back(store).await }
    }

    /// It was not found out.
    pub async fn take_back(self, store: &Store) -> Result<(), Error> {
        self.attempt.take_back(store).await
    }

    /// It was wrong, and stays counted. Each tenth in a row is told: how many there were.
    pub fn was_wrong(self, account: &str) -> Option<i32> {
        let failures = self.attempt.failures;
        self.attempt.failed(account);
        (failures > 0 && failures % ALERT_EVERY == 0).then_some(failures)
    }
}

/// A code of a member whose password was right, from wherever.
pub async fn code(store: &Store, member: MemberId, device: Option<[u8; 32]>) -> Result<Code, Error> {
    let key = match device {
        Some(device) => key("code-device", &[&member, &format!("{device:02x?}")]),
        None => key("code", &[&member]),
    };
    let slowed = Some(Slowed { key, delays_ms: &CODE_DELAYS_MS, forget_ms: HOUR_MS });
    let attempt = admit(store, Claim { counted: Vec::new(), slowed, now: wire::time::now() }).await?;
    Ok(Code { attempt, is_known: device.is_some() })
}

/// A password of an account, from an address or on a known device.
pub async fn password(store: &Store, account: &str, from: IpAddr, device: Option<[u8; 32]>) -> Result<Try, Error> {
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
    let slowed = Some(Slowed { key: slowed, delays_ms: &DELAYS_MS, forget_ms: FORGET_MS });
    admit(store, Claim { counted, slowed, now: wire::time::now() }).await
}

/// A secret too long to be guessed, such as that of a link: only the address counts.
pub async fn secret(store: &Store, from: IpAddr) -> Result<Try, Error> {
    let counted = from_where(from);
    admit(store, Claim { counted, slowed: None, now: wire::time::now() }).await
}

/// A wish that may be repeated so often in an hour, of whoever or whatever `whose` is.
pub async fn hourly(store: &Store, what: &str, whose: impl Display, max: i64) -> Result<Try, Error> {
    let counted = vec![Counted { key: key(what, &[&whose]), window_ms: HOUR_MS, max }];
    admit(store, Claim { counted, slowed: None, now: wire::time::now() }).await
}

/// Something that is entered so often in a minute at most.
pub async fn by_minute(store: &Store, what: &str, whose: impl Display, max: i64) -> Result<Try, Error> {
    let counted = vec![per_minute(what, &whose, max)];
    admit(store, Claim { counted, slowed: None, now: wire::time::now() }).await
}

async fn admit(store: &Store, claim: Claim) -> Result<Try, Error> {
    match store.admit(&claim).await? {
        Admission::Granted { failures } => Ok(Try { claim, failures }),
        Admission::Wait { ms } => {
            metrics::counter!("api_throttled_total").increment(1);
            Err(Error::TooMany { retry_after_s: u64::try_from(ms).unwrap_or_default().div_ceil(1_000) })
        }
    }
}

fn per_minute(what: &str, whose: &dyn Display, max: i64) -> Counted {
    Counted { key: key(what, &[whose]), window_ms: MINUTE_MS, max }
}

/// Tries from an address, and from the site that it is of.
fn from_where(from: IpAddr) -> Vec<Counted> {
    let site = site(from).map(|site| per_minute("site", &site, SITE_PER_MINUTE));
    [Some(per_minute("address", &auth::subscriber(from), ADDRESS_PER_MINUTE)), site].into_iter().flatten().collect()
}

/// The hash of a kind and whose it is; no part can hold the separator, because no text of a request or of ours holds a newline unescaped.
fn key(what: &str, whose: &[&dyn Display]) -> [u8; 32] {
    let mut text = what.to_owned();
    for part in whose {
        text.push('\n');
        text.push_str(&part.to_string().escape_default().to_string());
    }
    auth::hash_token(&text)
}

/// The /48 of an IPv6 address, the most that a site is given (RFC 6177). There is none of an IPv4 address: its neighbours are other people.
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
