//! Means of points that report by exception: their last value is valid until the next one, even if no value is received for a long time.

use grid::downsample::{Bucket, floor};
use grid::{ClientId, Micros, PointId};

use super::limits::BUCKETS_MAX;
use super::line::Line;
use crate::{Error, Result, Store};

/// Maximum length of the buckets, ms. Longer buckets do not show the values of each hour.
const BUCKET_MAX_MS: i64 = 3_600_000;

impl Store {
    /// Returns the means of a point that reports by exception, in blocks of `block_ms` from the block that contains `from` to the last one before `to`; `None`
    /// if the value is not known. A value from before the period is valid at its start. Returns an [`Error::Data`] if there are more than [`BUCKETS_MAX`] − 2
    /// blocks.
    pub async fn holding(&self, client: ClientId, point: PointId, (from, to): (Micros, Micros), block_ms: i64) -> Result<Vec<Option<f64>>> {
        let from = floor(from, block_ms);
        let count = usize::try_from((to.millis_since(from) + block_ms - 1).div_euclid(block_ms)).unwrap_or(0);
        if count + 2 > BUCKETS_MAX {
            return Err(Error::Data(format!("{count} blocks are more than {}", BUCKETS_MAX - 2)));
        }
        if count == 0 {
            return Ok(Vec::new());
        }
        let series = self.bucketed(client, &[point], (from, to), count + 2).await?;
        let Some(line) = series.lines.first().filter(|_| series.bucket_ms.is_some_and(|ms| ms <= BUCKET_MAX_MS)) else {
            return Ok(vec![None; count]);
        };
        let means = means(line);
        let at = |block: usize| {
            let start = from.plus_millis(block as i64 * block_ms);
            let bucket = series.times.partition_point(|time| *time <= start).checked_sub(1)?;
            means.get(bucket).copied().flatten()
        };
        Ok((0..count).map(at).collect())
    }
}

/// Returns the mean of each bucket, or the earlier value that is still valid.
fn means(line: &Line) -> Vec<Option<f64>> {
    let mut lasting = line.lasting.map(|(_, value)| value);
    let mean = |(cell, last): (&Option<Bucket>, &Option<(Micros, f64)>)| match cell {
        Some(cell) => {
            lasting = last.map(|(_, value)| value);
            cell.mean()
        }
        None => lasting,
    };
    line.cells.iter().zip(&line.lasts).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use grid::Quality;

    use super::*;

    #[test]
    fn a_value_holds_until_the_next_one_and_not_beyond_one_that_is_not_valid() {
        let of = |value: Option<f64>| Some(Bucket::of(Micros(0), value, Quality::Good));
        let line = |lasting: Option<f64>, cells: Vec<Option<Bucket>>| Line {
            point: PointId(1),
            before: None,
            lasting: lasting.map(|value| (Micros(0), value)),
            lasts: cells.iter().map(|cell| cell.as_ref().and_then(Bucket::lasting)).collect(),
            cells,
        };
        assert_eq!(means(&line(Some(7.0), vec![None, of(Some(3.0)), None, None])), [Some(7.0), Some(3.0), Some(3.0), Some(3.0)]);
        assert_eq!(means(&line(None, vec![None, of(Some(3.0)), of(None), None])), [None, Some(3.0), None, None]);
    }
}
