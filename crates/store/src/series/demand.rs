//! Powers averaged over the blocks of a demand-integration period, and summed over points.
//!
//! Blocks are computed from the stored quarters of an hour. Quarters that are not stored yet are computed from the minutes, so the newest values and late
//! values are included.

use std::collections::HashMap;

use grid::demand::{Block, QUARTER_MS, Quarter, QuarterSum, SHARE_MIN, average};
use grid::downsample::{Bucket, Buckets, Resolution, floor};
use grid::{ClientId, Micros, PointId};
use tokio_postgres::Row;

use super::limits::{REGISTERS_MAX, SPAN_MAX_MS};
use super::read::Scope;
use super::sums::ceil;
use crate::convert::{Stamp, sql};
use crate::kept::Level;
use crate::pool::Params;
use crate::rollup::{QUARTER_ROW_MS, Range, merged, read_quarters};
use crate::{Error, Result, Store};

/// Maximum number of buckets of a minute in memory at a time.
const HELD_MAX: i64 = 200_000;

/// The mean power of each block, and the known share of the block, 0 to 1; `None` if no value is known.
pub type BlockMeans = Vec<Option<(f64, f64)>>;

/// Powers of several points, summed by blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// The blocks, in order. The demand of a block is the sum of the known values, its share is the mean of the shares of all points.
    pub blocks: Vec<Block>,
    /// For each block, how many points have enough values for a peak ([`SHARE_MIN`]).
    pub sufficient: Vec<u32>,
}

/// The quarters of an hour from `from` to before `to`.
#[derive(Debug, Clone, Copy)]
struct Quarters {
    from: Micros,
    to: Micros,
}

impl Quarters {
    fn count(self) -> usize {
        usize::try_from(self.to.millis_since(self.from) / QUARTER_MS).unwrap_or(0)
    }

    fn at(self, at: Micros) -> Option<usize> {
        let nth = usize::try_from(at.millis_since(self.from).div_euclid(QUARTER_MS)).ok()?;
        (nth < self.count()).then_some(nth)
    }
}

impl Store {
    /// Returns the weighted sum of powers by blocks. `edges` are the starts of the blocks and the end of the last block. They must be full quarters of an hour
    /// (UTC). Points of other utilities are left out.
    pub async fn demand(&self, client: ClientId, powers: &[(PointId, f64)], edges: &[Micros]) -> Result<Demand> {
        let count = edges.len().saturating_sub(1);
        let mut sums: Vec<(f64, f64, u32)> = vec![(0.0, 0.0, 0); count];
        let (mut points, weights) = (0_u32, powers.iter().copied().collect::<HashMap<PointId, f64>>());
        let ids: Vec<PointId> = powers.iter().map(|(point, _)| *point).collect();
        let add = |point: PointId, means: BlockMeans| {
            points += 1;
            let weight = weights.get(&point).copied().unwrap_or(0.0);
            for ((sum, shares, sufficient), known) in sums.iter_mut().zip(means) {
                let Some((mean, share)) = known else { continue };
                *sum += mean * weight;
                *shares += share;
                *sufficient += u32::from(share >= SHARE_MIN);
            }
        };
        self.each_demand(client, &ids, edges, add).await?;
        let block = |(start, (sum, shares, _)): (&Micros, &(f64, f64, u32))| Block {
            start: *start,
            demand: (*shares > 0.0).then_some(*sum),
            share: (shares / f64::from(points.max(1))).min(1.0),
        };
        Ok(Demand {
            blocks: edges.iter().zip(&sums).map(block).collect(),
            sufficient: sums.iter().map(|(.., sufficient)| *sufficient).collect(),
        })
    }

