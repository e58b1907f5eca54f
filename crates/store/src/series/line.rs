//! The history of points, as it is answered.

use grid::downsample::{Bucket, Resolution};
use grid::{Micros, PointId};

/// The history of some points over a span.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What it is made of. For days: of the utility's own time zone.
    pub source: Resolution,
    /// The length of a bucket, ms; `None` where `source` is raw. Of days the nominal one.
    pub bucket_ms: Option<i64>,
    /// The starts of the buckets, in order; the first one contains the start of the span. Equidistant, but for days where the clock is changed. Where
    /// `source` is raw, the times at which something was measured or ceased to be known.
    pub times: Vec<Micros>,
    /// A line a point, in the order asked for. Points that the utility does not have are left out.
    pub lines: Vec<Line>,
}

/// The history of one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The point.
    pub point: PointId,
    /// The last value before the first bucket: what a register had counted up to there. Source time and value.
    pub before: Option<(Micros, f64)>,
    /// The same where it still held when the span began, as of a point that reports by exception: nothing that is not valid has come since.
    pub lasting: Option<(Micros, f64)>,
    /// What holds behind each bucket that has values, as [`Bucket::lasting`] told before it was spread over its time; nothing where the source is raw.
    pub lasts: Vec<Option<(Micros, f64)>>,
    /// One entry for each of the times; `None` where there is no value. Where the source is raw, a value holds until the next one, and until it is three
    /// times as old as the point's values are expected apart, if they are.
    pub cells: Vec<Option<Bucket>>,
}
