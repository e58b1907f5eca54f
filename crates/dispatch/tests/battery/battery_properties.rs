//! Properties of every day that passes the validation: a feasible plan, or a reason.

use dispatch::{Ending, Error, Objective, Parameters, Problem, SLOTS, Site, Tariff, Window};
use proptest::prelude::*;
use proptest::sample::select;

/// Values from 0 to the largest permitted one.
fn odd(most: f64) -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1e-9), Just(most), 0.0..1.0_f64, 0.0..1_000.0_f64, 0.0..=most].prop_map(move |figure| figure.min(most))
}

fn row(most: f64) -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![odd(most).prop_map(|figure| vec![figure; SLOTS]), prop::collection::vec(odd(most), SLOTS)]
}

fn window() -> impl Strategy<Value = Window> {
    (0..=48_u32, 0..=48_u32).prop_map(|(start, end)| Window { start, end })
}

fn parameters() -> impl Strategy<Value = Parameters> {
    let battery = (odd(1e6), 0.0..=1.0_f64, odd(1e6), odd(1e6));
    (battery, window(), window(), select(Objective::ALL.to_vec())).prop_map(|(battery, charging, discharging, objective)| {
        let (capacity_max_kwh, share, charge_rate_kw, discharge_rate_kw) = battery;
        let capacity_min_kwh = capacity_max_kwh * share;
        Parameters {
            capacity_max_kwh,
            capacity_min_kwh,
            charge_rate_kw,
            discharge_rate_kw,
            charging,
            discharging,
            objective,
            ..Parameters::default()
        }
    })
}

fn site() -> impl Strategy<Value = (Site, f64)> {
    let losses = (0.01..=1.0_f64, 0.01..=1.0_f64, 1e-4..10.0_f64);
    let ending = prop_oneof![Just(Ending::Free), Just(Ending::AsBegun), (0.0..=1.0_f64).prop_map(Ending::AtLeast)];
    (row(1e6), row(1e6), losses, ending, proptest::option::of(odd(1e6)), 0.0..=1.0_f64).prop_map(
        |(demand, sun, (charge_efficiency, discharge_efficiency, wear_per_kwh), ending, import_limit_kw, begins)| {
            let site = Site { charge_efficiency, discharge_efficiency, wear_per_kwh, ending, import_limit_kw, ..Site::new(demand, sun) };
            (site, begins)
        },
    )
}

fn tariff() -> impl Strategy<Value = Tariff> {
    (row(1e4), proptest::option::of(prop::collection::vec(0.0..=1.0_f64, SLOTS))).prop_map(|(import_price, shares)| {
        let export_price = shares.map(|shares| import_price.iter().zip(shares).map(|(price, share)| price * share).collect());
        Tariff { import_price, export_price }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_day_has_a_plan_or_a_reason(parameters in parameters(), (site, begins) in site(), tariff in tariff()) {
        let between = |share: f64| {
            let (least, most) = (parameters.capacity_min_kwh, parameters.capacity_max_kwh);
            (least + (most - least) * share).clamp(least, most)
        };
        let ending = match site.ending {
            Ending::AtLeast(share) => Ending::AtLeast(between(share)),
            other => other,
        };
        let site = Site { initial_kwh: Some(between(begins)), ending, ..site };
        let problem = match Problem::new(&parameters, &site, &tariff) {
            Ok(problem) => problem,
            Err(Error::Invalid(faults)) => {
                prop_assert!(faults.iter().all(|fault| fault.field.ends_with("EndTimeHours")), "only a window can be empty: {faults:?}");
                return Ok(());
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        match problem.solve() {
            Ok(plan) => {
                // The tolerance is a millionth of the largest value, the accuracy of a solver with double precision, plus a milliwatt
                // for the limits.
                let largest = site.demand_kw.iter().chain(&site.pv_kw).copied().fold(parameters.capacity_max_kwh, f64::max);
                let tiny = 1e-6 * largest.max(1.0) + 2e-6;
                prop_assert!(plan.cost.is_finite() && plan.objective.is_finite());
                for slot in 0..SLOTS {
                    let (battery, net) = (plan.battery_kw[slot], plan.net_demand_kw[slot]);
                    prop_assert!(site.import_limit_kw.is_none_or(|limit| net <= limit + tiny), "slot {slot}: {net} kW");
                    prop_assert!(tariff.export_price.is_some() || net >= -tiny);
                    prop_assert!(battery <= tiny || parameters.charging.holds(slot), "slot {slot}: {battery} kW");
                    prop_assert!(battery >= -tiny || parameters.discharging.holds(slot), "slot {slot}: {battery} kW");
                    prop_assert!((0.0..=plan.pv_kw[slot]).contains(&plan.curtailed_kw[slot]));
                }
                let range = parameters.capacity_min_kwh..=parameters.capacity_max_kwh;
                prop_assert!(plan.storage_kwh.iter().all(|kwh| range.contains(kwh)));
                prop_assert!(plan.saving.is_none_or(f64::is_finite));
                let sum = plan.shares.map(|of| u32::from(of.solar) + u32::from(of.battery) + u32::from(of.grid));
                prop_assert!(sum.is_none_or(|sum| sum == 100));
            }
            Err(Error::Impossible(why)) => prop_assert!(!why.to_string().is_empty()),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
    }
}
