//! Simulates a week of every substation and checks that its values are consistent.

use std::collections::BTreeMap;

use grid::Micros;
use simulators::physics::standalone::Standalone;
use simulators::utility::{self, Substation};

/// Monday, 2 November 2026, 00:00 UTC.
const START: Micros = Micros(1_793_577_600_000_000);
const STEP_MS: i64 = 600_000;
const STEPS: i64 = 7 * 24 * 6;

fn week(substation: &Substation, seed: u64, mut check: impl FnMut(&Standalone, f64)) -> Standalone {
    let mut station = Standalone::new(substation, seed, START, true);
    for step in 1..=STEPS {
        station.step(START.plus_millis(step * STEP_MS));
        check(&station, STEP_MS as f64 / 3_600_000.0);
    }
    station
}

fn value(values: &BTreeMap<String, f64>, metric: &str) -> f64 {
    *values.get(metric).unwrap_or_else(|| panic!("no {metric}"))
}

#[test]
fn the_incoming_power_is_that_of_the_feeders_and_the_losses() {
    for client in utility::demo(33).clients {
        for substation in &client.substations {
            week(substation, 5, |station, _| {
                let balance = station.balance();
                let rest = balance.incomer - balance.feeders - balance.capacitor - balance.transformers;
                // The remainder is caused by the micro-ohm of the incoming line and the tolerance of the sweep.
                assert!(rest.norm() < 1e-5, "{}: {rest} MVA unaccounted for at {:?}", substation.name, station.now());
                assert!(balance.transformers.re > 0.0);
            });
        }
    }
}

#[test]
fn registers_are_the_integral_of_power_and_never_go_back() {
    let world = utility::demo(33);
    let substation = &world.clients[0].substations[1];
    let feeders = substation.plan.feeders.len();
    let first = Standalone::new(substation, 5, START, true);
    let start: Vec<f64> = (1..=feeders).map(|index| value(first.values(), &format!("F{index}/EImp"))).collect();
    let mut integral = vec![0.0; feeders];
    let mut held = start.clone();
    let last = week(substation, 5, |station, hours| {
        for (index, sum) in integral.iter_mut().enumerate() {
            let code = format!("F{}", index + 1);
            *sum += value(station.values(), &format!("{code}/P")) * hours;
            let register = value(station.values(), &format!("{code}/EImp"));
            assert!(register >= held[index], "{code} went back");
            held[index] = register;
        }
    });
    for index in 0..feeders {
        let metered = value(last.values(), &format!("F{}/EImp", index + 1)) - start[index];
        assert!((metered - integral[index]).abs() < 1e-6, "F{}: {metered} MWh metered, {} MWh delivered", index + 1, integral[index]);
    }
}

#[test]
fn currents_follow_from_power_and_voltage_and_temperatures_from_load() {
    let world = utility::demo(33);
    for substation in &world.clients[0].substations {
        week(substation, 9, |station, _| {
            let values = station.values();
            for index in 0..substation.plan.feeders.len() {
                let code = format!("F{}", index + 1);
                let (p, q) = (value(values, &format!("{code}/P")), value(values, &format!("{code}/Q")));
                let section = if substation.plan.section_of(index) == 0 { 'A' } else { 'B' };
                let kv = value(values, &format!("BUS{section}/V"));
                let mean = ["Ir", "Iy", "Ib"].iter().map(|phase| value(values, &format!("{code}/{phase}"))).sum::<f64>() / 3.0;
                assert!((mean - p.hypot(q) / (3f64.sqrt() * kv) * 1_000.0).abs() < 1e-6, "{} {code}", substation.name);
                match values.get(&format!("{code}/Pf")) {
                    Some(pf) => assert!((pf - p / p.hypot(q)).abs() < 1e-9),
                    None => assert!(p.hypot(q) < 1e-9, "{code} has power but no power factor"),
                }
            }
            for unit in 1..=substation.plan.units.len() {
                let (oil, winding) = (value(values, &format!("TX{unit}/OTI")), value(values, &format!("TX{unit}/WTI")));
                assert!((15.0..120.0).contains(&oil) && winding > oil - 12.0, "{}: oil {oil}, winding {winding}", substation.name);
            }
            let low = value(values, "BUSA/V") / substation.plan.kv_low;
            assert!((0.9..1.06).contains(&low), "{}: {low} pu", substation.name);
        });
    }
}

#[test]
fn every_point_of_an_rtu_has_a_value() {
    for client in utility::demo(33).clients {
        for substation in &client.substations {
            let station = Standalone::new(substation, 1, START, true);
            for point in &substation.points {
                let value = |code: &str| station.values().get(&format!("{}/{code}", point.asset)).copied();
                let absent_by_right = match point.code.as_str() {
                    "Pf" | "AIr" | "AIy" | "AIb" | "ThdIr" | "ThdIy" | "ThdIb" => value("S") == Some(0.0),
                    "AVr" | "AVy" | "AVb" | "ThdVr" | "ThdVy" | "ThdVb" | "Vuf" | "Hz" | "Pst" | "Plt" => value("Vr") == Some(0.0),
                    _ => false,
                };
                assert_eq!(value(&point.code).is_none(), absent_by_right, "{}: {}", substation.name, point.metric());
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_week() {
    let world = utility::demo(33);
    let substation = &world.clients[0].substations[2];
    let (mut one, mut other) = (Vec::new(), Vec::new());
    week(substation, 7, |station, _| one.push(station.values().clone()));
    week(substation, 7, |station, _| other.push(station.values().clone()));
    assert_eq!(one, other);
}