    /// Calls `visit` with the mean powers of each point of the utility by blocks, in no particular order. Only one point is in memory at a time.
    pub async fn each_demand(
        &self,
        client: ClientId,
        points: &[PointId],
        edges: &[Micros],
        mut visit: impl FnMut(PointId, BlockMeans) + Send,
    ) -> Result<()> {
        let (Some(from), Some(to)) = (edges.first().copied(), edges.last().copied()) else { return Ok(()) };
        if edges.len() < 2 {
            return Ok(());
        }
        if to.millis_since(from) > SPAN_MAX_MS {
            return Err(Error::Data("demand is of at most twenty years".to_owned()));
        }
        let span = Quarters { from: floor(from, QUARTER_MS), to };
        let blocks: Vec<(usize, usize)> = edges
            .windows(2)
            .filter_map(|edge| Some((span.at(edge[0])?, (edge[1].millis_since(span.from) / QUARTER_MS) as usize)))
            .collect();
        let kept = self.kept().await?.floor(Level::Hour);
        for some in points.chunks(REGISTERS_MAX) {
            let Some(scope) = self.series_scope(client, some).await? else { continue };
            let mut fresh = self.fresh_quarters(&scope, span).await?;
            let mut finish = |point: PointId, mut quarters: Vec<Option<Quarter>>| {
                for (nth, quarter) in fresh.remove(&point).unwrap_or_default() {
                    // A stored quarter can have more minutes because some have expired since.
                    if quarters[nth].is_none_or(|stored| stored.minutes <= quarter.minutes) {
                        quarters[nth] = Some(quarter);
                    }
                }
                let expected_ms = scope.expected_of(point);
                visit(point, blocks.iter().map(|(first, end)| average(&quarters[*first..*end], expected_ms)).collect());
            };
            let mut left: Vec<PointId> = scope.points.clone();
            let mut present: Option<(PointId, Vec<Option<Quarter>>)> = None;
            let read = |row: &Row| {
                let (point, day) = (PointId(row.try_get(0)?), row.try_get::<_, Stamp>(1)?.0);
                if present.as_ref().is_none_or(|(known, _)| *known != point) {
                    left.retain(|known| *known != point);
                    if let Some((done, quarters)) = present.replace((point, vec![None; span.count()])) {
                        finish(done, quarters);
                    }
                }
                let Some((_, quarters)) = &mut present else { return Ok(()) };
                for (slot, quarter) in read_quarters(row, 2)?.into_iter().enumerate() {
                    let start = day.plus_millis(slot as i64 * QUARTER_MS);
                    if let Some(nth) = span.at(start).filter(|_| start >= kept) {
                        quarters[nth] = quarter;
                    }
                }
                Ok(())
            };
            let ids: Vec<i64> = scope.points.iter().map(|point| point.0).collect();
            let params: Params<'_> = &[&client.0, &ids, &Stamp(floor(span.from, QUARTER_ROW_MS)), &Stamp(span.to)];
            self.of(client).each(sql!("history/demand_stored"), params, read).await?;
            if let Some((done, quarters)) = present {
                finish(done, quarters);
            }
            for point in left {
                finish(point, vec![None; span.count()]);
            }
        }
        Ok(())
    }

    /// Returns the quarters that may be missing among the stored ones, computed from minutes, by point.
    async fn fresh_quarters(&self, scope: &Scope, span: Quarters) -> Result<HashMap<PointId, Vec<(usize, Quarter)>>> {
        // Read before the stored quarters: what is computed in between is then in both, never in neither.
        let lacking = self.lacking(scope, Resolution::TenMinutes, span.from, span.to).await?;
        let whole = |(_, range): &(i16, Range)| {
            let (lo, hi) = (floor(range.lo, QUARTER_MS).max(span.from), ceil(range.hi, QUARTER_MS).min(span.to));
            (lo < hi).then_some(Range { lo, hi, ..*range })
        };
        let ranges: Vec<Range> = lacking.iter().filter_map(whole).collect();
        let mut found: HashMap<PointId, Vec<(usize, Quarter)>> = HashMap::new();
        // One query reads the same time of all blocks of points.
        for time in merged(ranges.iter().map(|range| Range { block: 0, ..*range }).collect()) {
            let lacks = |point: &&PointId| {
                let block = crate::rollup::block(**point);
                ranges.iter().any(|range| range.block == block && range.lo < time.hi && time.lo < range.hi)
            };
            let points: Vec<PointId> = scope.points.iter().filter(lacks).copied().collect();
            let scope = scope.part(&points);
            let quarters_at_once = (HELD_MAX / (15 * points.len().max(1) as i64)).max(1);
            let mut lo = time.lo;
            while lo < time.hi {
                let hi = lo.plus_millis(quarters_at_once * QUARTER_MS).min(time.hi);
                let series = self.bucket_series(&scope, lo, hi, Buckets { of: Resolution::Minute, times: 1 }, true).await?;
                for line in &series.lines {
                    let quarters = found.entry(line.point).or_default();
                    for (cells, start) in line.cells.chunks(15).zip(series.times.iter().step_by(15)) {
                        let mut sum = QuarterSum::default();
                        cells.iter().flatten().filter_map(Bucket::mean).for_each(|mean| sum.add(mean));
                        quarters.extend(span.at(*start).zip(sum.quarter()));
                    }
                }
                lo = hi;
            }
        }
        Ok(found)
    }
}
