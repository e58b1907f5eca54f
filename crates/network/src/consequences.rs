//! What a switch would change if it moved.

use std::collections::HashSet;

use crate::forest::{self, Ground, Overlay, Parent, Parents};
use crate::network_state::{Layer, Quantity};
use crate::{BranchId, Consumer, Contact, EquipmentId, NetworkState, NodeId, SourceId};

/// What a move of a switch would change. Nodes are in order; a node is listed if one of its phases is concerned.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Consequences {
    /// Nodes that a known source feeds now and would not feed any more.
    pub loses_supply: Vec<NodeId>,
    /// Customers and load at these nodes.
    pub lost: Consumer,
    /// Nodes that no known source feeds now and one would feed.
    pub gains_supply: Vec<NodeId>,
    /// Nodes that would be energised and earthed at the same time, and are not now.
    pub energised_on_earth: Vec<NodeId>,
    /// Further nodes of which this cannot be ruled out, because a position on the way is unknown, and could be ruled out before.
    pub possibly_energised_on_earth: Vec<NodeId>,
    /// Two sources that would be joined, and are not connected now. Positions that are unknown count as closed.
    pub joins: Option<[SourceId; 2]>,
    /// Whether a loop would be closed: both ends are connected already, also with unknown positions counted as closed.
    pub closes_loop: bool,
}

impl NetworkState {
    /// Returns what would change if a switch had another position. Nothing is changed.
    pub fn consequences(&self, switch: EquipmentId, to: Contact) -> Consequences {
        let mut found = Consequences::default();
        for branch in self.model.branches_of(switch) {
            for layer in &self.layers {
                self.add_consequences(layer, branch, to, &mut found);
            }
        }
        for nodes in
            [&mut found.loses_supply, &mut found.gains_supply, &mut found.energised_on_earth, &mut found.possibly_energised_on_earth]
        {
            nodes.sort_unstable();
            nodes.dedup();
        }
        // A phase can be certain and another one possible.
        let certain = &found.energised_on_earth;
        found.possibly_energised_on_earth.retain(|node| certain.binary_search(node).is_err());
        found.lost = self.consumers(&found.loses_supply);
        found
    }

    fn add_consequences(&self, layer: &Layer, branch: BranchId, to: Contact, found: &mut Consequences) {
        let before = self.conduct[branch.index()];
        let after = before.with(self.model.branch(branch).phases.intersection(layer.phases), to);
        if before == after {
            return;
        }
        let (phase, ends) = (layer.phase(), self.model.branch(branch).ends);
        let mut touched = Vec::new();
        let overlays = Quantity::ALL.map(|quantity| {
            let mut overlay = Overlay::new(&layer.reach(quantity).parents);
            let view = crate::network_state::View { instead: Some((branch, after)), ..layer.view(&self.model, &self.conduct, quantity) };
            match (quantity.passes(before, phase), quantity.passes(after, phase)) {
                (false, true) => forest::add_branch(&mut overlay, &view, branch, ends, &mut touched),
                (true, false) => forest::remove_branch(&mut overlay, &view, branch, ends, &mut touched),
                _ => {}
            }
            overlay
        });
        touched.sort_unstable();
        touched.dedup();
        for node in touched {
            let [had, may_have_had, was_earth, may_have_been_earth] =
                Quantity::ALL.map(|quantity| layer.reach(quantity).parents.is_reached(node));
            let [has, may_have, is_earth, may_be_earth] = [0, 1, 2, 3].map(|quantity: usize| overlays[quantity].is_reached(node));
            let mut list = |applies: bool, nodes: fn(&mut Consequences) -> &mut Vec<NodeId>| {
                if applies {
                    nodes(found).push(node);
                }
            };
            list(had && !has, |found| &mut found.loses_supply);
            list(has && !had, |found| &mut found.gains_supply);
            list(has && is_earth && !(had && was_earth), |found| &mut found.energised_on_earth);
            let is_possible = may_have && may_be_earth && !(may_have_had && may_have_been_earth);
            list(is_possible && !(has && is_earth), |found| &mut found.possibly_energised_on_earth);
        }
        if !before.may_be_closed(phase) && after.may_be_closed(phase) {
            self.add_connections(layer, ends, found);
        }
    }

    /// Finds out whether closing a branch between two nodes joins sources or closes a loop.
    fn add_connections(&self, layer: &Layer, [a, b]: [NodeId; 2], found: &mut Consequences) {
        let view = layer.view(&self.model, &self.conduct, Quantity::PossibleSupply);
        if are_connected(&view, a, b) {
            found.closes_loop = true;
            return;
        }
        let parents = &layer.reach(Quantity::PossibleSupply).parents;
        let source = |node| self.root(parents, node).and_then(|root| self.source_at(root));
        if let (Some(one), Some(other)) = (source(a), source(b)) {
            found.joins = Some([one, other]);
        }
    }

    /// Returns the root of the tree that reaches a node.
    fn root(&self, parents: &[Parent], mut node: NodeId) -> Option<NodeId> {
        loop {
            match parents[node.index()] {
                forest::NONE => return None,
                forest::ROOT => return Some(node),
                branch => {
                    let [a, b] = self.model.branch(BranchId(branch)).ends;
                    node = if a == node { b } else { a };
                }
            }
        }
    }
}

/// Whether two nodes are connected. Searches from both, a node on each side in turn, until they meet or one side is exhausted: the cost is that of the
/// smaller side.
fn are_connected(view: &impl Ground, a: NodeId, b: NodeId) -> bool {
    if a == b {
        return true;
    }
    let mut ahead = [vec![a], vec![b]];
    let mut found = [HashSet::from([a]), HashSet::from([b])];
    loop {
        for side in [0, 1] {
            let Some(node) = ahead[side].pop() else { return false };
            for next in view.neighbours(node).iter().filter(|next| view.conducts(next.branch)) {
                if found[1 - side].contains(&next.node) {
                    return true;
                }
                if found[side].insert(next.node) {
                    ahead[side].push(next.node);
                }
            }
        }
    }
}
