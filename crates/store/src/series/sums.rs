//! Queries over many points for energy and demand: registers in whole units of one resolution, and powers summed by blocks.

use std::collections::{BTreeMap, HashMap};

use grid::demand::{Block, SHARE_MIN};
use grid::downsample::{Bucket, Buckets, MINUTE_MS, Resolution, floor};
use grid::register::ConfirmedStep;
use grid::{ClientId, Micros, PointId};

use super::limits::{BUCKETS_MAX, REGISTERS_MAX, SPAN_MAX_MS};
use super::line::Line;
use super::read::{Coverage, Scope};
use crate::rollup::layout;
use crate::{Error, Result, Store};

/// Maximum number of rollup buckets that are summed for an answer; if there would be more, longer blocks are used. For hourly buckets there is no limit.
const SUMMED_MAX: i64 = 1_000_000;
/// Maximum number of buckets in memory at a time.
const HELD_MAX: i64 = 200_000;

/// Register readings in whole units of one resolution.
#[derive(Debug, Clone, PartialEq)]
pub struct Registers {
    /// The resolution of the units.
    pub of: Resolution,
    /// Number of units in a bucket of the answer.
    pub times: usize,
    /// Number of units that start within the period. Each line has one more unit, because the reading at the end of a unit is known only from the next unit.
    pub count: usize,
    /// The starts of all units including the additional one, and the end of the additional unit.
    pub edges: Vec<Micros>,
    /// One line for each point of the utility, in the order of the request.
    pub lines: Vec<Line>,
    /// The steps of the registers within the units that users have confirmed, in the order of their times.
    pub confirmed: HashMap<PointId, Vec<ConfirmedStep>>,
}

impl Registers {
    /// Returns registers without units.
    pub fn empty(of: Resolution, times: usize) -> Self {
        Self { of, times, count: 0, edges: Vec::new(), lines: Vec::new(), confirmed: HashMap::new() }
    }

    /// Returns the confirmed steps of a register.
    pub fn confirmed_of(&self, point: PointId) -> &[ConfirmedStep] {
        self.confirmed.get(&point).map_or(&[], Vec::as_slice)
    }
}

/// The requested units of registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// This resolution, even if it is not stored for the whole period.
    Of(Resolution),
    /// The shortest buckets of a stored resolution such that the period has at most this number of buckets, but at least ten minutes.
    Buckets(usize),
}

impl From<Resolution> for Wanted {
    fn from(resolution: Resolution) -> Self {
        Self::Of(resolution)
    }
}

/// Powers of several points, summed by blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums {
    /// The length of a block, ms: 15, 30 or 60 minutes.
    pub block_ms: i64,
    /// All blocks that start within the period, in order. The demand of a block is the sum of the known values, its share is the mean of the shares of all
    /// points.
    pub blocks: Vec<Block>,
    /// For each block the number of points that have enough values for a peak ([`SHARE_MIN`]).
    pub heard: Vec<u32>,
}

/// For each block, over all points: the sum of powers, the sum of shares, and the number of points with enough values for a peak.
type Found = BTreeMap<Micros, (f64, f64, u32)>;

impl Coverage {
    /// Returns what [`Store::sums`] returns for a period without values: the same blocks, all without a demand.
    pub fn no_sums(&self, points: &[(PointId, f64)], (from, to): (Micros, Micros)) -> Result<Sums> {
        let span_ms = span(from, to)?;
        let ids: Vec<PointId> = points.iter().map(|(point, _)| *point).collect();
        Ok(self.scope(&ids).map_or_else(|| no_points((from, to)), |scope| empty(&scope, (from, to), block_of(&scope, from, span_ms))))
    }
}

