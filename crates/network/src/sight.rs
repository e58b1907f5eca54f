//! What a point shows.

use grid::Reading;
use grid::position::Encoding;

/// A point as displayed: its reading, with the quality that the link permits.
#[derive(Debug, Clone, Copy)]
pub struct Sight {
    /// The encoding of a position; `None` for a measured value.
    pub encoding: Option<Encoding>,
    /// Its age limit, ms; `None` for report by exception.
    pub age_limit_ms: Option<i64>,
    /// The latest reading.
    pub reading: Option<Reading>,
}
