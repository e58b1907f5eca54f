//! The network of a wiring: its nodes, switches, sources and earths.

use std::collections::HashMap;
use std::sync::Arc;

use grid::PointId;
use network::live::{Bindings, Presence};
use network::{
    BuildError, Consumer, Contact, EquipmentId, EquipmentKind, Model, ModelBuilder, NetworkState, NewEquipment, NodeId, Phases, State,
};

use super::{Switch, Wiring};

/// The network of a drawing. Every switch with a point, and every source, is unknown until it is set.
#[derive(Debug, Clone)]
pub struct Connections {
    /// The network.
    pub model: Arc<Model>,
    /// The node of the network for each node of the wiring.
    pub nodes: Vec<NodeId>,
    /// Equipment with a position: the point `device/metric`. Several can have the same point.
    pub positions: Vec<(EquipmentId, String)>,
    /// Sources without a point.
    pub sources: Vec<EquipmentId>,
}

impl Connections {
    /// Returns the state of each node of the wiring for given positions of the points and a given state of the sources without a point.
    pub fn states(&self, position: impl Fn(&str) -> Contact, sources: Contact) -> Vec<State> {
        let mut network = NetworkState::new(Arc::clone(&self.model));
        for (equipment, point) in &self.positions {
            network.set_contact(*equipment, position(point));
        }
        for source in &self.sources {
            network.set_contact(*source, sources);
        }
        network.settle();
        self.nodes.iter().map(|node| network.state(*node)).collect()
    }

    /// Binds the positions to points. Sources without a point are present while positions of the substation are received.
    pub fn bind(&self, points: &HashMap<String, PointId>) -> Bindings {
        let bound = |(equipment, address): &(EquipmentId, String)| Some((*points.get(address)?, *equipment, Phases::ABC));
        Bindings {
            positions: self.positions.iter().filter_map(bound).collect(),
            sources: self.sources.iter().map(|source| (*source, Presence::WhileReceived)).collect(),
            voltages: Vec::new(),
        }
    }
}

impl Wiring {
    /// Returns the network from which the node states are computed.
    pub fn connections(&self) -> Connections {
        let mut building = Building { builder: ModelBuilder::new(), positions: Vec::new(), sources: Vec::new(), count: 0 };
        let nodes = self.add_to(&mut building).expect("a wiring has few nodes, and each number and id once");
        let Building { builder, positions, sources, .. } = building;
        Connections { model: Arc::new(builder.build()), nodes, positions, sources }
    }

    /// Returns the node of the network for each node of the wiring.
    fn add_to(&self, building: &mut Building) -> Result<Vec<NodeId>, BuildError> {
        let nodes = (0..self.node_count).map(|node| building.builder.add_node(&node.to_string(), None)).collect::<Result<Vec<_>, _>>()?;
        for joint in self.branches.iter().filter(|joint| joint.a != joint.b) {
            let kind = if joint.is_winding { EquipmentKind::PowerTransformer } else { EquipmentKind::Switch };
            building.add(kind, &[nodes[joint.a], nodes[joint.b]], &joint.switch)?;
        }
        // The number of sources and earths at a node has a limit, so each further one gets a node that is joined with it.
        let mut next = nodes.clone();
        for (of, kind) in [(&self.sources, EquipmentKind::EnergySource), (&self.earths, EquipmentKind::GroundDisconnector)] {
            for (node, switch) in of {
                match building.add(kind, &[next[*node]], switch) {
                    Err(BuildError::TooManyAtNode(_)) => {
                        let further = building.builder.add_internal_node(&format!("further:{}", building.count))?;
                        building.add(EquipmentKind::LineSegment, &[next[*node], further], &Switch::Always)?;
                        next[*node] = further;
                        building.add(kind, &[further], switch)?;
                    }
                    other => other?,
                }
            }
        }
        Ok(nodes)
    }
}

struct Building {
    builder: ModelBuilder,
    positions: Vec<(EquipmentId, String)>,
    sources: Vec<EquipmentId>,
    count: usize,
}

impl Building {
    fn add(&mut self, kind: EquipmentKind, nodes: &[NodeId], switch: &Switch) -> Result<(), BuildError> {
        let terminals: Vec<(NodeId, Phases)> = nodes.iter().map(|node| (*node, Phases::ABC)).collect();
        let is_source = kind == EquipmentKind::EnergySource;
        let normal = if *switch == Switch::Always && !is_source { Contact::Closed } else { Contact::Unknown };
        let id = format!("{}:{}", kind.as_str(), self.count);
        let added = self.builder.add(NewEquipment { id: &id, kind, terminals: &terminals, normal, consumer: Consumer::default() })?;
        self.count += 1;
        match switch {
            Switch::Point(point) => self.positions.push((added, point.clone())),
            Switch::Always if is_source => self.sources.push(added),
            Switch::Always | Switch::Unknown => {}
        }
        Ok(())
    }
}
