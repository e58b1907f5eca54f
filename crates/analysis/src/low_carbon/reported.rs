//! The measured values of a site on the previous day: means of half hours, and their sums (specification 3, section 2.2, "Reported
//! Yesterday").

use dispatch::{SLOTS, Shares, Slots};
use grid::demand::{Block, SHARE_MIN};
use grid::downsample::floor;
use grid::energy::kilo;
use grid::{ClientId, Point};
use identity::View;
use store::Store;
use store::series::Sums;
use store::site::SiteRecord;
use wire::lowcarbon::{OptimiserSlots, OptimiserStats, ReportedDay};

use crate::low_carbon::day::{Day, Time};
use crate::low_carbon::plan::{hours_of_day, shares_to_answer};

/// Values of the half hours, where known.
type Row = [Option<f64>; SLOTS];

/// Returns the measured day; `None` if nothing was measured.
pub async fn reported(store: &Store, view: &View, site: &SiteRecord, day: &Day) -> Result<Option<ReportedDay>, store::Error> {
    let client = view.principal.client;
    let weight = |point: &Point| if point.unit == "%" { Some(site.capacity_max_kwh / 100.0) } else { kilo(&point.unit) };
    let (times, hours) = (day.times(), day.hours());
    let mut rows: [Row; 5] = [[None; SLOTS]; 5];
    let mut measured = 0;
    let points = [site.points.site, site.points.solar, site.points.battery, site.points.grid, site.points.storage];
    for (row, point) in rows.iter_mut().zip(points) {
        let point = point.and_then(|id| view.field.point(id));
        let Some((point, weight)) = point.and_then(|point| Some((point, weight(point)?))) else { continue };
        measured += 1;
        let sums = blocks(store, client, (point, weight), day).await?;
        *row = std::array::from_fn(|slot| mean(&sums, &times[slot]));
    }
    let known: usize = rows.iter().map(|row| row.iter().flatten().count()).sum();
    if known == 0 {
        return Ok(None);
    }
    let [demand, solar, battery, grid, storage] = rows;
    let together = (0..SLOTS).filter_map(|slot| {
        let [demand, solar, battery] = [demand[slot]?, solar[slot]?, battery[slot]?];
        Some(([demand.max(0.0), solar.max(0.0), (-battery).max(0.0)], hours[slot]))
    });
    Ok(Some(ReportedDay {
        day: day.date.to_string(),
        stats: stats([&demand, &solar, &battery, &grid], &hours),
        shares: Shares::of_half_hours(together).map(shares_to_answer),
        coverage: 100.0 * known as f64 / (measured * times.iter().filter(|times| !times.is_empty()).count()) as f64,
        results: OptimiserSlots {
            hour_of_day: hours_of_day(),
            slot_hours: hours.into(),
            base_demand_kw: demand.into(),
            battery_kw: battery.into(),
            storage_kwh: storage.into(),
            net_demand_kw: grid.into(),
            pv_kw: solar.into(),
        },
    }))
}

/// Returns the values of a point, multiplied by a weight, by blocks of time.
async fn blocks(store: &Store, client: ClientId, (point, weight): (&Point, f64), day: &Day) -> Result<Sums, store::Error> {
    let span = (day.begin(), day.end());
    if point.expected_ms.is_some() {
        return store.sums(client, &[(point.id, weight)], span).await;
    }
    // The last value of a point that reports by exception is valid until the next one.
    let from = floor(span.0, BLOCK_MS);
    let means = store.holding(client, point.id, span, BLOCK_MS).await?;
    let block = |(at, mean): (usize, Option<f64>)| Block {
        start: from.plus_millis(at as i64 * BLOCK_MS),
        demand: mean.map(|mean| mean * weight),
        share: f64::from(u8::from(mean.is_some())),
    };
    Ok(Sums { block_ms: BLOCK_MS, blocks: means.into_iter().enumerate().map(block).collect(), heard: Vec::new() })
}

/// Length of the blocks for points that report by exception, ms.
const BLOCK_MS: i64 = 10 * 60_000;

