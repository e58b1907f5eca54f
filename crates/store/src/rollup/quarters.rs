//! The quarters of an hour from which demand is computed. They are computed from the buckets of one minute, in the same transaction as the buckets of ten
//! minutes.

use std::collections::{BTreeMap, HashMap};

use grid::demand::{QUARTER_MS, Quarter, QuarterSum};
use grid::downsample::{Bucket, MINUTE_MS, floor};
use grid::{Micros, PointId};
use tokio_postgres::{Row, Transaction};

use super::lock::lock;
use super::rows::place;
use crate::cancel::CancelOnDrop;
use crate::convert::{Stamp, sql};
use crate::{Result, Store};

/// Quarters of a row.
pub(crate) const SLOTS: usize = 96;
/// Length of a row, ms.
pub(crate) const ROW_MS: i64 = SLOTS as i64 * QUARTER_MS;
/// The column of history/demand_rows with the number of a row's point and day.
const NTH_COLUMN: usize = 2;

/// The quarters of a point and day, from midnight (UTC).
pub(super) type Quarters = Vec<Option<Quarter>>;

/// The quarters of one point and day while its minutes are added, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Course {
    sums: Vec<QuarterSum>,
    /// The value that was valid at the end of the last minute.
    lasting: Option<(Micros, f64)>,
}

impl Course {
    /// Adds the bucket of the next minute of a day. As in every mean over time, the last value of a minute is valid until the end of the minute, at most for
    /// `limit_ms`. If the point reports by exception, the last value of the previous minute is valid in this minute too.
    pub(super) fn add(&mut self, day: Micros, start: Micros, bucket: &Bucket, limit_ms: Option<i64>) {
        let before = self.lasting.filter(|_| limit_ms.is_none());
        self.lasting = bucket.lasting();
        let mut minute = *bucket;
        minute.spread(before, (start, start.plus_millis(MINUTE_MS)), limit_ms);
        let slot = usize::try_from(start.millis_since(day) / QUARTER_MS).unwrap_or(SLOTS);
        if let Some(mean) = minute.mean().filter(|_| slot < SLOTS) {
            self.sums.resize(self.sums.len().max(slot + 1), QuarterSum::default());
            self.sums[slot].add(mean);
        }
    }

    pub(super) fn quarters(&self) -> Quarters {
        self.sums.iter().map(|sum| sum.quarter()).collect()
    }
}

/// Stores the quarters of some points and days, each once. A stored quarter with more known minutes is kept, because some of its minutes have expired since it
/// was computed.
pub(super) async fn put(transaction: &Transaction<'_>, days: &BTreeMap<(PointId, Micros), Quarters>) -> Result<u64> {
    let points: Vec<i64> = days.keys().map(|(point, _)| point.0).collect();
    let starts: Vec<Stamp> = days.keys().map(|(_, day)| Stamp(*day)).collect();
    let mut stored: HashMap<usize, Quarters> = HashMap::new();
    for row in transaction.query(sql!("history/demand_rows"), &[&points, &starts]).await? {
        stored.insert(place(&row, NTH_COLUMN)?, read(&row, 0)?);
    }
    let (statement, mut changed) = (transaction.prepare(sql!("history/demand_put")).await?, 0);
    for (nth, ((point, day), recomputed)) in days.iter().enumerate() {
        let mut quarters = stored.remove(&nth).unwrap_or_default();
        if !update(&mut quarters, recomputed) {
            continue;
        }
        let mean: Vec<Option<f64>> = quarters.iter().map(|quarter| quarter.map(|quarter| quarter.mean)).collect();
        let is_whole = quarters.iter().flatten().all(|quarter| quarter.minutes == WHOLE);
        let minutes: Option<Vec<Option<i16>>> =
            (!is_whole).then(|| quarters.iter().map(|quarter| quarter.map(|quarter| i16::from(quarter.minutes))).collect());
        changed += transaction.execute(&statement, &[&point.0, &Stamp(*day), &mean, &minutes]).await?;
    }
    Ok(changed)
}

/// Number of known minutes of a quarter that is known completely.
const WHOLE: u8 = 15;

/// Adds recomputed quarters to stored ones. Returns whether anything changed.
fn update(stored: &mut Quarters, recomputed: &[Option<Quarter>]) -> bool {
    stored.resize(stored.len().max(recomputed.len()), None);
    let mut is_changed = false;
    for (stored, recomputed) in stored.iter_mut().zip(recomputed) {
        let Some(quarter) = recomputed else { continue };
        if stored.is_none_or(|stored| stored.minutes <= quarter.minutes && stored != *quarter) {
            (*stored, is_changed) = (Some(*quarter), true);
        }
    }
    is_changed
}

/// Reads a row whose columns begin at `first`: means and minutes.
pub(crate) fn read(row: &Row, first: usize) -> Result<Quarters> {
    let means: Vec<Option<f64>> = row.try_get(first)?;
    let minutes: Vec<Option<i16>> = row.try_get::<_, Option<Vec<Option<i16>>>>(first + 1)?.unwrap_or_default();
    let of = |slot: usize| minutes.get(slot).copied().flatten().and_then(|minutes| u8::try_from(minutes).ok()).unwrap_or(WHOLE);
    Ok(means.into_iter().enumerate().take(SLOTS).map(|(slot, mean)| mean.map(|mean| Quarter { mean, minutes: of(slot) })).collect())
}

impl Store {
    /// Stores quarters of an hour that the caller has computed, each with its start. Stored quarters with more known minutes are kept. It is not checked
    /// whether the points exist.
    pub async fn put_quarters(&self, quarters: &[(PointId, Micros, Quarter)]) -> Result<u64> {
        let mut days: BTreeMap<(PointId, Micros), Quarters> = BTreeMap::new();
        for (point, start, quarter) in quarters {
            let day = floor(*start, ROW_MS);
            let slots = days.entry((*point, day)).or_insert_with(|| vec![None; SLOTS]);
            if let Some(slot) = usize::try_from(start.millis_since(day) / QUARTER_MS).ok().and_then(|slot| slots.get_mut(slot)) {
                *slot = Some(*quarter);
            }
        }
        let mut connection = CancelOnDrop::new(self.pool.get().await?);
        let stored = async {
            let transaction = connection.transaction().await?;
            lock(&transaction).await?;
            let changed = put(&transaction, &days).await?;
            transaction.commit().await?;
            Ok(changed)
        };
        let stored = stored.await;
        connection.finish();
        stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarter_with_more_minutes_stays() {
        let quarter = |mean: f64, minutes: u8| Some(Quarter { mean, minutes });
        let mut stored = vec![quarter(1.0, 15), None, quarter(3.0, 7)];
        assert!(update(&mut stored, &[quarter(9.0, 4), quarter(2.0, 1), quarter(4.0, 7), quarter(5.0, 15)]));
        assert_eq!(stored, [quarter(1.0, 15), quarter(2.0, 1), quarter(4.0, 7), quarter(5.0, 15)]);
        assert!(!update(&mut stored, &[quarter(1.0, 15), None, quarter(3.5, 6)]));
    }
}
