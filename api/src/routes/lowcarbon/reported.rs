//! Yesterday as a site's meters reported it: means of half hours, and their sums (specification 3, section 2.2, "Reported Yesterday").

use dispatch::{SLOT_HOURS, SLOTS, Shares};
use grid::demand::SHARE_MIN;
use grid::energy::kilo;
use grid::{ClientId, Micros, PointId};
use store::Store;
use store::series::Sums;
use store::site::SiteRecord;
use wire::lowcarbon::{OptimiserSlots, OptimiserStats, ReportedDay};

use super::day::Day;
use super::plan::{hours_of_day, told_shares};
use crate::error::Error;
use crate::extract::View;

/// A row of half hours, as far as it is known.
type Row = [Option<f64>; SLOTS];

/// A day as it was measured; `None` where nothing was.
pub(super) async fn reported(store: &Store, view: &View, site: &SiteRecord, day: &Day) -> Result<Option<ReportedDay>, Error> {
    let client = view.principal.client;
    let weight = |id: PointId| {
        let point = view.field.points().find(|point| point.id == id)?;
        if point.unit == "%" { Some(site.capacity_max_kwh / 100.0) } else { kilo(&point.unit) }
    };
    let mut rows: [Row; 5] = [[None; SLOTS]; 5];
    let mut measured = 0;
    let points = [site.points.site, site.points.solar, site.points.battery, site.points.grid, site.points.storage];
    for (row, point) in rows.iter_mut().zip(points) {
        let Some((id, weight)) = point.and_then(|id| Some((id, weight(id)?))) else { continue };
        measured += 1;
        *row = half_hours(store, client, (id, weight), day).await?;
    }
    let known: usize = rows.iter().map(|row| row.iter().flatten().count()).sum();
    if known == 0 {
        return Ok(None);
    }
    let [demand, solar, battery, grid, storage] = rows;
    let together = (0..SLOTS).filter_map(|slot| {
        let [demand, solar, battery] = [demand[slot]?, solar[slot]?, battery[slot]?];
        Some([demand.max(0.0), solar.max(0.0), (-battery).max(0.0)])
    });
    Ok(Some(ReportedDay {
        day: day.date.to_string(),
        stats: stats(&demand, &solar, &battery, &grid),
        shares: Shares::of_half_hours(together).map(told_shares),
        coverage: 100.0 * known as f64 / (measured * SLOTS) as f64,
        results: OptimiserSlots {
            hour_of_day: hours_of_day(),
            base_demand_kw: demand.into(),
            battery_kw: battery.into(),
            storage_kwh: storage.into(),
            net_demand_kw: grid.into(),
            pv_kw: solar.into(),
        },
    }))
}

/// Means of a point, times a weight.
async fn half_hours(store: &Store, client: ClientId, point: (PointId, f64), day: &Day) -> Result<Row, Error> {
    let sums = store.sums(client, &[point], (day.start(0), day.start(SLOTS))).await?;
    Ok(std::array::from_fn(|slot| mean(&sums, day.start(slot), day.start(slot).plus_millis(HALF_HOUR_MS))))
}

const HALF_HOUR_MS: i64 = 30 * 60_000;

/// The mean of what is known between two instants; blocks count by the part of them that lies between and by the share of values that they are made of.
/// `None` where too little is known to speak for the rest.
fn mean(sums: &Sums, from: Micros, to: Micros) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for block in &sums.blocks {
        let end = block.start.plus_millis(sums.block_ms).min(to);
        let inside = end.millis_since(block.start.max(from)) as f64;
        if let Some(value) = block.demand.filter(|_| inside > 0.0) {
            sum += value * inside * block.share;
            weights += inside * block.share;
        }
    }
    (weights >= SHARE_MIN * to.millis_since(from) as f64).then(|| sum / weights)
}

fn stats(demand: &Row, solar: &Row, battery: &Row, grid: &Row) -> OptimiserStats {
    // Of what is not known at all there is no sum.
    let sum = |row: &Row, part: fn(f64) -> f64| {
        let known: Vec<f64> = row.iter().flatten().map(|kw| part(*kw) * SLOT_HOURS).collect();
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
    use grid::demand::Block;

    use super::*;

    #[test]
    fn blocks_count_by_the_part_of_them_that_lies_within() {
        let at = |minute: i64| Micros::from_millis(minute * 60_000);
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
        let thinner = Sums { blocks: vec![part(0, Some(1.0), 1.0), part(15, Some(9.0), 0.4)], ..thin };
        assert_eq!(mean(&thinner, at(0), at(30)), None);
    }

    #[test]
    fn what_nobody_measures_has_no_sum() {
        let mut grid = [Some(2.0); SLOTS];
        grid[0] = Some(-4.0);
        grid[1] = None;
        let stats = stats(&[Some(1.0); SLOTS], &[None; SLOTS], &[Some(0.0); SLOTS], &grid);
        assert_eq!((stats.site, stats.solar, stats.battery_charge), (Some(24.0), None, Some(0.0)));
        assert_eq!((stats.grid_import, stats.grid_export), (Some(46.0), Some(2.0)));
    }
}
