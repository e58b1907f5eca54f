//! Islands with and without a source, and loads that no voltage can feed.

use network::description::{Consumption, Electrical, SourceVoltage};
use network::{Contact, EquipmentKind};
use powerflow::{Complex64, Method, Options, Outcome};

use crate::networks::{Network, assert_near};

fn two_feeders() -> Network {
    let mut network = Network::default();
    for node in ["a", "b", "c", "d", "e"] {
        network.node(node, 11.0);
    }
    network.source("west", "a", 1.0).source("east", "d", 1.02);
    network.line("ab", ["a", "b"], 0.3, 0.3).switch("tie", ["b", "c"], true).line("cd", ["c", "d"], 0.3, 0.3);
    network.load("at b", "b", 800.0, 200.0).load("at c", "c", 900.0, 300.0).load("at e", "e", 100.0, 0.0);
    network
}

#[test]
fn each_island_has_its_own_source() {
    let solved = two_feeders().solve();
    let islands = solved.solution.islands();
    assert_eq!(islands.len(), 2);
    assert_eq!(islands[0].sources, [solved.equipment("west")]);
    assert_eq!(islands[1].sources, [solved.equipment("east")]);
    assert_eq!(["a", "b", "c", "d", "e"].map(|id| solved.solution.island(solved.node(id))), [Some(0), Some(0), Some(1), Some(1), None]);
    assert_near("west", solved.power("west", 1).re, -800.0 - solved.solution.loss_kva(solved.equipment("ab")).expect("a loss").re, 1e-9);
}

#[test]
fn powers_by_phase_are_summed() {
    let consumed = |by_phase| Electrical::Consumer(Consumption { by_phase: Some(by_phase), ..Consumption::default() });
    let mut network = Network::default();
    network.node("a", 11.0).node("b", 11.0).source("grid", "a", 1.0).line("ab", ["a", "b"], 0.3, 0.3);
    network.add("village", EquipmentKind::EnergyConsumer, &["b"], consumed([[100.0, 20.0], [200.0, 30.0], [50.0, 0.0]]));
    // Of the phases that its terminal does not have, nothing is drawn.
    network.add_phases("farm", EquipmentKind::EnergyConsumer, &["b"], "B", consumed([[7.0, 7.0], [40.0, 10.0], [7.0, 7.0]]));
    let solved = network.solve();
    for (id, kw, kvar) in [("village", 350.0, 50.0), ("farm", 40.0, 10.0)] {
        assert_near(id, solved.power(id, 1).re, kw, 1e-9);
        assert_near(id, solved.power(id, 1).im, kvar, 1e-9);
    }
    let mut wrong = network.clone();
    wrong.add("bad", EquipmentKind::EnergyConsumer, &["b"], consumed([[0.0, f64::NAN], [0.0; 2], [0.0; 2]]));
    assert!(wrong.case().expect_err("an error").to_string().starts_with("bad: by_phase is NaN"));
}

#[test]
fn island_without_a_source_has_no_results() {
    let solved = two_feeders().solve();
    assert_eq!(solved.solution.voltage_pu(solved.node("e")), None);
    assert_eq!(solved.solution.power_kva(solved.equipment("at e"), 1), None);
    assert!(solved.solution.is_converged(), "a dead island is no failure");
    let dark = two_feeders().solve_with(&Options::default(), |positions| positions.set("west", Contact::Open));
    assert_eq!(dark.solution.voltage_pu(dark.node("b")), None);
    assert_eq!(dark.solution.islands().len(), 1);
}

/// The sources are listed in another order than their places in the network.
#[test]
fn each_of_several_sources_holds_its_voltage() {
    let mut network = Network::default();
    for node in ["a", "b", "c", "d"] {
        network.node(node, 110.0);
    }
    network.source("at d", "d", 1.03).source("at a", "a", 1.01).source("at c", "c", 1.02);
    network.line("ab", ["a", "b"], 1.0, 3.0).line("bc", ["b", "c"], 1.0, 3.0).line("cd", ["c", "d"], 1.0, 3.0);
    let solved = network.solve();
    for (node, voltage) in [("a", 1.01), ("c", 1.02), ("d", 1.03)] {
        assert_eq!(solved.voltage(node), Complex64::from(voltage), "{node}");
    }
    assert_near("between two equal lines", solved.voltage("b").norm(), 1.015, 1e-9);
}

