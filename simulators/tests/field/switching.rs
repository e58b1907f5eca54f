//! Tests the consequences of switching: what is supplied, what is dead, what is measured, and how the protection reacts.

use grid::Micros;
use grid::control::Throw;
use simulators::physics::standalone::Standalone;
use simulators::physics::substation::Change;
use simulators::physics::switching::SwitchState;
use simulators::utility::{self, Substation};

/// Monday, 2 November 2026, 06:00 UTC.
const START: Micros = Micros(1_793_599_200_000_000);

fn substation(code: &str) -> Substation {
    let all = utility::demo(33).clients.into_iter().flat_map(|client| client.substations);
    all.into_iter().find(|substation| substation.code == code).expect("a substation of the demo")
}

/// A substation without random faults.
fn station(code: &str) -> Standalone {
    Standalone::new(&substation(code), 5, START, false)
}

fn later(station: &mut Standalone, ms: i64) -> Vec<Change> {
    let to = station.now().plus_millis(ms);
    station.step(to)
}

/// Moves a switch, lets it arrive, and waits a minute.
fn throw(station: &mut Standalone, code: &str, to: Throw) {
    assert!(station.throw(code, to, 60).0, "{code} does not move");
    later(station, 60);
    assert_eq!(station.switch_state(code), Some(SwitchState::At(to)), "{code}");
    later(station, 60_000);
    let balance = station.balance();
    let rest = balance.incomer - balance.feeders - balance.capacitor - balance.transformers;
    assert!(rest.norm() < 1e-5, "{rest} MVA unaccounted for after {code}");
}

fn value(station: &Standalone, metric: &str) -> f64 {
    *station.values().get(metric).unwrap_or_else(|| panic!("no {metric}"))
}

/// Returns for the feeders of a section whether they carry current.
fn loaded(station: &Standalone, substation: &Substation, section: usize) -> Vec<bool> {
    let of_section = (0..substation.plan.feeders.len())
        .filter(|index| substation.plan.section_of(*index) == section && substation.plan.feeders[*index].in_service);
    of_section.map(|index| value(station, &format!("F{}/Ir", index + 1)) > 0.0).collect()
}

#[test]
fn a_breaker_travels_through_intermediate_and_reports_each_at_its_time() {
    let mut station = station("QUAYSIDE");
    let (moves, change) = station.throw("F1CB", Throw::Open, 60);
    assert!(moves);
    assert_eq!(change, Some(Change { at: START, metric: "F1CB/Pos".into(), value: 0.0 }));
    assert_eq!(station.switch_state("F1CB"), Some(SwitchState::Moving));
    assert_eq!(station.next_change(), Some(START.plus_millis(60)));
    assert_eq!(later(&mut station, 59), []);
    let changes = later(&mut station, 941);
    assert_eq!(
        changes[0],
        Change { at: START.plus_millis(60), metric: "F1CB/Pos".into(), value: 1.0 },
        "at its own time, however late it is looked at"
    );
    assert_eq!((changes[1].metric.as_str(), changes.len()), ("F1CB/Ops", 2));
    assert_eq!(station.throw("F1CB", Throw::Open, 60), (false, None), "it stands there");
    assert_eq!(station.throw("F99CB", Throw::Open, 60), (false, None), "there is none");
}

#[test]
fn an_open_feeder_breaker_takes_its_current_and_a_closed_one_brings_it_back() {
    let mut station = station("QUAYSIDE");
    let before = value(&station, "INC1/P");
    throw(&mut station, "F1CB", Throw::Open);
    for metric in ["F1/Ir", "F1/Iy", "F1/Ib", "F1/P"] {
        assert!(value(&station, metric).abs() < 1e-12, "{metric}");
    }
    assert!(!station.values().contains_key("F1/Pf"), "without power no power factor");
    assert!(value(&station, "INC1/P") < before - 0.3, "the incoming line carries less");
    assert!(value(&station, "F2/Ir") > 0.0 && value(&station, "BUSA/V") > 10.0);
    throw(&mut station, "F1CB", Throw::Closed);
    assert!(value(&station, "F1/Ir") > 0.0);
}

#[test]
fn without_its_incoming_line_the_whole_station_is_dead_and_the_second_line_brings_it_back() {
    let (mut station, plan) = (station("QUAYSIDE"), substation("QUAYSIDE"));
    throw(&mut station, "INC1CB", Throw::Open);
    for metric in ["BUSH/V", "BUSA/V", "BUSB/V", "INC1/P", "INC1/Ir", "TX1/P", "TX2/P"] {
        assert!(value(&station, metric).abs() < 1e-9, "{metric}");
    }
    assert!(!station.values().contains_key("BUSH/Hz"), "without voltage no frequency");
    assert!([0, 1].iter().all(|section| loaded(&station, &plan, *section).iter().all(|loaded| !loaded)));
    // The other line: first its isolator, then its breaker.
    throw(&mut station, "INC2IS", Throw::Closed);
    throw(&mut station, "INC2CB", Throw::Closed);
    assert!(value(&station, "INC2/P") > 1.0 && value(&station, "INC1/P").abs() < 1e-12);
    assert!([0, 1].iter().all(|section| loaded(&station, &plan, *section).iter().all(|loaded| *loaded)));
    // Both lines share the current of the first, by their impedances.
    let alone = value(&station, "INC2/Ir");
    throw(&mut station, "INC1CB", Throw::Closed);
    let shares = ["INC1/Ir", "INC2/Ir"].map(|metric| value(&station, metric) / alone);
    assert!(shares.iter().all(|share| (0.2..0.8).contains(share)), "{shares:?}");
}

