//! How much one question about history may take.

use grid::downsample::MINUTE_MS;

/// Points in one question.
pub const POINTS_MAX: usize = 64;
/// Buckets in one answer.
pub const BUCKETS_MAX: usize = 4_000;
/// Rows of rollups read for one answer; where it would be more, coarser buckets are taken.
pub(super) const ROWS_MAX: i64 = 500_000;
/// The longest span, ms: twenty years.
pub(super) const SPAN_MAX_MS: i64 = 20 * 366 * 24 * 60 * MINUTE_MS;
/// Points in one question for registers: who has more asks several times, and holds one answer at a time.
pub const REGISTERS_MAX: usize = 512;
