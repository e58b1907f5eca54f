//! Compares load flows with those that pandapower has found: `peer_flows FOLDER`, a folder that tests/peers/flows.py and
//! tests/peers/phase_flows.py have written.
//!
//! Prints a line for each network with the greatest differences, and fails if one exceeds its limit.

#![allow(clippy::print_stdout, reason = "a program of a comparison prints its figures")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use network::{Description, NetworkState, Phase};
use powerflow::{Case, Complex64, Method, Options, PhaseCase, PhaseOptions, Solution};
use serde::Deserialize;

/// The greatest difference of a voltage, per unit.
const VOLTAGE_LIMIT: f64 = 1e-6;
/// The greatest relative difference of a current.
const CURRENT_LIMIT: f64 = 1e-5;
/// By phase, pandapower ends at a mismatch of 0.03 VA, whatever tolerance is given to it: a few millionths of the loads of a low-voltage feeder.
const PHASE_FACTOR: f64 = 5.0;
/// The same mismatch is 0.1 mA in a low-voltage feeder, kA: currents by phase below this are compared as if they were this great.
const LEAST_PHASE_CURRENT: f64 = 1e-2;
/// Currents below this, kA, are compared as if they were this great: their relative differences are rounding errors.
const LEAST_CURRENT: f64 = 1e-5;

/// A network, and the results of pandapower for it.
#[derive(Debug, Deserialize)]
struct Flow {
    description: Description,
    /// The voltage of each bus, per unit and degrees.
    #[serde(default)]
    buses: BTreeMap<String, [f64; 2]>,
    /// Equipment, terminal, and current in kA.
    #[serde(default)]
    currents: Vec<(String, u8, f64)>,
    /// The same for each phase.
    #[serde(default)]
    phase_buses: BTreeMap<String, [[f64; 2]; 3]>,
    #[serde(default)]
    phase_currents: Vec<(String, u8, String, f64)>,
    seconds: f64,
}

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).expect("the folder");
    let mut files: Vec<_> = std::fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let differing = files.iter().filter(|file| !compare(file)).count();
    println!("= load flows of {} networks that differ from pandapower | {differing} | <= 0", files.len());
    if differing == 0 && !files.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether a network agrees.
fn compare(file: &Path) -> bool {
    let name = file.file_stem().expect("a name").to_string_lossy();
    let flow: Flow = serde_json::from_str(&std::fs::read_to_string(file).expect("the network")).expect("a network");
    let state = NetworkState::new(Arc::new(flow.description.to_model().expect("a model")));
    if !flow.phase_buses.is_empty() {
        return compare_phases(&name, &flow, &state);
    }
    let start = Instant::now();
    let case = Case::new(&flow.description, &state).unwrap_or_else(|error| panic!("{name}: {error}"));
    let solution = case.solve(&Options::default());
    let time = start.elapsed();
    let with_newton = case.solve(&Options { method: Method::Newton, ..Options::default() });
    let mut agrees = true;
    for (method, solution) in [("auto", &solution), ("Newton", &with_newton)] {
        let (voltage, at_bus) = greatest_voltage_difference(&flow, &state, solution);
        let (current, at_terminal) = greatest_current_difference(&flow, &state, solution);
        agrees &= voltage <= VOLTAGE_LIMIT && current <= CURRENT_LIMIT;
        println!(
            "{name}, {method}: voltage {voltage:.1e} pu at {at_bus}, current {current:.1e} at {at_terminal}; {:?}",
            solution.islands()[0].outcome
        );
    }
    println!(
        "{name}: {} buses, {} findings, {:.2} ms; pandapower {:.0} ms",
        case.bus_count(),
        case.findings().len(),
        time.as_secs_f64() * 1e3,
        flow.seconds * 1e3
    );
    agrees
}

/// Whether the phases of a network agree.
fn compare_phases(name: &str, flow: &Flow, state: &NetworkState) -> bool {
    let start = Instant::now();
    let case = PhaseCase::new(&flow.description, state).unwrap_or_else(|error| panic!("{name}: {error}"));
    let solution = case.solve(&PhaseOptions::default());
    let time = start.elapsed();
    let model = state.model();
    let (mut voltage, mut current) = (0.0_f64, 0.0_f64);
    for (id, phases) in &flow.phase_buses {
        let node = model.node(id).expect("a node of the network");
        for (phase, [magnitude, degrees]) in Phase::ALL.into_iter().zip(phases) {
            let expected = Complex64::from_polar(*magnitude, degrees.to_radians());
            voltage = voltage.max(solution.voltage_pu(node, phase).map_or(f64::INFINITY, |found| (found - expected).norm()));
        }
    }
    for (id, terminal, phase, expected) in &flow.phase_currents {
        let phase = Phase::ALL.into_iter().find(|known| format!("{known:?}") == *phase).expect("a phase");
        let found = solution.current_a(model.equipment(id).expect("equipment of the network"), *terminal, phase);
        let found = found.map_or(f64::INFINITY, |current| current.norm() / 1_000.0);
        current = current.max((found - expected).abs() / expected.max(LEAST_PHASE_CURRENT));
    }
    println!(
        "{name}, by phase: voltage {voltage:.1e} pu, current {current:.1e}; {:?}, {:.2} ms; pandapower {:.0} ms",
        solution.islands()[0],
        time.as_secs_f64() * 1e3,
        flow.seconds * 1e3
    );
    voltage <= VOLTAGE_LIMIT * PHASE_FACTOR && current <= CURRENT_LIMIT * PHASE_FACTOR
}

fn greatest_voltage_difference(flow: &Flow, state: &NetworkState, solution: &Solution) -> (f64, String) {
    let mut greatest = (0.0, String::new());
    for node in state.model().nodes() {
        let id = state.model().node_name(node);
        let expected = flow.buses.get(id).map(|[magnitude, degrees]| Complex64::from_polar(*magnitude, degrees.to_radians()));
        let difference = match (solution.voltage_pu(node), expected) {
            (Some(found), Some(expected)) => (found - expected).norm(),
            (None, Some(_)) => f64::INFINITY,
            // pandapower has no results for nodes that are inside of equipment.
            (Some(_), None) if !state.model().is_internal(node) => f64::INFINITY,
            _ => 0.0,
        };
        if difference > greatest.0 {
            greatest = (difference, id.to_owned());
        }
    }
    greatest
}

fn greatest_current_difference(flow: &Flow, state: &NetworkState, solution: &Solution) -> (f64, String) {
    let mut greatest = (0.0, String::new());
    for (id, terminal, expected) in &flow.currents {
        let equipment = state.model().equipment(id).expect("equipment of the network");
        // What is dead carries no current.
        let found = solution.current_a(equipment, *terminal).map_or(0.0, |current| current.norm() / 1_000.0);
        let difference = (found - expected).abs() / expected.max(LEAST_CURRENT);
        if difference > greatest.0 {
            greatest = (difference, format!("{id}, terminal {terminal}: {found} kA, expected {expected}"));
        }
    }
    greatest
}
