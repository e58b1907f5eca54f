//! Sections between switches, the equipment that isolates them, and the switches that could feed them.

use crate::{BranchId, Contact, EquipmentId, Model, NetworkState, NodeId, Phase, State};

/// A set of nodes that are connected without switches, with the switches around them. Windings of a transformer connect nodes too, because a transformer can
/// feed back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The nodes, in order.
    pub nodes: Vec<NodeId>,
    /// The switches with one end in the section, in order.
    pub switches: Vec<EquipmentId>,
    /// The sources, generators and batteries in the section, in order.
    pub sources: Vec<EquipmentId>,
}

impl Model {
    /// Returns the section of a node. The time is proportional to the size of the section.
    pub fn section(&self, node: NodeId) -> Section {
        let is_switch = |branch: BranchId| self.kind(self.branch(branch).equipment).is_switch();
        let nodes = self.joined(node, |branch| !is_switch(branch));
        let mut switches: Vec<EquipmentId> = self
            .leaving(&nodes)
            .map(|(branch, _)| branch)
            .filter(|branch| is_switch(*branch))
            .map(|branch| self.branch(branch).equipment)
            .collect();
        switches.sort_unstable();
        switches.dedup();
        let mut sources: Vec<EquipmentId> =
            nodes.iter().flat_map(|node| self.sources_at(*node)).map(|source| self.source_equipment(source)).collect();
        sources.sort_unstable();
        Section { nodes, switches, sources }
    }

    /// Returns the nodes that are connected with a node by branches for which `joins` is true, in order.
    fn joined(&self, node: NodeId, mut joins: impl FnMut(BranchId) -> bool) -> Vec<NodeId> {
        let (mut nodes, mut at) = (vec![node], 0);
        let mut found = std::collections::HashSet::from([node]);
        while let Some(node) = nodes.get(at).copied() {
            at += 1;
            for next in self.neighbours(node) {
                if joins(next.branch) && found.insert(next.node) {
                    nodes.push(next.node);
                }
            }
        }
        nodes.sort_unstable();
        nodes
    }

    /// Returns the branches that have one end in a set of nodes, with their other ends. The nodes must be in order.
    fn leaving<'a>(&'a self, nodes: &'a [NodeId]) -> impl Iterator<Item = (BranchId, NodeId)> + 'a {
        let neighbours = nodes.iter().flat_map(|node| self.neighbours(*node));
        neighbours.filter(|next| nodes.binary_search(&next.node).is_err()).map(|next| (next.branch, next.node))
    }
}

impl NetworkState {
    /// Returns the equipment that a user must switch off to isolate a section, in order: the switches around it that are not certainly open, and the sources,
    /// generators and batteries inside that are not certainly absent, because they would keep the section live.
    pub fn isolating(&self, section: &Section) -> Vec<EquipmentId> {
        let all = section.switches.iter().chain(&section.sources).copied();
        let mut isolating: Vec<EquipmentId> = all.filter(|equipment| self.contact(*equipment) != Contact::Open).collect();
        isolating.sort_unstable();
        isolating
    }

    /// Returns the open switches in service through which the part of the network around a node could be fed, in order. The part contains all nodes that are,
    /// or may be, connected with the node. On the other side of each switch is a node that a known source feeds in a phase of the switch. Empty if the part is
    /// fed already. Use [`NetworkState::consequences`] to check whether a switch may be closed.
    pub fn could_feed(&self, node: NodeId) -> Vec<EquipmentId> {
        let may_join = |branch: BranchId| Phase::ALL.into_iter().any(|phase| self.conduct[branch.index()].may_be_closed(phase));
        let part = self.model.joined(node, may_join);
        let is_fed = |node: NodeId| matches!(self.state(node), State::Energised | State::Conflict);
        if part.iter().any(|node| is_fed(*node)) {
            return Vec::new();
        }
        let is_fed_in_its_phases = |(branch, other): &(BranchId, NodeId)| {
            let mut phases = self.model.branch(*branch).phases.iter();
            phases.any(|phase| matches!(self.phase_state(*other, phase), Some(State::Energised | State::Conflict)))
        };
        let leaving = self.model.leaving(&part).filter(is_fed_in_its_phases);
        let equipment = leaving.map(|(branch, _)| self.model.branch(branch).equipment);
        let can_close = |equipment: &EquipmentId| self.model.kind(*equipment).is_switch() && self.model.is_in_service(*equipment);
        let mut switches: Vec<EquipmentId> = equipment.filter(can_close).collect();
        switches.sort_unstable();
        switches.dedup();
        switches
    }
}
