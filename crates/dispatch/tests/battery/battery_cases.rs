//! Compares plans with those of HiGHS (method: vectors/battery_lp.json), with a flat price, for which the battery is idle, and with
//! results computed by hand.

use dispatch::{Ending, Parameters, Plan, Problem, SLOTS, Site, Tariff, Window, compare};
use serde_json::Value;

const RELATIVE: f64 = 1e-6;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

fn close(what: &str, ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() <= RELATIVE * theirs.abs().max(1.0), "{what}: {ours}, expected {theirs}");
}

fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors/battery_lp.json")).expect("JSON")
}

fn case(inputs: &Value) -> (Parameters, Site, Tariff) {
    let get = |name: &str| number(&inputs["params"][name]);
    let window = |name: &str| Window { start: get(&format!("{name}Start")) as u32, end: get(&format!("{name}End")) as u32 };
    let parameters = Parameters {
        capacity_max_kwh: get("BatteryCapacityMaxKwh"),
        capacity_min_kwh: get("BatteryCapacityMinKwh"),
        charge_rate_kw: get("BatteryChargeRateKw"),
        discharge_rate_kw: get("BatteryDischargeRateKw"),
        charging: window("Charging"),
        discharging: window("Discharging"),
        ..Parameters::default()
    };
    assert_eq!(parameters, Parameters::default(), "the cases have the defaults of the specification");
    let flag = |name: &str| inputs["params"][name].as_bool().expect("yes or no");
    let site = Site {
        charge_efficiency: get("eta_c"),
        discharge_efficiency: get("eta_d"),
        initial_kwh: Some(get("soc0_kwh")),
        ending: if flag("cyclic") { Ending::AsBegun } else { Ending::Free },
        import_limit_kw: inputs["params"]["import_limit_kw"].as_f64(),
        wear_per_kwh: get("throughput_cost"),
        ..Site::new(numbers(&inputs["demand_kw"]), numbers(&inputs["pv_kw"]))
    };
    let export_price = flag("export_allowed").then(|| numbers(&inputs["export_price"]));
    (parameters, site, Tariff { import_price: numbers(&inputs["import_price"]), export_price })
}

/// Checks every constraint of the linear program (`crates/dispatch/src/model.rs`) in the plan.
fn keeps_every_constraint(parameters: &Parameters, site: &Site, tariff: &Tariff, plan: &Plan) {
    let tiny = 1e-6;
    for slot in 0..SLOTS {
        let (battery, curtailed) = (plan.battery_kw[slot], plan.curtailed_kw[slot]);
        let net = site.demand_kw[slot] - plan.pv_kw[slot] + curtailed + battery;
        assert!((net - plan.net_demand_kw[slot]).abs() < tiny, "balance of slot {slot}");
        assert!((-tiny..=plan.pv_kw[slot] + tiny).contains(&curtailed), "curtailed in slot {slot}");
        assert!(
            battery <= tiny || (parameters.charging.holds(slot) && battery <= parameters.charge_rate_kw + tiny),
            "charge of slot {slot}"
        );
        let may_discharge = parameters.discharging.holds(slot) && -battery <= parameters.discharge_rate_kw + tiny;
        assert!(battery >= -tiny || may_discharge, "discharge of slot {slot}");
        let gained = if battery > 0.0 { battery * site.charge_efficiency } else { battery / site.discharge_efficiency };
        let stored = plan.storage_kwh[slot + 1] - plan.storage_kwh[slot];
        assert!((stored - 0.5 * gained).abs() < tiny, "what is stored in slot {slot}: {stored}, of {battery} kW, so never both at once");
        // The limit may be exceeded by a milliwatt.
        assert!(site.import_limit_kw.is_none_or(|limit| net <= limit + 2.0 * tiny), "import of slot {slot}");
        assert!(tariff.export_price.is_some() || net >= -tiny, "export of slot {slot}");
        assert!((plan.hour_of_day[slot] - slot as f64 / 2.0).abs() < tiny);
    }
    let range = parameters.capacity_min_kwh - tiny..=parameters.capacity_max_kwh + tiny;
    assert!(plan.storage_kwh.iter().all(|kwh| range.contains(kwh)));
    let stats = &plan.stats;
    let given = stats.grid_import + stats.solar + stats.battery_discharge;
    let taken = stats.site + stats.grid_export + stats.battery_charge;
    assert!((given - taken).abs() < 1e-5, "what comes goes: {given} and {taken}");
}

