//! The plan of a day: the series for the screen, their sums and shares, and the saving by the battery.

use crate::model::Found;
use crate::problem::Problem;
use crate::{SLOT_HOURS, SLOTS, Slots};

/// Smaller powers are rounding errors of the solver, kW.
const ACCURACY: f64 = 1e-9;

/// The plan of a day.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// `hour_of_day`: start of each half hour, h.
    pub hour_of_day: Slots,
    /// Duration of each half hour, h. It is 0 if the clocks skip the half hour; then its other values have no meaning. It is 1 if they repeat it; then its
    /// values are means.
    pub hours: Slots,
    /// `Base_Demand_Kw`: demand of the site, kW.
    pub base_demand_kw: Slots,
    /// `PV_Generation_Kw`: available solar power, kW; 0 if the objective excludes the panels.
    pub pv_kw: Slots,
    /// Solar power that is not used, kW.
    pub curtailed_kw: Slots,
    /// `Battery_Charge_Discharge_Kw`: positive when charging, negative when discharging, kW.
    pub battery_kw: Slots,
    /// `Battery_Storage_Kwh` at the start of each half hour and at the end of the last, kWh: one value more than the other series.
    pub storage_kwh: [f64; SLOTS + 1],
    /// Stored energy as a share of `BatteryCapacityMaxKwh`, %; `None` if that is 0.
    pub charge_percent: Option<[f64; SLOTS + 1]>,
    /// `NetDemand_Kw`: import from the grid, negative for export, kW.
    pub net_demand_kw: Slots,
    /// Sums of the day.
    pub stats: Stats,
    /// Sources of the site's energy; `None` if it used none.
    pub shares: Option<Shares>,
    /// Cost of import minus revenue of export.
    pub cost: f64,
    /// Cost including wear: the minimised quantity.
    pub objective: f64,
    /// Cost without a battery; `None` if the import limit cannot be kept without it.
    pub cost_without_battery: Option<f64>,
    /// Saving by the battery: the difference of the two costs. It includes the value of energy that the battery had at the start but no longer has at the end
    /// ([`Plan::stored_change_kwh`]).
    pub saving: Option<f64>,
}

/// Sums of a day, kWh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stats {
    /// Consumption of the site.
    pub site: f64,
    /// Used solar energy.
    pub solar: f64,
    /// Import from the grid.
    pub grid_import: f64,
    /// Export to the grid.
    pub grid_export: f64,
    /// Energy charged to the battery, before losses.
    pub battery_charge: f64,
    /// Energy discharged from the battery, after losses.
    pub battery_discharge: f64,
    /// Available solar energy that was not used.
    pub curtailed: f64,
}

/// Sources of the site's energy, whole percent that sum to 100. In each half hour the panels supply the site first, then the battery, then the
/// grid. This is our definition; the specification gives none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// From the panels.
    pub solar: u8,
    /// From the battery.
    pub battery: u8,
    /// From the grid.
    pub grid: u8,
}

impl Shares {
    /// Rounds the shares of three energies (not below 0) to whole percent; `None` if all are 0. The remaining percent go to the shares with the
    /// largest remainders.
    pub fn of(solar: f64, battery: f64, grid: f64) -> Option<Self> {
        let sum = solar + battery + grid;
        if !(sum > 0.0 && sum.is_finite()) {
            return None;
        }
        let exact = [solar, battery, grid].map(|energy| energy / sum * 100.0);
        let mut whole = exact.map(f64::floor);
        let mut order = [0, 1, 2];
        order.sort_by(|one, other| (exact[*other] - whole[*other]).total_cmp(&(exact[*one] - whole[*one])));
        let left = (100.0 - whole.iter().sum::<f64>()) as usize;
        for index in order.into_iter().take(left) {
            whole[index] += 1.0;
        }
        let [solar, battery, grid] = whole.map(|percent| percent as u8);
        Some(Self { solar, battery, grid })
    }

    /// Computes the shares from half hours: demand, solar power and discharge in kW, and the duration in h.
    pub fn of_half_hours(half_hours: impl IntoIterator<Item = ([f64; 3], f64)>) -> Option<Self> {
        let mut sums = [0.0; 3];
        for ([demand, solar, discharge], hours) in half_hours {
            let from_solar = solar.min(demand);
            let from_battery = discharge.min(demand - from_solar);
            let from = [from_solar, from_battery, demand - from_solar - from_battery];
            sums.iter_mut().zip(from).for_each(|(sum, kw)| *sum += kw * hours);
        }
        let [solar, battery, grid] = sums;
        Self::of(solar, battery, grid)
    }
}

