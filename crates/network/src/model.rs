//! The connections of the network, stored in arrays. A model never changes: after a change of the network, a new model is built.

use std::collections::HashMap;

use crate::adjacency::{Adjacency, Neighbour};
use crate::texts::Texts;
use crate::{BranchId, Contact, EarthId, EquipmentId, EquipmentKind, NodeId, Phases, SourceId};

/// A connection between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Branch {
    /// The nodes that it connects.
    pub ends: [NodeId; 2],
    /// The equipment that it belongs to.
    pub equipment: EquipmentId,
    /// The phases that both ends have.
    pub phases: Phases,
    /// Whether it connects through windings or converters. Supply passes through them, an earth does not.
    pub is_winding: bool,
    /// Whether the voltages at its ends need not have the same frequency and phase.
    pub is_asynchronous: bool,
    /// The position in the normal state of the network. Lines and transformers are closed; equipment that is out of service is open.
    pub normal: Contact,
}

/// What equipment in service does at a node, as bits of [`Model::carriers`].
pub(crate) mod carrier {
    /// It takes or gives current.
    pub(crate) const CURRENT: u8 = 1;
    /// It is a source.
    pub(crate) const SOURCE: u8 = 2;
}

/// Equipment that may feed or earth a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Connected {
    pub(crate) node: NodeId,
    pub(crate) equipment: EquipmentId,
    pub(crate) phases: Phases,
    pub(crate) normal: Contact,
}

/// Customers and load at one node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Consumer {
    /// The number of customers.
    pub customers: u64,
    /// The connected load in kW.
    pub load_kw: f64,
}

/// The network of one utility.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(crate) node_ids: Texts,
    pub(crate) node_phases: Vec<Phases>,
    pub(crate) nominal_kv: Vec<Option<f32>>,
    /// Nodes that do not exist in the source of the model, in order.
    pub(crate) internal: Vec<NodeId>,
    /// Nodes with customers or load, in order.
    pub(crate) consumers: Vec<(NodeId, Consumer)>,
    pub(crate) equipment_ids: Texts,
    pub(crate) kinds: Vec<EquipmentKind>,
    /// For each piece of equipment its first terminal, and one more entry at the end.
    pub(crate) first_terminal: Vec<u32>,
    pub(crate) terminals: Vec<(NodeId, Phases)>,
    /// For each piece of equipment its first branch, and one more entry at the end.
    pub(crate) first_branch: Vec<u32>,
    pub(crate) branches: Vec<Branch>,
    pub(crate) sources: Vec<Connected>,
    /// The sources in the order of their nodes.
    pub(crate) sources_by_node: Vec<SourceId>,
    pub(crate) earths: Vec<Connected>,
    /// Nodes with a busbar section, in order.
    pub(crate) busbars: Vec<NodeId>,
    /// What takes or gives current at each node, see [`carrier`].
    pub(crate) carriers: Vec<u8>,
    /// Equipment that is out of service, in order, with its normal state when it is in service.
    pub(crate) out_of_service: Vec<(EquipmentId, Contact)>,
    pub(crate) adjacency: Adjacency,
    pub(crate) nodes_by_id: HashMap<Box<str>, NodeId>,
    pub(crate) equipment_by_id: HashMap<Box<str>, EquipmentId>,
    /// Whether any equipment has fewer than three phases, or a separate position for each phase.
    pub(crate) are_phases_separate: bool,
}