/// Returns the mean over some spans. The weight of a block is its overlap with the spans times its share of present values. `None` if too little is known, or
/// without any span.
fn mean(sums: &Sums, times: &[Time]) -> Option<f64> {
    let (mut sum, mut weights, mut all) = (0.0, 0.0, 0.0);
    for time in times {
        all += time.ms() as f64;
        for block in &sums.blocks {
            let end = block.start.plus_millis(sums.block_ms).min(time.to);
            let inside = end.millis_since(block.start.max(time.from)) as f64;
            if let Some(value) = block.demand.filter(|_| inside > 0.0) {
                sum += value * inside * block.share;
                weights += inside * block.share;
            }
        }
    }
    (weights > 0.0 && weights >= SHARE_MIN * all).then(|| sum / weights)
}

fn stats([demand, solar, battery, grid]: [&Row; 4], hours: &Slots) -> OptimiserStats {
    // If no value is known, there is no sum.
    let sum = |row: &Row, part: fn(f64) -> f64| {
        let known: Vec<f64> = row.iter().zip(hours).filter_map(|(kw, hours)| Some(part((*kw)?) * hours)).collect();
        (!known.is_empty()).then(|| known.iter().sum())
    };
    let (above, below) = (|kw: f64| kw.max(0.0), |kw: f64| (-kw).max(0.0));
    OptimiserStats {
        site: sum(demand, |kw| kw),
        solar: sum(solar, |kw| kw),
        grid_import: sum(grid, above),
        grid_export: sum(grid, below),
        battery_charge: sum(battery, above),
        battery_discharge: sum(battery, below),
    }
}

#[cfg(test)]
mod tests {
    use grid::Micros;

    use super::*;

    #[test]
    fn blocks_count_by_the_part_of_them_that_lies_within() {
        let at = |minute: i64| Micros::from_millis(minute * 60_000);
        let mean = |sums: &Sums, from: Micros, to: Micros| mean(sums, &[Time { from, to }]);
        let part = |minute: i64, demand: Option<f64>, share: f64| Block { start: at(minute), demand, share };
        let block = |minute: i64, demand: Option<f64>| part(minute, demand, 1.0);
        let hours =
            Sums { block_ms: 60 * 60_000, blocks: vec![block(0, Some(2.0)), block(60, Some(4.0)), block(120, None)], heard: vec![] };
        assert_eq!(mean(&hours, at(30), at(60)), Some(2.0));
        assert_eq!(mean(&hours, at(45), at(75)), Some(3.0));
        assert_eq!(mean(&hours, at(96), at(126)), Some(4.0), "of what is known");
        assert_eq!(mean(&hours, at(110), at(140)), None, "a third says nothing of the rest");
        assert_eq!(mean(&hours, at(120), at(150)), None);
        let quarters = Sums { block_ms: 15 * 60_000, blocks: vec![block(0, Some(1.0)), block(15, Some(2.0))], heard: vec![] };
        assert_eq!(mean(&quarters, at(0), at(30)), Some(1.5));
        let thin = Sums { block_ms: 15 * 60_000, blocks: vec![part(0, Some(1.0), 1.0), part(15, Some(9.0), 0.6)], heard: vec![] };
        assert_eq!(mean(&thin, at(0), at(30)), Some(4.0), "one value weighs no more than it lasts");
        let both = [Time { from: at(0), to: at(15) }, Time { from: at(15), to: at(30) }];
        assert_eq!(
            (super::mean(&quarters, &both), super::mean(&quarters, &[])),
            (Some(1.5), None),
            "what the clock shows twice, or not at all"
        );
        let thinner = Sums { blocks: vec![part(0, Some(1.0), 1.0), part(15, Some(9.0), 0.4)], ..thin };
        assert_eq!(mean(&thinner, at(0), at(30)), None);
    }

    #[test]
    fn what_nobody_measures_has_no_sum() {
        let mut grid = [Some(2.0); SLOTS];
        grid[0] = Some(-4.0);
        grid[1] = None;
        let stats = |hours| stats([&[Some(1.0); SLOTS], &[None; SLOTS], &[Some(0.0); SLOTS], &grid], hours);
        let mut hours = dispatch::USUAL_HOURS;
        hours[0] = 1.0;
        assert_eq!((stats(&hours).site, stats(&hours).grid_export), (Some(24.5), Some(4.0)), "a half hour that is there twice");
        let stats = stats(&dispatch::USUAL_HOURS);
        assert_eq!((stats.site, stats.solar, stats.battery_charge), (Some(24.0), None, Some(0.0)));
        assert_eq!((stats.grid_import, stats.grid_export), (Some(46.0), Some(2.0)));
    }
}
