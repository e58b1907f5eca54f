//! The network in its normal state as a graph. It has the nodes that each piece of equipment connects, and the distance of each node from a source.

use std::collections::{HashMap, VecDeque};
use std::ops::Deref;

use network::description::{ContainerKind, Electrical, Equipment};
use network::{Description, EquipmentKind};

/// The distance of a node without a path to a source.
pub(super) const FAR: usize = usize::MAX;

/// A network with its connections.
#[derive(Clone, Copy)]
pub(super) struct Graph<'a> {
    pub(super) network: &'a Description,
    connections: &'a Connections,
}

impl Deref for Graph<'_> {
    type Target = Connections;

    fn deref(&self) -> &Connections {
        self.connections
    }
}

/// The connections of a network, by the positions of its parts. The time to create them is proportional to the size of the network.
#[derive(Debug)]
pub(super) struct Connections {
    /// The nodes of each piece of equipment, in the order of its terminals. Empty for equipment out of service.
    pub(super) ends: Vec<Vec<usize>>,
    /// The equipment at each node, in the order of the network.
    pub(super) at: Vec<Vec<usize>>,
    /// The number of branches between each node and its nearest source.
    pub(super) depth: Vec<usize>,
    /// The branch that leads from each node towards the source.
    up: Vec<Option<(usize, usize)>>,
    containers: HashMap<Box<str>, usize>,
}

impl Connections {
    pub(super) fn new(network: &Description) -> Self {
        let nodes: HashMap<&str, usize> = network.nodes.iter().enumerate().map(|(position, node)| (node.id.as_str(), position)).collect();
        let ends_of = |equipment: &Equipment| -> Vec<usize> {
            let ends: Option<Vec<usize>> = equipment.terminals.iter().map(|terminal| nodes.get(terminal.node.as_str()).copied()).collect();
            ends.filter(|_| equipment.is_in_service).unwrap_or_default()
        };
        let ends: Vec<Vec<usize>> = network.equipment.iter().map(ends_of).collect();
        let mut at = vec![Vec::new(); network.nodes.len()];
        for (equipment, ends) in ends.iter().enumerate() {
            for node in ends {
                let here: &mut Vec<usize> = &mut at[*node];
                if here.last() != Some(&equipment) {
                    here.push(equipment);
                }
            }
        }
        let containers =
            network.containers.iter().enumerate().map(|(position, container)| (container.id.as_str().into(), position)).collect();
        let unknown = network.nodes.len();
        let mut connections = Self { ends, at, depth: vec![FAR; unknown], up: vec![None; unknown], containers };
        connections.measure(network);
        connections
    }

    /// Computes the distance of each node from a source in the normal state.
    fn measure(&mut self, network: &Description) {
        let kind = |equipment: &usize| network.equipment[*equipment].kind;
        let sources = (0..self.ends.len()).filter(|equipment| kind(equipment) == EquipmentKind::EnergySource);
        let mut ahead: VecDeque<usize> = sources.filter_map(|source| self.ends[source].first().copied()).collect();
        for node in &ahead {
            self.depth[*node] = 0;
        }
        while let Some(node) = ahead.pop_front() {
            for equipment in self.at[node].clone() {
                if is_open(network, equipment) {
                    continue;
                }
                for next in self.others(equipment, node) {
                    if self.depth[next] == FAR {
                        self.depth[next] = self.depth[node] + 1;
                        self.up[next] = Some((equipment, node));
                        ahead.push_back(next);
                    }
                }
            }
        }
    }

    /// Returns the other nodes of a piece of equipment.
    pub(super) fn others(&self, equipment: usize, node: usize) -> Vec<usize> {
        self.ends[equipment].iter().copied().filter(|end| *end != node).collect()
    }

    /// Whether equipment connects nodes.
    pub(super) fn is_branch(&self, equipment: usize) -> bool {
        self.ends[equipment].len() > 1
    }

    /// Returns the branch that leads towards the source, and the node at its other end.
    pub(super) fn towards_source(&self, node: usize) -> Option<(usize, usize)> {
        self.up[node]
    }
}

fn is_open(network: &Description, equipment: usize) -> bool {
    matches!(network.equipment[equipment].electrical, Electrical::Switch(switch) if switch.is_normally_open)
}

impl<'a> Graph<'a> {
    pub(super) fn new(network: &'a Description, connections: &'a Connections) -> Self {
        Self { network, connections }
    }

    pub(super) fn equipment(&self, position: usize) -> &'a Equipment {
        &self.network.equipment[position]
    }

    pub(super) fn kind(&self, equipment: usize) -> EquipmentKind {
        self.network.equipment[equipment].kind
    }

    /// Whether a switch is open in the normal state.
    pub(super) fn is_open(&self, equipment: usize) -> bool {
        is_open(self.network, equipment)
    }

    /// Returns the busbar section at a node.
    pub(super) fn busbar(&self, node: usize) -> Option<usize> {
        self.at[node].iter().copied().find(|equipment| self.kind(*equipment) == EquipmentKind::BusbarSection)
    }

    /// Returns a container and all containers that contain it, from the innermost to the outermost.
    pub(super) fn containers_of(&self, container: Option<&str>) -> impl Iterator<Item = usize> {
        // A circle of parents ends after as many steps as there are containers.
        let mut next = container.and_then(|id| self.containers.get(id).copied());
        let mut left = self.network.containers.len();
        std::iter::from_fn(move || {
            let here = next.filter(|_| left > 0)?;
            left -= 1;
            next = self.network.containers[here].parent.as_deref().and_then(|parent| self.containers.get(parent).copied());
            Some(here)
        })
    }

    /// Returns the innermost container of a kind around a container.
    pub(super) fn inside(&self, container: Option<&str>, kind: ContainerKind) -> Option<usize> {
        self.containers_of(container).find(|around| self.network.containers[*around].kind == kind)
    }

    pub(super) fn container_of_node(&self, node: usize) -> Option<&'a str> {
        self.network.nodes[node].container.as_deref()
    }

    pub(super) fn kv(&self, node: usize) -> Option<f64> {
        self.network.nodes[node].nominal_kv
    }
}