impl Store {
    /// Returns registers of up to 512 points in whole units, from the unit that contains `from` to the last one that starts before `to`. Returns an
    /// [`Error::Data`] if the period is empty or longer than twenty years, or if there are too many points.
    pub async fn registers(&self, client: ClientId, points: &[PointId], (from, to): (Micros, Micros), wanted: Wanted) -> Result<Registers> {
        let span_ms = span(from, to)?;
        if points.len() > REGISTERS_MAX {
            return Err(Error::Data(format!("{} points are more than {REGISTERS_MAX}", points.len())));
        }
        let scope = self.series_scope(client, points).await?;
        let buckets = match (wanted, &scope) {
            (Wanted::Of(of), _) => Buckets { of, times: 1 },
            (Wanted::Buckets(most), scope) => {
                let most = most.clamp(2, BUCKETS_MAX) as i64;
                let wide = Buckets::fitting(span_ms, most, Resolution::TenMinutes);
                let kept = scope.as_ref().map_or(wide.of, |scope| scope.finest(wide.of, from));
                if kept == wide.of { wide } else { Buckets::fitting(span_ms, most, kept) }
            }
        };
        let (of, times) = (buckets.of, buckets.times as usize);
        let Some(scope) = scope else { return Ok(Registers::empty(of, times)) };
        // The period is extended to whole buckets. Buckets of days start at `from` and end at `to` instead.
        let (from, to) = if of == Resolution::Day { (from, to) } else { (floor(from, buckets.ms()), ceil(to, buckets.ms())) };
        let series = self.bucket_series(&scope, from, to.plus_millis(of.ms()), Buckets { of, times: 1 }, false).await?;
        let mut edges = series.times;
        let count = edges.partition_point(|start| *start < to);
        edges.truncate(count + 1);
        edges.extend(edges.last().map(|last| last.plus_millis(of.ms())));
        let mut lines = series.lines;
        for line in &mut lines {
            line.cells.truncate(count + 1);
        }
        let mut confirmed: HashMap<PointId, Vec<ConfirmedStep>> = HashMap::new();
        if let Some((first, end)) = edges.first().zip(edges.last()) {
            for confirmation in self.confirmed_steps(client, points, (*first, *end)).await? {
                confirmed.entry(confirmation.point).or_default().push(confirmation.step);
            }
        }
        Ok(Registers { of, times, count, edges, lines, confirmed })
    }

    /// Returns the weighted sum of points of a utility, by blocks over a period: of 15 minutes if rollups of a minute are stored, of 30 minutes if rollups of
    /// ten minutes are stored, otherwise of 60 minutes. Longer blocks are used if there would be too many, or if the reporting interval is longer than a block.
    pub async fn sums(&self, client: ClientId, points: &[(PointId, f64)], (from, to): (Micros, Micros)) -> Result<Sums> {
        let span_ms = span(from, to)?;
        let ids: Vec<PointId> = points.iter().map(|(point, _)| *point).collect();
        let scope = self.series_scope(client, &ids).await?;
        let Some(scope) = scope else { return Ok(no_points((from, to))) };
        let weights: Vec<(PointId, f64)> = points.iter().filter(|(point, _)| scope.points.contains(point)).copied().collect();
        let buckets = block_of(&scope, from, span_ms);
        let (from, to) = (floor(from, buckets.ms()), ceil(to, buckets.ms()));
        let mut found = Found::new();
        for some in weights.chunks(REGISTERS_MAX) {
            self.add_sums(&scope, some, (from, to), buckets, &mut found).await?;
        }
        Ok(sums((from, to), buckets.ms(), weights.len(), &found))
    }

