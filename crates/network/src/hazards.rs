//! What could go wrong when a switch or an earth switch moves, in any combination of the unknown positions.
//!
//! [`crate::Consequences`] compares the states before and after a move, for display. A decision needs another answer: whether there is one combination of the
//! unknown positions in which the move is dangerous. So nothing is left out here because it may be so already.

use crate::forest::Parents;
use crate::network_state::{Conduct, Layer, Quantity};
use crate::{Consumer, Contact, EquipmentId, EquipmentKind, NetworkState, NodeId, Phases, SourceId};

/// Why a switch carries, or may carry, a current that it is not made to break or make.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Current {
    /// Its ends are, or may be, joined another way too: the current of a loop.
    Loop,
    /// Consumers are, or may be, on the side that is given here.
    Load(Consumer),
    /// Something else that takes or gives current is, or may be, on each side: a source, a generator, a capacitor, a line with direct current.
    Exchange,
}

/// What is on one side of a switch.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    consumer: Consumer,
    has_source: bool,
    has_current: bool,
}

/// What takes or gives current at each node.
struct Carriers {
    has_current: Vec<bool>,
    has_source: Vec<bool>,
}

impl NetworkState {
    /// Returns the nodes that the closing of a switch may energise, in order. Each of them is joined with an end that is not certainly live, by branches that are
    /// or may be closed, and the other end is or may be live.
    pub fn may_energise(&self, equipment: EquipmentId) -> Vec<NodeId> {
        let mut found = Vec::new();
        for (layer, [a, b]) in self.connections(equipment) {
            for (near, far) in [(a, b), (b, a)] {
                if may_be_live(layer, near) {
                    let is_stopped = |node: NodeId| is_certainly_live(layer, node);
                    found.extend(self.side(layer, Some(equipment), far, is_stopped));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the nodes that a conductor between two nodes may energise in some phases, see [`NetworkState::may_energise`].
    pub(crate) fn may_be_energised_by_jumper(&self, [a, b]: [NodeId; 2], phases: Phases) -> Vec<NodeId> {
        let mut found = Vec::new();
        for layer in self.layers.iter().filter(|layer| !phases.intersection(layer.phases).is_empty()) {
            for (near, far) in [(a, b), (b, a)] {
                if may_be_live(layer, near) {
                    found.extend(self.side(layer, None, far, |node| is_certainly_live(layer, node)));
                }
            }
        }
        found
    }

    /// Returns whether a phase at an end of equipment is or may be live.
    pub fn may_be_live_at(&self, equipment: EquipmentId) -> bool {
        let terminals = self.model.terminals_of(equipment);
        let is_live = |layer: &Layer| {
            terminals.iter().any(|(node, phases)| !phases.intersection(layer.phases).is_empty() && may_be_live(layer, *node))
        };
        self.layers.iter().any(is_live)
    }

    /// Returns a source that is gone at one of some nodes. Who energises the nodes feeds back to where it comes from, and is joined with it when it returns.
    pub fn gone_source_at(&self, nodes: &[NodeId]) -> Option<EquipmentId> {
        self.source_with(nodes, Contact::Open)
    }

    /// Returns a source at one of some nodes of which it is not known whether it is gone, see [`NetworkState::gone_source_at`].
    pub fn unknown_source_at(&self, nodes: &[NodeId]) -> Option<EquipmentId> {
        self.source_with(nodes, Contact::Unknown)
    }

    fn source_with(&self, nodes: &[NodeId], presence: Contact) -> Option<EquipmentId> {
        let sources = nodes.iter().flat_map(|node| self.model.sources_at(*node)).filter(|source| self.can_return(*source));
        let mut found = sources.filter(|source| self.source(*source) == presence).map(|source| self.model.source_equipment(source));
        found.find(|source| self.model.kind(*source) == EquipmentKind::EnergySource)
    }

    /// Returns why a switch carries current, or would if it were closed; `None` if it certainly does not. The current of a line or a transformer without load is left
    /// out. A source that is gone counts as present: it can return at any time, and a failed measurement shows it as gone.
    pub fn may_carry_current(&self, equipment: EquipmentId) -> Option<Current> {
        let mut carriers = None;
        for (layer, [a, b]) in self.connections(equipment) {
            let nodes = [a, b].map(|end| self.side(layer, Some(equipment), end, |_| false));
            let is_live = may_be_live(layer, a) || may_be_live(layer, b);
            if !is_live && !nodes.iter().flatten().any(|node| self.model.sources_at(*node).any(|source| self.can_return(source))) {
                continue;
            }
            if nodes[0].contains(&b) {
                return Some(Current::Loop);
            }
            let carriers = carriers.get_or_insert_with(|| self.carriers());
            let [one, other] = nodes.map(|nodes| self.on_side(&nodes, carriers));
            if one.has_current && other.has_current {
                let is_one_behind = match (one.has_source, other.has_source) {
                    (false, true) => true,
                    (true, false) => false,
                    _ => one.consumer.load_kw <= other.consumer.load_kw,
                };
                let behind = if is_one_behind { one } else { other }.consumer;
                let is_load = behind.customers > 0 || behind.load_kw > 0.0;
                return Some(if is_load { Current::Load(behind) } else { Current::Exchange });
            }
        }
        None
    }

    /// Returns whether a source, a generator or a battery feeds the network whenever it is present.
    pub(crate) fn can_return(&self, source: SourceId) -> bool {
        self.model.is_in_service(self.model.source_equipment(source))
    }

    /// Returns the phases in which a switch connects two nodes, with these nodes. None for equipment that stays open.
    pub(crate) fn connections(&self, equipment: EquipmentId) -> impl Iterator<Item = (&Layer, [NodeId; 2])> {
        let branches = self.model.branches_of(equipment).filter(move |_| !self.model.is_held_open(equipment));
        let branches = branches.map(|branch| self.model.branch(branch));
        branches.flat_map(|branch| {
            let layers = self.layers.iter().filter(|layer| !branch.phases.intersection(layer.phases).is_empty());
            layers.map(|layer| (layer, branch.ends))
        })
    }

    /// Returns the nodes that are or may be joined with an end of equipment without passing the equipment, or a node at which the search stops.
    pub(crate) fn side(
        &self,
        layer: &Layer,
        equipment: Option<EquipmentId>,
        end: NodeId,
        is_stopped: impl Fn(NodeId) -> bool,
    ) -> Vec<NodeId> {
        self.joined(|conduct| conduct.may_be_closed(layer.phase()), equipment, end, is_stopped)
    }

    /// Returns the nodes that are certainly joined with an end of equipment without passing the equipment.
    pub(crate) fn certain_side(&self, layer: &Layer, equipment: Option<EquipmentId>, end: NodeId) -> Vec<NodeId> {
        self.joined(|conduct| conduct.is_closed(layer.phase()), equipment, end, |_| false)
    }

    fn joined(
        &self,
        is_passed: impl Fn(Conduct) -> bool,
        equipment: Option<EquipmentId>,
        end: NodeId,
        is_stopped: impl Fn(NodeId) -> bool,
    ) -> Vec<NodeId> {
        if is_stopped(end) {
            return Vec::new();
        }
        let (mut nodes, mut at) = (vec![end], 0);
        let mut is_found = vec![false; self.model.node_count()];
        is_found[end.index()] = true;
        while let Some(node) = nodes.get(at).copied() {
            at += 1;
            for next in self.model.neighbours(node) {
                let is_passed = is_passed(self.conduct[next.branch.index()])
                    && Some(self.model.branch(next.branch).equipment) != equipment
                    && !is_stopped(next.node);
                if is_passed && !std::mem::replace(&mut is_found[next.node.index()], true) {
                    nodes.push(next.node);
                }
            }
        }
        nodes
    }

    fn carriers(&self) -> Carriers {
        let none = || vec![false; self.model.node_count()];
        let mut carriers = Carriers { has_current: none(), has_source: none() };
        for equipment in self.model.all_equipment() {
            let kind = self.model.kind(equipment);
            if !kind.takes_or_gives_current() || !self.model.is_in_service(equipment) {
                continue;
            }
            for (node, _) in self.model.terminals_of(equipment) {
                carriers.has_current[node.index()] = true;
                carriers.has_source[node.index()] |= kind == EquipmentKind::EnergySource;
            }
        }
        // A voltage that no source can explain has a source that nobody knows.
        for (node, measured) in &self.measured {
            if !measured.live.is_empty() && self.possibly_supplied(*node).is_empty() {
                carriers.has_current[node.index()] = true;
            }
        }
        carriers
    }

    fn on_side(&self, nodes: &[NodeId], carriers: &Carriers) -> Side {
        let mut side = Side { consumer: self.consumers(nodes), ..Side::default() };
        for node in nodes {
            side.has_source |= carriers.has_source[node.index()];
            side.has_current |= carriers.has_current[node.index()];
        }
        side
    }
}

pub(crate) fn may_be_live(layer: &Layer, node: NodeId) -> bool {
    layer.reach(Quantity::PossibleSupply).parents.is_reached(node) || layer.is_measured(node)[1]
}

pub(crate) fn is_certainly_live(layer: &Layer, node: NodeId) -> bool {
    layer.reach(Quantity::Supply).parents.is_reached(node) || layer.is_measured(node)[0]
}
