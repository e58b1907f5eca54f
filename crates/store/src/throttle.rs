//! Rate limits for attempts such as sign-ins. The counts are in the database, so a restart does not reset them and all processes share them
//! (OWASP ASVS 5.0, 6.3.1).
//!
//! An attempt is counted before it is made, under a row lock, so simultaneous attempts have no advantage. A success is subtracted again.

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use grid::Micros;

use crate::convert::{Stamp, micros, sql};
use crate::{Error, Result, Store};

/// A maximum number of attempts within a sliding window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Hash of what is counted, such as a user name or an address.
    pub key: [u8; 32],
    /// Length of the window, ms.
    pub window_ms: i64,
    /// Maximum number of attempts within the window.
    pub max: i64,
}

/// A delay that increases with the number of consecutive failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureDelay {
    /// Hash of what is delayed.
    pub key: [u8; 32],
    /// The delay after one failure, after two, and so on, ms; the last one applies to all further failures.
    pub delays_ms: &'static [i64],
    /// Time after the end of a delay after which failures are forgotten, ms.
    pub forget_ms: i64,
}

/// The limits that apply to an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptLimits {
    /// Limits, each with a different key.
    pub counted: Vec<Counted>,
    /// The delay after failures; `None` if this kind of attempt has no delay.
    pub slowed: Option<FailureDelay>,
    /// The time now.
    pub now: Micros,
}

/// Whether an attempt is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// Allowed. It counts as a failure until it is settled.
    Granted {
        /// Number of consecutive failures including this attempt; 0 without a delay.
        failures: i32,
    },
    /// Not allowed and not counted.
    Wait {
        /// Time to wait, ms; at least 1.
        ms: i64,
    },
}

impl Store {
    /// Counts an attempt if all limits of the claim allow it, otherwise nothing.
    pub async fn admit(&self, claim: &AttemptLimits) -> Result<Admission> {
        let now = Stamp(claim.now);
        self.execute(sql!("throttle/sweep"), &[&now]).await?;
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let mut failures = 0;
        for (_, part) in claim.parts() {
            match part {
                Part::Counted(counted) => {
                    if let Some(ms) = take(&transaction, counted, claim.now).await? {
                        return Ok(Admission::Wait { ms });
                    }
                }
                Part::Delayed(slowed) => match slow(&transaction, slowed, claim.now).await? {
                    Admission::Granted { failures: counted } => failures = counted,
                    wait @ Admission::Wait { .. } => return Ok(wait),
                },
            }
        }
        transaction.commit().await?;
        Ok(Admission::Granted { failures })
    }

    /// Subtracts an admitted attempt that succeeded. Earlier failures are forgotten too.
    pub async fn settle(&self, claim: &AttemptLimits) -> Result<()> {
        self.execute(sql!("throttle/settle"), &[&claim.keys(), &Stamp(claim.now)]).await?;
        Ok(())
    }

    /// Subtracts an admitted attempt that had no result. `failures` is the number with which it was granted. Earlier failures are kept.
    pub async fn take_back(&self, claim: &AttemptLimits, failures: i32) -> Result<()> {
        self.execute(sql!("throttle/take_back"), &[&claim.keys(), &Stamp(claim.now), &failures]).await?;
        Ok(())
    }
}

/// The limit that one row stores.
enum Part<'a> {
    Counted(&'a Counted),
    Delayed(&'a FailureDelay),
}

impl AttemptLimits {
    /// Returns the parts ordered by key, because all transactions lock rows in this order.
    fn parts(&self) -> BTreeMap<&[u8], Part<'_>> {
        let counted = self.counted.iter().map(|counted| (counted.key.as_slice(), Part::Counted(counted)));
        counted.chain(self.slowed.iter().map(|slowed| (slowed.key.as_slice(), Part::Delayed(slowed)))).collect()
    }

    fn keys(&self) -> Vec<&[u8]> {
        self.parts().into_keys().collect()
    }
}

/// Counts one attempt. Returns the time to wait if the limit is reached, ms.
async fn take(transaction: &Transaction<'_>, Counted { key, window_ms, max }: &Counted, now: Micros) -> Result<Option<i64>> {
    let now = Stamp(now);
    let take = transaction.prepare_cached(sql!("throttle/take")).await?;
    if transaction.query_opt(&take, &[&key.as_slice(), &now, window_ms, max]).await?.is_some() {
        return Ok(None);
    }
    let row = transaction.query_one(sql!("throttle/wait"), &[&key.as_slice(), &now, window_ms]).await?;
    Ok(Some(row.try_get::<_, Option<i64>>("wait_ms")?.unwrap_or(1).max(1)))
}

/// Counts one failure. If the delay after the earlier failures has not ended, counts nothing.
async fn slow(transaction: &Transaction<'_>, FailureDelay { key, delays_ms, forget_ms }: &FailureDelay, now: Micros) -> Result<Admission> {
    let key = key.as_slice();
    let begin = transaction.prepare_cached(sql!("throttle/begin_slow")).await?;
    let row = transaction.query_one(&begin, &[&key, &Stamp(now)]).await?;
    let until = micros(&row, "until")?;
    if until > now {
        return Ok(Admission::Wait { ms: until.millis_since(now).max(1) });
    }
    let before: i32 = if now.millis_since(until) > *forget_ms { 0 } else { row.try_get("failures")? };
    let failures = before.saturating_add(1);
    let at = usize::try_from(before).unwrap_or_default().min(delays_ms.len().saturating_sub(1));
    let delay = delays_ms.get(at).ok_or_else(|| Error::Data("a delay needs its steps".to_owned()))?;
    let until = now.plus_millis(*delay);
    let slow = transaction.prepare_cached(sql!("throttle/slow")).await?;
    transaction.execute(&slow, &[&key, &failures, &Stamp(until), &Stamp(until.plus_millis(*forget_ms))]).await?;
    Ok(Admission::Granted { failures })
}