#[test]
fn two_days_as_highs_plans_them() {
    let vectors = vectors();
    let cases = vectors["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for one in cases {
        let name = one["name"].as_str().unwrap();
        let (parameters, site, tariff) = case(&one["inputs"]);
        let plan = Problem::new(&parameters, &site, &tariff).unwrap().solve().unwrap();
        let outputs = &one["outputs"];
        close(name, plan.objective, number(&outputs["objective"]));
        keeps_every_constraint(&parameters, &site, &tariff, &plan);
        let without = plan.cost_without_battery.unwrap();
        close("without battery", without, number(&outputs["cost_without_battery_same_pv"]));
        close("saving", plan.saving.unwrap(), without - plan.cost);
        assert!(plan.saving.unwrap() > 300.0, "{plan:?}");
        for (what, ours) in [
            ("site", plan.stats.site),
            ("solar", plan.stats.solar),
            ("grid_import", plan.stats.grid_import),
            ("grid_export", plan.stats.grid_export),
            ("battery_charge", plan.stats.battery_charge),
            ("battery_discharge", plan.stats.battery_discharge),
        ] {
            close(&format!("{name}, {what}"), ours, number(&outputs["stats"][what]));
        }
        for (what, ours) in plan.series() {
            assert_eq!(ours.len(), SLOTS);
            if ["Base_Demand_Kw", "PV_Generation_Kw", "hour_of_day"].contains(&what) {
                ours.iter().zip(numbers(&outputs[what])).for_each(|(ours, theirs)| close(what, *ours, theirs));
            }
        }
        let shares = plan.shares.unwrap();
        assert_eq!(u32::from(shares.solar) + u32::from(shares.battery) + u32::from(shares.grid), 100);
        assert_eq!(shares.solar == 0, plan.stats.solar == 0.0);
        let percent = plan.charge_percent.unwrap();
        assert!(percent.iter().zip(plan.storage_kwh).all(|(percent, kwh)| (percent - kwh).abs() < 1e-9), "of 100 kWh");
    }
}

fn first() -> (Parameters, Site, Tariff) {
    case(&vectors()["cases"][0]["inputs"])
}

#[test]
fn a_limit_and_a_battery_that_ends_as_it_began() {
    // By hand: 50 kW all day, at a price of 4 until noon and 8 afterwards. Below a limit of 56 kW, 6 kW charge for 12 hours.
    let parameters = Parameters { charging: Window::DAY, discharging: Window::DAY, ..Parameters::default() };
    let tariff = Tariff { import_price: (0..SLOTS).map(|slot| if slot < 24 { 4.0 } else { 8.0 }).collect(), export_price: None };
    for (limit, charged) in [(56.0, 72.0), (60.0, 100.0 / 0.95), (1_000.0, 100.0 / 0.95)] {
        let site = Site { import_limit_kw: Some(limit), ending: Ending::AsBegun, ..Site::new(vec![50.0; SLOTS], vec![0.0; SLOTS]) };
        let plan = Problem::new(&parameters, &site, &tariff).unwrap().solve().unwrap();
        keeps_every_constraint(&parameters, &site, &tariff, &plan);
        let discharged = charged * 0.95 * 0.95;
        close("objective", plan.objective, (600.0 + charged) * 4.0 + (600.0 - discharged) * 8.0 + 1e-4 * (charged + discharged));
        close("saving", plan.saving.unwrap(), discharged * 8.0 - charged * 4.0);
        assert!(plan.stored_change_kwh().abs() < 2e-6);
    }
}

#[test]
fn at_a_flat_price_the_battery_rests() {
    let (parameters, site, tariff) = first();
    let flat = Tariff { import_price: vec![6.0; SLOTS], ..tariff };
    let plan = Problem::new(&parameters, &site, &flat).unwrap().solve().unwrap();
    close("914.1045 kWh at 6", plan.objective, 5_484.627);
    assert!(plan.battery_kw.iter().all(|kw| kw.abs() < 1e-9) && plan.saving.unwrap().abs() < 1e-6);
    assert_eq!(plan.shares.map(|shares| shares.grid), Some(100));
}

#[test]
fn without_solar_the_panels_count_for_nothing() {
    let (parameters, site, tariff) = case(&vectors()["cases"][1]["inputs"]);
    let without = Parameters { objective: dispatch::Objective::CostWithoutSolar, ..parameters };
    let plan = Problem::new(&without, &site, &tariff).unwrap().solve().unwrap();
    close("as the first case", plan.objective, number(&vectors()["cases"][0]["outputs"]["objective"]));
    close("without battery", plan.cost_without_battery.unwrap(), number(&vectors()["cases"][1]["outputs"]["cost_no_pv_no_battery"]));
    assert!(plan.stats.solar.abs() < 1e-12 && plan.pv_kw.iter().all(|kw| *kw == 0.0));
}

