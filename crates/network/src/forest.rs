//! The nodes that can be reached from a set of roots, updated when branches and roots are added or removed.
//!
//! For each reached node, the branch through which it was reached is stored. These branches form trees that begin at the roots. If a branch is removed that is
//! not part of a tree, nothing changes. If it is part of a tree, the nodes behind it are collected, and connected to the trees again through other branches if
//! possible. So the time of a change depends on the number of nodes behind the branch, not on the size of the network.
//!
//! Trees of shortest paths also store the depth of each node: the number of branches to the nearest root. Of all branches that come from a node whose depth is
//! less by one, a node is reached through the first one in the order of the model. So the same roots and branches always give the same trees, whatever the
//! earlier changes were. Then the time also depends on the number of nodes whose depth changes, for example when a loop is closed. If only the set of reached
//! nodes is needed, trees of any paths are sufficient.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::adjacency::Neighbour;
use crate::{BranchId, NodeId};

/// How a node is reached: the number of a branch, or one of the special values below.
pub(crate) type Parent = u32;

/// The node is not reached.
pub(crate) const NONE: Parent = u32::MAX;
/// The node is a root.
pub(crate) const ROOT: Parent = u32::MAX - 1;
/// The node has lost its branch, and it is not yet known whether another branch reaches it.
const LOST: Parent = u32::MAX - 2;

/// How each node is reached.
pub(crate) trait Parents {
    /// Whether the trees have shortest paths. Otherwise depths have no meaning.
    fn are_shortest(&self) -> bool;
    fn get(&self, node: NodeId) -> Parent;
    fn depth(&self, node: NodeId) -> u32;
    fn set(&mut self, node: NodeId, parent: Parent, depth: u32);

    fn is_reached(&self, node: NodeId) -> bool {
        !matches!(self.get(node), NONE | LOST)
    }

    /// Returns the branch through which a node is reached; `None` at a root.
    fn branch(&self, node: NodeId) -> Option<BranchId> {
        let parent = self.get(node);
        (!matches!(parent, NONE | ROOT | LOST)).then_some(BranchId(parent))
    }
}

/// The network in which the nodes are reached.
pub(crate) trait Ground {
    fn neighbours(&self, node: NodeId) -> &[Neighbour];
    fn conducts(&self, branch: BranchId) -> bool;
    fn is_root(&self, node: NodeId) -> bool;
}

/// The trees over all nodes.
#[derive(Debug, Clone)]
pub(crate) struct Trees {
    parents: Vec<Parent>,
    /// Empty if the paths need not be the shortest.
    depths: Vec<u32>,
}

impl Trees {
    /// Returns trees of shortest paths that reach no node yet.
    pub(crate) fn shortest(nodes: usize) -> Self {
        Self { parents: vec![NONE; nodes], depths: vec![0; nodes] }
    }

    /// Returns trees of any paths that reach no node yet.
    pub(crate) fn any(nodes: usize) -> Self {
        Self { parents: vec![NONE; nodes], depths: Vec::new() }
    }
}

impl Parents for Trees {
    fn are_shortest(&self) -> bool {
        !self.depths.is_empty()
    }

    fn get(&self, node: NodeId) -> Parent {
        self.parents[node.index()]
    }

    fn depth(&self, node: NodeId) -> u32 {
        self.depths.get(node.index()).copied().unwrap_or(0)
    }

    fn set(&mut self, node: NodeId, parent: Parent, depth: u32) {
        self.parents[node.index()] = parent;
        if let Some(held) = self.depths.get_mut(node.index()) {
            *held = depth;
        }
    }
}

/// Changes of trees that are not applied to them, to evaluate a possible change. Only the set of reached nodes is needed, so the paths need not be the
/// shortest.
#[derive(Debug)]
pub(crate) struct Overlay<'a> {
    base: &'a Trees,
    changed: HashMap<NodeId, Parent>,
}

impl<'a> Overlay<'a> {
    pub(crate) fn new(base: &'a Trees) -> Self {
        Self { base, changed: HashMap::new() }
    }
}

impl Parents for Overlay<'_> {
    fn are_shortest(&self) -> bool {
        false
    }

    fn get(&self, node: NodeId) -> Parent {
        self.changed.get(&node).copied().unwrap_or_else(|| self.base.get(node))
    }

    fn depth(&self, _node: NodeId) -> u32 {
        0
    }

    fn set(&mut self, node: NodeId, parent: Parent, _depth: u32) {
        self.changed.insert(node, parent);
    }
}

/// Builds the trees again from the roots.
pub(crate) fn grow(parents: &mut impl Parents, ground: &impl Ground, nodes: impl Iterator<Item = NodeId>) {
    let mut ahead = Vec::new();
    for node in nodes {
        if ground.is_root(node) {
            parents.set(node, ROOT, 0);
            ahead.push(node);
        }
    }
    spread(parents, ground, ahead, &mut Vec::new());
}

/// Adds a branch that now conducts. Appends the nodes that are reached through it.
pub(crate) fn add_branch(parents: &mut impl Parents, ground: &impl Ground, branch: BranchId, ends: [NodeId; 2], changed: &mut Vec<NodeId>) {
    let [a, b] = ends;
    let mut ahead = Vec::new();
    for (from, to) in [(a, b), (b, a)] {
        if parents.is_reached(from) {
            reach(parents, (from, branch, to), &mut ahead, changed);
        }
    }
    spread(parents, ground, ahead, changed);
}

/// Removes a branch that no longer conducts. `ground` must be updated before. Appends the nodes that are no longer reached.
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

