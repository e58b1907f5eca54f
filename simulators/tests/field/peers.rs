//! Compares with pandapower on the exported network (scripts/demo-peers): the values of all meters at ten instants, and islands and supply in
//! 2,000 switch states.

use std::collections::BTreeMap;
use std::sync::Arc;

use network::{Contact, EquipmentId, NetworkState, NodeId, State};
use serde::Deserialize;

use crate::instants;

/// The greatest difference of a voltage, per unit.
const VOLTAGE_LIMIT_PU: f64 = 1e-4;
/// The greatest relative difference of a current, and the least current that is compared as it is, A.
const CURRENT_LIMIT: (f64, f64) = (1e-3, 1.0);
/// The greatest difference of a power, MW or MVAr.
const POWER_LIMIT: f64 = 1e-4;

#[derive(Debug, Deserialize)]
struct Vectors {
    instants: Vec<Instant>,
}

#[derive(Debug, Deserialize)]
struct Instant {
    name: String,
    values: BTreeMap<String, BTreeMap<String, f64>>,
}

#[test]
fn meters_agree_with_pandapower_at_ten_instants() {
    let vectors: Vectors = serde_json::from_str(include_str!("../vectors/demo_flows.json")).expect("JSON");
    let (mut next, mut compared) = (vectors.instants.iter(), 0);
    instants::visit(|name, client, physics| {
        let peer = next.next().expect("an instant");
        assert_eq!(peer.name, name);
        for (index, substation) in client.substations.iter().enumerate() {
            let shown = instants::metered(substation, physics.station(index).values());
            for (metric, peer) in &peer.values[&substation.code] {
                let (value, place) = (shown[metric], format!("{name}: {}/{metric}", substation.code));
                compared += 1;
                if metric.ends_with("/V") {
                    let nominal = if metric == "BUSH/V" { substation.plan.kv_high } else { substation.plan.kv_low };
                    assert!((value - peer).abs() < VOLTAGE_LIMIT_PU * nominal, "{place}: {value} and {peer} kV");
                } else if metric.ends_with("/I") {
                    let (relative, least) = CURRENT_LIMIT;
                    assert!((value - peer).abs() < relative * peer.max(least), "{place}: {value} and {peer} A");
                } else {
                    assert!((value - peer).abs() < POWER_LIMIT, "{place}: {value} and {peer}");
                }
            }
        }
    });
    assert!(compared > 1_000 && next.next().is_none(), "{compared} values");
}

/// The order of a bus among all of them, by their ids.
type Place = usize;

const PRIME: u64 = 1_000_000_007;

/// Whether a switch differs from its normal position in a state. Both are numbered; tests/peers/states.py has the same rule.
fn is_moved(state: usize, switch: usize) -> bool {
    const SHARES: [u32; 4] = [5, 30, 200, 500];
    let mut mixed = (state as u32).wrapping_mul(1_000_003).wrapping_add((switch as u32).wrapping_mul(7_919));
    for factor in [0x85EB_CA6B, 0xC2B2_AE35] {
        mixed = (mixed ^ (mixed >> 15)).wrapping_mul(factor);
    }
    state > 0 && (mixed ^ (mixed >> 16)) % 1_000 < SHARES[state % 4]
}

/// Returns what one line of the vectors has: open switches, buses without supply, islands, and the sums of both.
fn found(present: &NetworkState, switches: &[EquipmentId], places: &BTreeMap<NodeId, Place>) -> [u64; 5] {
    let opened = switches.iter().filter(|switch| present.position(**switch) == Contact::Open).count();
    let is_dead = |node: NodeId| !matches!(present.state(node), State::Energised | State::Conflict);
    let dead: Vec<Place> = places.iter().filter(|(node, _)| is_dead(**node)).map(|(_, place)| *place).collect();
    let of_dead: u64 = dead.iter().map(|place| (*place as u64 + 1).pow(2)).sum();
    let (mut islands, mut of_islands) = (0, 0);
    for island in present.islands().list {
        let members: Vec<u64> = island.nodes.iter().filter_map(|node| Some(*places.get(node)? as u64 + 1)).collect();
        if let Some(first) = members.iter().min() {
            islands += 1;
            of_islands += members.iter().map(|member| member * first).sum::<u64>();
        }
    }
    [opened as u64, dead.len() as u64, islands, of_dead % PRIME, of_islands % PRIME]
}

#[test]
fn islands_and_supply_agree_with_pandapower_in_2000_switch_states() {
    let client = simulators::utility::demo(33).clients.remove(0);
    let description = simulators::utility::network(&client);
    let model = Arc::new(description.to_model().expect("a model"));
    let mut present = NetworkState::new(Arc::clone(&model));
    let mut switches: Vec<EquipmentId> = model.all_equipment().filter(|equipment| model.kind(*equipment).is_switch()).collect();
    switches.sort_by_key(|switch| model.equipment_name(*switch));
    let mut buses: Vec<NodeId> = model.nodes().collect();
    buses.sort_by_key(|node| model.node_name(*node));
    let places: BTreeMap<NodeId, Place> = buses.into_iter().enumerate().map(|(place, node)| (node, place)).collect();
    let mut compared = 0;
    for (state, line) in include_str!("../vectors/demo_states.tsv").lines().enumerate() {
        let numbers: Vec<u64> = line.split('\t').map(|number| number.parse().expect("a number")).collect();
        for (number, switch) in switches.iter().enumerate() {
            let is_open = (model.normal(*switch) == Contact::Open) != is_moved(state, number);
            present.set_position(*switch, if is_open { Contact::Open } else { Contact::Closed });
        }
        present.settle();
        assert_eq!((numbers[0], found(&present, &switches, &places)), (state as u64, numbers[1..].try_into().expect("five")));
        compared += 1;
    }
    assert_eq!(compared, 2_000);
}
