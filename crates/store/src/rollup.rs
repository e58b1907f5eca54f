//! Keeps the rollups: works out what values have come for, makes coarser buckets of finer ones, and lets go what is too old.
//!
//! One mechanism on every engine. The writer marks what a batch changes (`rollup_dirty`); [`Rollups::refresh`] takes marks and works their buckets out from
//! what is stored, however late or often the values came. Between the two a question is answered from the level below ([`crate::series`]), so what is not
//! worked out yet is never missing.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use grid::downsample::{Bucket, Held, MINUTE_MS, Resolution, floor};
use grid::{Micros, PointId};
use tokio_postgres::{Client, Row, Transaction};

use crate::convert::{Stamp, micros, sql};
use crate::{Engine, Error, Result, engine, pool};

mod brought;

pub use brought::Brought;

/// Points of a block have ids that differ in these low bits only (V013).
const BLOCK_BITS: u32 = 6;
/// Marks looked at in one transaction. The rest is taken by the next.
const MARKS_MAX: i64 = 4_000;
/// For so long one resolution is worked out before it is another's turn, however much is left.
const TURN: Duration = Duration::from_secs(30);
/// What one transaction works out at most, as time of one block: two days of minutes, and more of what is coarser. At ten seconds a value that is a million
/// values.
const WORK_MAX_MS: [i64; 4] = [2 * DAY_MS, 20 * DAY_MS, 100 * DAY_MS, 20 * DAY_MS];
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// One refresher at a time; any number will do that no other lock of ours has.
const LOCK: i64 = 0x0073_7769_7463_6872;
/// Rows that go in one transaction when a point's history expires.
const EXPIRE_ROWS: i64 = 10_000;

/// The block of a point.
pub(crate) fn block(point: PointId) -> i64 {
    point.0 >> BLOCK_BITS
}

/// A range of time of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Range {
    pub(crate) block: i64,
    pub(crate) lo: Micros,
    /// Not of it any more.
    pub(crate) hi: Micros,
}

impl Range {
    fn read(row: &Row) -> Result<Self> {
        Ok(Self { block: row.try_get("block")?, lo: micros(row, "lo")?, hi: micros(row, "hi")? })
    }

    /// Made as wide as whole buckets are.
    fn aligned(self, ms: i64) -> Self {
        let end = floor(self.hi, ms);
        let hi = if end == self.hi { end } else { end.plus_millis(ms) };
        Self { lo: floor(self.lo, ms), hi, ..self }
    }
}

/// Ranges in order, those that touch or overlap as one.
pub(crate) fn merged(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable();
    let mut merged: Vec<Range> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if last.block == range.block && range.lo <= last.hi => last.hi = last.hi.max(range.hi),
            _ => merged.push(range),
        }
    }
    merged
}

/// The number of a level in `rollup_dirty`; `None` for single values.
pub(crate) fn level(of: Resolution) -> Option<i16> {
    Resolution::BUCKETS.iter().position(|other| *other == of).map(|at| at as i16 + 1)
}

/// How long each resolution is kept, days; 0 for ever. A coarser one is made of a finer one, so none may be kept for less than one that is finer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Single values, then buckets of a minute, ten minutes, an hour and a day.
    pub days: [u32; 5],
    /// From which age on TimescaleDB Community compresses single values, days; 0 never.
    pub compress_days: u32,
}

/// What has been worked out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refreshed {
    /// Marks taken.
    pub marks: u64,
    /// Buckets written.
    pub buckets: u64,
    /// Ranges that could not be worked out and were put aside.
    pub aside: u64,
    /// There is more of it.
    pub left: bool,
}

impl Refreshed {
    fn add(&mut self, other: Self) {
        self.marks += other.marks;
        self.buckets += other.buckets;
        self.aside += other.aside;
        self.left = other.left;
    }
}

/// The connection that keeps the rollups. After an error of connection make a new one.
pub struct Rollups {
    client: Client,
    /// Marks of one transaction by level: fewer after one that failed, until some have not.
    most: [i64; 4],
    /// What the last transaction was of.
    tried: Vec<Range>,
}

