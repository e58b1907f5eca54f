//! The load flow by phase: against the balanced one, pandapower, and circuits that can be calculated by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use network::description::{
    Connection, Consumption, Electrical, Generation, Line, PhaseImpedance, SequenceImpedance, SourceVoltage, Switch, Transformer,
    TransformerEnd,
};
use network::{Contact, Description, EquipmentKind, NetworkState, Phase};
use powerflow::{CaseError, Complex64, Finding, PhaseCase, PhaseOptions, PhaseOutcome, PhaseSolution};
use proptest::prelude::*;
use serde::Deserialize;

use crate::networks::{Network, assert_near, line};

struct Phases {
    solution: PhaseSolution,
    case: PhaseCase,
    state: NetworkState,
}

impl Phases {
    fn new(network: &Network, state: NetworkState) -> Self {
        let case = PhaseCase::new(&network.0, &state).expect("a case");
        Self { solution: case.solve(&PhaseOptions::default()), case, state }
    }

    fn of(network: &Network) -> Self {
        Self::new(network, network.state())
    }

    fn voltage(&self, node: &str, phase: Phase) -> Option<Complex64> {
        self.solution.voltage_pu(self.state.model().node(node).expect("there"), phase)
    }

    fn magnitudes(&self, node: &str) -> [f64; 3] {
        Phase::ALL.map(|phase| self.voltage(node, phase).expect("a voltage").norm())
    }

    fn current(&self, id: &str, terminal: u8, phase: Phase) -> Complex64 {
        self.solution.current_a(self.state.model().equipment(id).expect("there"), terminal, phase).expect("a current")
    }
}

fn end(rated_kv: f64, x_ohm: f64, connection: Connection, clock: u8) -> TransformerEnd {
    let series = SequenceImpedance { x_ohm, ..SequenceImpedance::default() };
    TransformerEnd { rated_kv, series, connection, clock, ..TransformerEnd::default() }
}

/// A source of 11 kV, a fuse, and a transformer Dyn11 of 0.4 kV.
fn substation() -> Network {
    let mut network = Network::default();
    network.node("source", 11.0).node("high", 11.0).node("low", 0.4).source("grid", "source", 1.0);
    network.add("fuse", EquipmentKind::Fuse, &["source", "high"], Electrical::Switch(Switch::default()));
    let ends = vec![end(11.0, 10.0, Connection::Delta, 0), end(0.4, 0.0, Connection::StarEarthed, 11)];
    network.transformer("T1", &["high", "low"], Transformer { ends });
    network
}

#[derive(Deserialize)]
struct Flow {
    description: Description,
    phase_buses: BTreeMap<String, [[f64; 2]; 3]>,
    phase_currents: Vec<(String, u8, String, f64)>,
}

/// A transformer Dyn1 with a feeder, with unbalanced loads in star and delta. pandapower ends at a mismatch of 0.03 VA.
#[test]
fn unbalanced_feeder_agrees_with_pandapower() {
    let flow: Flow = serde_json::from_str(include_str!("../vectors/by_phase.json")).expect("a network");
    let state = NetworkState::new(Arc::new(flow.description.to_model().expect("a model")));
    let solution = PhaseCase::new(&flow.description, &state).expect("a case").solve(&PhaseOptions::default());
    assert!(solution.is_converged());
    for (id, phases) in &flow.phase_buses {
        for (phase, [magnitude, degrees]) in Phase::ALL.into_iter().zip(phases) {
            let voltage = solution.voltage_pu(state.model().node(id).expect("there"), phase).expect("a voltage");
            let expected = Complex64::from_polar(*magnitude, degrees.to_radians());
            assert!((voltage - expected).norm() < 5e-6, "{id}, {phase:?}: {voltage}, expected {expected}");
        }
    }
    for (id, terminal, phase, expected) in &flow.phase_currents {
        let phase = Phase::ALL.into_iter().find(|known| format!("{known:?}") == *phase).expect("a phase");
        let current =
            solution.current_a(state.model().equipment(id).expect("there"), *terminal, phase).expect("a current").norm() / 1_000.0;
        assert!((current - expected).abs() < 5e-5 * expected, "{id}, terminal {terminal}, {phase:?}: {current} kA, expected {expected}");
    }
}

