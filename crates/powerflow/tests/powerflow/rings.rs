//! Parallel lines, closed rings, generators that hold a voltage, and the currents of switches.

use network::Contact;
use network::description::Electrical;
use network::description::{Generation, SequenceImpedance, SourceVoltage};
use powerflow::{Complex64, Finding, Options, Outcome};

use crate::networks::{Network, Solved, assert_near};

fn busbar_with(lines: usize) -> Solved {
    let mut network = Network::default();
    network.node("a", 11.0).node("b", 11.0).source("source", "a", 1.0).load("load", "b", 3_000.0, 1_000.0);
    for number in 0..lines {
        network.line(&format!("line {number}"), ["a", "b"], 0.4 * lines as f64, 0.3 * lines as f64);
    }
    network.solve()
}

#[test]
fn parallel_lines_share_the_current_of_one() {
    let one = busbar_with(1);
    let three = busbar_with(3);
    assert!(matches!(three.solution.islands()[0].outcome, Outcome::Solved { .. }), "parallel lines are no tree");
    assert_near("voltage", three.voltage("b").norm(), one.voltage("b").norm(), 1e-10);
    for number in 0..3 {
        let share = three.current(&format!("line {number}"), 1) / one.current("line 0", 1);
        assert!((share - Complex64::new(1.0 / 3.0, 0.0)).norm() < 1e-8);
    }
}

/// A ring of equal sections with one load opposite of the source, and one beside it.
#[test]
fn closed_ring_feeds_from_both_sides() {
    let mut network = Network::default();
    for node in ["a", "b", "c", "d"] {
        network.node(node, 11.0);
    }
    network.source("source", "a", 1.0);
    for (id, nodes) in [("ab", ["a", "b"]), ("bc", ["b", "c"]), ("cd", ["c", "d"]), ("da", ["d", "a"])] {
        network.line(id, nodes, 0.2, 0.3);
    }
    network.load("opposite", "c", 1_000.0, 0.0).switch("tie", ["c", "c"], false);
    let balanced = network.solve();
    assert!((balanced.current("ab", 1) - balanced.current("da", 2)).norm() < 1e-7, "both sides carry the same");
    network.load("beside", "b", 600.0, 0.0);
    let solved = network.solve();
    // Three quarters of what is beside the source come over the short side.
    let (near, far) = (solved.current("ab", 1).re, -solved.current("da", 1).re.abs());
    let (opposite, beside) = (solved.current("opposite", 1).re, solved.current("beside", 1).re);
    assert_near("short side", near, opposite / 2.0 + beside * 0.75, 1e-6);
    assert_near("long side", -far, opposite / 2.0 + beside * 0.25, 1e-6);
}

/// A generator that holds its voltage, against the equations of its line.
#[test]
fn generator_holds_its_voltage() {
    let mut network = Network::default();
    network.node("a", 11.0).node("b", 11.0).source("source", "a", 1.0).line("line", ["a", "b"], 0.5, 1.0);
    network.generator("hydro", "b", Generation { kw: 2_000.0, voltage_pu: Some(1.02), ..Generation::default() });
    network.generator("diesel", "b", Generation { kw: 500.0, kvar: 100.0, ..Generation::default() });
    network.load("load", "b", 1_000.0, 400.0);
    let solved = network.solve();
    assert_near("voltage", solved.voltage("b").norm(), 1.02, 1e-12);
    assert_near("power", solved.power("hydro", 1).re, -2_000.0, 1e-9);
    assert_near("power of the other", solved.power("diesel", 1).im, -100.0, 1e-9);
    let sum = solved.power("line", 2) + solved.power("hydro", 1) + solved.power("diesel", 1) + solved.power("load", 1);
    assert!(sum.norm() < 1e-5, "{sum}");
    // I = (Va - Vb) / Z, in kV and ohms.
    let (a, b) = (solved.voltage("a") * 11.0, solved.voltage("b") * 11.0);
    let current = (a - b) / Complex64::new(0.5, 1.0) / 3.0_f64.sqrt() * 1_000.0;
    assert!((current - solved.current("line", 1)).norm() < 1e-6);
}

