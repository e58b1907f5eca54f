//! The times since which the history is kept. Older rows may be dropped, and no reader returns them.
//!
//! The process that drops history moves the times forward ([`crate::retention`]). Readers use these times, so that an answer does not depend on how much of a
//! partition is left.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use grid::downsample::Resolution;
use grid::{Micros, enum_text};
use tokio_postgres::Row;

use crate::convert::{SMALLEST, micros};
use crate::{Error, Result};

/// Age of a snapshot from which it is read again.
const REREAD: Duration = Duration::from_mins(1);

/// A part of the history that has a retention of its own, in the order of [`crate::retention::KeepDays`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Values of measurands and status points.
    Raw,
    /// Buckets of one minute.
    Minute,
    /// Buckets of ten minutes.
    TenMinutes,
    /// Buckets of one hour.
    Hour,
    /// Buckets of one day.
    Day,
    /// Changes of status points.
    Event,
    /// Faults of feeders.
    Fault,
}

enum_text! {
    /// Returns the name of the level in `history_kept`.
    Level {
        Raw = "raw",
        Minute = "1m",
        TenMinutes = "10m",
        Hour = "1h",
        Day = "1d",
        Event = "event",
        Fault = "fault",
    }
}

impl Level {
    /// The levels of values, in the order of the resolutions.
    pub(crate) const VALUES: [Self; 5] = [Self::Raw, Self::Minute, Self::TenMinutes, Self::Hour, Self::Day];
}

impl From<Resolution> for Level {
    fn from(of: Resolution) -> Self {
        match of {
            Resolution::Raw => Self::Raw,
            Resolution::Minute => Self::Minute,
            Resolution::TenMinutes => Self::TenMinutes,
            Resolution::Hour => Self::Hour,
            Resolution::Day => Self::Day,
        }
    }
}

/// The time from which each level is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept {
    since: [Option<Micros>; Level::ALL.len()],
}

impl Kept {
    /// Returns the time since which a level is kept; `None` if no part of it has expired.
    pub fn of(&self, level: impl Into<Level>) -> Option<Micros> {
        let level: Level = level.into();
        self.since[level as usize]
    }

    /// Returns the latest of the times since which these levels are kept, if a span from `from` begins before it.
    pub fn within(&self, levels: &[Level], from: Micros) -> Option<Micros> {
        levels.iter().filter_map(|level| self.of(*level)).max().filter(|since| from < *since)
    }

    /// Returns the time since which an answer of a resolution is kept, if a span from `from` begins before it. If the answer has no values, coarser resolutions
    /// have no values either. In this case the resolution with the longest retention is used, so that values that never existed are not reported as expired.
    pub fn of_series(&self, source: Resolution, has_values: bool, from: Micros) -> Option<Micros> {
        let coarser = Resolution::BUCKETS.into_iter().filter(|of| *of > source && !has_values);
        // `None`, for ever, is less than any time.
        std::iter::once(source).chain(coarser).map(|of| self.of(of)).min().flatten().filter(|since| from < *since)
    }

    /// Returns the earliest time of a level that readers return, as a parameter of a statement.
    pub(crate) fn floor(&self, level: impl Into<Level>) -> Micros {
        self.of(level).unwrap_or(Micros(SMALLEST))
    }

    pub(crate) fn read(rows: &[Row]) -> Result<Self> {
        let mut kept = Self::default();
        for row in rows {
            let name: &str = row.try_get("level")?;
            let level = Level::parse(name).ok_or_else(|| Error::Unreadable(format!("level {name} of the history")))?;
            kept.since[level as usize] = Some(micros(row, "since")?);
        }
        Ok(kept)
    }
}

/// The newest reading of `history_kept`, shared by all handles to a database.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    newest: Mutex<Option<(Instant, Kept)>>,
    /// Locked while the table is read, so that one caller reads it for all.
    pub(crate) reading: tokio::sync::Mutex<()>,
}

impl Snapshot {
    /// Returns the newest reading, however old.
    pub(crate) fn newest(&self) -> Option<Kept> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).map(|(_, kept)| kept)
    }

    /// Returns the newest reading, unless it is time to read again.
    pub(crate) fn fresh(&self) -> Option<Kept> {
        let newest = *self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.filter(|(read, _)| read.elapsed() < REREAD).map(|(_, kept)| kept)
    }

    pub(crate) fn put(&self, kept: Kept) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), kept));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_US: i64 = 24 * 3_600 * 1_000_000;

    fn kept(days: [Option<i64>; 7]) -> Kept {
        Kept { since: days.map(|days| days.map(|days| Micros(days * DAY_US))) }
    }

    #[test]
    fn only_a_span_that_begins_earlier_is_reported() {
        let kept = kept([Some(90), Some(50), None, None, None, Some(20), Some(10)]);
        let at = |day: i64| Micros(day * DAY_US);
        assert_eq!(kept.within(&[Level::Event, Level::Fault], at(15)), Some(at(20)));
        assert_eq!(kept.within(&[Level::Event, Level::Fault], at(20)), None);
        assert_eq!(kept.within(&[Level::Hour], at(0)), None);
    }

    #[test]
    fn an_empty_series_is_kept_as_long_as_the_coarsest_resolution() {
        let at = |day: i64| Some(Micros(day * DAY_US));
        let kept = kept([Some(90), Some(50), Some(40), Some(30), Some(30), None, None]);
        assert_eq!(kept.of_series(Resolution::Raw, true, Micros(0)), at(90));
        assert_eq!(kept.of_series(Resolution::Raw, false, Micros(0)), at(30));
        assert_eq!(kept.of_series(Resolution::Raw, false, Micros(30 * DAY_US)), None);
        let for_ever = Kept { since: [at(90), at(50), at(40), None, None, None, None] };
        assert_eq!(for_ever.of_series(Resolution::Raw, false, Micros(0)), None, "it never existed");
        assert_eq!(for_ever.of_series(Resolution::Minute, true, Micros(0)), at(50));
    }
}
