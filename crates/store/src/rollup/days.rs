//! The rows of the daily rollup, which is not packed.

use std::collections::BTreeMap;

use grid::downsample::{Bucket, Held};
use grid::{Micros, PointId};
use tokio_postgres::{Row, Transaction};

use crate::convert::Stamp;
use crate::{Error, Result};

/// Days by point and start. The keys are sorted, so that neighbouring rows are stored on the same page.
pub(super) type Days = BTreeMap<(PointId, Micros), Bucket>;

/// Stores days, with a statement that has one array for each column.
pub(super) async fn put(transaction: &Transaction<'_>, statement: &str, days: &Days) -> Result<u64> {
    fn column<T>(days: &Days, value: impl Fn(&Bucket) -> T) -> Vec<T> {
        days.values().map(value).collect()
    }
    let points: Vec<i64> = days.keys().map(|(point, _)| point.0).collect();
    let starts: Vec<Stamp> = days.keys().map(|(_, start)| Stamp(*start)).collect();
    let count = |n: i64| i32::try_from(n).unwrap_or(i32::MAX);
    let changed = transaction
        .execute(
            statement,
            &[
                &points,
                &starts,
                &column(days, |bucket| bucket.first.map(|(at, _)| Stamp(at))),
                &column(days, |bucket| bucket.last.map(|(at, _)| Stamp(at))),
                &column(days, |bucket| bucket.min),
                &column(days, |bucket| bucket.max),
                &column(days, |bucket| bucket.sum),
                &column(days, |bucket| bucket.first.map(|(_, value)| value)),
                &column(days, |bucket| bucket.last.map(|(_, value)| value)),
                &column(days, |bucket| count(bucket.n)),
                &column(days, |bucket| count(bucket.n_good)),
                &column(days, |bucket| i16::from(bucket.worst.code())),
                &column(days, |bucket| {
                    bucket.held.map(|held| held.from).filter(|at| bucket.first.is_none_or(|first| first.0 != *at)).map(Stamp)
                }),
                &column(days, |bucket| {
                    bucket.held.map(|held| held.to).filter(|at| bucket.last.is_none_or(|last| last.0 != *at)).map(Stamp)
                }),
                &column(days, |bucket| bucket.held.map(|held| held.value_ms)),
                &column(days, |bucket| bucket.held.map(|held| held.ms)),
            ],
        )
        .await?;
    Ok(changed)
}

/// Reads a row: point, start and bucket. Columns are read by position. The first sixteen must be those of history/stored_1d, in the same order.
pub(crate) fn read(row: &Row) -> Result<(PointId, Micros, Bucket)> {
    let time = |place: usize| Ok::<_, Error>(row.try_get::<_, Option<Stamp>>(place)?.map(|stamp| stamp.0));
    let number = |place: usize| Ok::<_, Error>(row.try_get::<_, Option<f64>>(place)?);
    let (first_at, last_at): (Option<Micros>, Option<Micros>) = (time(2)?, time(3)?);
    // Imported days may have no integral.
    let held = match (number(14)?, number(15)?) {
        (Some(value_ms), Some(ms)) => {
            let ends = (time(12)?.or(first_at), time(13)?.or(last_at));
            if let (Some(from), Some(to)) = ends { Some(Held { value_ms, ms, from, to }) } else { None }
        }
        _ => None,
    };
    let worst: i16 = row.try_get(11)?;
    let bucket = Bucket {
        n: i64::from(row.try_get::<_, i32>(9)?),
        n_good: i64::from(row.try_get::<_, i32>(10)?),
        min: number(4)?,
        max: number(5)?,
        sum: number(6)?,
        first: first_at.zip(number(7)?),
        last: last_at.zip(number(8)?),
        held,
        worst: u8::try_from(worst).ok().and_then(grid::Quality::from_code).ok_or_else(|| Error::Unreadable(format!("quality {worst}")))?,
    };
    let start: Stamp = row.try_get(1)?;
    Ok((PointId(row.try_get(0)?), start.0, bucket))
}