#[test]
fn symmetric_network_has_the_balanced_voltages() {
    let mut network = Network::default();
    network.node("a", 33.0).node("b", 11.0).node("c", 11.0).node("d", 6.6).node("e", 11.0);
    let impedance = Some(SequenceImpedance { r_ohm: 0.1, x_ohm: 1.0, ..SequenceImpedance::default() });
    let source = SourceVoltage { voltage_pu: 1.02, angle_deg: 10.0, impedance };
    network.add("grid", EquipmentKind::EnergySource, &["a"], Electrical::Source(source));
    let mut ends =
        vec![end(33.0, 10.0, Connection::StarEarthed, 0), end(11.0, 0.05, Connection::Delta, 1), end(6.6, 0.2, Connection::StarEarthed, 0)];
    (ends[0].g_s, ends[0].b_s) = (1e-6, -1e-5);
    network.transformer("T1", &["a", "b", "d"], Transformer { ends });
    network.add("L1", EquipmentKind::LineSegment, &["b", "c"], Electrical::Line(Line { b_s: 1e-4, ..line(0.3, 0.4) }));
    network.switch("CB", ["c", "e"], false);
    let consumed = Consumption { kw: 2_000.0, kvar: 800.0, constant_impedance: 0.3, constant_current: 0.4, ..Consumption::default() };
    network.add("star", EquipmentKind::EnergyConsumer, &["e"], Electrical::Consumer(consumed));
    network.add("delta", EquipmentKind::EnergyConsumer, &["c"], Electrical::Consumer(Consumption { is_delta: true, ..consumed }));
    network.load("at d", "d", 1_500.0, 300.0).generator("G1", "d", Generation { kw: 500.0, kvar: 50.0, ..Generation::default() });
    let (balanced, phases) = (network.solve(), Phases::of(&network));
    assert!(phases.solution.is_converged(), "{:?}", phases.solution.islands());
    for node in ["a", "b", "c", "d", "e"] {
        for phase in Phase::ALL {
            let turned = balanced.voltage(node) * Complex64::from_polar(1.0, -std::f64::consts::TAU / 3.0 * f64::from(phase as u8));
            let found = phases.voltage(node, phase).expect("a voltage");
            assert!((found - turned).norm() < 1e-7, "{node}, {phase:?}: {found}, expected {turned}");
        }
    }
    for (id, terminal) in [("T1", 1), ("T1", 2), ("T1", 3), ("L1", 2), ("CB", 1), ("star", 1), ("delta", 1), ("grid", 1), ("G1", 1)] {
        let (found, expected) = (phases.current(id, terminal, Phase::A), balanced.current(id, terminal));
        assert!((found - expected).norm() < 1e-4, "{id}, terminal {terminal}: {found}, expected {expected}");
    }
    assert!((phases.solution.losses_kva() - balanced.solution.losses_kva()).norm() < 1e-2);
}

/// One phase of a line with impedances by phase feeds an impedance: a divider of voltage.
#[test]
fn single_phase_lateral_is_a_divider() {
    let mut network = Network::default();
    network.node("a", 0.4).node("b", 0.4).source("grid", "a", 1.0);
    let mut by_phase = PhaseImpedance { r_ohm: [0.0; 6], x_ohm: [0.0; 6], b_s: [0.0; 6] };
    // BB is the third entry of the lower triangle.
    (by_phase.r_ohm[2], by_phase.x_ohm[2]) = (0.3, 0.4);
    network.add_phases(
        "L1",
        EquipmentKind::LineSegment,
        &["a", "b"],
        "B",
        Electrical::Line(Line { by_phase: Some(by_phase), ..Line::default() }),
    );
    let consumed = Consumption { kw: 16.0, constant_impedance: 1.0, ..Consumption::default() };
    network.add_phases("load", EquipmentKind::EnergyConsumer, &["b"], "BN", Electrical::Consumer(consumed));
    let phases = Phases::of(&network);
    // 16 kW at 0.4 / root 3 kV are 10/3 ohms.
    let load = Complex64::from(0.4 * 0.4 / 3.0 / 0.016);
    let expected = load / (load + Complex64::new(0.3, 0.4)) * Complex64::from_polar(1.0, -std::f64::consts::TAU / 3.0);
    assert!((phases.voltage("b", Phase::B).expect("a voltage") - expected).norm() < 1e-9);
    assert_eq!(phases.voltage("b", Phase::A), None);
    let amperes = 400.0 / 3.0_f64.sqrt() / (load + Complex64::new(0.3, 0.4)).norm();
    assert_near("current", phases.current("L1", 1, Phase::B).norm(), amperes, 1e-9);
    assert_near("source", phases.current("grid", 1, Phase::B).norm(), amperes, 1e-9);
    assert_near("other phase of the source", phases.current("grid", 1, Phase::C).norm(), 0.0, 1e-9);
}