/// Adds a root. `ground` must be updated before. Appends the nodes that are reached from it.
pub(crate) fn add_root(parents: &mut impl Parents, ground: &impl Ground, node: NodeId, changed: &mut Vec<NodeId>) {
    let was_reached = parents.is_reached(node);
    if parents.get(node) == ROOT {
        return;
    }
    parents.set(node, ROOT, 0);
    if !was_reached {
        changed.push(node);
    }
    if !was_reached || parents.are_shortest() {
        spread(parents, ground, vec![node], changed);
    }
}

/// Removes a root. `ground` must be updated before. Appends the nodes that are no longer reached.
pub(crate) fn remove_root(parents: &mut impl Parents, ground: &impl Ground, node: NodeId, changed: &mut Vec<NodeId>) {
    if parents.get(node) == ROOT && !ground.is_root(node) {
        cut(parents, ground, node, changed);
    }
}

/// Starts at the nodes `ahead` and reaches nodes that are not reached yet, the nearest first, so that paths are short. The nodes `ahead` are in the order of
/// their depths.
fn spread(parents: &mut impl Parents, ground: &impl Ground, mut ahead: Vec<NodeId>, changed: &mut Vec<NodeId>) {
    let mut at = 0;
    while let Some(node) = ahead.get(at).copied() {
        at += 1;
        for next in ground.neighbours(node) {
            if is_better(parents, node, *next) && ground.conducts(next.branch) {
                reach(parents, (node, next.branch, next.node), &mut ahead, changed);
            }
        }
    }
}

/// Whether the path to a neighbour through a node is better than its present path: the neighbour is not reached yet, or the path is shorter, or it is equally
/// long and uses an earlier branch.
fn is_better(parents: &impl Parents, node: NodeId, next: Neighbour) -> bool {
    let parent = parents.get(next.node);
    if matches!(parent, NONE | LOST) {
        return true;
    }
    parents.are_shortest() && parent != ROOT && (parents.depth(node) + 1, next.branch.0) < (parents.depth(next.node), parent)
}

/// Reaches a node through a branch if this is better than its present path. If the depth of the node changes, it is appended to `ahead`.
fn reach(parents: &mut impl Parents, (from, branch, node): (NodeId, BranchId, NodeId), ahead: &mut Vec<NodeId>, changed: &mut Vec<NodeId>) {
    if !is_better(parents, from, Neighbour { node, branch }) {
        return;
    }
    let (was, depth) = (parents.get(node), parents.depth(from) + 1);
    let has_other_depth = matches!(was, NONE | LOST) || parents.depth(node) != depth;
    parents.set(node, branch.0, depth);
    if has_other_depth {
        ahead.push(node);
    }
    if was == NONE {
        changed.push(node);
    }
}

/// Removes the tree behind a node, and connects its nodes again if another branch or a root reaches them.
fn cut(parents: &mut impl Parents, ground: &impl Ground, top: NodeId, changed: &mut Vec<NodeId>) {
    parents.set(top, LOST, 0);
    let mut lost = vec![top];
    let mut at = 0;
    while let Some(node) = lost.get(at).copied() {
        at += 1;
        for next in ground.neighbours(node) {
            if parents.get(next.node) == next.branch.0 {
                parents.set(next.node, LOST, 0);
                lost.push(next.node);
            }
        }
    }
    if parents.are_shortest() {
        join_by_shortest(parents, ground, &lost);
    } else {
        join_by_any(parents, ground, &lost, changed);
    }
    for node in lost {
        if parents.get(node) == LOST {
            parents.set(node, NONE, 0);
            changed.push(node);
        }
    }
}

/// Connects lost nodes again through any branches.
fn join_by_any(parents: &mut impl Parents, ground: &impl Ground, lost: &[NodeId], changed: &mut Vec<NodeId>) {
    let mut joined = Vec::new();
    for node in lost {
        let parent = if ground.is_root(*node) {
            Some(ROOT)
        } else {
            let reaching = |next: &&Neighbour| parents.is_reached(next.node) && ground.conducts(next.branch);
            ground.neighbours(*node).iter().find(reaching).map(|next| next.branch.0)
        };
        if let Some(parent) = parent
            && parents.get(*node) == LOST
        {
            parents.set(*node, parent, 0);
            joined.push(*node);
        }
    }
    spread(parents, ground, joined, changed);
}

/// Connects lost nodes again by the shortest paths. The depths of the other nodes do not change, because none of their paths contained a lost node.
fn join_by_shortest(parents: &mut impl Parents, ground: &impl Ground, lost: &[NodeId]) {
    // The depth, the branch and the node: the first of a node is its shortest path over the first branch.
    let mut ahead: BinaryHeap<Reverse<(u32, Parent, NodeId)>> = BinaryHeap::new();
    for node in lost {
        if ground.is_root(*node) {
            ahead.push(Reverse((0, ROOT, *node)));
            continue;
        }
        let reaching = ground.neighbours(*node).iter().filter(|next| parents.is_reached(next.node) && ground.conducts(next.branch));
        let nearest = reaching.map(|next| (parents.depth(next.node) + 1, next.branch.0)).min();
        ahead.extend(nearest.map(|(depth, branch)| Reverse((depth, branch, *node))));
    }
    while let Some(Reverse((depth, parent, node))) = ahead.pop() {
        if parents.get(node) != LOST {
            continue;
        }
        parents.set(node, parent, depth);
        for next in ground.neighbours(node) {
            if parents.get(next.node) == LOST && ground.conducts(next.branch) {
                ahead.push(Reverse((depth + 1, next.branch.0, next.node)));
            }
        }
    }
}
