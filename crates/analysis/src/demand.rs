//! Demand: the power of an area or asset averaged over blocks of time, and the feeders whose power is summed.

use std::collections::HashSet;

use grid::demand::Block;
use grid::downsample::{MINUTE_MS, Resolution};
use grid::energy::kilo;
use grid::{AssetId, Micros, PointId, Scope};
use identity::{Area, View};
use store::Store;
use store::kept::Kept;
use store::series::{Coverage, Sums};
use wire::flag::Flag;

use crate::energy_meters::{FEEDER, MISSING_MAX, substations};
use crate::error::Error;
use crate::unit;

/// Length of the shortest blocks, minutes.
const FINEST: i64 = 15;

/// The points whose sum is the demand of an area: the active power of its feeders. Feeders to another substation are left out, because
/// their power is counted there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Powers {
    /// The points, each with the factor from its unit to the unit of the answer.
    pub points: Vec<(PointId, f64)>,
    /// Names of feeders whose power is not measured.
    pub missing: Vec<String>,
    /// The unit of the answer: kW or MW.
    pub unit: &'static str,
}

impl Powers {
    /// Returns the points of an area as the caller may see it; for an asset, its own power.
    pub async fn of(store: &Store, view: &View, area: Area) -> Result<Self, Error> {
        let (unit, kilowatts) = unit::power(area);
        let assets: Vec<_> = if let Some(Scope::Asset(asset)) = area.0 {
            view.field.asset(asset).into_iter().collect()
        } else {
            let feeds = store.feeds(view.principal.client).await?;
            let feeds: HashSet<AssetId> = feeds.into_iter().map(|(asset, _)| asset).collect();
            let within = substations(view, area).into_iter().flat_map(|substation| view.field.assets_at(substation.id));
            within.filter(|asset| asset.type_id == FEEDER && !feeds.contains(&asset.id)).collect()
        };
        let mut powers = Self { unit, ..Self::default() };
        for asset in assets {
            // Of two points of one code the one with the lower id counts.
            let measured = view.field.points_of(asset.id).find(|point| point.code == "P");
            match measured.and_then(|point| Some((point.id, kilo(&point.unit)? / kilowatts))) {
                Some(power) => powers.points.push(power),
                None => powers.missing.push(asset.name.clone()),
            }
        }
        powers.missing.truncate(MISSING_MAX);
        Ok(powers)
    }

    /// Returns the completed blocks of a span. A block that begins before the span belongs to it if its middle is inside: in zones with
    /// offsets of half an hour, the first half hour of a day is in the UTC block that begins before midnight.
    pub async fn blocks(&self, store: &Store, view: &View, (from, to): (Micros, Micros)) -> Result<Blocks, Error> {
        let sums = store.sums(view.principal.client, &self.points, (from, to)).await?;
        Ok(Blocks::of(sums).within(from, to))
    }

    /// Creates the answer for a span without stored values.
    pub fn no_blocks(&self, coverage: &Coverage, (from, to): (Micros, Micros)) -> Result<Blocks, Error> {
        Ok(Blocks::of(coverage.no_sums(&self.points, (from, to))?).within(from, to))
    }

    /// Returns the time from which each resolution has values.
    pub async fn coverage(&self, store: &Store, view: &View) -> Result<Coverage, Error> {
        let points: Vec<PointId> = self.points.iter().map(|(point, _)| *point).collect();
        Ok(store.coverage(view.principal.client, &points).await?)
    }
}

/// Blocks of one length.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks {
    /// The blocks in chronological order.
    pub all: Vec<Block>,
    /// For each block the number of feeders whose values suffice for a peak.
    pub sufficient: Vec<u32>,
    /// The length of a block, minutes.
    pub minutes: i64,
}

impl Blocks {
    fn of(Sums { block_ms, blocks, heard: sufficient }: Sums) -> Self {
        Self { all: blocks, sufficient, minutes: block_ms / MINUTE_MS }
    }

    /// Returns the blocks that belong to a span.
    #[must_use]
    pub fn within(&self, from: Micros, to: Micros) -> Self {
        let ms = self.minutes * MINUTE_MS;
        self.only(|block| block.start.plus_millis(ms / 2) >= from && block.start.plus_millis(ms) <= to)
    }

    /// Returns the blocks that match a condition.
    #[must_use]
    pub fn only(&self, holds: impl Fn(&Block) -> bool) -> Self {
        let (all, sufficient) = self
            .all
            .iter()
            .zip(&self.sufficient)
            .filter(|(block, _)| holds(block))
            .map(|(block, sufficient)| (*block, *sufficient))
            .unzip();
        Self { all, sufficient, minutes: self.minutes }
    }

    /// Returns since when the values of the blocks are kept, if a span from `from` begins before that.
    pub fn kept_since(&self, kept: &Kept, from: Micros) -> Option<Micros> {
        let source = match self.minutes {
            ..30 => Resolution::Minute,
            30..60 => Resolution::TenMinutes,
            _ => Resolution::Hour,
        };
        kept.of_series(source, self.all.iter().any(|block| block.demand.is_some()), from)
    }

    /// Returns the largest number of feeders with sufficient values in one block.
    pub fn most_sufficient(&self) -> u32 {
        self.sufficient.iter().copied().max().unwrap_or(0)
    }
}

/// Returns the share of values that are present in the blocks, percent.
pub fn coverage(blocks: &[Block]) -> f64 {
    if blocks.is_empty() { 0.0 } else { 100.0 * blocks.iter().map(|block| block.share).sum::<f64>() / blocks.len() as f64 }
}

/// Returns flags that qualify the values of the blocks: `no_data`, `partial`, `coarse`.
pub fn flags(blocks: &[Block], minutes: i64) -> Vec<Flag> {
    let is_known = blocks.iter().any(|block| block.demand.is_some());
    // Shares are sums of fractions and therefore have rounding errors.
    let is_whole = blocks.iter().all(|block| block.share > 1.0 - 1e-9);
    Flag::that_apply([(!is_known, Flag::NoData), (is_known && !is_whole, Flag::Partial), (minutes > FINEST, Flag::Coarse)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_half_hour_after_midnight_is_in_a_block_of_its_day() {
        // The blocks are hours of UTC, and midnight in Kolkata is at half past an hour of UTC.
        let at = |minute: i64| Micros(minute * 60_000_000);
        let block = |hour: i64| Block { start: at(60 * hour), demand: Some(hour as f64), share: 1.0 };
        let blocks = Blocks { all: (0..6).map(block).collect(), sufficient: (0..6).collect(), minutes: 60 };
        let day = blocks.within(at(90), at(240));
        assert_eq!(
            (day.all.iter().map(|block| block.start).collect::<Vec<_>>(), &day.sufficient),
            (vec![at(60), at(120), at(180)], &vec![1, 2, 3])
        );
        assert_eq!(blocks.within(at(91), at(239)).sufficient, [2], "nor what lies before for the most part, nor what is not over");
        assert_eq!((day.most_sufficient(), blocks.only(|_| false).most_sufficient()), (3, 0));
        assert_eq!(flags(&day.all, day.minutes), [Flag::Coarse]);
    }
}
