//! Properties of all solutions: both methods agree, powers are balanced, the first law of Kirchhoff holds at each node.

use network::description::{Consumption, Electrical, Generation, Tap, Transformer, TransformerEnd};
use network::{EquipmentKind, NodeId};
use powerflow::{Complex64, Method, Options, Solution};
use proptest::prelude::*;

use crate::networks::{Network, Solved, line};

/// One section of a random network: where it begins, its impedance, its load.
#[derive(Debug, Clone)]
struct Section {
    begins: prop::sample::Index,
    r_ohm: f64,
    x_ohm: f64,
    b_s: f64,
    kw: f64,
    kvar: f64,
    shares: (f64, f64),
    /// A switch instead of a line, or a transformer.
    kind: u8,
}

fn section() -> impl Strategy<Value = Section> {
    let shares = (0.0..0.5, 0.0..0.5);
    (any::<prop::sample::Index>(), 0.001..0.5, 0.001..0.5, 0.0..1e-4, -100.0..200.0, -50.0..100.0, shares, 0..8_u8)
        .prop_map(|(begins, r_ohm, x_ohm, b_s, kw, kvar, shares, kind)| Section { begins, r_ohm, x_ohm, b_s, kw, kvar, shares, kind })
}

/// Builds a tree of sections.
fn tree(sections: &[Section]) -> Network {
    let mut network = Network::default();
    network.node("0", 11.0).source("source", "0", 1.0);
    for (index, section) in sections.iter().enumerate() {
        let (from, to) = (section.begins.index(index + 1).to_string(), (index + 1).to_string());
        network.node(&to, 11.0);
        let nodes = [from.as_str(), to.as_str()];
        let id = format!("section {to}");
        match section.kind {
            0 => {
                network.switch(&id, nodes, false);
            }
            1 => {
                let mut ends = vec![TransformerEnd { rated_kv: 11.0, g_s: 1e-6, b_s: -1e-5, ..TransformerEnd::default() }; 2];
                ends[0].series.x_ohm = section.x_ohm;
                ends[0].tap = Some(Tap { step: 1, neutral: 0, low: -2, high: 2, step_percent: 1.0, step_degrees: 0.0 });
                ends[1].clock = 11;
                network.transformer(&id, &nodes, Transformer { ends });
            }
            _ => {
                let values = network::description::Line { b_s: section.b_s, ..line(section.r_ohm, section.x_ohm) };
                network.add(&id, EquipmentKind::LineSegment, &nodes, Electrical::Line(values));
            }
        }
        let (constant_impedance, constant_current) = section.shares;
        let consumed = Consumption { kw: section.kw, kvar: section.kvar, constant_impedance, constant_current, ..Consumption::default() };
        network.add(&format!("load {to}"), EquipmentKind::EnergyConsumer, &[&to], Electrical::Consumer(consumed));
    }
    network
}

fn newton() -> Options {
    Options { method: Method::Newton, ..Options::default() }
}

/// Checks that the powers that flow into all equipment sum to nothing at each node, and all together.
fn check_balance(network: &Network, solved: &Solved) -> Result<(), TestCaseError> {
    let (model, solution): (_, &Solution) = (solved.state.model(), &solved.solution);
    let mut at_nodes = vec![Complex64::ZERO; model.node_count()];
    let mut fed = Complex64::ZERO;
    for equipment in model.all_equipment() {
        for (number, (node, _)) in model.terminals_of(equipment).iter().enumerate() {
            let power = solution.power_kva(equipment, number as u8 + 1).expect("a power");
            at_nodes[node.index()] += power;
            if model.terminals_of(equipment).len() == 1 {
                fed -= power;
            }
        }
    }
    for (node, sum) in at_nodes.iter().enumerate() {
        prop_assert!(sum.norm() < 1e-4, "{}: {sum} kVA are missing", network.0.nodes[node].id);
    }
    let missing = fed - solution.losses_kva();
    prop_assert!(missing.norm() < 1e-4, "{missing} kVA are fed and not lost");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn sweep_and_newton_agree(sections in prop::collection::vec(section(), 1..40)) {
        let network = tree(&sections);
        let (swept, solved) = (network.solve(), network.solve_with(&newton(), |_| {}));
        prop_assert!(swept.solution.is_converged() && solved.solution.is_converged());
        for node in swept.state.model().nodes() {
            let voltages = [&swept, &solved].map(|of| of.solution.voltage_pu(node).expect("a voltage"));
            prop_assert!((voltages[0] - voltages[1]).norm() < 1e-8, "{voltages:?}");
        }
        for equipment in swept.state.model().all_equipment() {
            let currents = [&swept, &solved].map(|of| of.solution.current_a(equipment, 1).expect("a current"));
            prop_assert!((currents[0] - currents[1]).norm() < 1e-5, "{currents:?}");
        }
    }

    #[test]
    fn powers_are_balanced(sections in prop::collection::vec(section(), 1..40), ties in prop::collection::vec(any::<[prop::sample::Index; 2]>(), 0..5), hydro in any::<bool>()) {
        let mut network = tree(&sections);
        // A transformer turns the phase: a ring over one would carry a current that no network has.
        let count = network.0.nodes.len();
        if sections.iter().all(|section| section.kind != 1) {
            for (number, ends) in ties.iter().enumerate() {
                let ends = ends.map(|end| end.index(count).to_string());
                if number % 2 == 0 {
                    network.line(&format!("tie {number}"), [&ends[0], &ends[1]], 0.2, 0.3);
                } else {
                    network.switch(&format!("tie {number}"), [&ends[0], &ends[1]], false);
                }
            }
        }
        if hydro {
            network.generator("hydro", &(count - 1).to_string(), Generation { kw: 50.0, voltage_pu: Some(1.0), ..Generation::default() });
        }
        let solved = network.solve();
        prop_assert!(solved.solution.is_converged(), "{:?}", solved.solution.islands());
        check_balance(&network, &solved)?;
    }

    #[test]
    fn split_load_draws_the_same(sections in prop::collection::vec(section(), 1..10)) {
        let network = tree(&sections);
        let mut split = network.clone();
        let equipment = &mut split.0.equipment;
        for part in equipment.iter_mut() {
            if let Electrical::Consumer(consumed) = &mut part.electrical {
                consumed.kw /= 2.0;
                consumed.kvar /= 2.0;
            }
        }
        let mut others: Vec<_> = equipment.iter().filter(|part| part.kind == EquipmentKind::EnergyConsumer).cloned().collect();
        for other in &mut others {
            other.id.push_str(", second half");
        }
        equipment.append(&mut others);
        let (whole, halves) = (network.solve(), split.solve());
        for node in whole.state.model().nodes() {
            let voltage = |of: &Solved, node: NodeId| of.solution.voltage_pu(node).expect("a voltage");
            prop_assert!((voltage(&whole, node) - voltage(&halves, node)).norm() < 1e-9);
        }
    }
}
