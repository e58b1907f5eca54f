//! Benchmark: the load flow of radial feeders with 33, 2,000 and 100,000 nodes, by sweep, by the method of Newton, and by phase.
//!
//! Feeders have up to 500 nodes; each fifth begins a branch. 40 feeders make a substation behind a transformer.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use network::description::{
    Consumption, Electrical, Equipment, Line, Node, SequenceImpedance, SourceVoltage, Switch, Terminal, Transformer, TransformerEnd,
};
use network::{Description, EquipmentKind, NetworkState, Phases};
use powerflow::{Case, Method, Options, PhaseCase, PhaseOptions};

const NODES_PER_FEEDER: usize = 500;
const FEEDERS_PER_STATION: usize = 40;

fn main() {
    let is_short = std::env::args().any(|argument| argument == "--short");
    let sizes: &[usize] = if is_short { &[33, 2_000] } else { &[33, 2_000, 100_000] };
    for nodes in sizes {
        measure(*nodes, if is_short { 3 } else { 9 });
    }
}

fn measure(nodes: usize, rounds: usize) {
    let description = describe(nodes);
    let state = NetworkState::new(Arc::new(description.to_model().expect("a model")));
    let what = |text: &str| format!("load flow, {nodes} nodes: {text}");
    let aim = |limit: &'static str| if nodes == 100_000 { limit } else { "" };

    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            let case = Case::new(&description, &state).expect("a case");
            let time = start.elapsed();
            assert!(case.findings().is_empty());
            time
        })
        .collect();
    println!("= {} | {:.3} | ", what("case from description and positions, ms"), median(&mut times));

    let case = Case::new(&description, &state).expect("a case");
    for (name, method, limit) in [("sweep, ms", Method::Auto, aim("<= 100")), ("Newton, ms", Method::Newton, aim("<= 3000"))] {
        let mut losses = 0.0;
        let mut times: Vec<Duration> = (0..rounds)
            .map(|_| {
                let start = Instant::now();
                let solution = case.solve(&Options { method, ..Options::default() });
                let time = start.elapsed();
                assert!(solution.is_converged(), "{:?}", solution.islands());
                losses = solution.losses_kva().re;
                time
            })
            .collect();
        println!("= {} | {:.3} | {limit}", what(name), median(&mut times));
        println!("{}", what(&format!("{name} losses {losses:.1} kW")));
    }

    let case = PhaseCase::new(&description, &state).expect("a case");
    let mut times: Vec<Duration> = (0..rounds.min(3))
        .map(|_| {
            let start = Instant::now();
            let solution = case.solve(&PhaseOptions::default());
            let time = start.elapsed();
            assert!(solution.is_converged(), "{:?}", solution.islands());
            time
        })
        .collect();
    println!("= {} | {:.3} | {}", what("by phase, ms"), median(&mut times), aim("<= 10000"));
}

/// Returns the middle of the times, ms.
fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1_000.0
}

fn describe(nodes: usize) -> Description {
    let mut made = Description::default();
    add_node(&mut made, "grid", 132.0);
    add(&mut made, EquipmentKind::EnergySource, &["grid"], Electrical::Source(SourceVoltage::default()));
    let mut station = 0;
    while made.nodes.len() < nodes {
        station += 1;
        let busbar = format!("busbar {station}");
        add_node(&mut made, &busbar, 11.0);
        let high = TransformerEnd {
            rated_kv: 132.0,
            series: SequenceImpedance { r_ohm: 1.0, x_ohm: 30.0, ..SequenceImpedance::default() },
            g_s: 1e-6,
            b_s: -1e-5,
            ..TransformerEnd::default()
        };
        let low = TransformerEnd { rated_kv: 11.0, clock: 1, ..TransformerEnd::default() };
        add(&mut made, EquipmentKind::PowerTransformer, &["grid", &busbar], Electrical::Transformer(Transformer { ends: vec![high, low] }));
        for feeder in 0..FEEDERS_PER_STATION {
            if made.nodes.len() >= nodes {
                break;
            }
            add_feeder(&mut made, &busbar, &format!("{station}/{feeder}"), nodes);
        }
    }
    made
}

fn add_feeder(made: &mut Description, busbar: &str, name: &str, nodes: usize) {
    let first = format!("{name}/0");
    add_node(made, &first, 11.0);
    add(made, EquipmentKind::Breaker, &[busbar, &first], Electrical::Switch(Switch::default()));
    let (mut from, mut trunk) = (first.clone(), first);
    for step in 1..NODES_PER_FEEDER {
        if made.nodes.len() >= nodes {
            return;
        }
        let to = format!("{name}/{step}");
        add_node(made, &to, 11.0);
        let series = SequenceImpedance { r_ohm: 0.02, x_ohm: 0.015, ..SequenceImpedance::default() };
        add(made, EquipmentKind::LineSegment, &[&from, &to], Electrical::Line(Line { series, b_s: 1e-6, ..Line::default() }));
        let load = 2.0 + (step % 7) as f64;
        let consumed = Consumption {
            customers: 4,
            kw: load,
            kvar: load * 0.3,
            constant_impedance: 0.2,
            constant_current: 0.1,
            ..Consumption::default()
        };
        add(made, EquipmentKind::EnergyConsumer, &[&to], Electrical::Consumer(consumed));
        // Four nodes of a branch, then the next node of the trunk.
        from = if step % 5 == 0 { trunk.clone() } else { to.clone() };
        if step % 5 == 1 {
            trunk.clone_from(&to);
        }
    }
}

fn add_node(made: &mut Description, id: &str, kv: f64) {
    made.nodes.push(Node {
        id: id.to_owned(),
        name: String::new(),
        container: None,
        nominal_kv: Some(kv),
        is_internal: false,
        place: None,
    });
}

fn add(made: &mut Description, kind: EquipmentKind, nodes: &[&str], electrical: Electrical) {
    made.equipment.push(Equipment {
        id: format!("equipment {}", made.equipment.len()),
        name: String::new(),
        kind,
        container: None,
        terminals: nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect(),
        is_in_service: true,
        electrical,
    });
}
