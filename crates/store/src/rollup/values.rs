//! Single values as parts of buckets.

use grid::downsample::Bucket;
use grid::{Micros, Quality};
use tokio_postgres::Row;

use crate::convert::Stamp;
use crate::{Error, Result};

/// Reads a row of history/values_of or history/values_within: source time, and a bucket of the value. Columns are read by position and not by name, because
/// long queries have many rows.
pub(crate) fn read(row: &Row) -> Result<(Micros, Bucket)> {
    let (at, code): (Stamp, i16) = (row.try_get(1)?, row.try_get(3)?);
    let quality = u8::try_from(code).ok().and_then(Quality::from_code).ok_or_else(|| Error::Unreadable(format!("quality {code}")))?;
    Ok((at.0, Bucket::of(at.0, row.try_get(2)?, quality)))
}

/// The position of the first column after those that [`read`] reads.
pub(crate) const NEXT_COLUMN: usize = 4;
