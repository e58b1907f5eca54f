//! Counts of tries, kept in the database: a restart does not forget them, and all processes count together (trust.md S4).
//!
//! A try is counted before it is made, under a row lock, so that many at once get no further than one after another; a success takes it back.

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
    /// Limits, always in the same order of kinds: they are locked one after another.
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
        for Counted { key, window_ms, max } in &claim.counted {
            let take = transaction.prepare_cached(sql!("throttle/take")).await?;
            if transaction.query_opt(&take, &[&key.as_slice(), &now, window_ms, max]).await?.is_none() {
                let row = transaction.query_one(sql!("throttle/wait"), &[&key.as_slice(), &now, window_ms]).await?;
                return Ok(Admission::Wait { ms: row.try_get::<_, Option<i64>>("wait_ms")?.unwrap_or(1).max(1) });
            }
        }
        let mut failures = 0;
        if let Some(Slowed { key, delays_ms, forget_ms }) = &claim.slowed {
            let key = key.as_slice();
            let begin = transaction.prepare_cached(sql!("throttle/begin_slow")).await?;
            transaction.execute(&begin, &[&key, &now]).await?;
            let lock = transaction.prepare_cached(sql!("throttle/lock_slow")).await?;
            let row = transaction.query_one(&lock, &[&key]).await?;
            let until = micros(&row, "until")?;
            if until > claim.now {
                return Ok(Admission::Wait { ms: until.millis_since(claim.now).max(1) });
            }
            let before: i32 = if claim.now.millis_since(until) > *forget_ms { 0 } else { row.try_get("failures")? };
            failures = before.saturating_add(1);
            let at = usize::try_from(before).unwrap_or_default().min(delays_ms.len().saturating_sub(1));
            let delay = delays_ms.get(at).ok_or_else(|| Error::Data("a delay needs its steps".to_owned()))?;
            let until = claim.now.plus_millis(*delay);
            let slow = transaction.prepare_cached(sql!("throttle/slow")).await?;
            transaction.execute(&slow, &[&key, &failures, &Stamp(until), &Stamp(until.plus_millis(*forget_ms))]).await?;
        }
        transaction.commit().await?;
        Ok(Admission::Granted { failures })
    }

    /// Takes an admitted try back, because it was no failure.
    pub async fn settle(&self, claim: &Claim) -> Result<()> {
        let keys: Vec<&[u8]> = claim
            .counted
            .iter()
            .map(|counted| counted.key.as_slice())
            .chain(claim.slowed.iter().map(|slowed| slowed.key.as_slice()))
            .collect();
        self.execute(sql!("throttle/settle"), &[&keys, &Stamp(claim.now)]).await?;
        Ok(())
    }
}
