//! Determines which sources would be joined if a branch were closed or if a source returned, and whether a loop would be closed.
//!
//! Unknown positions are always treated as the more dangerous case. For the search of sources they count as closed. For the search of an existing connection
//! between both ends they count as open. Direct-current lines do not count as connections, because the voltages at their ends can differ in frequency and
//! phase.

use std::collections::{HashMap, HashSet};

use crate::network_state::Conduct;
use crate::{BranchId, Consequences, Contact, EquipmentId, NetworkState, NodeId, Phase, SourceId};

/// One phase of the network without one branch, and with different positions of some other branches.
struct Without<'a> {
    network: &'a NetworkState,
    phase: Phase,
    branch: Option<BranchId>,
    moved: &'a [(BranchId, Conduct)],
}

impl NetworkState {
    /// Adds the sources that would be joined by closing a phase of a branch, after some other branches have changed.
    pub(crate) fn add_joins(&self, branch: BranchId, phase: Phase, moved: &[(BranchId, Conduct)], found: &mut Consequences) {
        let without = Without { network: self, phase, branch: Some(branch), moved };
        let [a, b] = self.model.branch(branch).ends;
        if without.are_connected(a, b) {
            found.closes_loop = true;
            return;
        }
        let (of_a, reached_from_a) = without.sources_from(a);
        let (of_b, _) = without.sources_from(b);
        found.possibly_closes_loop |= reached_from_a[b.index()];
        // The nearest pair of different sources.
        let pair = of_a.iter().find_map(|one| of_b.iter().find(|other| *other != one).map(|other| [*one, *other]));
        found.joins = found.joins.or(pair);
    }

    /// Returns two different sources that a conductor between two nodes would join in a phase; `None` if there are none, or if the nodes are certainly joined.
    pub(crate) fn joined_sources(&self, [a, b]: [NodeId; 2], phase: Phase) -> Option<[SourceId; 2]> {
        if self.are_joined([a, b], phase) {
            return None;
        }
        let network = Without { network: self, phase, branch: None, moved: &[] };
        let [(of_a, _), (of_b, _)] = [a, b].map(|node| network.sources_from(node));
        of_a.iter().find_map(|one| of_b.iter().find(|other| *other != one).map(|other| [*one, *other]))
    }

    /// Returns whether the ends of a switch are certainly connected without it, so that closing it closes a loop.
    pub fn closes_loop(&self, equipment: EquipmentId) -> bool {
        self.model.branches_of(equipment).any(|branch| {
            let at = self.model.branch(branch);
            let [a, b] = at.ends;
            at.phases.iter().any(|phase| Without { network: self, phase, branch: Some(branch), moved: &[] }.are_connected(a, b))
        })
    }

    /// Whether two nodes are certainly joined in a phase.
    pub(crate) fn are_joined(&self, [a, b]: [NodeId; 2], phase: Phase) -> bool {
        Without { network: self, phase, branch: None, moved: &[] }.are_connected(a, b)
    }

    /// Adds the nearest source that a source would be joined with if it came back.
    pub(crate) fn add_joins_of_source(&self, source: SourceId, phase: Phase, found: &mut Consequences) {
        let network = Without { network: self, phase, branch: None, moved: &[] };
        let (sources, _) = network.sources_from(self.model.sources[source.index()].node);
        let other = sources.into_iter().find(|other| *other != source);
        found.joins = found.joins.or(other.map(|other| [source, other]));
    }
}

impl Without<'_> {
    fn neighbours(&self, node: NodeId, is_certain: bool) -> impl Iterator<Item = NodeId> {
        let conducts = move |branch: BranchId| {
            let moved = self.moved.iter().find(|(other, _)| *other == branch);
            let conduct = moved.map_or(self.network.conduct[branch.index()], |(_, conduct)| *conduct);
            let is_closed = if is_certain { conduct.is_closed(self.phase) } else { conduct.may_be_closed(self.phase) };
            Some(branch) != self.branch && is_closed && !conduct.is_asynchronous()
        };
        self.network.model.neighbours(node).iter().filter(move |next| conducts(next.branch)).map(|next| next.node)
    }

    /// Returns the sources that may feed a node, the nearest first, and the nodes that were searched.
    fn sources_from(&self, start: NodeId) -> (Vec<SourceId>, Vec<bool>) {
        let model = &self.network.model;
        let mut at_nodes: HashMap<NodeId, Vec<SourceId>> = HashMap::new();
        for source in model.sources() {
            let at = model.sources[source.index()];
            if self.network.source(source) != Contact::Open && at.phases.contains(self.phase) {
                at_nodes.entry(at.node).or_default().push(source);
            }
        }
        let mut is_found = vec![false; model.node_count()];
        is_found[start.index()] = true;
        let (mut nodes, mut sources, mut at) = (vec![start], Vec::new(), 0);
        while let Some(node) = nodes.get(at).copied() {
            at += 1;
            sources.extend(at_nodes.get(&node).into_iter().flatten());
            for next in self.neighbours(node, false) {
                if !std::mem::replace(&mut is_found[next.index()], true) {
                    nodes.push(next);
                }
            }
        }
        (sources, is_found)
    }

    /// Whether two nodes are certainly connected. Searches from both nodes in alternating steps, until the searches meet or one side is exhausted. So the time
    /// is proportional to the size of the smaller side.
    fn are_connected(&self, a: NodeId, b: NodeId) -> bool {
        if a == b {
            return true;
        }
        let mut ahead = [vec![a], vec![b]];
        let mut found = [HashSet::from([a]), HashSet::from([b])];
        loop {
            for side in [0, 1] {
                let Some(node) = ahead[side].pop() else { return false };
                for next in self.neighbours(node, true) {
                    if found[1 - side].contains(&next) {
                        return true;
                    }
                    if found[side].insert(next) {
                        ahead[side].push(next);
                    }
                }
            }
        }
    }
}
