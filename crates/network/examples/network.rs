//! Benchmark: a distribution network of 100,000 and of 1,000,000 nodes: time and memory to build it, a move of a switch, a trace of a feeder.
//!
//! The network has feeders of 500 nodes. Each begins with a breaker at a busbar of its substation and has a switch after every tenth node and
//! normally-open points to its two neighbours. 40 feeders make a substation, which a breaker and a transformer connect with the source. A normally-open
//! breaker connects its busbar with that of the next substation.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use network::{Consumer, Contact, EquipmentId, EquipmentKind, Model, ModelBuilder, NetworkState, NewEquipment, NodeId, Phase, Phases};

const NODES_PER_FEEDER: usize = 500;
const FEEDERS_PER_STATION: usize = 40;
const SWITCH_EVERY: usize = 10;

fn main() {
    let is_short = std::env::args().any(|argument| argument == "--short");
    let sizes: &[usize] = if is_short { &[20_000] } else { &[100_000, 1_000_000] };
    for nodes in sizes {
        measure(*nodes, EquipmentKind::LoadBreakSwitch);
        // The phases of a fuse have positions of their own, so that the states of all nodes are kept for each phase.
        measure(*nodes, EquipmentKind::Fuse);
    }
}

/// The parts that the benchmark moves and traces.
struct Parts {
    infeeds: Vec<EquipmentId>,
    busbars: Vec<NodeId>,
    bus_ties: Vec<EquipmentId>,
    section_switches: Vec<EquipmentId>,
    feeder_ends: Vec<NodeId>,
    feeder_breakers: Vec<EquipmentId>,
}

fn measure(nodes: usize, section_switch: EquipmentKind) {
    let before = resident_mib();
    let start = Instant::now();
    let (model, parts) = build(nodes, section_switch);
    let mut present = NetworkState::new(Arc::new(model));
    let load = start.elapsed();
    let memory = resident_mib() - before;
    let phases = if section_switch == EquipmentKind::Fuse { ", each phase" } else { "" };
    let what = |text: &str| format!("network, {nodes} nodes{phases}: {text}");
    let aims = nodes == 100_000;
    let aim = |aim: &'static str| if aims { aim } else { "" };
    println!("= {} | {:.3} | {}", what("build and first states, s"), load.as_secs_f64(), aim("<= 2"));
    println!("= {} | {memory:.0} | {}", what("memory, MiB"), aim("<= 120"));

    let mut random = Random(42);
    // A switch in a feeder moves less than 1 % of the nodes.
    let mut sections = Vec::new();
    let mut moved = 0;
    for _ in 0..2_000 {
        let switch = parts.section_switches[random.below(parts.section_switches.len())];
        for contact in [Contact::Open, Contact::Closed] {
            let start = Instant::now();
            present.set_position(switch, contact);
            moved = moved.max(present.settle().len());
            sections.push(start.elapsed());
        }
    }
    println!("{}", what(&format!("a section switch moved up to {moved} nodes")));
    println!("= {} | {:.4} | ", what("move of a section switch, p50, ms"), ms(percentile(&mut sections, 50)));
    println!("= {} | {:.4} | {}", what("move of a section switch, p99, ms"), ms(percentile(&mut sections, 99)), aim("<= 2"));

    let mut infeeds = Vec::new();
    let mut moved = 0;
    for switch in &parts.infeeds {
        for contact in [Contact::Open, Contact::Closed] {
            let start = Instant::now();
            present.set_position(*switch, contact);
            moved = moved.max(present.settle().len());
            infeeds.push(start.elapsed());
        }
    }
    println!("{}", what(&format!("an infeed moved up to {moved} nodes")));
    println!("= {} | {:.3} | {}", what("move of an infeed, longest, ms"), ms(percentile(&mut infeeds, 100)), aim("<= 20"));

    // With the bus ties closed, nothing is without supply, but all paths behind an infeed change.
    let mut paths = Vec::new();
    for tie in &parts.bus_ties {
        present.set_position(*tie, Contact::Closed);
    }
    for switch in &parts.infeeds {
        for contact in [Contact::Open, Contact::Closed] {
            let start = Instant::now();
            present.set_position(*switch, contact);
            let moved = present.settle().len();
            paths.push(start.elapsed());
            assert!(moved <= 1 || parts.bus_ties.is_empty(), "the ties supply the substation");
        }
    }
    for tie in &parts.bus_ties {
        present.set_position(*tie, Contact::Open);
    }
    println!("= {} | {:.3} | {}", what("move of an infeed beside another, longest, ms"), ms(percentile(&mut paths, 100)), aim("<= 20"));

    let mut traces = Vec::new();
    let mut fed = Vec::with_capacity(2 * NODES_PER_FEEDER);
    for _ in 0..2_000 {
        let feeder = random.below(parts.feeder_ends.len());
        let branch = present.model().branches_of(parts.feeder_breakers[feeder]).next().expect("a switch has a branch");
        let start = Instant::now();
        let steps = present.path_to_source(parts.feeder_ends[feeder], Phase::A).count();
        fed.clear();
        present.downstream(branch, Phase::A, &mut fed);
        let customers = present.consumers(&fed).customers;
        traces.push(start.elapsed());
        assert!(steps > NODES_PER_FEEDER && fed.len() >= NODES_PER_FEEDER && customers > 0, "the trace follows the feeder");
    }
    println!("= {} | {:.4} | {}", what("trace of a feeder in both directions, p99, ms"), ms(percentile(&mut traces, 99)), aim("<= 1"));

    let mut queries = Vec::new();
    for _ in 0..2_000 {
        let switch = parts.section_switches[random.below(parts.section_switches.len())];
        let start = Instant::now();
        let found = present.consequences(switch, Contact::Open);
        queries.push(start.elapsed());
        assert!(!found.loses_supply.is_empty(), "a section loses its supply");
    }
    println!("= {} | {:.4} | ", what("what a section switch would change, p99, ms"), ms(percentile(&mut queries, 99)));
    measure_with_voltages(&mut present, &parts, &mut random, &what, &aim);
}

