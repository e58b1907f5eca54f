//! What could go wrong when a switch or an earth switch moves, in any combination of the unknown positions.
//!
//! [`crate::Consequences`] compares the states before and after a move, for display. A decision needs another answer: whether there is one combination of the
//! unknown positions in which the move is dangerous. So nothing is left out here because it may be so already.

use crate::forest::Parents;
use crate::model::carrier;
use crate::network_state::{Conduct, Layer, MeasuredAt, Quantity};
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

/// What is on one side of a switch, as far as it was searched.
struct Side {
    nodes: Vec<NodeId>,
    /// The position in `nodes` of the next one to search from.
    at: usize,
    has_source: bool,
    has_current: bool,
    /// Whether a source is there that feeds the network whenever it is present.
    can_be_fed: bool,
}

impl Side {
    fn new(end: NodeId) -> Self {
        Self { nodes: vec![end], at: 0, has_source: false, has_current: false, can_be_fed: false }
    }

    fn is_exhausted(&self) -> bool {
        self.at == self.nodes.len()
    }
}

/// Whether the two sides of a switch are joined, or what is on each of them.
enum Sides {
    Joined { can_be_fed: bool },
    Apart([Side; 2]),
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
        let unexplained = self.unexplained();
        for (layer, ends) in self.connections(equipment) {
            let is_live = ends.into_iter().any(|end| may_be_live(layer, end));
            let [one, other] = match self.sides(layer, equipment, ends, is_live, &unexplained) {
                Sides::Joined { can_be_fed } if is_live || can_be_fed => return Some(Current::Loop),
                Sides::Joined { .. } => continue,
                Sides::Apart(sides) => sides,
            };
            if !(is_live || one.can_be_fed || other.can_be_fed) || !one.has_current || !other.has_current {
                continue;
            }
            let behind = match (one.has_source, other.has_source) {
                (false, true) => self.consumers(&one.nodes),
                (true, false) => self.consumers(&other.nodes),
                _ => {
                    let [one, other] = [one, other].map(|side| self.consumers(&side.nodes));
                    if one.load_kw <= other.load_kw { one } else { other }
                }
            };
            let is_load = behind.customers > 0 || behind.load_kw > 0.0;
            return Some(if is_load { Current::Load(behind) } else { Current::Exchange });
        }
        None
    }

    /// Searches both sides of a switch by turns until the smaller one is known, and the larger one only as far as the answer depends on it: mostly up to its first
    /// source. `unexplained`: nodes with a voltage that no source can explain, in order.
    fn sides(&self, layer: &Layer, equipment: EquipmentId, ends: [NodeId; 2], is_live: bool, unexplained: &[NodeId]) -> Sides {
        let mut sides = ends.map(Side::new);
        // For each node a bit of each side that has found it.
        let mut found = vec![0_u8; self.model.node_count()];
        for (at, end) in ends.into_iter().enumerate() {
            found[end.index()] |= 1 << at;
        }
        let mut are_joined = ends[0] == ends[1];
        let mut turn = 0;
        loop {
            let is_decided = |known: &Side, other: &Side| {
                let is_fed = is_live || known.can_be_fed || other.can_be_fed;
                let is_other_known = other.is_exhausted() || is_fed && !known.has_source && other.has_source;
                known.is_exhausted() && (!known.has_current || is_other_known)
            };
            let [one, other] = &sides;
            if are_joined {
                let can_be_fed = one.can_be_fed || other.can_be_fed;
                if is_live || can_be_fed || one.is_exhausted() && other.is_exhausted() {
                    return Sides::Joined { can_be_fed };
                }
            } else if is_decided(one, other) || is_decided(other, one) {
                return Sides::Apart(sides);
            }
            if sides[turn].is_exhausted() {
                turn = 1 - turn;
            }
            are_joined |= self.search_on(layer, equipment, &mut sides[turn], turn, &mut found, unexplained);
            turn = 1 - turn;
        }
    }

    /// Searches from the next node of a side. Returns whether the other side has found one of its neighbours.
    fn search_on(
        &self,
        layer: &Layer,
        equipment: EquipmentId,
        side: &mut Side,
        number: usize,
        found: &mut [u8],
        unexplained: &[NodeId],
    ) -> bool {
        let Some(node) = side.nodes.get(side.at).copied() else { return false };
        side.at += 1;
        let carriers = self.model.carriers[node.index()];
        side.has_source |= carriers & carrier::SOURCE != 0;
        side.has_current |= carriers & carrier::CURRENT != 0 || unexplained.binary_search(&node).is_ok();
        side.can_be_fed |= self.model.sources_at(node).any(|source| self.can_return(source));
        let mut are_joined = false;
        for next in self.model.neighbours(node) {
            let is_passed = self.conduct[next.branch.index()].may_be_closed(layer.phase());
            if !is_passed || self.model.branch(next.branch).equipment == equipment {
                continue;
            }
            let by = &mut found[next.node.index()];
            are_joined |= *by & (1 << (1 - number)) != 0;
            if *by & (1 << number) == 0 {
                *by |= 1 << number;
                side.nodes.push(next.node);
            }
        }
        are_joined
    }

    /// Returns the nodes with a measured voltage that no source can explain, in order: something that nobody knows feeds them.
    fn unexplained(&self) -> Vec<NodeId> {
        let is_unexplained = |(node, measured): (&NodeId, &MeasuredAt)| {
            (!measured.live.is_empty() && self.possibly_supplied(*node).is_empty()).then_some(*node)
        };
        let mut nodes: Vec<NodeId> = self.measured.iter().filter_map(is_unexplained).collect();
        nodes.sort_unstable();
        nodes
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
}

pub(crate) fn may_be_live(layer: &Layer, node: NodeId) -> bool {
    layer.reach(Quantity::PossibleSupply).parents.is_reached(node) || layer.is_measured(node)[1]
}

pub(crate) fn is_certainly_live(layer: &Layer, node: NodeId) -> bool {
    layer.reach(Quantity::Supply).parents.is_reached(node) || layer.is_measured(node)[0]
}