/// A load between two phases of two-phase laterals.
#[test]
fn load_between_two_phases_returns_its_current() {
    let mut network = Network::default();
    network.node("a", 11.0).node("b", 11.0).source("grid", "a", 1.0);
    network.add_phases("L1", EquipmentKind::LineSegment, &["a", "b"], "AC", Electrical::Line(line(2.0, 1.0)));
    let consumed = Consumption { kw: 300.0, kvar: 100.0, is_delta: true, ..Consumption::default() };
    network.add_phases("load", EquipmentKind::EnergyConsumer, &["b"], "AC", Electrical::Consumer(consumed));
    let phases = Phases::of(&network);
    let (a, c) = (phases.current("load", 1, Phase::A), phases.current("load", 1, Phase::C));
    assert!((a + c).norm() < 1e-9);
    let between = phases.voltage("b", Phase::A).expect("a voltage") - phases.voltage("b", Phase::C).expect("a voltage");
    let power = between * a.conj() * 11.0 / 3.0_f64.sqrt();
    assert!((power - Complex64::new(300.0, 100.0)).norm() < 1e-6, "{power}");
    assert_eq!(phases.case.findings(), [Finding::NoZeroSequence(phases.state.model().equipment("L1").expect("there"))]);
}

/// A load of one phase behind delta and star draws from two phases of the delta, by the ratio of the windings.
#[test]
fn load_of_one_phase_draws_from_two_phases_of_the_delta() {
    let mut network = substation();
    network.add_phases(
        "load",
        EquipmentKind::EnergyConsumer,
        &["low"],
        "AN",
        Electrical::Consumer(Consumption { kw: 20.0, ..Consumption::default() }),
    );
    let phases = Phases::of(&network);
    let low = phases.current("T1", 2, Phase::A).norm();
    let expected = low * 0.4 / 11.0 / 3.0_f64.sqrt();
    let high = Phase::ALL.map(|phase| phases.current("T1", 1, phase).norm());
    // With clock 11 the winding of the low phase A is between the high phases A and B.
    for (found, expected) in high.into_iter().zip([expected, expected, 0.0]) {
        assert_near("current of the delta", found, expected, 1e-5);
    }
    assert_near("through the fuse", phases.current("fuse", 1, Phase::A).norm(), expected, 1e-5);
    let kw: f64 = Phase::ALL
        .map(|phase| phases.solution.power_kva(phases.state.model().equipment("grid").expect("there"), 1, phase).expect("a power").re)
        .iter()
        .sum();
    assert_near("power", -kw, 20.0, 1e-5);
}

/// With one phase of a delta open, one winding has its voltage, and the two in series have half of it each.
#[test]
fn blown_fuse_leaves_half_voltages_behind_a_delta() {
    let mut network = substation();
    // The core decides how the two windings share the voltage.
    if let Some(Electrical::Transformer(transformer)) = network.0.equipment.last_mut().map(|equipment| &mut equipment.electrical) {
        transformer.ends[0].b_s = -1e-4;
    }
    let mut state = network.state();
    let fuse = state.model().equipment("fuse").expect("there");
    state.set_phase(fuse, Phase::C, Contact::Open);
    let phases = Phases::new(&network, state);
    assert!(phases.solution.is_converged(), "{:?}", phases.solution.islands());
    let mut magnitudes = phases.magnitudes("low");
    magnitudes.sort_by(f64::total_cmp);
    for (found, expected) in magnitudes.into_iter().zip([0.5, 0.5, 1.0]) {
        // The core takes a part of the voltage.
        assert_near("voltage", found, expected, 2e-3);
    }
    assert_near("blown phase", phases.current("fuse", 2, Phase::C).norm(), 0.0, 1e-9);
    let mut dark = network.state();
    for phase in Phase::ALL {
        dark.set_phase(fuse, phase, Contact::Open);
    }
    assert_eq!(Phases::new(&network, dark).voltage("low", Phase::A), None);
}

#[test]
fn phase_without_enough_voltage_draws_as_an_impedance() {
    let mut network = substation();
    network.load("load", "low", 30.0, 10.0);
    let mut state = network.state();
    let fuse = state.model().equipment("fuse").expect("there");
    state.set_phase(fuse, Phase::A, Contact::Open);
    let phases = Phases::new(&network, state);
    assert!(phases.solution.is_converged(), "{:?}", phases.solution.islands());
    assert_eq!(phases.solution.consumers_with_low_voltage(), [phases.state.model().equipment("load").expect("there")]);
}

#[test]
fn impedances_without_an_inverse_are_refused() {
    let mut network = Network::default();
    network.node("a", 0.4).node("b", 0.4).source("grid", "a", 1.0);
    let by_phase = Some(PhaseImpedance { r_ohm: [1.0; 6], x_ohm: [0.0; 6], b_s: [0.0; 6] });
    network.add("L1", EquipmentKind::LineSegment, &["a", "b"], Electrical::Line(Line { by_phase, ..Line::default() }));
    assert_eq!(PhaseCase::new(&network.0, &network.state()).expect_err("an error"), CaseError::BadImpedance("L1".to_owned()));
    let by_phase = Some(PhaseImpedance { r_ohm: [f64::NAN; 6], x_ohm: [0.0; 6], b_s: [0.0; 6] });
    network.0.equipment[1].electrical = Electrical::Line(Line { by_phase, ..Line::default() });
    assert!(PhaseCase::new(&network.0, &network.state()).expect_err("an error").to_string().starts_with("L1: r_ohm is NaN"));
}