    /// Adds the sums of some points, a limited number of buckets at a time.
    async fn add_sums(
        &self,
        scope: &Scope,
        weights: &[(PointId, f64)],
        (from, to): (Micros, Micros),
        buckets: Buckets,
        found: &mut Found,
    ) -> Result<()> {
        let scope = scope.part(&weights.iter().map(|(point, _)| *point).collect::<Vec<_>>());
        let weight_of: HashMap<PointId, f64> = weights.iter().copied().collect();
        let (block_ms, packed) = (buckets.ms(), layout(buckets.of)?);
        let blocks_at_once = (HELD_MAX / (buckets.times * weights.len().max(1) as i64)).max(1);
        let mut at = from;
        while at < to {
            let end = at.plus_millis(blocks_at_once * block_ms);
            // Whole packed rows, so that each is read once.
            let end = Some(packed.block(end)).filter(|whole| *whole > at).unwrap_or(end).min(to);
            let series = self.bucket_series(&scope, at, end, Buckets { of: buckets.of, times: 1 }, true).await?;
            for line in &series.lines {
                let Some(weight) = weight_of.get(&line.point) else { continue };
                let cell_ms = scope.expected_of(line.point).unwrap_or(0).max(buckets.of.ms());
                for (cells, start) in line.cells.chunks(buckets.times as usize).zip(series.times.iter().step_by(buckets.times as usize)) {
                    let (mut total, mut count) = (0.0, 0_u32);
                    for mean in cells.iter().flatten().filter_map(Bucket::mean) {
                        (total, count) = (total + mean, count + 1);
                    }
                    if count == 0 {
                        continue;
                    }
                    let known = (f64::from(count) * cell_ms as f64 / block_ms as f64).min(1.0);
                    let sum = found.entry(*start).or_default();
                    sum.0 += total / f64::from(count) * weight;
                    sum.1 += known;
                    sum.2 += u32::from(known >= SHARE_MIN);
                }
            }
            at = end;
        }
        Ok(())
    }
}

fn span(from: Micros, to: Micros) -> Result<i64> {
    let span_ms = to.millis_since(from);
    let fits = (1..=SPAN_MAX_MS).contains(&span_ms);
    fits.then_some(span_ms).ok_or_else(|| Error::Data("a span begins before its end, by at most twenty years".to_owned()))
}

pub(super) fn ceil(at: Micros, ms: i64) -> Micros {
    let start = floor(at, ms);
    if start == at { at } else { start.plus_millis(ms) }
}

/// Returns the blocks to use: 15 minutes from rollups of a minute, 30 minutes from those of ten minutes, 60 minutes from those of an hour.
fn block_of(scope: &Scope, from: Micros, span_ms: i64) -> Buckets {
    const BLOCKS: [Buckets; 3] = [
        Buckets { of: Resolution::Minute, times: 15 },
        Buckets { of: Resolution::TenMinutes, times: 3 },
        Buckets { of: Resolution::Hour, times: 1 },
    ];
    let kept = scope.finest(Resolution::Minute, from);
    let expected_ms = scope.expected_ms().unwrap_or(0);
    let fits = |buckets: &&Buckets| {
        let rows = (span_ms / buckets.of.ms() + 1) * scope.points.len() as i64;
        buckets.of >= kept && rows <= SUMMED_MAX && buckets.ms() >= expected_ms
    };
    BLOCKS.iter().find(fits).copied().unwrap_or(BLOCKS[2])
}

/// Returns the sums of no points.
fn no_points(span: (Micros, Micros)) -> Sums {
    sums(span, 15 * MINUTE_MS, 1, &Found::new())
}

/// Returns the sums of points without a value in the period.
fn empty(scope: &Scope, (from, to): (Micros, Micros), buckets: Buckets) -> Sums {
    sums((floor(from, buckets.ms()), ceil(to, buckets.ms())), buckets.ms(), scope.points.len(), &Found::new())
}

fn sums((from, to): (Micros, Micros), block_ms: i64, points: usize, found: &Found) -> Sums {
    let mut sums = Sums { block_ms, blocks: Vec::new(), heard: Vec::new() };
    let mut start = floor(from, block_ms);
    while start < to {
        let known = found.get(&start);
        let share = known.map_or(0.0, |(_, shares, _)| (shares / points.max(1) as f64).min(1.0));
        sums.blocks.push(Block { start, demand: known.map(|(sum, ..)| *sum), share });
        sums.heard.push(known.map_or(0, |(.., heard)| *heard));
        start = start.plus_millis(block_ms);
    }
    sums
}