impl Plan {
    pub(crate) fn of(problem: &Problem, found: &Found) -> Self {
        let clean = |kw: f64| if kw.abs() < ACCURACY { 0.0 } else { kw };
        let (demand, pv) = (problem.demand_kw, problem.pv_kw);
        let (charge, discharge) = (found.charge.map(clean), found.discharge.map(clean));
        let curtailed: Slots = std::array::from_fn(|slot| clean(found.curtailed[slot]).clamp(0.0, pv[slot]));
        let battery: Slots = std::array::from_fn(|slot| charge[slot] - discharge[slot]);
        let net = std::array::from_fn(|slot| {
            let net = demand[slot] - pv[slot] + curtailed[slot] + battery[slot];
            // If export is not permitted, a small negative value is a rounding error.
            clean(if problem.export_price.is_none() { net.max(0.0) } else { net })
        });
        let (least, most) = (problem.parameters.capacity_min_kwh, problem.parameters.capacity_max_kwh);
        let storage_kwh = found.stored.map(|kwh| kwh.clamp(least, most));
        let cost = cost(problem, &net);
        let cost_without_battery = without_battery(problem).map(|net| self::cost(problem, &net));
        let energy = |kw: &Slots| kw.iter().zip(problem.hours).map(|(kw, hours)| kw * hours).sum::<f64>();
        let stats = Stats {
            site: energy(&demand),
            solar: energy(&pv) - energy(&curtailed),
            grid_import: energy(&net.map(|kw| kw.max(0.0))),
            grid_export: energy(&net.map(|kw| (-kw).max(0.0))),
            battery_charge: energy(&charge),
            battery_discharge: energy(&discharge),
            curtailed: energy(&curtailed),
        };
        Self {
            hour_of_day: std::array::from_fn(|slot| slot as f64 * SLOT_HOURS),
            hours: problem.hours,
            base_demand_kw: demand,
            pv_kw: pv,
            curtailed_kw: curtailed,
            battery_kw: battery,
            storage_kwh,
            charge_percent: (most > 0.0).then(|| storage_kwh.map(|kwh| kwh / most * 100.0)),
            net_demand_kw: net,
            shares: Shares::of_half_hours(
                (0..SLOTS).map(|slot| ([demand[slot], pv[slot] - curtailed[slot], discharge[slot]], problem.hours[slot])),
            ),
            cost,
            objective: cost + problem.wear_per_kwh * (stats.battery_charge + stats.battery_discharge),
            cost_without_battery,
            saving: cost_without_battery.map(|without| without - cost),
            stats,
        }
    }

    /// Returns the stored energy at the end minus that at the start, kWh.
    pub fn stored_change_kwh(&self) -> f64 {
        self.storage_kwh[SLOTS] - self.storage_kwh[0]
    }

    /// Returns the series by their names in the specification; `Battery_Storage_Kwh` at the start of each half hour.
    pub fn series(&self) -> [(&'static str, &[f64]); 6] {
        [
            ("Base_Demand_Kw", &self.base_demand_kw),
            ("Battery_Charge_Discharge_Kw", &self.battery_kw),
            ("Battery_Storage_Kwh", &self.storage_kwh[..SLOTS]),
            ("NetDemand_Kw", &self.net_demand_kw),
            ("PV_Generation_Kw", &self.pv_kw),
            ("hour_of_day", &self.hour_of_day),
        ]
    }
}

/// Returns the cost of import minus the revenue of export.
fn cost(problem: &Problem, net_kw: &Slots) -> f64 {
    let of = |slot: usize, net: f64| {
        let export_price = problem.export_price.as_ref().map_or(0.0, |prices| prices[slot]);
        problem.hours[slot] * (problem.import_price[slot] * net.max(0.0) - export_price * (-net).max(0.0))
    };
    net_kw.iter().enumerate().map(|(slot, net)| of(slot, *net)).sum()
}

/// Returns the import without a battery, kW; `None` if it exceeds the import limit.
fn without_battery(problem: &Problem) -> Option<Slots> {
    let least = if problem.export_price.is_some() { f64::NEG_INFINITY } else { 0.0 };
    let net: Slots = std::array::from_fn(|slot| (problem.demand_kw[slot] - problem.pv_kw[slot]).max(least));
    let kept = |limit: f64| net.iter().all(|kw| *kw <= limit);
    problem.import_limit_kw.is_none_or(kept).then_some(net)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Ending, Objective, Parameters, Site, Tariff, Window};