impl Model {
    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.node_phases.len()
    }

    /// Returns all nodes in the order in which they were added.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.node_phases.len() as u32).map(NodeId)
    }

    /// Returns the node at a position; `None` beyond the last one.
    pub fn node_at(&self, index: usize) -> Option<NodeId> {
        (index < self.node_count()).then_some(NodeId(index as u32))
    }

    /// Returns the id of a node in its source.
    pub fn node_name(&self, node: NodeId) -> &str {
        self.node_ids.get(node.index())
    }

    /// Returns the node that has this id in its source.
    pub fn node(&self, id: &str) -> Option<NodeId> {
        self.nodes_by_id.get(id).copied()
    }

    /// Whether the node does not exist in the source of the model: an import added it, such as the node between a switch and its line.
    pub fn is_internal(&self, node: NodeId) -> bool {
        self.internal.binary_search(&node).is_ok()
    }

    /// Returns the nominal voltage between phases in kV; `None` if it is not known.
    pub fn nominal_kv(&self, node: NodeId) -> Option<f32> {
        self.nominal_kv[node.index()]
    }

    /// Returns the phases of a node.
    pub fn phases(&self, node: NodeId) -> Phases {
        self.node_phases[node.index()]
    }

    /// Returns the customers and the load at a node.
    pub fn consumer(&self, node: NodeId) -> Consumer {
        self.consumers.binary_search_by_key(&node, |(at, _)| *at).map_or_else(|_| Consumer::default(), |found| self.consumers[found].1)
    }

    /// Returns the number of pieces of equipment.
    pub fn equipment_count(&self) -> usize {
        self.kinds.len()
    }

    /// Returns all equipment in the order in which it was added.
    pub fn all_equipment(&self) -> impl ExactSizeIterator<Item = EquipmentId> + use<> {
        (0..self.kinds.len() as u32).map(EquipmentId)
    }

    /// Returns the equipment that has this id in its source.
    pub fn equipment(&self, id: &str) -> Option<EquipmentId> {
        self.equipment_by_id.get(id).copied()
    }

    /// Returns the id of the equipment in its source.
    pub fn equipment_name(&self, equipment: EquipmentId) -> &str {
        self.equipment_ids.get(equipment.index())
    }

    /// Returns what the equipment is.
    pub fn kind(&self, equipment: EquipmentId) -> EquipmentKind {
        self.kinds[equipment.index()]
    }

    /// Whether equipment is in service. A switch or a source that is out of service connects and feeds nothing, whatever it reports: a breaker that is racked
    /// out can be closed for a test. The position of an earth switch is always used.
    pub fn is_in_service(&self, equipment: EquipmentId) -> bool {
        self.out_of_service_at(equipment).is_none()
    }

    /// Whether equipment stays open, whatever it reports.
    pub(crate) fn is_held_open(&self, equipment: EquipmentId) -> bool {
        let kind = self.kind(equipment);
        (kind.is_switch() || kind.may_feed()) && !self.is_in_service(equipment)
    }

    pub(crate) fn out_of_service_at(&self, equipment: EquipmentId) -> Option<usize> {
        self.out_of_service.binary_search_by_key(&equipment, |(out, _)| *out).ok()
    }

    /// Returns the node and the phases of each terminal of a piece of equipment, in order.
    pub fn terminals_of(&self, equipment: EquipmentId) -> &[(NodeId, Phases)] {
        let (first, end) = (self.first_terminal[equipment.index()], self.first_terminal[equipment.index() + 1]);
        &self.terminals[first as usize..end as usize]
    }

    /// Returns the branches of a piece of equipment: one for a switch, a line or a transformer with two ends, two for a transformer with three ends, none for
    /// other equipment.
    pub fn branches_of(&self, equipment: EquipmentId) -> impl ExactSizeIterator<Item = BranchId> + use<> {
        (self.first_branch[equipment.index()]..self.first_branch[equipment.index() + 1]).map(BranchId)
    }

    /// Returns all branches.
    pub fn branches(&self) -> impl ExactSizeIterator<Item = BranchId> + use<> {
        (0..self.branches.len() as u32).map(BranchId)
    }

    /// Returns a branch.
    pub fn branch(&self, branch: BranchId) -> &Branch {
        &self.branches[branch.index()]
    }

    /// Returns all sources.
    pub fn sources(&self) -> impl ExactSizeIterator<Item = SourceId> + use<> {
        (0..self.sources.len() as u32).map(SourceId)
    }

    /// Returns the equipment of a source.
    pub fn source_equipment(&self, source: SourceId) -> EquipmentId {
        self.sources[source.index()].equipment
    }

    /// Returns the id of a piece of equipment as a source; `None` if it is not a source.
    pub fn source_of(&self, equipment: EquipmentId) -> Option<SourceId> {
        position_of(&self.sources, equipment).map(SourceId)
    }

    /// Returns all connections with earth.
    pub fn earths(&self) -> impl ExactSizeIterator<Item = EarthId> + use<> {
        (0..self.earths.len() as u32).map(EarthId)
    }

    /// Returns the equipment of a connection to earth.
    pub fn earth_equipment(&self, earth: EarthId) -> EquipmentId {
        self.earths[earth.index()].equipment
    }

    /// Returns the id of a piece of equipment as a connection to earth; `None` if it is not one.
    pub fn earth_of(&self, equipment: EquipmentId) -> Option<EarthId> {
        position_of(&self.earths, equipment).map(EarthId)
    }

    /// Returns the phases in which equipment has a state: the phases of a source or an earth switch, or the phases that the ends of a branch have in common.
    pub fn phases_with_contact(&self, equipment: EquipmentId) -> Phases {
        if self.source_of(equipment).is_some() || self.earth_of(equipment).is_some() {
            return self.terminals_of(equipment)[0].1;
        }
        self.branches_of(equipment).map(|branch| self.branch(branch).phases).fold(Phases::NONE, Phases::union)
    }

    /// Whether a node has a busbar section.
    pub(crate) fn is_busbar(&self, node: NodeId) -> bool {
        self.busbars.binary_search(&node).is_ok()
    }

    /// Returns the sources at a node, in order.
    pub(crate) fn sources_at(&self, node: NodeId) -> impl Iterator<Item = SourceId> {
        let first = self.sources_by_node.partition_point(|source| self.sources[source.index()].node < node);
        self.sources_by_node[first..].iter().copied().take_while(move |source| self.sources[source.index()].node == node)
    }

    pub(crate) fn neighbours(&self, node: NodeId) -> &[Neighbour] {
        self.adjacency.of(node)
    }
}

/// Returns the position of a piece of equipment in a list that is ordered by equipment; `None` if it is not in the list.
fn position_of(connected: &[Connected], equipment: EquipmentId) -> Option<u32> {
    connected.binary_search_by_key(&equipment, |at| at.equipment).ok().map(|position| position as u32)
}