#[test]
fn second_generator_with_another_voltage_is_listed() {
    let mut network = Network::default();
    network.node("a", 11.0).node("b", 11.0).source("source", "a", 1.0).line("line", ["a", "b"], 0.5, 1.0);
    for (id, voltage) in [("first", 1.01), ("second", 1.03)] {
        network.generator(id, "b", Generation { kw: 200.0, voltage_pu: Some(voltage), ..Generation::default() });
    }
    let solved = network.solve();
    assert_near("voltage", solved.voltage("b").norm(), 1.01, 1e-12);
    assert_eq!(solved.case.findings(), [Finding::OtherVoltage(solved.equipment("second"))]);
    assert_near("reactive power", solved.power("first", 1).im, solved.power("second", 1).im, 1e-9);
}

#[test]
fn source_behind_an_impedance_drops_with_its_load() {
    let mut network = Network::default();
    let impedance = Some(SequenceImpedance { r_ohm: 0.1, x_ohm: 0.8, ..SequenceImpedance::default() });
    network.node("a", 11.0).load("load", "a", 2_000.0, 700.0);
    network.add(
        "source",
        network::EquipmentKind::EnergySource,
        &["a"],
        Electrical::Source(SourceVoltage { voltage_pu: 1.02, angle_deg: 30.0, impedance }),
    );
    let solved = network.solve();
    let current = -solved.current("source", 1) * 3.0_f64.sqrt() / 1_000.0;
    let behind = solved.voltage("a") * 11.0 + Complex64::new(0.1, 0.8) * current;
    assert!((behind - Complex64::from_polar(1.02 * 11.0, 30.0_f64.to_radians())).norm() < 1e-8);
    assert!((solved.power("source", 1) + solved.power("load", 1)).norm() < 1e-6);
    assert!(solved.solution.losses_kva().norm() < 1e-9, "what is lost behind the source is not a loss of the network");
}

/// A busbar of switches: the breaker of the incomer, a bus coupler in a ring of switches, and two feeders.
#[test]
fn switches_carry_what_is_behind_them() {
    let mut network = Network::default();
    for node in ["in", "one", "two", "bay", "end"] {
        network.node(node, 11.0);
    }
    network.source("source", "in", 1.0).switch("incomer", ["in", "one"], false);
    network.switch("coupler", ["one", "two"], false).switch("bypass", ["two", "one"], false);
    network.switch("feeder", ["bay", "two"], false).switch("spare", ["bay", "in"], true);
    network.line("line", ["bay", "end"], 0.3, 0.2).load("far", "end", 900.0, 300.0).load("near", "one", 500.0, 0.0);
    let solved = network.solve();
    let (line, near) = (solved.current("line", 1), solved.current("near", 1));
    for (id, terminal, expected) in [
        ("incomer", 1, line + near),
        ("incomer", 2, -line - near),
        ("feeder", 1, -line),
        ("feeder", 2, line),
        ("coupler", 1, line / 2.0),
        ("bypass", 2, line / 2.0),
        ("spare", 1, Complex64::ZERO),
        ("spare", 2, Complex64::ZERO),
    ] {
        assert!((solved.current(id, terminal) - expected).norm() < 1e-9, "{id}, terminal {terminal}: {}", solved.current(id, terminal));
    }
    assert!((solved.current("source", 1) + line + near).norm() < 1e-9);
}

#[test]
fn switch_of_unknown_position_counts_as_in_its_normal_state() {
    let mut network = Network::default();
    network.node("a", 11.0).node("b", 11.0).node("c", 11.0).source("source", "a", 1.0);
    network.switch("closed", ["a", "b"], false).switch("open", ["b", "c"], true);
    let solved = network.solve_with(&Options::default(), |positions| {
        positions.set("closed", Contact::Unknown);
        positions.set("open", Contact::Unknown);
    });
    assert_eq!(solved.case.findings(), ["closed", "open"].map(|id| Finding::UnknownPosition(solved.equipment(id))));
    assert!(solved.solution.voltage_pu(solved.node("b")).is_some());
    assert!(solved.solution.voltage_pu(solved.node("c")).is_none());
}
