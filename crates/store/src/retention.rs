//! Retention: determines, once a day, the times since which the history is kept, and returns them to readers.

use grid::Micros;
use tokio_postgres::Client;

use crate::convert::{SMALLEST, Stamp, sql};
use crate::kept::{Kept, Level};
use crate::{Result, Store, pool};

const DAY_US: i64 = 24 * 3_600 * 1_000_000;

/// Retention of each level in days, in the order of [`Level::ALL`]; 0 for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeepDays(pub [u32; Level::ALL.len()]);

impl Store {
    /// Returns the times since which the history is kept. The table is read once a minute. While it cannot be read, the previous times are used.
    pub async fn kept(&self) -> Result<Kept> {
        let snapshot = &*self.kept;
        if let Some(kept) = snapshot.fresh() {
            return Ok(kept);
        }
        let _reading = match (snapshot.newest(), snapshot.reading.try_lock()) {
            (_, Ok(reading)) => reading,
            // Another caller reads the table at the moment.
            (Some(kept), Err(_)) => return Ok(kept),
            (None, Err(_)) => snapshot.reading.lock().await,
        };
        if let Some(kept) = snapshot.fresh() {
            return Ok(kept);
        }
        let read = async { Kept::read(&self.query(sql!("history/kept"), &[]).await?) };
        let kept = match (read.await, snapshot.newest()) {
            (Ok(kept), _) => kept,
            (Err(error), Some(kept)) => {
                tracing::debug!(%error, "since when the history is kept is read again later");
                kept
            }
            (Err(error), None) => return Err(error),
        };
        snapshot.put(kept);
        Ok(kept)
    }
}

/// Sets the time since which each level is kept to the last midnight (UTC) at or before `now` minus its retention. Returns the times.
///
/// A time never moves back when a retention becomes longer, because older history may be dropped already. The only exception is a time in the future, which was
/// stored because of a wrong clock.
pub async fn advance(url: &str, keep: &KeepDays, now: Micros) -> Result<Kept> {
    let client: Client = pool::connect(url).await?;
    let limited = Level::ALL.into_iter().zip(keep.0).filter(|(_, days)| *days > 0);
    let (levels, since): (Vec<&str>, Vec<Stamp>) = limited.map(|(level, days)| (level.as_str(), Stamp(since(now, days)))).unzip();
    client.execute(sql!("history/keep"), &[&levels, &since, &Stamp(now)]).await?;
    Kept::read(&client.query(sql!("history/kept"), &[]).await?)
}

/// Returns the last midnight at or before `now` minus the retention.
fn since(now: Micros, days: u32) -> Micros {
    let boundary = now.0.saturating_sub(i64::from(days).saturating_mul(DAY_US));
    Micros((boundary - boundary.rem_euclid(DAY_US)).max(SMALLEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn history_is_kept_from_a_midnight() {
        let now = Micros(100 * DAY_US + 5);
        assert_eq!(since(now, 90), Micros(10 * DAY_US));
        assert_eq!(since(Micros(100 * DAY_US), 90), Micros(10 * DAY_US));
        assert_eq!(since(now, u32::MAX), Micros(SMALLEST));
    }
}
