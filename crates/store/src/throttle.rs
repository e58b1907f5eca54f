//! Counts of tries, kept in the database: a restart does not forget them, and all processes count together (trust.md S4).
//!
//! A try is counted before it is made, under a row lock, so that many at once get no further than one after another; a success takes it back.

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use grid::Micros;

use crate::convert::{Stamp, micros, sql};
use crate::{Error, Result, Store};

/// A limit on tries within any window of a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Whom or what it counts, hashed.
    pub key: [u8; 32],
    /// The window, ms.
    pub window_ms: i64,
    /// Tries within it.
    pub max: i64,
}

/// A delay that grows with the failures in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slowed {
    /// Whom or what it slows, hashed.
    pub key: [u8; 32],
    /// The delay after one failure, after two, and so on; the last stands for all further ones, ms.
    pub delays_ms: &'static [i64],
    /// Failures are forgotten so long after their delay is over, ms.
    pub forget_ms: i64,
}

/// What has to allow a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Limits, each with a key of its own.
    pub counted: Vec<Counted>,
    /// The delay, if this kind of try has one.
    pub slowed: Option<Slowed>,
    /// The time now.
    pub now: Micros,
}

/// Whether a try may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It may, and counts as the so-manieth failure in a row until it is settled.
    Granted {
        /// This one among them; 0 without a delay.
        failures: i32,
    },
    /// It may not, and has not been counted.
    Wait {
        /// For how long, ms; at least 1.
        ms: i64,
    },
}

impl Store {
    /// Counts a try if everything in the claim allows it, else nothing.
    pub async fn admit(&self, claim: &Claim) -> Result<Admission> {
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
                Part::Slowed(slowed) => match slow(&transaction, slowed, claim.now).await? {
                    Admission::Granted { failures: counted } => failures = counted,
                    wait @ Admission::Wait { .. } => return Ok(wait),
                },
            }
        }
        transaction.commit().await?;
        Ok(Admission::Granted { failures })
    }

    /// Takes an admitted try back, because it was a success: the failures before it are forgotten too.
    pub async fn settle(&self, claim: &Claim) -> Result<()> {
        self.execute(sql!("throttle/settle"), &[&claim.keys(), &Stamp(claim.now)]).await?;
        Ok(())
    }

    /// Takes an admitted try back that came to nothing, and was granted as the so-manieth failure. Those before it stay.
    pub async fn take_back(&self, claim: &Claim, failures: i32) -> Result<()> {
        self.execute(sql!("throttle/take_back"), &[&claim.keys(), &Stamp(claim.now), &failures]).await?;
        Ok(())
    }
}

/// What one row is about.
enum Part<'a> {
    Counted(&'a Counted),
    Slowed(&'a Slowed),
}

impl Claim {
    /// By key, the order in which rows are locked everywhere.
    fn parts(&self) -> BTreeMap<&[u8], Part<'_>> {
        let counted = self.counted.iter().map(|counted| (counted.key.as_slice(), Part::Counted(counted)));
        counted.chain(self.slowed.iter().map(|slowed| (slowed.key.as_slice(), Part::Slowed(slowed)))).collect()
    }

    fn keys(&self) -> Vec<&[u8]> {
        self.parts().into_keys().collect()
    }
}

/// Counts one; answers how long to wait when there is no room, ms.
async fn take(transaction: &Transaction<'_>, Counted { key, window_ms, max }: &Counted, now: Micros) -> Result<Option<i64>> {
    let now = Stamp(now);
    let take = transaction.prepare_cached(sql!("throttle/take")).await?;
    if transaction.query_opt(&take, &[&key.as_slice(), &now, window_ms, max]).await?.is_some() {
        return Ok(None);
    }
    let row = transaction.query_one(sql!("throttle/wait"), &[&key.as_slice(), &now, window_ms]).await?;
    Ok(Some(row.try_get::<_, Option<i64>>("wait_ms")?.unwrap_or(1).max(1)))
}

/// Counts one failure, unless the delay by those before is not over.
async fn slow(transaction: &Transaction<'_>, Slowed { key, delays_ms, forget_ms }: &Slowed, now: Micros) -> Result<Admission> {
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