impl Rollups {
    /// Connects.
    pub async fn connect(url: &str) -> Result<Self> {
        Ok(Self { client: pool::connect(url).await?, most: [MARKS_MAX; 4], tried: Vec::new() })
    }

    /// Works out what is marked of one resolution, newest first, in transactions of bounded size, each of which may be the last: what is not done stays
    /// marked. It ends when nothing is left but what has been marked meanwhile, and after half a minute in any case: `left` says which. The minute that is
    /// running stays marked until it is over. Several processes may call it at once; one works, the others wait.
    ///
    /// What the server cannot work out is tried in ever smaller parts, down to a day of one block. That is put aside then, so that the rest goes on.
    pub async fn refresh(&mut self, of: Resolution) -> Result<Refreshed> {
        let Some(number) = level(of) else { return Ok(Refreshed::default()) };
        let (began, mut total, at) = (Instant::now(), Refreshed::default(), number as usize - 1);
        loop {
            match self.refresh_some(of, number).await {
                Ok(done) => {
                    total.add(done);
                    self.most[at] = (self.most[at] * 2).min(MARKS_MAX);
                }
                Err(error) if is_of_the_range(&error) && self.most[at] > 1 => {
                    tracing::debug!(of = of.word(), marks = self.most[at], %error, "buckets are tried in smaller parts");
                    total.left = true;
                    self.most[at] /= 2;
                }
                Err(error) if is_of_the_range(&error) => {
                    total.add(self.put_aside(of, number, &error).await?);
                    self.most[at] = MARKS_MAX;
                }
                Err(error) => return Err(error),
            }
            if !total.left || began.elapsed() > TURN {
                return Ok(total);
            }
        }
    }

    /// One transaction of [`Rollups::refresh`].
    async fn refresh_some(&mut self, of: Resolution, number: i16) -> Result<Refreshed> {
        let most = self.most[number as usize - 1];
        let transaction = self.client.transaction().await?;
        transaction.query_one(sql!("history/lock"), &[&LOCK]).await?;
        let newest = transaction.query(sql!("history/newest_dirty"), &[&number, &most]).await?;
        if newest.is_empty() {
            return Ok(Refreshed::default());
        }
        let ranges: Vec<Range> = newest.iter().map(Range::read).collect::<Result<_>>()?;
        // Days are aligned by the database, which knows the time zones.
        let ms = if of == Resolution::Day { MINUTE_MS } else { of.ms() };
        let ranges = merged(ranges.into_iter().map(|range| range.aligned(ms)).collect());
        self.tried.clone_from(&ranges);
        // All marks go before any value is read: what one says that comes after this is not known to be in what is read.
        let marks = take(&transaction, number, &ranges).await?;
        let (now, later) = share(ranges, work_max(number, most));
        let buckets = write_out(&transaction, of, &now).await?;
        mark(&transaction, number, &later).await?;
        for coarser in made_of(of) {
            mark(&transaction, *coarser, &now).await?;
        }
        transaction.commit().await?;
        Ok(Refreshed { marks, buckets, aside: 0, left: newest.len() as i64 == most || !later.is_empty() })
    }

    /// What was tried in the smallest part is left alone from now on.
    async fn put_aside(&mut self, of: Resolution, number: i16, error: &Error) -> Result<Refreshed> {
        let transaction = self.client.transaction().await?;
        transaction.query_one(sql!("history/lock"), &[&LOCK]).await?;
        let marks = take(&transaction, number, &self.tried).await?;
        let (aside, later) = share(std::mem::take(&mut self.tried), work_max(number, 1));
        mark(&transaction, number, &later).await?;
        let (blocks, starts, ends) = columns(&aside);
        transaction.execute(sql!("history/put_aside"), &[&number, &blocks, &starts, &ends]).await?;
        transaction.commit().await?;
        for Range { block, lo, hi } in &aside {
            let (points_from, from_ms, to_ms) = (block << BLOCK_BITS, lo.millis(), hi.millis());
            tracing::warn!(of = of.word(), points_from, from_ms, to_ms, %error, "buckets cannot be worked out; put aside until the next start");
        }
        Ok(Refreshed { marks, buckets: 0, aside: aside.len() as u64, left: true })
    }

