//! Demand: the power of an area or asset averaged over blocks of time, and the feeders whose power is summed.
//!
//! Chart, table, reports and the monthly document take their figures from [`Demand`].

use std::collections::{HashMap, HashSet};

use grid::demand::{Band, Block, IntegrationPeriod, SHARE_MIN, peak};
use grid::downsample::Resolution;
use grid::energy::kilo;
use grid::{AssetId, Micros, PointId, Scope};
use identity::{Area, View};
use jiff::civil::Date;
use store::Store;
use store::kept::Kept;
use store::series::BlockMeans;
use wire::energy::DemandConfiguration;
use wire::flag::Flag;

use crate::calendar::Calendar;
use crate::energy_meters::{FEEDER, MISSING_MAX, substations};
use crate::error::Error;
use crate::unit;

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
    /// Returns the points of the part of an area that the caller may see; for an asset, its own power.
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

    /// Returns the demand of the completed blocks that begin within a span.
    pub async fn demand(&self, store: &Store, view: &View, calendar: &Calendar, (from, to): (Micros, Micros)) -> Result<Demand, Error> {
        let period = DemandConfiguration::of(&view.field.client().config).period();
        // Which blocks can be a peak depends on their whole day.
        let edges = period.edges((calendar.midnight_of(from, 0), to), |at| calendar.offset_ms(at));
        let read = store.demand(view.principal.client, &self.points, &edges).await?;
        Ok(Demand::of(read, period, calendar).within(from, to))
    }
}

/// Returns the demand of single feeders in the completed blocks of a span, by point, in the units of the points.
pub async fn demand_of_points(
    store: &Store,
    view: &View,
    calendar: &Calendar,
    points: &[PointId],
    (from, to): (Micros, Micros),
) -> Result<HashMap<PointId, Demand>, Error> {
    let period = DemandConfiguration::of(&view.field.client().config).period();
    let edges = period.edges((from, to), |at| calendar.offset_ms(at));
    let mut found = HashMap::with_capacity(points.len());
    let visit = |point: PointId, means: BlockMeans| {
        let block = |(start, known): (&Micros, &Option<(f64, f64)>)| Block {
            start: *start,
            demand: known.map(|(mean, _)| mean),
            share: known.map_or(0.0, |(_, share)| share),
        };
        let sufficient = means.iter().map(|known| u32::from(known.is_some_and(|(_, share)| share >= SHARE_MIN))).collect();
        let read = store::series::Demand { blocks: edges.iter().zip(&means).map(block).collect(), sufficient };
        found.insert(point, Demand::of(read, period, calendar));
    };
    store.each_demand(view.principal.client, points, &edges, visit).await?;
    Ok(found)
}

/// The demand of an area: its blocks of one demand-integration period each, aligned to the utility's clock. All figures of demand are computed from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// The blocks in chronological order.
    pub blocks: Vec<Block>,
    /// For each block, whether it can be a peak, because enough feeders have enough values.
    counts: Vec<bool>,
    period: IntegrationPeriod,
}

/// A block can be a peak only if it has at least this share of the feeders of that block of the same day which has the most feeders. A block with fewer feeders
/// shows too little demand. With fewer than twenty feeders, all of them are needed.
const SUFFICIENT_MIN: f64 = 0.95;

impl Demand {
    /// Creates the demand from blocks. The required number of feeders is determined for each day, so that the peak of a month is the largest of the peaks of
    /// its days.
    fn of(read: store::series::Demand, period: IntegrationPeriod, calendar: &Calendar) -> Self {
        let days: Vec<Date> = read.blocks.iter().map(|block| calendar.day(block.start)).collect();
        let mut counts = Vec::with_capacity(days.len());
        for day in days.chunk_by(|one, other| one == other) {
            let sufficient = &read.sufficient[counts.len()..counts.len() + day.len()];
            let needs = (SUFFICIENT_MIN * f64::from(sufficient.iter().copied().max().unwrap_or(0))).ceil() as u32;
            counts.extend(sufficient.iter().map(|sufficient| *sufficient >= needs.max(1)));
        }
        Self { blocks: read.blocks, counts, period }
    }

    /// Returns the length of a block, minutes.
    pub fn minutes(&self) -> i64 {
        self.period.minutes()
    }

    /// Returns the demand of the blocks that begin and end within a span.
    #[must_use]
    pub fn within(&self, from: Micros, to: Micros) -> Self {
        let first = self.blocks.partition_point(|block| block.start < from);
        let end = self.blocks.partition_point(|block| block.start.plus_millis(self.period.ms()) <= to).max(first);
        Self { blocks: self.blocks[first..end].to_vec(), counts: self.counts[first..end].to_vec(), period: self.period }
    }

    /// Returns the demand of the blocks that begin in a quarter of the day.
    #[must_use]
    pub fn of_band(&self, band: Band, calendar: &Calendar) -> Self {
        let of_band = self.blocks.iter().zip(&self.counts).filter(|(block, _)| Band::of_hour(calendar.hour(block.start)) == band);
        let (blocks, counts) = of_band.map(|(block, counts)| (*block, *counts)).unzip();
        Self { blocks, counts, period: self.period }
    }

    /// Returns the blocks that can be a peak.
    fn counted(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().zip(&self.counts).filter(|(_, counts)| **counts).map(|(block, _)| block)
    }

