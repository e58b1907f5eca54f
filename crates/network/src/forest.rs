//! Which nodes are reached from a set of roots, kept up to date while branches and roots come and go.
//!
//! Each reached node knows the branch over which it was reached: together these are trees that begin at the roots. A branch that is removed and is
//! not part of a tree changes nothing. If it is, the nodes behind it are collected, and joined again to the trees over other branches where there
//! are such. So a change costs as much as the nodes behind the branch, not as the network.

use std::collections::HashMap;

use crate::adjacency::Neighbour;
use crate::{BranchId, NodeId};

/// How a node is reached: the number of a branch, or one of the marks below.
pub(crate) type Parent = u32;

/// The node is not reached.
pub(crate) const NONE: Parent = u32::MAX;
/// The node is a root.
pub(crate) const ROOT: Parent = u32::MAX - 1;
/// The node has lost its branch; it is not yet known whether another one reaches it.
const LOST: Parent = u32::MAX - 2;

/// How each node is reached.
pub(crate) trait Parents {
    fn get(&self, node: NodeId) -> Parent;
    fn set(&mut self, node: NodeId, parent: Parent);

    fn is_reached(&self, node: NodeId) -> bool {
        !matches!(self.get(node), NONE | LOST)
    }
}

/// The network in which the trees grow.
pub(crate) trait Ground {
    fn neighbours(&self, node: NodeId) -> &[Neighbour];
    fn conducts(&self, branch: BranchId) -> bool;
    fn is_root(&self, node: NodeId) -> bool;
}

impl Parents for Vec<Parent> {
    fn get(&self, node: NodeId) -> Parent {
        self[node.index()]
    }

    fn set(&mut self, node: NodeId, parent: Parent) {
        self[node.index()] = parent;
    }
}

/// Changes to trees that are not carried out: answers "what if".
#[derive(Debug)]
pub(crate) struct Overlay<'a> {
    base: &'a [Parent],
    changed: HashMap<NodeId, Parent>,
}

impl<'a> Overlay<'a> {
    pub(crate) fn new(base: &'a [Parent]) -> Self {
        Self { base, changed: HashMap::new() }
    }
}

impl Parents for Overlay<'_> {
    fn get(&self, node: NodeId) -> Parent {
        self.changed.get(&node).copied().unwrap_or(self.base[node.index()])
    }

    fn set(&mut self, node: NodeId, parent: Parent) {
        self.changed.insert(node, parent);
    }
}

/// Reaches all nodes from the roots, from the beginning.
pub(crate) fn grow(parents: &mut impl Parents, ground: &impl Ground, nodes: impl Iterator<Item = NodeId>) {
    let mut ahead = Vec::new();
    for node in nodes {
        if ground.is_root(node) {
            parents.set(node, ROOT);
            ahead.push(node);
        }
    }
    spread(parents, ground, ahead, &mut Vec::new());
}

/// A branch conducts from now on. Appends the nodes that are reached by it.
pub(crate) fn add_branch(parents: &mut impl Parents, ground: &impl Ground, branch: BranchId, ends: [NodeId; 2], changed: &mut Vec<NodeId>) {
    let new = match ends.map(|node| parents.is_reached(node)) {
        [true, false] => ends[1],
        [false, true] => ends[0],
        _ => return,
    };
    parents.set(new, branch.0);
    changed.push(new);
    spread(parents, ground, vec![new], changed);
}

/// A branch does not conduct any more; `ground` says so already. Appends the nodes that are no longer reached.
pub(crate) fn remove_branch(
    parents: &mut impl Parents,
    ground: &impl Ground,
    branch: BranchId,
    ends: [NodeId; 2],
    changed: &mut Vec<NodeId>,
) {
    if let Some(behind) = ends.into_iter().find(|node| parents.get(*node) == branch.0) {
        cut(parents, ground, behind, changed);
    }
}

/// A node is a root from now on; `ground` says so already. Appends the nodes that are reached by it.
pub(crate) fn add_root(parents: &mut impl Parents, ground: &impl Ground, node: NodeId, changed: &mut Vec<NodeId>) {
    let was_reached = parents.is_reached(node);
    parents.set(node, ROOT);
    if !was_reached {
        changed.push(node);
        spread(parents, ground, vec![node], changed);
    }
}

/// A node is no root any more; `ground` says so already. Appends the nodes that are no longer reached.
pub(crate) fn remove_root(parents: &mut impl Parents, ground: &impl Ground, node: NodeId, changed: &mut Vec<NodeId>) {
    if parents.get(node) == ROOT && !ground.is_root(node) {
        cut(parents, ground, node, changed);
    }
}

/// Reaches the nodes that are not reached yet from the nodes `ahead`, the nearest first: the trees have short paths.
fn spread(parents: &mut impl Parents, ground: &impl Ground, mut ahead: Vec<NodeId>, changed: &mut Vec<NodeId>) {
    let mut at = 0;
    while let Some(node) = ahead.get(at).copied() {
        at += 1;
        for next in ground.neighbours(node) {
            if !parents.is_reached(next.node) && ground.conducts(next.branch) {
                let was_lost = parents.get(next.node) == LOST;
                parents.set(next.node, next.branch.0);
                ahead.push(next.node);
                if !was_lost {
                    changed.push(next.node);
                }
            }
        }
    }
}

/// Takes the tree behind a node away and joins its nodes again where another branch or a root reaches them.
fn cut(parents: &mut impl Parents, ground: &impl Ground, top: NodeId, changed: &mut Vec<NodeId>) {
    parents.set(top, LOST);
    let mut lost = vec![top];
    let mut at = 0;
    while let Some(node) = lost.get(at).copied() {
        at += 1;
        for next in ground.neighbours(node) {
            if parents.get(next.node) == next.branch.0 {
                parents.set(next.node, LOST);
                lost.push(next.node);
            }
        }
    }
    let mut joined = Vec::new();
    for node in &lost {
        let parent = if ground.is_root(*node) {
            Some(ROOT)
        } else {
            let reaching = |next: &&Neighbour| parents.is_reached(next.node) && ground.conducts(next.branch);
            ground.neighbours(*node).iter().find(reaching).map(|next| next.branch.0)
        };
        if let Some(parent) = parent
            && parents.get(*node) == LOST
        {
            parents.set(*node, parent);
            joined.push(*node);
        }
    }
    spread(parents, ground, joined, changed);
    for node in lost {
        if parents.get(node) == LOST {
            parents.set(node, NONE);
            changed.push(node);
        }
    }
}
