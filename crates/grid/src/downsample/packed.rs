//! Packed buckets: all buckets of one point in a block of time as one row of arrays. See docs/decisions/0025-packed-rollups.md.
//!
//! | resolution | block | slots | unit of time |
//! | --- | --- | --- | --- |
//! | one minute | an hour | 60 | 2 ms |
//! | ten minutes | a day | 144 | 20 ms |
//! | one hour | seven days | 168 | 120 ms |
//!
//! Blocks are aligned to 2000-01-01 00:00 UTC. Slot i of an array belongs to the i-th bucket of the block. An entry is `None` if there is no bucket, or if it
//! has the following default, which unpacking derives from other entries:
//!
//! - `first` is `last`, `first_at` is `last_at`, `mean` is `first`; `min` and `max` are the smaller and the larger one of `first` and `last`;
//! - the first and the last value received are the first and the last usable ones;
//! - values were valid from the first usable one to the last;
//! - the worst quality is good, and no value is unusable.
//!
//! Times are rounded down to the unit. Figures are 16-bit multiples of a power of two ([`Values::Steps`]), so they differ by at most half a step. Where this
//! would be too coarse, they are stored as they are ([`Values::Exact`]).

mod entries;
mod values;

use super::{Bucket, HOUR_MS, Held, MINUTE_MS, Resolution, floor};
use crate::{Micros, Quality};

use entries::{entry, trimmed};
use values::Figure;
pub use values::{Figures, Values};

/// Units of time in a bucket.
const UNITS: i64 = 30_000;

/// The shape of the blocks of a resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    bucket_ms: i64,
    slots: i64,
    /// The largest count that the store's column takes.
    n_max: i32,
}

impl Layout {
    /// Returns the layout of a resolution; `None` for single values and days, which are not packed.
    pub const fn of(resolution: Resolution) -> Option<Self> {
        match resolution {
            Resolution::Minute => Some(Self { bucket_ms: MINUTE_MS, slots: 60, n_max: i16::MAX as i32 }),
            Resolution::TenMinutes => Some(Self { bucket_ms: 10 * MINUTE_MS, slots: 144, n_max: i32::MAX }),
            Resolution::Hour => Some(Self { bucket_ms: HOUR_MS, slots: 168, n_max: i32::MAX }),
            Resolution::Raw | Resolution::Day => None,
        }
    }

    /// Returns the length of a block, ms.
    pub fn block_ms(self) -> i64 {
        self.bucket_ms * self.slots
    }

    /// Returns the start of the block that contains a time.
    pub fn block(self, at: Micros) -> Micros {
        floor(at, self.block_ms())
    }

    fn unit_us(self) -> i64 {
        self.bucket_ms * 1_000 / UNITS
    }

    /// Returns the slot of the bucket that starts at a time.
    fn slot(self, block: Micros, bucket: Micros) -> Option<usize> {
        let into = bucket.0.checked_sub(block.0)?;
        let slot = into / (self.bucket_ms * 1_000);
        (into >= 0 && slot < self.slots && into % (self.bucket_ms * 1_000) == 0).then_some(slot as usize)
    }

    /// Returns a time within a bucket in units; times outside of the bucket are moved to its edges.
    fn units(self, bucket: Micros, at: Micros) -> i16 {
        ((at.0 - bucket.0).div_euclid(self.unit_us())).clamp(0, UNITS - 1) as i16
    }

    fn time(self, bucket: Micros, units: i16) -> Micros {
        Micros(bucket.0 + i64::from(units) * self.unit_us())
    }
}

/// Why buckets cannot be packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpackable {
    /// A figure of the bucket that starts at this time is infinite or no number.
    NotFinite(Micros),
    /// The bucket that starts at this time is not one of the block, or there are two of it.
    Misplaced(Micros),
}

impl std::fmt::Display for Unpackable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotFinite(at) => write!(f, "a figure of the bucket at {} ms is infinite or no number", at.millis()),
            Self::Misplaced(at) => write!(f, "the bucket at {} ms is not one of its block", at.millis()),
        }
    }
}

impl std::error::Error for Unpackable {}

/// The buckets of one point in one block. All arrays end with their last entry and may be empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Start of the block.
    pub start: Micros,
    /// Number of values received; `None` where there is no bucket. At most 32,767 for minutes.
    pub n: Vec<Option<i32>>,
    /// Number of the received values that are not usable.
    pub bad: Vec<Option<i32>>,
    /// The worst quality, as [`Quality::code`].
    pub worst: Vec<Option<i16>>,
    /// Source time of the last usable value, units after the start of the bucket.
    pub last_at: Vec<Option<i16>>,
    /// Source time of the first usable value.
    pub first_at: Vec<Option<i16>>,
    /// Source time of the first value received.
    pub received_first: Vec<Option<i16>>,
    /// Source time of the last value received. One more than `last_at` if both are in the same unit.
    pub received_last: Vec<Option<i16>>,
    /// Time in which values were valid, ms.
    pub held_ms: Vec<Option<i32>>,
    /// The figures.
    pub values: Values,
}