    /// What was put aside is tried again.
    pub async fn retry_aside(&self) -> Result<u64> {
        Ok(self.client.execute(sql!("history/retry_aside"), &[]).await?)
    }

    /// Works out what is marked, of all resolutions.
    pub async fn refresh_all(&mut self) -> Result<Refreshed> {
        let mut total = Refreshed::default();
        for of in Resolution::BUCKETS {
            loop {
                total.add(self.refresh(of).await?);
                if !total.left {
                    break;
                }
            }
        }
        Ok(total)
    }

    /// Sets from which age on the history is compressed, where the engine compresses.
    pub async fn compress(&self, days: u32) -> Result<()> {
        if engine::engine(&self.client).await? != Engine::TimescaleCommunity {
            return Ok(());
        }
        self.client.batch_execute(&format!("SET app.compress_days = {days}")).await?;
        Ok(self.client.batch_execute(sql!("engine/compress")).await?)
    }

    /// Lets go what is older than it should be kept, in transactions of at most 10,000 rows; on TimescaleDB whole chunks of single values. Answers the rows
    /// that went (chunks count as one).
    pub async fn expire(&self, retention: &Retention, now: Micros) -> Result<u64> {
        const BUCKETS: [&str; 4] =
            [sql!("history/expire_1m"), sql!("history/expire_10m"), sql!("history/expire_1h"), sql!("history/expire_1d")];
        let before = |days: u32| (days > 0).then(|| now.plus_millis(-i64::from(days) * DAY_MS));
        let points = self.client.query(sql!("history/points"), &[]).await?;
        let points: Vec<i64> = points.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        let mut gone = 0;
        if let Some(end) = before(retention.days[0]) {
            if engine::engine(&self.client).await? == Engine::Plain {
                gone += self.expire_of(sql!("history/expire_raw"), &points, end).await?;
            } else {
                gone += self.client.query(sql!("engine/drop_chunks"), &[&Stamp(end)]).await?.len() as u64;
            }
        }
        for (statement, days) in BUCKETS.iter().zip(&retention.days[1..]) {
            if let Some(end) = before(*days) {
                gone += self.expire_of(statement, &points, end).await?;
            }
        }
        Ok(gone)
    }

    async fn expire_of(&self, statement: &str, points: &[i64], end: Micros) -> Result<u64> {
        let prepared = self.client.prepare(statement).await?;
        let mut gone = 0;
        for point in points {
            loop {
                let rows = self.client.execute(&prepared, &[point, &Stamp(end), &EXPIRE_ROWS]).await?;
                gone += rows;
                if rows < EXPIRE_ROWS as u64 {
                    break;
                }
            }
        }
        Ok(gone)
    }
}

/// Takes all marks that ranges make up for.
async fn take(transaction: &Transaction<'_>, level: i16, ranges: &[Range]) -> Result<u64> {
    let (blocks, starts, ends) = columns(ranges);
    Ok(transaction.execute(sql!("history/take_dirty"), &[&level, &blocks, &starts, &ends]).await?)
}

/// What one transaction of so many marks works out at most.
fn work_max(level: i16, most: i64) -> i64 {
    WORK_MAX_MS[level as usize - 1] * most / MARKS_MAX
}

/// Whether it is the range that fails: its values, their number, or how they are stored.
fn is_of_the_range(error: &Error) -> bool {
    let is_damage = |error: &tokio_postgres::Error| error.code().is_some_and(|code| code.code().starts_with("XX"));
    error.is_permanent() || error.is_overdue() || matches!(error, Error::Database(error) if is_damage(error))
}

/// The levels whose buckets are made of those of a resolution.
fn made_of(of: Resolution) -> &'static [i16] {
    match of {
        Resolution::Minute => &[2],
        Resolution::TenMinutes => &[3, 4],
        Resolution::Raw | Resolution::Hour | Resolution::Day => &[],
    }
}

