//! Maintains the rollups: computes buckets for new values, computes coarser buckets from finer ones, and drops expired history.
//!
//! It works the same on every engine, in Rust ([`recompute`]). The writer stores the dirty ranges of a batch (`rollup_dirty`); [`Rollups::refresh`] takes dirty
//! ranges and recomputes their buckets from the stored values, even if values were received late or more than once. Until then queries compute the missing
//! buckets from the level below ([`crate::series`]), so no value is missing in an answer.

use std::time::{Duration, Instant};

use grid::Micros;
use grid::downsample::{MINUTE_MS, Resolution, floor};
use tokio_postgres::{Client, Transaction};

use crate::convert::sql;
use crate::{Engine, Error, Result, engine, partition, pool};

mod brought;
mod days;
mod expiry;
mod lock;
mod quarters;
mod range;
mod recompute;
mod rows;
mod values;

pub use brought::Brought;
pub(crate) use days::read as read_day;
pub(crate) use quarters::{ROW_MS as QUARTER_ROW_MS, read as read_quarters};
pub(crate) use range::{Range, block, columns, level, merged};
pub(crate) use rows::{NEXT_COLUMN, STORED, WITHIN, layout, read as read_packed};
pub(crate) use values::{NEXT_COLUMN as NEXT_COLUMN_OF_VALUE, read as read_value};

/// Maximum number of dirty ranges in one transaction. The next transaction takes the rest.
const MARKS_MAX: i64 = 4_000;
/// Maximum time for one resolution. After it, the next resolution is refreshed even if dirty ranges are left.
const TURN: Duration = Duration::from_secs(30);
/// Largest work of one transaction for each level, measured as time of one block of points, ms: two days for minutes, and more for coarser levels. With a value
/// every ten seconds, two days are a million values.
const WORK_MAX_MS: [i64; 4] = [2 * DAY_MS, 20 * DAY_MS, 100 * DAY_MS, 20 * DAY_MS];
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// The result of a refresh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Refreshed {
    /// Number of dirty ranges taken.
    pub marks: u64,
    /// Number of buckets written.
    pub buckets: u64,
    /// Number of ranges that could not be computed and were set aside.
    pub aside: u64,
    /// Whether dirty ranges are left.
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

/// The connection that maintains the rollups. After a connection error create a new one.
pub struct Rollups {
    client: Client,
    /// Maximum number of dirty ranges in one transaction, by level. It is reduced after a failure and raised again after successes.
    most: [i64; 4],
    /// The ranges of the last transaction.
    tried: Vec<Range>,
}

impl Rollups {
    /// Opens a connection.
    pub async fn connect(url: &str) -> Result<Self> {
        Ok(Self { client: pool::connect(url).await?, most: [MARKS_MAX; 4], tried: Vec::new() })
    }