    /// Returns the block with the largest demand, with this demand. If several blocks are equal, it is the first one.
    pub fn peak(&self) -> Option<(Block, f64)> {
        // Whether a block counts replaces the minimum share.
        peak(self.counted(), 0.0)
    }

    /// Returns the mean of the blocks that can be a peak.
    pub fn mean(&self) -> Option<f64> {
        let known: Vec<f64> = self.counted().filter_map(|block| block.demand).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    }

    /// Returns the smallest demand of the blocks that can be a peak.
    pub fn lowest(&self) -> Option<f64> {
        self.counted().filter_map(|block| block.demand).reduce(f64::min)
    }

    /// Returns the load factor, percent: the mean divided by the peak of the same blocks; `None` if the peak is not above 0.
    pub fn load_factor(&self) -> Option<f64> {
        let ((_, peak), mean) = (self.peak()?, self.mean()?);
        (peak > 0.0).then(|| 100.0 * mean / peak)
    }

    /// Returns the share of values that are present, percent.
    pub fn coverage(&self) -> f64 {
        if self.blocks.is_empty() {
            0.0
        } else {
            100.0 * self.blocks.iter().map(|block| block.share).sum::<f64>() / self.blocks.len() as f64
        }
    }

    /// Returns flags that qualify the values: `no_data`, `partial`.
    pub fn flags(&self) -> Vec<Flag> {
        let is_known = self.blocks.iter().any(|block| block.demand.is_some());
        // Shares are sums of fractions and therefore have rounding errors.
        let is_whole = self.blocks.iter().all(|block| block.share > 1.0 - 1e-9);
        Flag::that_apply([(!is_known, Flag::NoData), (is_known && !is_whole, Flag::Partial)])
    }

    /// Returns the time since which demand is kept, if a span from `from` begins before it.
    pub fn kept_since(&self, kept: &Kept, from: Micros) -> Option<Micros> {
        kept.of_series(Resolution::Hour, self.blocks.iter().any(|block| block.demand.is_some()), from)
    }

    /// Returns the demand of each day that has blocks, with the start of its first block.
    pub fn by_day(&self, calendar: &Calendar) -> Vec<(Micros, Self)> {
        let mut days = Vec::new();
        let mut first = 0;
        for day in self.blocks.chunk_by(|one, other| calendar.day(one.start) == calendar.day(other.start)) {
            let end = first + day.len();
            days.push((day[0].start, Self { blocks: day.to_vec(), counts: self.counts[first..end].to_vec(), period: self.period }));
            first = end;
        }
        days
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Demand of a feeder from 2026-11-22 in India, in blocks of half an hour from `first` half hours after midnight.
    fn demand(first: i64, demands: &[f64], sufficient: &[u32]) -> (Calendar, Demand) {
        let calendar = Calendar::named("Asia/Kolkata", wire::time::parse_iso("2026-11-30T00:00:00Z").expect("a time"));
        let midnight = wire::time::parse_iso("2026-11-21T18:30:00Z").expect("a time");
        let start = |nth: usize| midnight.plus_millis((first + nth as i64) * IntegrationPeriod::HalfHour.ms());
        let blocks =
            demands.iter().enumerate().map(|(nth, demand)| Block { start: start(nth), demand: Some(*demand), share: 1.0 }).collect();
        let read = store::series::Demand { blocks, sufficient: sufficient.to_vec() };
        let demand = Demand::of(read, IntegrationPeriod::HalfHour, &calendar);
        (calendar, demand)
    }

    #[test]
    fn block_belongs_to_the_band_of_its_start() {
        // From 11:00 to 13:00: the block of 11:30 ends when the next band begins.
        let (calendar, demand) = demand(22, &[1.0, 9.0, 5.0, 4.0], &[1; 4]);
        let peak = |band| demand.of_band(band, &calendar).peak().map(|(block, kw)| (calendar.clock(block.start), kw));
        assert_eq!(peak(Band::Morning), Some(("11:30".to_owned(), 9.0)));
        assert_eq!(peak(Band::Day), Some(("12:00".to_owned(), 5.0)));
        assert_eq!(peak(Band::Night), None);
        assert_eq!((demand.mean(), demand.load_factor()), (Some(4.75), Some(100.0 * 4.75 / 9.0)));
    }

    #[test]
    fn peak_of_several_days_is_the_largest_of_the_days() {
        // From 23:00 on: two feeders report on the first day, one on the second.
        let (calendar, demand) = demand(46, &[7.0, 3.0, 8.0, 6.0], &[2, 1, 1, 1]);
        let days = demand.by_day(&calendar);
        let peaks: Vec<Option<f64>> = days.iter().map(|(_, day)| day.peak().map(|(_, kw)| kw)).collect();
        assert_eq!((peaks, demand.peak().map(|(_, kw)| kw)), (vec![Some(7.0), Some(8.0)], Some(8.0)));
        assert_eq!(demand.within(days[1].0, Micros(i64::MAX)), days[1].1);
        assert_eq!(demand.within(days[0].0, days[1].0.plus_millis(-1)).blocks.len(), 1, "a block that has not ended is not in a span");
        assert_eq!((days[0].1.mean(), demand.flags(), demand.coverage()), (Some(7.0), vec![], 100.0));
    }
}