    proptest! {
        #[test]
        fn shares_sum_to_a_hundred_and_lie_within_one_of_the_truth(
            energies in prop::array::uniform3(prop_oneof![Just(0.0), 0.0..1e6_f64]),
        ) {
            let [solar, battery, grid] = energies;
            if let Some(shares) = Shares::of(solar, battery, grid) {
                let whole = [shares.solar, shares.battery, shares.grid];
                prop_assert_eq!(whole.into_iter().map(u32::from).sum::<u32>(), 100);
                let sum: f64 = energies.iter().sum();
                let off = |(whole, energy): (u8, f64)| (f64::from(whole) - energy / sum * 100.0).abs();
                prop_assert!(whole.into_iter().zip(energies).all(|pair| off(pair) < 1.0 + 1e-9), "{shares:?} of {energies:?}");
                prop_assert!(whole.iter().zip(energies).all(|(whole, energy)| energy > 0.0 || *whole == 0), "{shares:?} of {energies:?}");
            } else {
                prop_assert!(energies.iter().all(|energy| *energy == 0.0));
            }
        }
    }

    #[test]
    fn half_hours_count_as_long_as_they_last() {
        let tariff = Tariff { import_price: vec![4.0; SLOTS], export_price: None };
        let window = Window { start: 4, end: 6 };
        let parameters =
            Parameters { charging: window, charge_rate_kw: 10.0, objective: Objective::CostWithSolar, ..Parameters::default() };
        // The two half hours from 2:00 are skipped, normal, or repeated. The battery may charge only in them, and charges as much as it can.
        for (hours, day_h) in [(0.0, 23.0), (0.5, 24.0), (1.0, 25.0)] {
            let mut site = Site { ending: Ending::AtLeast(19.0 * hours), ..Site::new(vec![50.0; SLOTS], vec![20.0; SLOTS]) };
            site.hours[4..6].fill(hours);
            let plan = Problem::new(&parameters, &site, &tariff).expect("a problem").solve().expect("a plan");
            let near = |ours: f64, expected: f64| assert!((ours - expected).abs() < 1e-4, "{hours} h: {ours}, expected {expected}");
            near(plan.stats.site, 50.0 * day_h);
            near(plan.stats.solar, 20.0 * day_h);
            near(plan.stats.battery_charge, 10.0 * hours * 2.0);
            near(plan.stats.grid_import, 30.0 * day_h + 20.0 * hours);
            near(plan.cost, 4.0 * plan.stats.grid_import);
            near(plan.cost_without_battery.expect("a cost"), 4.0 * 30.0 * day_h);
            near(plan.stored_change_kwh(), 9.5 * hours * 2.0);
            let shown = if hours > 0.0 { (50.0, 10.0) } else { (0.0, 0.0) };
            near(plan.base_demand_kw[4], shown.0);
            near(plan.battery_kw[5], shown.1);
            assert_eq!(plan.shares, Some(Shares { solar: 40, battery: 0, grid: 60 }));
        }
    }

    #[test]
    fn shares_are_whole_and_sum_to_a_hundred() {
        let of = |solar, battery, grid| Shares::of(solar, battery, grid).map(|shares| (shares.solar, shares.battery, shares.grid));
        assert_eq!(of(1.0, 1.0, 1.0), Some((34, 33, 33)));
        assert_eq!(of(0.5, 0.5, 99.0), Some((1, 0, 99)));
        assert_eq!(of(0.0, 0.0, 3.0), Some((0, 0, 100)));
        assert_eq!(of(2.0, 1.0, 1.0), Some((50, 25, 25)));
        assert_eq!(of(0.0, 0.0, 0.0), None);
        assert_eq!(of(f64::NAN, 1.0, 1.0), None);
    }
}