/// Packs buckets of one block, each with its start, in any order. A bucket without an integral counts as valid from its first to its last value.
pub fn pack(layout: Layout, buckets: &[(Micros, Bucket)]) -> Result<Row, Unpackable> {
    let start = layout.block(buckets.first().map_or(Micros(0), |(start, _)| *start));
    let mut slots: Vec<Option<&Bucket>> = Vec::new();
    for (at, bucket) in buckets {
        let slot = layout.slot(start, *at).ok_or(Unpackable::Misplaced(*at))?;
        slots.resize(slots.len().max(slot + 1), None);
        if slots[slot].replace(bucket).is_some() {
            return Err(Unpackable::Misplaced(*at));
        }
    }
    let begins = |slot: usize| start.plus_millis(slot as i64 * layout.bucket_ms);
    let mut figures = Vec::with_capacity(slots.len());
    for (slot, bucket) in slots.iter().enumerate() {
        let figure = bucket.and_then(figure);
        if figure.is_some_and(|figure| !figure.is_finite()) {
            return Err(Unpackable::NotFinite(begins(slot)));
        }
        figures.push(figure);
    }
    let times: Vec<Option<Times>> =
        slots.iter().enumerate().map(|(slot, bucket)| bucket.map(|bucket| Times::of(layout, begins(slot), bucket))).collect();
    let counts = |count: &dyn Fn(&Bucket) -> Option<i64>| -> Vec<Option<i32>> {
        let most = i64::from(layout.n_max);
        trimmed(slots.iter().map(|bucket| bucket.and_then(count).map(|count| count.clamp(0, most) as i32)))
    };
    Ok(Row {
        start,
        n: counts(&|bucket| Some(bucket.n)),
        bad: counts(&|bucket| {
            let bad = (bucket.n - bucket.n_good).max(0);
            // A count that is cut off still leaves a usable value where there is one.
            let most = i64::from(layout.n_max) - i64::from(bucket.n_good > 0);
            (bad > 0).then_some(bad.min(most))
        }),
        worst: trimmed(slots.iter().map(|bucket| {
            let worst = (*bucket)?.worst;
            (worst != Quality::Good).then(|| i16::from(worst.code()))
        })),
        last_at: trimmed(times.iter().map(|times| times.as_ref()?.last)),
        first_at: trimmed(times.iter().map(|times| times.as_ref().and_then(|times| times.first.filter(|_| times.first != times.last)))),
        received_first: trimmed(times.iter().map(|times| times.as_ref()?.received_first)),
        received_last: trimmed(times.iter().map(|times| times.as_ref()?.received_last)),
        held_ms: trimmed(times.iter().map(|times| times.as_ref()?.held_ms)),
        values: Values::pack(&figures),
    })
}

/// Returns the buckets of a row, each with its start, in order. Entries beyond the block are ignored.
pub fn unpack(layout: Layout, row: &Row) -> Vec<(Micros, Bucket)> {
    let figures = row.values.unpack(row.n.len());
    let counted = row.n.iter().zip(figures).take(layout.slots as usize).enumerate();
    let mut buckets = Vec::with_capacity(row.n.len());
    for (slot, (n, figure)) in counted {
        let Some(n) = n.map(i64::from) else { continue };
        let start = row.start.plus_millis(slot as i64 * layout.bucket_ms);
        let time = |units: &[Option<i16>]| entry(units, slot).map(|units| layout.time(start, units));
        let last_at = time(&row.last_at);
        let first_at = time(&row.first_at).or(last_at);
        let n_good = if figure.is_some() { n - i64::from(entry(&row.bad, slot).unwrap_or(0)) } else { 0 };
        let from = time(&row.received_first).or(first_at).unwrap_or(start);
        let to = time(&row.received_last).or(last_at).unwrap_or(from);
        let between_ms = || last_at.zip(first_at).map_or(0.0, |(last, first)| (last.0 - first.0) as f64 / 1_000.0);
        let ms = entry(&row.held_ms, slot).map_or_else(between_ms, f64::from);
        let worst = entry(&row.worst, slot).map_or(Some(Quality::Good), |code| Quality::from_code(u8::try_from(code).ok()?));
        let bucket = Bucket {
            n,
            n_good,
            min: figure.map(|figure| figure.min),
            max: figure.map(|figure| figure.max),
            sum: figure.map(|figure| figure.mean * n_good as f64),
            first: first_at.zip(figure.map(|figure| figure.first)),
            last: last_at.zip(figure.map(|figure| figure.last)),
            worst: worst.unwrap_or(Quality::Invalid),
            held: Some(Held { value_ms: figure.map_or(0.0, |figure| figure.mean * ms), ms, from, to }),
        };
        buckets.push((start, bucket));
    }
    buckets
}

fn figure(bucket: &Bucket) -> Option<Figure> {
    let ((_, first), (_, last)) = (bucket.first?, bucket.last?);
    Some(Figure { last, first, min: bucket.min?, max: bucket.max?, mean: bucket.mean().unwrap_or(first) })
}

/// The times of a bucket, in units of its layout.
struct Times {
    last: Option<i16>,
    first: Option<i16>,
    received_first: Option<i16>,
    received_last: Option<i16>,
    held_ms: Option<i32>,
}

impl Times {
    fn of(layout: Layout, start: Micros, bucket: &Bucket) -> Self {
        let units = |at: Micros| layout.units(start, at);
        let (first, last) = (bucket.first.map(|(at, _)| at), bucket.last.map(|(at, _)| at));
        let between_ms = last.zip(first).map_or(0.0, |(last, first)| (last.0 - first.0) as f64 / 1_000.0);
        let received_first = bucket.held.map(|held| units(held.from)).filter(|from| first.map(units) != Some(*from));
        let received_last = bucket.held.filter(|held| last != Some(held.to)).map(|held| match last {
            // An unusable value after the last usable one ends its validity, also within the same unit.
            Some(last) => units(held.to).max(units(last) + 1),
            None => units(held.to),
        });
        Self {
            last: last.map(units),
            first: first.map(units),
            received_first,
            received_last,
            held_ms: bucket.held.map(|held| held.ms).filter(|ms| (ms - between_ms).abs() > 0.5).map(|ms| ms.round() as i32),
        }
    }
}

#[cfg(test)]
mod tests;
