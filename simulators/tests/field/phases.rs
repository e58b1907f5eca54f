//! Simulates a day of every substation and checks that the values of a line meter are consistent, phase by phase.

use std::collections::BTreeMap;

use grid::Micros;
use grid::control::Throw;
use grid::power_quality::unbalance::{power, vuf_of_lines_percent, wrapped};
use grid::power_quality::{Phasor, Rotation, Sequence};
use simulators::physics::load::day;
use simulators::physics::standalone::Standalone;
use simulators::utility::{self, Substation};

/// Monday, 2 November 2026, 00:00 UTC.
const START: Micros = Micros(1_793_577_600_000_000);
const STEP_MS: i64 = 600_000;

const PHASES: [&str; 3] = ["r", "y", "b"];

fn substations() -> Vec<Substation> {
    utility::demo(33).clients.into_iter().flat_map(|client| client.substations).collect()
}

fn substation(code: &str) -> Substation {
    substations().into_iter().find(|substation| substation.code == code).expect("a substation of the demo")
}

fn run(substation: &Substation, days: i64, faults: bool, mut check: impl FnMut(&Standalone)) -> Standalone {
    let mut station = Standalone::new(substation, 5, START, faults);
    for step in 1..=days * 144 {
        station.step(START.plus_millis(step * STEP_MS));
        check(&station);
    }
    station
}

/// Returns the codes of the lines with a meter.
fn lines(substation: &Substation) -> Vec<String> {
    let incomers = (1..=substation.plan.incomers.len()).map(|index| format!("INC{index}"));
    incomers.chain((1..=substation.plan.feeders.len()).map(|index| format!("F{index}"))).collect()
}

fn mean(phases: [f64; 3]) -> f64 {
    phases.iter().sum::<f64>() / 3.0
}

/// The displayed values of a line.
struct Shown<'a> {
    values: &'a BTreeMap<String, f64>,
    line: &'a str,
}

impl Shown<'_> {
    fn get(&self, code: &str) -> Option<f64> {
        self.values.get(&format!("{}/{code}", self.line)).copied()
    }

    fn one(&self, code: &str) -> f64 {
        self.get(code).unwrap_or_else(|| panic!("no {}/{code}", self.line))
    }

    fn three(&self, stem: &str) -> [f64; 3] {
        PHASES.map(|phase| self.one(&format!("{stem}{phase}")))
    }

    fn volts(&self) -> [Phasor; 3] {
        let (kv, degrees) = (self.three("V"), self.three("AV"));
        [0, 1, 2].map(|phase| Phasor::polar(kv[phase], degrees[phase]))
    }
}

/// Compares to nine digits.
fn same(what: &str, one: f64, other: f64) {
    assert!((one - other).abs() <= 1e-9 * one.abs().max(1.0), "{what}: {one} and {other}");
}

#[test]
fn phases_add_up_and_currents_voltages_angles_and_powers_agree() {
    for substation in substations() {
        let lines = lines(&substation);
        let mut loaded = 0;
        run(&substation, 1, true, |station| {
            for line in &lines {
                let shown = Shown { values: station.values(), line };
                let (p, q, s) = (shown.one("P"), shown.one("Q"), shown.one("S"));
                same("S", s, p.hypot(q));
                for (total, quantity) in [(p, "P"), (q, "Q"), (s, "S")] {
                    same(quantity, shown.three(quantity).iter().sum(), total);
                }
                same("energy", ["R", "Y", "B"].iter().map(|phase| shown.one(&format!("EImp{phase}"))).sum(), shown.one("EImp"));
                if s < 1e-9 {
                    assert!(["Pf", "AIr", "ThdIr"].iter().all(|code| shown.get(code).is_none()), "{line} carries nothing");
                    continue;
                }
                loaded += 1;
                let (amperes, angles) = (shown.three("I"), shown.three("AI"));
                for (phase, volts) in shown.volts().into_iter().enumerate() {
                    let (active, reactive) = power(volts, Phasor::polar(amperes[phase], angles[phase]));
                    same("kV·A of a phase, active", active / 1_000.0, shown.three("P")[phase]);
                    same("kV·A of a phase, reactive", reactive / 1_000.0, shown.three("Q")[phase]);
                    let lag = wrapped(volts.degrees() - angles[phase]).to_radians();
                    same("power factor", lag.cos(), shown.one("Pf"));
                }
            }
        });
        assert!(loaded > 400, "{}: {loaded} loaded lines seen", substation.name);
    }
}

#[test]
fn the_unbalance_told_is_that_of_the_voltages_told_and_distortion_is_that_of_the_loads() {
    for substation in substations() {
        let lines = lines(&substation);
        run(&substation, 1, true, |station| {
            for line in &lines {
                let shown = Shown { values: station.values(), line };
                let between = ["Vry", "Vyb", "Vbr"].map(|code| shown.one(code));
                let Some(vuf) = shown.get("Vuf") else {
                    assert!(shown.three("V").iter().chain(&between).all(|kv| *kv == 0.0), "{line}: a live line has an unbalance");
                    assert!(["AVr", "ThdVb", "Hz", "Pst"].iter().all(|code| shown.get(code).is_none()));
                    continue;
                };
                let sequence = Sequence::of(shown.volts());
                same("VUF of phasors", vuf, sequence.vuf_percent().unwrap());
                assert!((vuf - vuf_of_lines_percent(between).unwrap()).abs() < 1e-9);
                assert_eq!(sequence.rotation(), Some(Rotation::Ryb));
                assert!((0.05..2.5).contains(&vuf), "{} {line}: VUF {vuf} %", substation.name);
                assert!(shown.three("V").iter().all(|volts| (volts / mean(shown.three("V")) - 1.0).abs() < 0.04));
                assert!(shown.three("ThdV").iter().all(|thd| (0.5..8.0).contains(thd)), "{line}: {:?}", shown.three("ThdV"));
                assert!((0.1..2.5).contains(&shown.one("Pst")) && (0.1..2.5).contains(&shown.one("Plt")));
                if shown.one("S") > 1e-9 {
                    assert!(shown.three("ThdI").iter().all(|thd| (1.0..20.0).contains(thd)), "{line}: {:?}", shown.three("ThdI"));
                }
            }
        });
    }
}

