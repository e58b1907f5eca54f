//! Explains why a day cannot be planned: the constraint that cannot be satisfied, the time, and the amount.
//!
//! Each constraint that can fail is relaxed separately, and its violation is minimised. Only two constraints can fail, because an idle battery satisfies all
//! others.

use crate::error::Error;
use crate::impossible::{Impossible, Missing};
use crate::model::{self, Relaxed};
use crate::problem::{Ending, Problem};

/// Smaller amounts are rounding errors of the solver, kW or kWh.
const ACCURACY: f64 = 1e-9;

/// Returns the reason why the day cannot be planned.
pub(crate) fn why(problem: &Problem) -> Error {
    match import_limit(problem).and_then(|found| found.map_or_else(|| end_energy(problem), |why| Ok(Some(why)))) {
        Ok(Some(why)) => why.into(),
        Ok(None) => Error::Solver(
            "each constraint can be kept, but hardly all of them together: the figures are at the limit of its accuracy".into(),
        ),
        Err(error) => Error::Solver(error.to_string()),
    }
}

fn import_limit(problem: &Problem) -> Result<Option<Impossible>, good_lp::ResolutionError> {
    let Some(limit_kw) = problem.import_limit_kw else { return Ok(None) };
    let found = model::solve(problem, Relaxed::ImportLimit, model::simplex)?;
    let missing = || found.beyond_limit.iter().copied().enumerate().filter(|(_, kw)| *kw > ACCURACY);
    // Of equal amounts the first one is reported.
    let most = missing().reduce(|most, next| if next.1 > most.1 + 1e-6 { next } else { most });
    Ok(most.map(|(slot, missing_kw)| Impossible::ImportLimit {
        slot,
        needed_kw: (problem.demand_kw[slot] - problem.pv_kw[slot]).max(0.0),
        limit_kw,
        missing_kw,
        battery: match () {
            () if !problem.parameters.discharging.holds(slot) => Missing::Window,
            () if found.discharge[slot] + ACCURACY >= problem.parameters.discharge_rate_kw => Missing::Rate,
            () => Missing::Energy,
        },
        slots: missing().count(),
        missing_kwh: missing().map(|(slot, kw)| kw * problem.hours[slot]).sum(),
    }))
}

fn end_energy(problem: &Problem) -> Result<Option<Impossible>, good_lp::ResolutionError> {
    let required_kwh = match problem.ending {
        Ending::Free => return Ok(None),
        Ending::AsBegun => problem.initial_kwh,
        Ending::AtLeast(kwh) => kwh,
    };
    let found = model::solve(problem, Relaxed::Ending, model::simplex)?;
    Ok((found.objective > ACCURACY).then_some(Impossible::EndEnergy {
        required_kwh,
        reachable_kwh: required_kwh - found.objective,
        charging: problem.parameters.charging,
        discharging: problem.parameters.discharging,
        limit_kw: problem.import_limit_kw,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Site, Tariff};
    use crate::{Parameters, SLOTS};

    /// 50 kW all day except for `change`; the import limit is 60 kW.
    fn why_not(change: impl Fn(&mut Parameters, &mut Site)) -> String {
        let mut parameters = Parameters::default();
        let mut site = Site { import_limit_kw: Some(60.0), ..Site::new(vec![50.0; SLOTS], vec![0.0; SLOTS]) };
        change(&mut parameters, &mut site);
        let tariff = Tariff { import_price: vec![5.0; SLOTS], export_price: None };
        match Problem::new(&parameters, &site, &tariff).unwrap().solve() {
            Err(Error::Impossible(why)) => why.to_string(),
            other => panic!("{other:?} is no reason"),
        }
    }

    #[test]
    fn a_demand_above_the_limit_names_the_slot_and_what_the_battery_lacks() {
        assert_eq!(
            why_not(|_, site| site.demand_kw[37] = 90.0),
            "demand is above the import limit in slot 37 (18:30 to 19:00): 90.00 kW are needed beside the panels, \
             60 kW may be drawn, 5.00 kW are missing: the battery gives no more than BatteryDischargeRateKw; in all 2.50 kWh in 1 slot"
        );
        let outside = why_not(|_, site| site.demand_kw[2] = 61.0);
        assert!(outside.contains("slot 2 (01:00 to 01:30)") && outside.contains("may not discharge then"), "{outside}");
        let empty = why_not(|parameters, site| {
            parameters.capacity_max_kwh = 5.0;
            site.demand_kw[30..36].fill(80.0);
        });
        assert!(empty.contains("does not hold enough by then"), "{empty}");
    }

    #[test]
    fn an_end_that_cannot_be_reached_names_the_windows() {
        let emptied = why_not(|_, site| {
            site.initial_kwh = Some(80.0);
            site.ending = Ending::AsBegun;
            // In the evening the limit requires 4.75 kWh more from the battery than it can charge in the morning.
            site.demand_kw[..24].fill(60.0);
            site.demand_kw[40] = 69.025;
        });
        assert_eq!(
            emptied,
            "the battery has to end the day with 80 kWh and comes to 75.25 kWh: it charges in slots 0 to 24, \
             discharges in slots 26 to 46, and 60 kW may be drawn"
        );
        let slow = why_not(|parameters, site| {
            parameters.charge_rate_kw = 5.0;
            site.import_limit_kw = None;
            site.ending = Ending::AtLeast(100.0);
        });
        assert_eq!(
            slow,
            "the battery has to end the day with 100 kWh and comes to 57.00 kWh: it charges in slots 0 to 24, discharges in slots 26 to 46"
        );
    }
}