#[test]
fn closed_tie_makes_one_island_of_two() {
    let solved = two_feeders().solve_with(&Options::default(), |positions| positions.set("tie", Contact::Closed));
    assert_eq!(solved.solution.islands().len(), 1);
    assert!(matches!(solved.solution.islands()[0].outcome, Outcome::Solved { .. }), "two sources are no tree");
    assert_near("west", solved.voltage("a").norm(), 1.0, 1e-12);
    assert_near("east", solved.voltage("d").norm(), 1.02, 1e-12);
    assert_near("tie", solved.voltage("b").norm(), solved.voltage("c").norm(), 1e-12);
}

/// The greatest power over a line of reactance x to a load without reactive power is V^2 / 2x: 61.7 MW here.
#[test]
fn overload_is_reported_with_island_and_node() {
    for method in [Method::Auto, Method::Newton] {
        for (kw, is_possible) in [(61_700.0, true), (61_720.0, false)] {
            let mut network = two_feeders();
            network.node("f", 11.0).line("far", ["d", "f"], 0.0, 1.02).load("heavy", "f", kw, 0.0);
            let solved = network.solve_with(&Options { method, ..Options::default() }, |_| {});
            let outcome = &solved.solution.islands()[1].outcome;
            assert_eq!(outcome.is_converged(), is_possible, "{kw} kW: {outcome:?}");
            assert!(solved.solution.islands()[0].outcome.is_converged());
            if let Outcome::NotConverged { mismatch_kva, node, .. } = outcome {
                assert!(*mismatch_kva > 1.0);
                assert_eq!(node.map(|node| network.0.nodes[node].id.as_str()), Some("f"));
                assert_eq!(solved.solution.voltage_pu(solved.node("c")), None);
                assert!(solved.solution.voltage_pu(solved.node("b")).is_some());
            }
        }
    }
}

#[test]
fn power_of_a_load_can_be_changed() {
    let network = two_feeders();
    let mut case = network.case().expect("a case");
    let model = network.state().model().clone();
    let equipment = |id: &str| model.equipment(id).expect("there");
    assert!(case.set_power(equipment("at b"), 100.0, 0.0));
    assert!(!case.set_power(equipment("ab"), 100.0, 0.0));
    assert!(!case.set_power(equipment("west"), 100.0, 0.0));
    assert!(!case.set_power(equipment("at b"), f64::NAN, 0.0));
    let solution = case.solve(&Options::default());
    assert_near("load", solution.power_kva(equipment("at b"), 1).expect("a power").re, 100.0, 1e-9);
}

#[test]
fn voltage_of_a_source_can_be_changed() {
    let network = two_feeders();
    let model = std::sync::Arc::new(network.0.to_model().expect("a model"));
    let state = network::NetworkState::new(model.clone());
    let equipment = |id| model.equipment(id).expect("equipment");
    let mut case = powerflow::Case::new(&network.0, &state).expect("a case");
    assert!(case.set_voltage(equipment("west"), 1.05));
    assert!(!case.set_voltage(equipment("ab"), 1.05) && !case.set_voltage(equipment("west"), f64::NAN));
    assert_eq!(case.voltage(equipment("west")).map(|voltage| (voltage * 1e9).round()), Some(1.05e9));
    assert_eq!(case.power(equipment("at b")), Some(Complex64::new(800.0, 200.0)));
    let mut described = two_feeders();
    described.0.equipment[0].electrical = Electrical::Source(SourceVoltage { voltage_pu: 1.05, ..Default::default() });
    let (changed, described) = (case.solve(&Options::default()), described.solve());
    let node = model.node("b").expect("a node");
    let voltages = [changed.voltage_pu(node), described.solution.voltage_pu(node)].map(|voltage| voltage.expect("a voltage"));
    assert!((voltages[0] - voltages[1]).norm() < 1e-9, "{voltages:?}");
}