    /// Recomputes the dirty ranges of one resolution, newest first, in transactions of bounded size. If it is interrupted, the rest stays dirty.
    ///
    /// It ends when only ranges are left that became dirty meanwhile, or after half a minute. `left` is whether ranges are left. The present minute stays dirty
    /// until it has ended. Several processes can call it at the same time; one works, the others wait.
    ///
    /// A range that the server cannot compute is divided into smaller parts, down to one day of one block. If such a part fails too, it is set aside, so that
    /// the other parts are computed.
    pub async fn refresh(&mut self, of: Resolution) -> Result<Refreshed> {
        let Some(number) = level(of) else { return Ok(Refreshed::default()) };
        let (began, mut total, at) = (Instant::now(), Refreshed::default(), number as usize - 1);
        let mut has_partitions = false;
        loop {
            match self.refresh_some(of, number).await {
                Ok(done) => {
                    total.add(done);
                    self.most[at] = (self.most[at] * 2).min(MARKS_MAX);
                }
                // Nothing has created partitions for a long time, or a clock was ahead.
                Err(error) if !has_partitions && partition::missing(&error).is_some() => {
                    self.ensure_partitions(of).await?;
                    (has_partitions, total.left) = (true, true);
                }
                Err(error) if is_of_the_range(&error) && self.most[at] > 1 => {
                    tracing::debug!(of = of.as_str(), marks = self.most[at], %error, "buckets are tried in smaller parts");
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

    /// Runs one transaction of [`Rollups::refresh`].
    async fn refresh_some(&mut self, of: Resolution, number: i16) -> Result<Refreshed> {
        let most = self.most[number as usize - 1];
        let transaction = self.client.transaction().await?;
        lock::lock(&transaction).await?;
        let newest = transaction.query(sql!("history/newest_dirty"), &[&number, &most]).await?;
        if newest.is_empty() {
            return Ok(Refreshed::default());
        }
        let ranges: Vec<Range> = newest.iter().map(Range::read).collect::<Result<_>>()?;
        // The database aligns days, because it knows the time zones.
        let ms = if of == Resolution::Day { MINUTE_MS } else { of.ms() };
        let ranges = merged(ranges.into_iter().map(|range| range.aligned(ms)).collect());
        self.tried.clone_from(&ranges);
        // All dirty ranges are taken before any value is read. A range that becomes dirty later may have values that were not read.
        let marks = take(&transaction, number, &ranges).await?;
        let (now, later) = share(ranges, work_max(number, most));
        let buckets = recompute::recompute(&transaction, of, &now).await?;
        mark(&transaction, number, &later).await?;
        for coarser in made_of(of) {
            mark(&transaction, *coarser, &now).await?;
        }
        transaction.commit().await?;
        Ok(Refreshed { marks, buckets, aside: 0, left: newest.len() as i64 == most || !later.is_empty() })
    }

    /// Creates the partitions of a resolution for the ranges of the last transaction.
    async fn ensure_partitions(&mut self, of: Resolution) -> Result<()> {
        let (Some(table), layout) = (partition::Table::of(of.into()), layout(of)?) else { return Ok(()) };
        let ranges: Vec<(Micros, Micros)> = self.tried.iter().map(|range| (layout.block(range.lo), range.hi)).collect();
        partition::ensure_ranges(&mut self.client, table, &ranges).await?;
        Ok(())
    }

    /// Sets aside the smallest part that failed.
    async fn put_aside(&mut self, of: Resolution, number: i16, error: &Error) -> Result<Refreshed> {
        let transaction = self.client.transaction().await?;
        lock::lock(&transaction).await?;
        let marks = take(&transaction, number, &self.tried).await?;
        let (aside, later) = share(std::mem::take(&mut self.tried), work_max(number, 1));
        mark(&transaction, number, &later).await?;
        let (blocks, starts, ends) = columns(&aside);
        transaction.execute(sql!("history/put_aside"), &[&number, &blocks, &starts, &ends]).await?;
        transaction.commit().await?;
        for Range { block, lo, hi } in &aside {
            let (points_from, from_ms, to_ms) = (range::first_point(*block), lo.millis(), hi.millis());
            tracing::warn!(of = of.as_str(), points_from, from_ms, to_ms, %error, "buckets cannot be worked out; put aside until the next start");
        }
        Ok(Refreshed { marks, buckets: 0, aside: aside.len() as u64, left: true })
    }

    /// Makes all ranges that were set aside dirty again. Returns their number.
    pub async fn retry_aside(&self) -> Result<u64> {
        Ok(self.client.execute(sql!("history/retry_aside"), &[]).await?)
    }

    /// Recomputes the dirty ranges of all resolutions.
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

    /// Sets the age from which the history is compressed, on engines that support compression.
    pub async fn compress(&self, days: u32) -> Result<()> {
        if engine::engine(&self.client).await? != Engine::TimescaleCommunity {
            return Ok(());
        }
        self.client.batch_execute(&format!("SET app.compress_days = {days}")).await?;
        Ok(self.client.batch_execute(sql!("engine/compress")).await?)
    }
}

/// Deletes all dirty ranges that lie within the given ranges.
async fn take(transaction: &Transaction<'_>, level: i16, ranges: &[Range]) -> Result<u64> {
    let (blocks, starts, ends) = columns(ranges);
    Ok(transaction.execute(sql!("history/take_dirty"), &[&level, &blocks, &starts, &ends]).await?)
}

/// Returns the largest work of a transaction with this limit of dirty ranges.
fn work_max(level: i16, most: i64) -> i64 {
    WORK_MAX_MS[level as usize - 1] * most / MARKS_MAX
}

/// Returns whether the range causes the error: by its values, by their number, or by damaged storage.
fn is_of_the_range(error: &Error) -> bool {
    let is_damage = |error: &tokio_postgres::Error| error.code().is_some_and(|code| code.code().starts_with("XX"));
    error.is_permanent() || error.is_overdue() || matches!(error, Error::Database(error) if is_damage(error))
}

/// Returns the levels whose buckets are computed from those of a resolution.
fn made_of(of: Resolution) -> &'static [i16] {
    match of {
        Resolution::Minute => &[2],
        Resolution::TenMinutes => &[3, 4],
        Resolution::Raw | Resolution::Hour | Resolution::Day => &[],
    }
}

/// Divides ranges, newest first, into those to compute now and those to leave for later.
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

async fn mark(transaction: &Transaction<'_>, level: i16, ranges: &[Range]) -> Result<()> {
    if !ranges.is_empty() {
        let (blocks, starts, ends) = columns(ranges);
        transaction.execute(sql!("history/mark"), &[&level, &blocks, &starts, &ends]).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(block: i64, lo: i64, hi: i64) -> Range {
        Range { block, lo: Micros::from_millis(lo * DAY_MS), hi: Micros::from_millis(hi * DAY_MS) }
    }

    #[test]
    fn the_newest_is_worked_out_first_and_nothing_is_forgotten() {
        let (now, later) = share(vec![range(1, 0, 10), range(2, 9, 10), range(1, 20, 21)], 3 * DAY_MS);
        assert_eq!(now, [range(1, 9, 10), range(1, 20, 21), range(2, 9, 10)]);
        assert_eq!(later, [range(1, 0, 9)]);
    }
}
