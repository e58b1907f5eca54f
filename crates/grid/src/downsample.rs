//! Reduction of history: the figures of a bucket of time ([`Bucket`]), their stored form ([`packed`]), and the bucket width for a span of time and a chart width
//! in pixels.

mod bucket;
mod collect;
mod held;
pub mod packed;

pub use bucket::Bucket;
pub use collect::{add, collect, update};
pub use held::Held;

use crate::Micros;

/// The smallest stored bucket, ms.
pub const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// The resolution of history: single values or buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resolution {
    /// Single values.
    Raw,
    /// One minute, UTC.
    Minute,
    /// Ten minutes, UTC.
    TenMinutes,
    /// One hour, UTC.
    Hour,
    /// One day in the utility's time zone.
    Day,
}

impl Resolution {
    /// All resolutions with buckets, finest first.
    pub const BUCKETS: [Self; 4] = [Self::Minute, Self::TenMinutes, Self::Hour, Self::Day];

    /// Returns the length of a bucket, ms; 0 for single values. A day counts as 24 hours, also on days with a clock change.
    pub fn ms(self) -> i64 {
        match self {
            Self::Raw => 0,
            Self::Minute => MINUTE_MS,
            Self::TenMinutes => 10 * MINUTE_MS,
            Self::Hour => HOUR_MS,
            Self::Day => DAY_MS,
        }
    }

    /// Returns the identifier used in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Minute => "1m",
            Self::TenMinutes => "10m",
            Self::Hour => "1h",
            Self::Day => "1d",
        }
    }
}

/// A bucket width for a chart: a multiple of a stored resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buckets {
    /// The stored resolution.
    pub of: Resolution,
    /// Number of stored buckets in each.
    pub times: i64,
}

impl Buckets {
    /// Suitable widths, narrowest first. Each divides the next coarser resolution, so that buckets nest. From one day upwards, any number of days is
    /// suitable.
    const NICE: [Self; 13] = {
        const fn of(of: Resolution, times: i64) -> Buckets {
            Buckets { of, times }
        }
        [
            of(Resolution::Minute, 1),
            of(Resolution::Minute, 2),
            of(Resolution::Minute, 5),
            of(Resolution::TenMinutes, 1),
            of(Resolution::TenMinutes, 2),
            of(Resolution::TenMinutes, 3),
            of(Resolution::Hour, 1),
            of(Resolution::Hour, 2),
            of(Resolution::Hour, 3),
            of(Resolution::Hour, 4),
            of(Resolution::Hour, 6),
            of(Resolution::Hour, 8),
            of(Resolution::Hour, 12),
        ]
    };

    /// Returns the narrowest buckets such that a span has at most `buckets_max` of them. They are not finer than `finest`, which must not be `Raw`. If the span
    /// does not start at the start of a bucket, it needs one more bucket, which is included.
    pub fn fitting(span_ms: i64, buckets_max: i64, finest: Resolution) -> Self {
        let room = (buckets_max - 1).max(1);
        let least = ((span_ms.max(1) + room - 1) / room).max(1);
        let fits = |buckets: &&Self| buckets.of >= finest && buckets.ms() >= least;
        let days = (least + DAY_MS - 1) / DAY_MS;
        Self::NICE.iter().find(fits).copied().unwrap_or(Self { of: Resolution::Day, times: days })
    }

    /// Returns the length of each bucket, ms.
    pub fn ms(self) -> i64 {
        self.of.ms() * self.times
    }
}

/// Returns the start of the bucket that contains an instant. Buckets of `ms` are aligned to 2000-01-01 00:00 UTC.
pub fn floor(at: Micros, ms: i64) -> Micros {
    /// 2000-01-01 00:00 UTC, the same origin as for the database's `date_bin`.
    const ORIGIN: i64 = 946_684_800_000_000;
    let width = ms.max(1).saturating_mul(1_000);
    let into = at.0.saturating_sub(ORIGIN).rem_euclid(width);
    Micros(at.0.saturating_sub(into))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_as_narrow_as_fits() {
        let cases = [
            (3_600_000, 1_500, Resolution::Minute, 1),
            (DAY_MS, 1_500, Resolution::Minute, 1),
            (DAY_MS, 1_000, Resolution::Minute, 2),
            (7 * DAY_MS, 1_500, Resolution::TenMinutes, 1),
            (30 * DAY_MS, 1_500, Resolution::TenMinutes, 3),
            (182 * DAY_MS, 1_500, Resolution::Hour, 3),
            (182 * DAY_MS, 500, Resolution::Hour, 12),
            (182 * DAY_MS, 184, Resolution::Day, 1),
            (365 * DAY_MS, 100, Resolution::Day, 4),
            (DAY_MS, 1, Resolution::Day, 1),
        ];
        for (span, most, of, times) in cases {
            let buckets = Buckets::fitting(span, most, Resolution::Minute);
            assert_eq!(buckets, Buckets { of, times }, "{span} ms in {most}");
            assert!(most == 1 || span / buckets.ms() < most, "{span} ms in {most}");
        }
        assert_eq!(Buckets::fitting(3_600_000, 1_500, Resolution::Hour), Buckets { of: Resolution::Hour, times: 1 });
    }

    #[test]
    fn buckets_begin_where_the_database_begins_them() {
        let at = Micros::from_millis(1_782_885_630_500);
        assert_eq!(floor(at, MINUTE_MS), Micros::from_millis(1_782_885_600_000));
        assert_eq!(floor(Micros(-1), MINUTE_MS), Micros(-60_000_000));
        // 2026-07-01 06:00 UTC: buckets of eight hours are aligned to 2000-01-01.
        assert_eq!(floor(at, 8 * HOUR_MS), Micros::from_millis(1_782_864_000_000));
    }
}