/// What is worked out now and what has to wait, newest first.
fn share(mut ranges: Vec<Range>, work_max_ms: i64) -> (Vec<Range>, Vec<Range>) {
    ranges.sort_unstable_by_key(|range| std::cmp::Reverse((range.hi, range.block)));
    let (mut now, mut later, mut left) = (Vec::new(), Vec::new(), work_max_ms);
    for range in ranges {
        let cut = floor(range.hi.plus_millis(-left.max(0)), DAY_MS).max(range.lo);
        if left <= 0 {
            later.push(range);
        } else if cut > range.lo {
            now.push(Range { lo: cut, ..range });
            later.push(Range { hi: cut, ..range });
        } else {
            now.push(range);
        }
        left -= range.hi.millis_since(cut).max(MINUTE_MS);
    }
    (merged(now), merged(later))
}

/// Hours are made of ten minutes as these are of minutes.
static HOURS: LazyLock<String> = LazyLock::new(|| {
    let others = [("rollup_10m", "rollup_1h"), ("rollup_1m", "rollup_10m"), ("INTERVAL '10 minutes'", "INTERVAL '1 hour'")];
    others.iter().fold(sql!("history/refresh_10m").to_owned(), |statement, (from, to)| statement.replace(from, to))
});

async fn write_out(transaction: &Transaction<'_>, of: Resolution, ranges: &[Range]) -> Result<u64> {
    let statement = match of {
        Resolution::Raw => return Ok(0),
        Resolution::Minute => sql!("history/refresh_1m"),
        Resolution::TenMinutes => sql!("history/refresh_10m"),
        Resolution::Hour => HOURS.as_str(),
        Resolution::Day => sql!("history/refresh_1d"),
    };
    let (blocks, starts, ends) = columns(ranges);
    Ok(transaction.execute(statement, &[&blocks, &starts, &ends]).await?)
}

async fn mark(transaction: &Transaction<'_>, level: i16, ranges: &[Range]) -> Result<()> {
    if !ranges.is_empty() {
        let (blocks, starts, ends) = columns(ranges);
        transaction.execute(sql!("history/mark"), &[&level, &blocks, &starts, &ends]).await?;
    }
    Ok(())
}

/// Ranges as the statements take them.
pub(crate) fn columns(ranges: &[Range]) -> (Vec<i64>, Vec<Stamp>, Vec<Stamp>) {
    (
        ranges.iter().map(|range| range.block).collect(),
        ranges.iter().map(|range| Stamp(range.lo)).collect(),
        ranges.iter().map(|range| Stamp(range.hi)).collect(),
    )
}

/// Reads a row of a rollup: the point, the start of the bucket, and the bucket. By place, since a year of many points is many rows: the first sixteen columns
/// are those of history/stored_1m, in its order.
pub(crate) fn bucket(row: &Row) -> Result<(PointId, Micros, Bucket)> {
    let time = |place: usize| Ok::<_, Error>(row.try_get::<_, Option<Stamp>>(place)?.map(|stamp| stamp.0));
    let number = |place: usize| Ok::<_, Error>(row.try_get::<_, Option<f64>>(place)?);
    let (first_at, last_at): (Option<Micros>, Option<Micros>) = (time(2)?, time(3)?);
    // How the values lie in time is not known of a bucket that was made before that was kept.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn range(block: i64, lo: i64, hi: i64) -> Range {
        Range { block, lo: Micros::from_millis(lo * DAY_MS), hi: Micros::from_millis(hi * DAY_MS) }
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let ranges = vec![range(2, 5, 6), range(1, 1, 3), range(1, 3, 4), range(1, 6, 7), range(1, 2, 3)];
        assert_eq!(merged(ranges), [range(1, 1, 4), range(1, 6, 7), range(2, 5, 6)]);
    }

    #[test]
    fn the_newest_is_worked_out_first_and_nothing_is_forgotten() {
        let (now, later) = share(vec![range(1, 0, 10), range(2, 9, 10), range(1, 20, 21)], 3 * DAY_MS);
        assert_eq!(now, [range(1, 9, 10), range(1, 20, 21), range(2, 9, 10)]);
        assert_eq!(later, [range(1, 0, 9)]);
    }
}
