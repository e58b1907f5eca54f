//! Single values of a point, page by page: for whoever looks at all of them and keeps none.

use grid::{ClientId, Micros, PointId};

use crate::samples::StoredSample;
use crate::{Result, Store};

/// Values of a page.
const PAGE: i64 = 20_000;

impl Store {
    /// Shows each value of a point from `from` (inclusive) to `to` (exclusive) to `look`, oldest first. One page is held at a time; of many values no more
    /// than `limit` are read. Answers how many there were.
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
                // A point has one value at an instant.
                Some(last) if page.len() as i64 == PAGE => next = Micros(last.source.0.saturating_add(1)),
                _ => break,
            }
        }
        Ok(seen)
    }
}
