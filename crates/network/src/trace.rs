//! Traces: the path from a node to the source that feeds it, and the nodes that a branch feeds.

use std::collections::HashSet;

use crate::forest::{self, Parents};
use crate::network_state::Quantity;
use crate::{BranchId, Consumer, Contact, EquipmentId, NetworkState, NodeId, Phase, SourceId};

/// One step from a node towards its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The branch that feeds the node.
    pub branch: BranchId,
    /// The node at the other end of the branch, which is nearer to the source.
    pub node: NodeId,
}

/// The present load that a piece of equipment feeds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadBehind {
    /// The sum of the measured powers, kW.
    pub measured_kw: f64,
    /// The equipment at which they are measured, in order.
    pub measured_at: Vec<EquipmentId>,
    /// The connected load that is not behind any measurement, kW.
    pub unmeasured_kw: f64,
}

impl NetworkState {
    /// Returns the steps from a node to the source that feeds a phase of it. Empty at the source itself and if no known source feeds the phase.
    ///
    /// If loops are closed or several sources are joined, it is the path with the fewest branches. If several paths have the same number of branches, the
    /// branch that comes first in the model is taken at each node. So the same positions always give the same path.
    pub fn path_to_source(&self, node: NodeId, phase: Phase) -> impl Iterator<Item = Step> {
        let parents = &self.layer(phase).reach(Quantity::Supply).parents;
        let mut at = node;
        std::iter::from_fn(move || {
            let parent = parents.get(at);
            if parent == forest::NONE || parent == forest::ROOT {
                return None;
            }
            let branch = BranchId(parent);
            let [a, b] = self.model.branch(branch).ends;
            at = if a == at { b } else { a };
            Some(Step { branch, node: at })
        })
    }

    /// Returns the source that feeds a phase of a node, by the path of [`NetworkState::path_to_source`].
    pub fn source_of(&self, node: NodeId, phase: Phase) -> Option<SourceId> {
        let root = self.path_to_source(node, phase).last().map_or(node, |step| step.node);
        let is_root = self.layer(phase).reach(Quantity::Supply).parents.get(root) == forest::ROOT;
        is_root.then(|| self.source_at(root, phase)).flatten()
    }

    /// Appends the nodes that a branch feeds in a phase, the nearest first: the nodes whose [`NetworkState::path_to_source`] contains the branch. Appends
    /// nothing if the branch feeds nothing. If loops are closed, other branches could feed some of these nodes as well.
    pub fn downstream(&self, branch: BranchId, phase: Phase, nodes: &mut Vec<NodeId>) {
        if let Some(fed) = self.fed_end(branch, phase) {
            self.fed_over(fed, phase, nodes);
        }
    }

    /// Returns the end through which a branch feeds a phase: the first node of [`NetworkState::downstream`]. `None` if the branch feeds nothing.
    pub fn fed_end(&self, branch: BranchId, phase: Phase) -> Option<NodeId> {
        let parents = &self.layer(phase).reach(Quantity::Supply).parents;
        self.model.branch(branch).ends.into_iter().find(|node| parents.get(*node) == branch.0)
    }

    /// Appends a node and the nodes that are fed through it in a phase, the nearest first. Appends nothing if no known source feeds the node.
    pub fn fed_over(&self, node: NodeId, phase: Phase, nodes: &mut Vec<NodeId>) {
        let parents = &self.layer(phase).reach(Quantity::Supply).parents;
        let mut at = nodes.len();
        nodes.extend(parents.is_reached(node).then_some(node));
        while let Some(node) = nodes.get(at).copied() {
            at += 1;
            let children = self.model.neighbours(node).iter().filter(|next| parents.get(next.node) == next.branch.0);
            nodes.extend(children.map(|next| next.node));
        }
    }

    /// Returns the ends through which equipment feeds a phase. For equipment without branches, such as a busbar, these are its terminals.
    pub fn fed_ends(&self, equipment: EquipmentId, phase: Phase) -> Vec<NodeId> {
        let parents = &self.layer(phase).reach(Quantity::Supply).parents;
        let branches = self.model.branches_of(equipment);
        if branches.len() == 0 {
            let terminals = self.model.terminals_of(equipment).iter().map(|(node, _)| *node);
            return terminals.filter(|node| parents.is_reached(*node)).collect();
        }
        branches.filter_map(|branch| self.model.branch(branch).ends.into_iter().find(|node| parents.get(*node) == branch.0)).collect()
    }

    /// Returns the present load of what some equipment feeds. `measured_kw` returns the power that is measured at equipment, if any. The measurements
    /// nearest to the equipment count, for everything that is fed over them. What is behind none of them counts with its connected load.
    pub fn load_behind(&self, equipment: &[EquipmentId], measured_kw: impl Fn(EquipmentId) -> Option<f64>) -> LoadBehind {
        let mut load = LoadBehind::default();
        let mut measured: HashSet<EquipmentId> = HashSet::new();
        let mut unmeasured: HashSet<NodeId> = HashSet::new();
        for phase in Phase::ALL {
            let mut ahead = Vec::new();
            for of in equipment {
                let mut ends = self.fed_ends(*of, phase);
                if !ends.is_empty() && measured_kw(*of).is_some() {
                    measured.insert(*of);
                } else {
                    ahead.append(&mut ends);
                }
            }
            let parents = &self.layer(phase).reach(Quantity::Supply).parents;
            while let Some(node) = ahead.pop() {
                unmeasured.insert(node);
                for next in self.model.neighbours(node).iter().filter(|next| parents.get(next.node) == next.branch.0) {
                    let of = self.model.branch(next.branch).equipment;
                    if measured.contains(&of) || measured_kw(of).is_some() {
                        measured.insert(of);
                    } else {
                        ahead.push(next.node);
                    }
                }
            }
        }
        load.measured_at = measured.into_iter().collect();
        load.measured_at.sort_unstable();
        load.measured_kw = load.measured_at.iter().filter_map(|of| measured_kw(*of)).sum();
        load.unmeasured_kw = unmeasured.into_iter().map(|node| self.model.consumer(node).load_kw).sum();
        load
    }

    /// Returns the branch through which a phase of a node is fed. `None` at a source, and if no known source feeds the phase.
    pub fn fed_by(&self, node: NodeId, phase: Phase) -> Option<BranchId> {
        self.path_to_source(node, phase).next().map(|step| step.branch)
    }

    /// Returns the customers and the load at some nodes.
    pub fn consumers(&self, nodes: &[NodeId]) -> Consumer {
        nodes.iter().map(|node| self.model.consumer(*node)).fold(Consumer::default(), |sum, at| Consumer {
            customers: sum.customers.saturating_add(at.customers),
            load_kw: sum.load_kw + at.load_kw,
        })
    }

    /// Returns the first source at a node that is certainly present in a phase.
    fn source_at(&self, node: NodeId, phase: Phase) -> Option<SourceId> {
        let is_present =
            |source: &SourceId| self.model.sources[source.index()].phases.contains(phase) && self.source(*source) == Contact::Closed;
        self.model.sources_at(node).find(is_present)
    }
}
