//! Raw values of a point, page by page, for checks that read all of them without holding them in memory.

use grid::{ClientId, Micros, PointId};

use crate::samples::StoredSample;
use crate::{Result, Store};

/// Number of values in a page.
const PAGE: i64 = 20_000;

impl Store {
    /// Passes each value of a point from `from` (inclusive) to `to` (exclusive) to `look`, oldest first. One page is in memory at a time; at most `limit`
    /// values are read. Returns their number.
    pub async fn each_sample(
        &self,
        client: ClientId,
        point: PointId,
        (from, to): (Micros, Micros),
        limit: u64,
        mut look: impl FnMut(&StoredSample),
    ) -> Result<u64> {
        let (mut next, mut seen) = (from, 0);
        while seen < limit {
            let page = self.samples(client, point, next, to, PAGE.min(i64::try_from(limit - seen).unwrap_or(PAGE))).await?;
            page.iter().for_each(&mut look);
            seen += page.len() as u64;
            match page.last() {
                // A point has one value for each source time.
                Some(last) if page.len() as i64 == PAGE => next = Micros(last.source.0.saturating_add(1)),
                _ => break,
            }
        }
        Ok(seen)
    }
}