#[test]
fn shops_distort_their_current_more_than_pumps() {
    let quayside = substation("QUAYSIDE");
    let canal = substation("CANAL");
    let thd = |substation: &Substation, line: &str| {
        Shown { values: run(substation, 1, false, |_| ()).values(), line }.three("ThdI").iter().sum::<f64>() / 3.0
    };
    assert!(thd(&quayside, "F2") > 1.5 * thd(&canal, "F1"), "the fish market and the pump house");
}

/// Returns the mean of a value over the tenth of a week with the least load, and over that with the most.
fn at_light_and_heavy_load(code: &str, metric: (&str, &str)) -> (f64, f64) {
    let mut seen = Vec::new();
    run(&substation(code), 7, false, |station| {
        let shown = |line| Shown { values: station.values(), line };
        seen.push((shown("INC1").one("P"), shown(metric.0).one(metric.1)));
    });
    seen.sort_by(|one, other| one.0.total_cmp(&other.0));
    let tenth = seen.len() / 10;
    let mean = |part: &[(f64, f64)]| part.iter().map(|(_, value)| value).sum::<f64>() / part.len() as f64;
    (mean(&seen[..tenth]), mean(&seen[seen.len() - tenth..]))
}

#[test]
fn the_voltage_is_lower_under_load() {
    // 11/0.44 kV without a tap changer, so that the voltage drop of the transformer is visible.
    let (light, heavy) = at_light_and_heavy_load("CEDAR", ("F1", "Vr"));
    assert!(heavy < 0.99 * light, "lower side: {light} and {heavy} kV");
    let (light, heavy) = at_light_and_heavy_load("LIGHTHOUSE", ("INC1", "Vr"));
    assert!(heavy < 0.9975 * light, "higher side: {light} and {heavy} kV");
}

#[test]
fn registers_never_go_back_and_import_and_export_are_apart() {
    let lighthouse = substation("LIGHTHOUSE");
    let lines = lines(&lighthouse);
    let codes = ["EImp", "EExp", "RImp", "RExp", "EImpR", "EImpY", "EImpB"];
    let mut held: BTreeMap<String, f64> = BTreeMap::new();
    let first = Standalone::new(&lighthouse, 5, START, false);
    let last = run(&lighthouse, 2, false, |station| {
        for line in &lines {
            for code in codes {
                let register = Shown { values: station.values(), line }.one(code);
                let before = held.insert(format!("{line}/{code}"), register).unwrap_or(0.0);
                assert!(register >= before, "{line}/{code} went back");
            }
        }
    });
    let grown = |code: &str| last.values()[&format!("INC1/{code}")] - first.values()[&format!("INC1/{code}")];
    assert!(grown("EImp") > 50.0 && grown("RImp") > 10.0, "{} MWh and {} MVArh", grown("EImp"), grown("RImp"));
    assert!(grown("EExp").abs() < 1e-12, "nothing was delivered");
}

#[test]
fn a_fault_is_a_dip_for_its_whole_section_until_the_day_is_over() {
    let quayside = substation("QUAYSIDE");
    let mut station = Standalone::new(&quayside, 5, START, false);
    station.fault(0);
    station.step(START.plus_millis(1_000));
    let dips = |station: &Standalone| ["F1", "F2", "F8", "F5", "INC1"].map(|line| Shown { values: station.values(), line }.one("Dips"));
    let reported = dips(&station);
    assert!(reported[0] >= 1.0 && (reported[1] - reported[0]).abs() < 1e-12, "{reported:?}");
    assert!(reported[2..].iter().all(|dips| *dips < 0.5), "the spare, the other section, the higher side: {reported:?}");
    let later = START.plus_millis(86_400_000);
    assert_ne!(day(START), day(later));
    station.step(later);
    assert!(dips(&station).iter().all(|dips| *dips < 0.5));
}

#[test]
fn standby_line_is_energised_from_its_far_end() {
    let mut station = Standalone::new(&substation("QUAYSIDE"), 5, START, false);
    let volts = |station: &Standalone, line| Shown { values: station.values(), line }.one("Vr");
    assert!(volts(&station, "F1") > 6.0 && volts(&station, "INC2") > 18.0);
    assert!(station.throw("F1CB", Throw::Open, 60).0);
    station.step(START.plus_millis(60));
    station.step(START.plus_millis(60_000));
    assert!(volts(&station, "F1").abs() < 1e-12);
    let shown = Shown { values: station.values(), line: "INC2" };
    assert!(shown.one("P").abs() < 1e-12 && shown.one("Ir").abs() < 1e-12 && shown.get("AIr").is_none());
}
