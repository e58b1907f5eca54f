//! Finds the nodes of a drawing in the network of the utility. The drawing provides the names of its equipment, the network its connections.

use std::collections::BTreeSet;

use network::{EquipmentId, Model, NodeId};
use serde_json::Value;

use crate::wiring::Wiring;

/// Equipment as drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DrawnEquipment {
    /// The id of the element.
    id: Option<String>,
    /// The code of its asset.
    asset: Option<String>,
    /// The point that reports its position, `device/metric`.
    point: Option<String>,
    /// The node of each terminal in the drawing.
    nodes: Vec<usize>,
}

impl DrawnEquipment {
    /// Returns the elements with terminals.
    pub(crate) fn of(body: &Value, wiring: &Wiring) -> Vec<Self> {
        let elements = body.get("elements").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let drawn = elements.iter().zip(&wiring.elements).filter(|(_, wired)| !wired.nodes.is_empty());
        drawn
            .map(|(element, wired)| {
                let text = |key: &str| element.get(key).and_then(Value::as_str).map(str::to_owned);
                let point = element.get("position").and_then(|position| position.get("point")).and_then(Value::as_str);
                Self { id: text("id"), asset: text("asset"), point: point.map(str::to_owned), nodes: wired.nodes.clone() }
            })
            .collect()
    }

    /// Returns the id of the element.
    pub(crate) fn element(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the same equipment in the network: what has its id, the code of its asset, or its point. Several pieces can have one point, as three switches
    /// of one phase each.
    pub(crate) fn in_network<'n>(&self, station: &str, network: &Model, of_point: impl Fn(&str) -> &'n [EquipmentId]) -> Vec<EquipmentId> {
        let named = |name: &Option<String>| network.equipment(&format!("{station}/{}", name.as_deref()?));
        let by_point = || self.point.as_deref().map_or_else(Vec::new, |point| of_point(point).to_vec());
        let mut found = named(&self.id).or_else(|| named(&self.asset)).map_or_else(by_point, |found| vec![found]);
        found.retain(|of| network.terminals_of(*of).len() == self.nodes.len());
        found
    }
}

/// The node of the network for each node of a drawing; `None` for a node that is not in the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places(Vec<Option<NodeId>>);

impl Places {
    /// Finds the nodes; `None` if no equipment of the drawing is in the network.
    ///
    /// A node is the one that all equipment at it has in common. If only one piece of equipment is left at it, it is the terminal that is not the other
    /// node of that equipment. Of several pieces of equipment with the point of an element, those count that agree with the nodes that are known. A node at which drawing and network contradict each other is not found, so its state is unknown.
    pub(crate) fn find<'n>(
        drawn: &[DrawnEquipment],
        node_count: usize,
        station: &str,
        network: &Model,
        of_point: impl Fn(&str) -> &'n [EquipmentId],
    ) -> Option<Self> {
        let found = drawn.iter().map(|equipment| (equipment, equipment.in_network(station, network, &of_point)));
        let same: Vec<(&DrawnEquipment, Vec<EquipmentId>)> = found.filter(|(_, found)| !found.is_empty()).collect();
        if same.is_empty() {
            return None;
        }
        let mut candidates: Vec<Option<BTreeSet<NodeId>>> = vec![None; node_count];
        for (equipment, found) in &same {
            let terminals: BTreeSet<NodeId> = found.iter().flat_map(|of| network.terminals_of(*of)).map(|(node, _)| *node).collect();
            for node in &equipment.nodes {
                let held = &mut candidates[*node];
                *held = Some(held.take().map_or_else(|| terminals.clone(), |held| held.intersection(&terminals).copied().collect()));
            }
        }
        // Each turn finds a node or is the last.
        loop {
            let mut has_changed = false;
            for (equipment, found) in &same {
                for (one, other) in equipment.nodes.iter().flat_map(|one| equipment.nodes.iter().map(move |other| (*one, *other))) {
                    let Some(known) = single(candidates[one].as_ref()).filter(|_| one != other) else { continue };
                    let opposite = opposite_ends(found, known, network);
                    let Some(held) = candidates[other].as_mut().filter(|held| !opposite.is_empty() && held.len() > 1) else { continue };
                    let before = held.len();
                    held.retain(|node| opposite.contains(node));
                    has_changed |= held.len() < before;
                }
            }
            if !has_changed {
                break;
            }
        }
        Some(Self(candidates.iter().map(|candidates| single(candidates.as_ref())).collect()))
    }

    /// Returns places for a drawing of which no node is known in a network.
    pub(crate) fn none(node_count: usize) -> Self {
        Self(vec![None; node_count])
    }

    /// Returns the node of the network for each node of the drawing.
    pub fn all(&self) -> &[Option<NodeId>] {
        &self.0
    }

    /// Returns the nodes that were found, each with its number in the drawing.
    pub fn iter(&self) -> impl Iterator<Item = (usize, NodeId)> + '_ {
        self.0.iter().enumerate().filter_map(|(number, node)| Some((number, (*node)?)))
    }
}

