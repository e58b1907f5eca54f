//! Limits of a query of history.

use grid::downsample::MINUTE_MS;

/// Maximum number of points in a query.
pub const POINTS_MAX: usize = 64;
/// Maximum number of buckets in an answer.
pub const BUCKETS_MAX: usize = 4_000;
/// Maximum number of rollup rows that are read for an answer. If there would be more, coarser buckets are used.
pub(super) const ROWS_MAX: i64 = 500_000;
/// The longest period, ms: twenty years.
pub(super) const SPAN_MAX_MS: i64 = 20 * 366 * 24 * 60 * MINUTE_MS;
/// Maximum number of points in a query of registers. Callers with more points send several queries, one after the other, so that only one answer is in memory.
pub const REGISTERS_MAX: usize = 512;