#[test]
fn overload_by_phase_is_reported_with_its_node() {
    let mut network = substation();
    network.node("far", 0.4).line("L1", ["low", "far"], 1.0, 0.2).load("heavy", "far", 5_000.0, 0.0);
    let phases = Phases::of(&network);
    // Below 70 % of the nominal voltage the load is an impedance, so that a low voltage is found, or none.
    match phases.solution.islands()[0] {
        PhaseOutcome::Solved { .. } => assert!(!phases.solution.consumers_with_low_voltage().is_empty()),
        PhaseOutcome::NotConverged { node, .. } => {
            assert_eq!(node.map(|node| network.0.nodes[node].id.as_str()), Some("far"));
            assert_eq!(phases.voltage("far", Phase::A), None);
        }
    }
}

/// One section of a random network: where it begins, its impedance, its phases, and the load at its end by phase.
type Section = (prop::sample::Index, f64, f64, u8, [f64; 3], bool);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn currents_of_each_phase_are_balanced(sections in prop::collection::vec(
        (any::<prop::sample::Index>(), 0.01..0.5, 0.01..0.5, 0..8_u8, [0.0..20.0, 0.0..20.0, 0.0..20.0], any::<bool>()), 1..20)) {
        let network = random_network(&sections);
        let phases = Phases::of(&network);
        prop_assert!(phases.solution.is_converged(), "{:?}", phases.solution.islands());
        let (model, solution) = (phases.state.model(), &phases.solution);
        let mut sums = vec![Complex64::ZERO; model.node_count() * 3];
        let mut fed = Complex64::ZERO;
        for equipment in model.all_equipment() {
            let terminals = model.terminals_of(equipment);
            for (number, (node, _)) in terminals.iter().enumerate() {
                for phase in Phase::ALL {
                    let at = number as u8 + 1;
                    if let Some(current) = solution.current_a(equipment, at, phase) {
                        sums[node.index() * 3 + phase as usize] += current;
                        if terminals.len() == 1 {
                            fed -= solution.power_kva(equipment, at, phase).expect("a power");
                        }
                    }
                }
            }
        }
        for (at, sum) in sums.iter().enumerate() {
            prop_assert!(sum.norm() < 1e-4, "{}: {sum} A are missing", network.0.nodes[at / 3].id);
        }
        let missing = fed - solution.losses_kva();
        prop_assert!(missing.norm() < 1e-3, "{missing} kVA are fed and not lost");
    }
}

fn random_network(sections: &[Section]) -> Network {
    let mut network = Network::default();
    network.node("0", 11.0).source("grid", "0", 1.0);
    let mut phases_at = vec!["ABC".to_owned()];
    for (index, (begins, r_ohm, x_ohm, kind, loads, is_delta)) in sections.iter().enumerate() {
        let from = begins.index(index + 1);
        let mut phases = phases_at[from].clone();
        let (begin, to) = (from.to_string(), (index + 1).to_string());
        network.node(&to, 11.0);
        let (id, nodes) = (format!("section {to}"), [begin.as_str(), to.as_str()]);
        match kind {
            0 => {
                network.add_phases(&id, EquipmentKind::LoadBreakSwitch, &nodes, &phases, Electrical::Switch(Switch::default()));
            }
            1 if phases == "ABC" => {
                let ends = vec![end(11.0, *x_ohm, Connection::Delta, 0), end(11.0, 0.0, Connection::StarEarthed, 1)];
                network.transformer(&id, &nodes, Transformer { ends });
            }
            2 if phases.len() > 1 => {
                phases.pop();
                network.add_phases(&id, EquipmentKind::LineSegment, &nodes, &phases, Electrical::Line(line(*r_ohm, *x_ohm)));
            }
            _ => {
                let values = Line { b_s: 1e-6, ..line(*r_ohm, *x_ohm) };
                network.add_phases(&id, EquipmentKind::LineSegment, &nodes, &phases, Electrical::Line(values));
            }
        }
        let consumed = Consumption {
            kw: loads.iter().sum(),
            kvar: loads.iter().sum::<f64>() * 0.3,
            by_phase: Some(loads.map(|kw| [kw, kw * 0.3])),
            constant_current: 0.3,
            is_delta: *is_delta,
            ..Consumption::default()
        };
        network.add_phases(&format!("load {to}"), EquipmentKind::EnergyConsumer, &[&to], &phases, Electrical::Consumer(consumed));
        phases_at.push(phases);
    }
    network
}