/// Returns the nodes that can be at another end of equipment of which one end is at `known`.
fn opposite_ends(equipment: &[EquipmentId], known: NodeId, network: &Model) -> BTreeSet<NodeId> {
    let mut opposite = BTreeSet::new();
    for of in equipment {
        let nodes = network.terminals_of(*of).iter().map(|(node, _)| *node);
        let is_both = nodes.clone().filter(|node| *node == known).count() > 1;
        if nodes.clone().any(|node| node == known) {
            opposite.extend(nodes.filter(|node| is_both || *node != known));
        }
    }
    opposite
}

fn single(candidates: Option<&BTreeSet<NodeId>>) -> Option<NodeId> {
    candidates.filter(|candidates| candidates.len() == 1).and_then(|candidates| candidates.first().copied())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use network::{Contact, NetworkState, State};
    use serde_json::{Value, json};
    use simulators::utility::demo;

    use super::*;
    use crate::picture::Drawn;

    fn drawn(elements: &Value) -> (Vec<DrawnEquipment>, usize) {
        let body = json!({ "elements": elements });
        let wiring = Wiring::of_value(&body);
        (DrawnEquipment::of(&body, &wiring), wiring.node_count)
    }

    #[test]
    fn each_node_of_the_demo_is_found_and_has_the_state_that_its_drawing_gives() {
        let mut random = 1_u64;
        let mut next = move |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let mut compared = 0;
        for client in demo(33).clients {
            let model = Arc::new(simulators::utility::network(&client).to_model().expect("a model"));
            for substation in &client.substations {
                let body = serde_json::to_value(&substation.drawing).expect("a drawing");
                let wiring = Wiring::of_value(&body);
                let drawn = Drawn::new(grid::NodeId(1), grid::Micros(0), &body);
                let places = drawn.places(&substation.code, &model, |_| &[]).expect("in the network");
                let lost: Vec<usize> = (0..wiring.node_count).filter(|node| places.all()[*node].is_none()).collect();
                assert!(lost.is_empty(), "{}: {lost:?}", substation.code);
                let connections = wiring.connections();
                for _ in 0..20 {
                    let mut state = NetworkState::new(Arc::clone(&model));
                    let mut contacts = std::collections::BTreeMap::new();
                    for (_, point) in &connections.positions {
                        let asset = point.rsplit('/').nth(1).expect("an asset");
                        let contact = if asset.ends_with("ES") || next(4) == 0 { Contact::Open } else { Contact::Closed };
                        let equipment = model.equipment(&format!("{}/{asset}", substation.code)).expect("a switch");
                        state.set_contact(equipment, contact);
                        contacts.insert(point.clone(), contact);
                    }
                    state.settle();
                    // The drawing takes its incoming lines for sources, which they are not while they are dead.
                    let lines = (1..=substation.plan.incomers.len()).map(|line| format!("{}/INC{line}/line", substation.code));
                    if !lines.clone().all(|line| model.node(&line).is_some_and(|node| state.state(node) == State::Energised)) {
                        continue;
                    }
                    let expected = connections.states(|point| contacts[point], Contact::Closed);
                    for (node, place) in places.iter() {
                        // A feeder can be fed from its far end.
                        if expected[node] == State::Energised {
                            assert_eq!(state.state(place), State::Energised, "{} {node}", substation.code);
                        }
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 1_000, "{compared}");
    }

    #[test]
    fn element_is_the_piece_of_equipment_with_its_point_that_fits_its_neighbours() {
        use network::EquipmentKind::{Breaker, BusbarSection};

        let mut builder = network::ModelBuilder::new();
        let nodes: Vec<NodeId> = ["a", "b", "c", "d"].map(|id| builder.add_node(id, None).expect("a node")).to_vec();
        for (id, kind, ends, phases) in [
            ("S/BUS", BusbarSection, &nodes[..1], network::Phases::ABC),
            ("S/beside", Breaker, &nodes[2..], network::Phases::ABC),
            ("S/Q0-A", Breaker, &nodes[..2], network::Phases::parse("A").expect("a phase")),
            ("S/Q0-B", Breaker, &nodes[..2], network::Phases::parse("B").expect("a phase")),
        ] {
            let terminals: Vec<_> = ends.iter().map(|node| (*node, phases)).collect();
            let consumer = network::Consumer::default();
            builder.add(network::NewEquipment { id, kind, terminals: &terminals, normal: Contact::Closed, consumer }).expect("equipment");
        }
        let model = builder.build();
        let together = ["S/beside", "S/Q0-A", "S/Q0-B"].map(|id| model.equipment(id).expect("equipment"));
        let (equipment, count) = drawn(&json!([
            { "id": "BUS", "class": "busbar", "nodes": ["x"] },
            { "id": "1", "class": "breaker", "nodes": ["x", "y"], "position": { "point": "Q0/Pos" } },
        ]));
        let of_point = |point: &str| if point == "Q0/Pos" { &together[..] } else { &[] };
        let places = Places::find(&equipment, count, "S", &model, of_point).expect("in the network");
        assert_eq!(places.all(), [Some(nodes[0]), Some(nodes[1])]);
    }

    #[test]
    fn node_at_which_drawing_and_network_contradict_is_not_found() {
        let mut builder = network::ModelBuilder::new();
        let nodes: Vec<NodeId> = ["a", "b", "c", "d"].map(|id| builder.add_node(id, None).expect("a node")).to_vec();
        for (id, kind, ends) in [
            ("S/Q0", network::EquipmentKind::Breaker, &nodes[..2]),
            ("S/Q1", network::EquipmentKind::Disconnector, &nodes[2..]),
            ("S/BUS", network::EquipmentKind::BusbarSection, &nodes[..1]),
        ] {
            let terminals: Vec<_> = ends.iter().map(|node| (*node, network::Phases::ABC)).collect();
            let consumer = network::Consumer::default();
            builder.add(network::NewEquipment { id, kind, terminals: &terminals, normal: Contact::Closed, consumer }).expect("equipment");
        }
        let model = builder.build();
        let (equipment, count) = drawn(&json!([
            { "id": "BUS", "class": "busbar", "nodes": ["x"] },
            { "id": "Q0", "class": "breaker", "nodes": ["x", "y"] },
            { "asset": "Q1", "class": "isolator", "nodes": ["y", "z"] },
        ]));
        let places = Places::find(&equipment, count, "S", &model, |_| &[]).expect("in the network");
        assert_eq!(places.all(), [Some(nodes[0]), None, None], "the network does not connect Q0 with Q1");
        assert_eq!(Places::find(&equipment, count, "T", &model, |_| &[]), None, "another substation");
    }
}