#[test]
fn a_section_without_its_transformer_is_dead_until_the_coupler_feeds_it_back() {
    for breaker in ["TX2HCB", "TX2LCB"] {
        let (mut station, plan) = (station("QUAYSIDE"), substation("QUAYSIDE"));
        let alone = value(&station, "TX1/I");
        throw(&mut station, breaker, Throw::Open);
        assert!(value(&station, "BUSB/V").abs() < 1e-12 && value(&station, "BUSA/V") > 10.0, "{breaker}");
        assert!(loaded(&station, &plan, 1).iter().all(|loaded| !loaded) && loaded(&station, &plan, 0).iter().all(|loaded| *loaded));
        throw(&mut station, "BC", Throw::Closed);
        assert!((value(&station, "BUSB/V") - value(&station, "BUSA/V")).abs() < 1e-12);
        assert!(loaded(&station, &plan, 1).iter().all(|loaded| *loaded));
        assert!(value(&station, "TX1/I") > alone * 1.3, "the other transformer carries both");
        let rated_a = 8_000.0 / (3f64.sqrt() * 11.0);
        let (current, iron) = (value(&station, "TX2/I"), if breaker == "TX2HCB" { 0.01 * rated_a } else { 1e-9 });
        assert!(current < iron, "{breaker}: {current} A, a transformer that is fed from its low side takes the power of its iron only");
    }
}

#[test]
fn transformers_in_parallel_share_the_load() {
    let mut station = station("QUAYSIDE");
    throw(&mut station, "BC", Throw::Closed);
    assert!((value(&station, "TX1/I") - value(&station, "TX2/I")).abs() < 1e-9, "they are of one size");
    let (sum, incomer) = (value(&station, "TX1/P") + value(&station, "TX2/P"), value(&station, "INC1/P"));
    assert!((sum - incomer).abs() < 1e-4, "{sum} of {incomer} MW");
    assert!((value(&station, "TX1/Tap") - value(&station, "TX2/Tap")).abs() < 1e-9);
}

#[test]
fn the_capacitor_bank_delivers_only_while_it_is_connected_and_live() {
    let mut station = station("LIGHTHOUSE");
    assert!(value(&station, "CAP1/Q") < -1.0);
    throw(&mut station, "CAP1CB", Throw::Open);
    assert!(value(&station, "CAP1/Q").abs() < 1e-12);
    throw(&mut station, "CAP1CB", Throw::Closed);
    throw(&mut station, "TX1LCB", Throw::Open);
    assert!(value(&station, "CAP1/Q").abs() < 1e-12);
}

#[test]
fn protection_still_trips_recloses_and_is_counted() {
    let mut station = station("QUAYSIDE");
    let operations = value(&station, "F1CB/Ops");
    station.fault(0);
    let mut changes = Vec::new();
    while let Some(at) = station.next_change() {
        changes.extend(station.step(at.max(station.now().plus_millis(1))));
    }
    let positions: Vec<f64> = changes.iter().filter(|change| change.metric == "F1CB/Pos").map(|change| change.value).collect();
    assert!(positions == [1.0, 2.0] || positions == [1.0, 2.0, 1.0, 2.0], "{positions:?}");
    let opened = positions.iter().filter(|position| **position < 1.5).count() as f64;
    assert!((value(&station, "F1CB/Ops") - operations - opened).abs() < 1e-9);
    assert!(changes.iter().any(|change| change.metric == "F1R/Op" && change.value > 0.5));
    assert!(changes.iter().any(|change| change.metric == "F1/FIr"));
}

#[test]
fn an_operator_who_opens_stops_the_reclosing() {
    let mut station = station("QUAYSIDE");
    station.fault(0);
    later(&mut station, 1);
    let operations = value(&station, "F1CB/Ops");
    assert!((value(&station, "F1R/Op") - 1.0).abs() < 1e-12, "the relay has picked up, its breaker has not opened yet");
    assert!(station.throw("F1CB", Throw::Open, 10).0);
    later(&mut station, 600_000);
    assert_eq!(station.switch_state("F1CB"), Some(SwitchState::At(Throw::Open)), "it would have been closed again after 400 ms");
    assert!(value(&station, "F1R/Op").abs() < 1e-12);
    assert!((value(&station, "F1CB/Ops") - operations - 1.0).abs() < 1e-12, "it opened once");
}

#[test]
fn a_breaker_closed_onto_earth_trips() {
    let mut station = station("QUAYSIDE");
    throw(&mut station, "F1CB", Throw::Open);
    throw(&mut station, "F1ES", Throw::Closed);
    assert!(station.throw("F1CB", Throw::Closed, 60).0);
    later(&mut station, 60);
    let changes = later(&mut station, 1_000);
    let reported: Vec<(&str, f64)> =
        changes.iter().filter(|change| !change.metric.starts_with("F1/F")).map(|change| (change.metric.as_str(), change.value)).collect();
    assert_eq!(reported[0], ("F1R/Op", 1.0));
    assert_eq!(reported[1], ("F1CB/Pos", 1.0));
    assert_eq!(reported.last(), Some(&("F1R/Op", 0.0)));
    assert_eq!(station.switch_state("F1CB"), Some(SwitchState::At(Throw::Open)));
}

#[test]
fn an_isolator_reports_one_contact() {
    let mut station = station("QUAYSIDE");
    throw(&mut station, "F1CB", Throw::Open);
    assert_eq!(station.throw("F1IS", Throw::Open, 3_000), (true, None), "between its positions it says nothing");
    assert!((value(&station, "F1IS/Pos") - 1.0).abs() < 1e-12);
    let changes = later(&mut station, 3_000);
    assert_eq!((changes[0].metric.as_str(), changes[0].value), ("F1IS/Pos", 0.0));
}
