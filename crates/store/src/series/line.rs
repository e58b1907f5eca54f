//! The history of points, as returned by queries.

use grid::downsample::{Bucket, Resolution};
use grid::{Micros, PointId};

use crate::kept::Kept;

/// The history of points over a period.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The resolution of the data. Days begin at midnight in the utility's time zone.
    pub source: Resolution,
    /// Length of a bucket, ms; `None` if `source` is raw. For days it is the nominal length.
    pub bucket_ms: Option<i64>,
    /// Starts of the buckets, in order; the first one contains the start of the period. They are equidistant, except for days with a clock change. If `source`
    /// is raw: the times at which a value was measured or stopped being valid.
    pub times: Vec<Micros>,
    /// One line for each point of the utility, in the order of the request.
    pub lines: Vec<Line>,
    /// The time since which values of this resolution are kept, if the period begins before it.
    pub kept_since: Option<Micros>,
}

impl Series {
    /// Returns the series with the time since which it is kept, for a period from `from`.
    pub(super) fn kept(mut self, kept: &Kept, from: Micros) -> Self {
        let has_values = self.lines.iter().any(|line| line.cells.iter().any(Option::is_some));
        self.kept_since = kept.of_series(self.source, has_values, from);
        self
    }
}

/// The history of one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Id of the point.
    pub point: PointId,
    /// Source time and value of the last value before the first bucket, which is the register reading at the start.
    pub before: Option<(Micros, f64)>,
    /// As `before`, but only if the value is still valid at the start of the period. This is so for points that report by exception, if no invalid value
    /// followed.
    pub lasting: Option<(Micros, f64)>,
    /// For each bucket with values, the value that is still valid after it, from [`Bucket::lasting`]; empty if `source` is raw.
    pub lasts: Vec<Option<(Micros, f64)>>,
    /// One entry for each of `times`; `None` where there is no value. If `source` is raw, a value is valid until the next one. If the point has a reporting
    /// interval, it is valid for at most three intervals.
    pub cells: Vec<Option<Bucket>>,
}
