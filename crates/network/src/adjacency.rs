//! The branches at each node, stored as compressed rows, with one allocation for all nodes.

use crate::{BranchId, NodeId};

/// A node that a branch leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Neighbour {
    pub(crate) node: NodeId,
    pub(crate) branch: BranchId,
}

/// The neighbours of all nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Adjacency {
    /// For each node the position of its first neighbour, and one more entry at the end.
    first: Vec<u32>,
    neighbours: Vec<Neighbour>,
}

impl Adjacency {
    /// Builds the rows from the ends of all branches. A branch whose ends are at the same node connects nothing and is
    /// left out.
    pub(crate) fn new(nodes: usize, ends: &[[NodeId; 2]]) -> Self {
        let connecting = || ends.iter().enumerate().filter(|(_, [a, b])| a != b);
        let mut first = vec![0_u32; nodes + 1];
        for (_, [a, b]) in connecting() {
            first[a.index() + 1] += 1;
            first[b.index() + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut free = first.clone();
        let mut neighbours = vec![Neighbour { node: NodeId(0), branch: BranchId(0) }; first[nodes] as usize];
        for (branch, [a, b]) in connecting() {
            for (from, to) in [(a, b), (b, a)] {
                let position = &mut free[from.index()];
                neighbours[*position as usize] = Neighbour { node: *to, branch: BranchId(branch as u32) };
                *position += 1;
            }
        }
        Self { first, neighbours }
    }

    pub(crate) fn of(&self, node: NodeId) -> &[Neighbour] {
        &self.neighbours[self.first[node.index()] as usize..self.first[node.index() + 1] as usize]
    }
}