#[test]
fn the_sun_is_taken_where_it_costs_nothing_not_to_take_it() {
    let parameters = Parameters { charging: Window::DAY, discharging: Window::DAY, ..Parameters::default() };
    let sun: Vec<f64> = (0..SLOTS).map(|slot| if (16..32).contains(&slot) { 30.0 } else { 0.0 }).collect();
    let site = Site::new(vec![50.0; SLOTS], sun.clone());
    let (nothing, dear) = (vec![0.0; SLOTS], vec![8.0; SLOTS]);
    for (import_price, export_price, cost) in
        [(nothing.clone(), None, 0.0), (nothing.clone(), Some(nothing.clone()), 0.0), (dear.clone(), Some(nothing.clone()), 960.0 * 8.0)]
    {
        let tariff = Tariff { import_price, export_price };
        let plan = Problem::new(&parameters, &site, &tariff).unwrap().solve().unwrap();
        keeps_every_constraint(&parameters, &site, &tariff, &plan);
        assert!(plan.stats.curtailed.abs() < 1e-6, "{plan:?}");
        assert!(plan.battery_kw.iter().all(|kw| kw.abs() < 1e-6), "nothing is moved for it: {plan:?}");
        close("grid", plan.stats.grid_import, 960.0);
        close("cost", plan.cost, cost);
        close("objective", plan.objective, cost);
    }
    // Surplus solar power is exported even at a price of 0, and curtailed if export is not permitted.
    let small = Parameters { capacity_max_kwh: 0.0, ..parameters };
    let site = Site::new(vec![10.0; SLOTS], sun);
    for (export_price, exported) in [(Some(nothing), 160.0), (None, 0.0)] {
        let tariff = Tariff { import_price: dear.clone(), export_price };
        let plan = Problem::new(&small, &site, &tariff).unwrap().solve().unwrap();
        keeps_every_constraint(&small, &site, &tariff, &plan);
        close("exported", plan.stats.grid_export, exported);
        close("curtailed", plan.stats.curtailed, 160.0 - exported);
        close("objective", plan.objective, 160.0 * 8.0);
    }
}

#[test]
fn what_if_the_battery_were_twice_as_large() {
    let (parameters, site, tariff) = first();
    let larger = Parameters { capacity_max_kwh: 200.0, discharge_rate_kw: 50.0, ..parameters };
    let plan = |parameters: &Parameters| Problem::new(parameters, &site, &tariff).and_then(|problem| problem.solve()).unwrap();
    let (base, changed) = (plan(&parameters), plan(&larger));
    let both = compare(&base, &changed);
    close("base", base.objective, number(&vectors()["cases"][0]["outputs"]["objective"]));
    assert!(both.cost_difference < -100.0 && both.import_difference_kwh > 0.0, "it saves, and loses more on the way: {both:?}");
    close("the difference", both.cost_difference, changed.cost - base.cost);
    let none = Parameters { capacity_max_kwh: 0.0, ..parameters };
    let without = Problem::new(&none, &site, &tariff).unwrap().solve().unwrap();
    assert!(without.saving.unwrap().abs() < 1e-9 && without.charge_percent.is_none());
}

#[test]
fn a_site_that_needs_its_battery_has_no_cost_without_it() {
    let (parameters, site, tariff) = first();
    let most = site.demand_kw.iter().copied().fold(0.0, f64::max);
    let plan = Problem::new(&parameters, &Site { import_limit_kw: Some(most - 5.0), ..site }, &tariff).unwrap().solve();
    let plan = plan.unwrap();
    assert!(plan.cost_without_battery.is_none() && plan.saving.is_none() && plan.cost > 5_000.0);
}

#[test]
fn a_town_is_planned_as_a_house_is() {
    for scale in [1e-3, 1e3, 1e4] {
        let (parameters, mut site, tariff) = case(&vectors()["cases"][1]["inputs"]);
        let larger = Parameters {
            capacity_max_kwh: parameters.capacity_max_kwh * scale,
            charge_rate_kw: parameters.charge_rate_kw * scale,
            discharge_rate_kw: parameters.discharge_rate_kw * scale,
            ..parameters
        };
        site.demand_kw.iter_mut().chain(&mut site.pv_kw).for_each(|kw| *kw *= scale);
        let plan = Problem::new(&larger, &site, &tariff).unwrap().solve().unwrap();
        let expected = number(&vectors()["cases"][1]["outputs"]["objective"]) * scale;
        assert!((plan.objective - expected).abs() <= RELATIVE * expected, "{scale}: {}, expected {expected}", plan.objective);
    }
}