/// The voltage of each busbar is measured, and again after each infeed has come back.
fn measure_with_voltages(
    present: &mut NetworkState,
    parts: &Parts,
    random: &mut Random,
    what: &impl Fn(&str) -> String,
    aim: &impl Fn(&'static str) -> &'static str,
) {
    for busbar in &parts.busbars {
        present.set_measured(*busbar, Phases::ABC);
    }
    present.settle();
    let mut sections = Vec::new();
    for _ in 0..2_000 {
        let switch = parts.section_switches[random.below(parts.section_switches.len())];
        for contact in [Contact::Open, Contact::Closed] {
            let start = Instant::now();
            present.set_position(switch, contact);
            present.settle();
            sections.push(start.elapsed());
        }
    }
    println!(
        "= {} | {:.4} | {}",
        what("move of a section switch with measured busbars, p99, ms"),
        ms(percentile(&mut sections, 99)),
        aim("<= 2")
    );
    let mut infeeds = Vec::new();
    for (switch, busbar) in parts.infeeds.iter().zip(&parts.busbars) {
        for contact in [Contact::Open, Contact::Closed] {
            let start = Instant::now();
            present.set_position(*switch, contact);
            present.settle();
            infeeds.push(start.elapsed());
        }
        present.set_measured(*busbar, Phases::ABC);
        present.settle();
    }
    println!(
        "= {} | {:.3} | {}",
        what("move of an infeed with measured busbars, longest, ms"),
        ms(percentile(&mut infeeds, 100)),
        aim("<= 20")
    );
}

fn build(nodes: usize, section_switch: EquipmentKind) -> (Model, Parts) {
    let mut builder = ModelBuilder::new();
    let mut parts = Parts {
        infeeds: Vec::new(),
        busbars: Vec::new(),
        bus_ties: Vec::new(),
        section_switches: Vec::new(),
        feeder_ends: Vec::new(),
        feeder_breakers: Vec::new(),
    };
    let mut number = 0_u32;
    let mut add = |builder: &mut ModelBuilder, kind, ends: &[NodeId], normal, customers| {
        number += 1;
        let terminals: Vec<_> = ends.iter().map(|node| (*node, Phases::ABC)).collect();
        let consumer = Consumer { customers, load_kw: customers as f64 * 1.5 };
        builder.add(NewEquipment { id: &format!("equipment:{number}"), kind, terminals: &terminals, normal, consumer }).expect("unique ids")
    };
    let mut node_number = 0_u32;
    let mut node = |builder: &mut ModelBuilder, kv| {
        node_number += 1;
        builder.add_node(&format!("node:{node_number}"), Some(kv)).expect("unique ids")
    };
    let source = node(&mut builder, 132.0);
    add(&mut builder, EquipmentKind::EnergySource, &[source], Contact::Closed, 0);
    let mut last_busbar = None;
    let stations = (nodes / (NODES_PER_FEEDER * FEEDERS_PER_STATION)).max(1);
    for _ in 0..stations {
        let (primary, busbar) = (node(&mut builder, 132.0), node(&mut builder, 11.0));
        parts.infeeds.push(add(&mut builder, EquipmentKind::Breaker, &[source, primary], Contact::Closed, 0));
        add(&mut builder, EquipmentKind::PowerTransformer, &[primary, busbar], Contact::Closed, 0);
        parts.busbars.push(busbar);
        if let Some(last) = last_busbar.replace(busbar) {
            parts.bus_ties.push(add(&mut builder, EquipmentKind::Breaker, &[last, busbar], Contact::Open, 0));
        }
        let mut neighbour = None;
        for _ in 0..FEEDERS_PER_STATION {
            let mut at = node(&mut builder, 11.0);
            parts.feeder_breakers.push(add(&mut builder, EquipmentKind::Breaker, &[busbar, at], Contact::Closed, 0));
            for step in 1..NODES_PER_FEEDER {
                let next = node(&mut builder, 11.0);
                if step % SWITCH_EVERY == 0 {
                    parts.section_switches.push(add(&mut builder, section_switch, &[at, next], Contact::Closed, 0));
                } else {
                    add(&mut builder, EquipmentKind::LineSegment, &[at, next], Contact::Closed, 0);
                }
                add(&mut builder, EquipmentKind::EnergyConsumer, &[next], Contact::Closed, 40);
                at = next;
            }
            parts.feeder_ends.push(at);
            if let Some(neighbour) = neighbour.replace(at) {
                add(&mut builder, EquipmentKind::LoadBreakSwitch, &[neighbour, at], Contact::Open, 0);
            }
        }
    }
    (builder.build(), parts)
}

/// Returns the memory of the process in MiB; 0 where the system does not say.
fn resident_mib() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok().and_then(|text| text.split(' ').nth(1)?.parse::<f64>().ok());
    pages.unwrap_or(0.0) * 4_096.0 / 1_048_576.0
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The generator of Marsaglia (xorshift, 2003): repeatable choices.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
