//! Islands: sets of nodes that closed branches connect.

use crate::{NetworkState, NodeId, Phase, State};

/// A set of nodes that are connected by branches with at least one closed phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Island {
    /// The nodes, in order.
    pub nodes: Vec<NodeId>,
    /// Whether a known source feeds it.
    pub is_energised: bool,
}

/// All islands of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Islands {
    /// The islands, in the order of their first nodes.
    pub list: Vec<Island>,
    /// The number of closed branches that could be opened without dividing an island.
    pub loops: usize,
}

impl NetworkState {
    /// Returns the islands of the present state. The time is proportional to the size of the network.
    pub fn islands(&self) -> Islands {
        let is_closed = |branch: crate::BranchId| Phase::ALL.into_iter().any(|phase| self.conduct[branch.index()].is_closed(phase));
        let mut is_found = vec![false; self.model.node_count()];
        let mut list = Vec::new();
        for start in self.model.nodes() {
            if std::mem::replace(&mut is_found[start.index()], true) {
                continue;
            }
            let (mut nodes, mut at) = (vec![start], 0);
            while let Some(node) = nodes.get(at).copied() {
                at += 1;
                for next in self.model.neighbours(node) {
                    if is_closed(next.branch) && !std::mem::replace(&mut is_found[next.node.index()], true) {
                        nodes.push(next.node);
                    }
                }
            }
            nodes.sort_unstable();
            let is_energised = nodes.iter().any(|node| matches!(self.state(*node), State::Energised | State::Conflict));
            list.push(Island { nodes, is_energised });
        }
        let connects = |branch: crate::BranchId| self.model.branch(branch).ends[0] != self.model.branch(branch).ends[1];
        let closed = self.model.branches().filter(|branch| is_closed(*branch) && connects(*branch)).count();
        let loops = closed + list.len() - self.model.node_count();
        Islands { list, loops }
    }
}
