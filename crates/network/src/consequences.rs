//! What a switch would change if it moved.

use crate::forest::{self, Overlay, Parents};
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
    /// Nodes that may be fed now, over a position that is unknown or by a source that is, and certainly would not any more.
    pub possibly_loses_supply: Vec<NodeId>,
    /// Nodes that certainly are not fed now and might be.
    pub possibly_gains_supply: Vec<NodeId>,
    /// Nodes that would be energised and earthed at the same time, and are not now.
    pub energised_on_earth: Vec<NodeId>,
    /// Further nodes of which this cannot be ruled out, because a position on the way is unknown, and could be ruled out before.
    pub possibly_energised_on_earth: Vec<NodeId>,
    /// Two sources that would be joined, or may be: their connection so far depends on an unknown position, or on a line with direct current.
    pub joins: Option<[SourceId; 2]>,
    /// Whether a loop would be closed: both ends are certainly connected already.
    pub closes_loop: bool,
    /// Whether a loop would be closed if an unknown position is closed.
    pub possibly_closes_loop: bool,
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
        for nodes in [
            &mut found.loses_supply,
            &mut found.gains_supply,
            &mut found.possibly_loses_supply,
            &mut found.possibly_gains_supply,
            &mut found.energised_on_earth,
            &mut found.possibly_energised_on_earth,
        ] {
            nodes.sort_unstable();
            nodes.dedup();
        }
        // A phase can be certain and another one possible.
        leave_out(&mut found.possibly_energised_on_earth, &found.energised_on_earth);
        leave_out(&mut found.possibly_loses_supply, &found.loses_supply);
        leave_out(&mut found.possibly_gains_supply, &found.gains_supply);
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
            list(may_have_had && !may_have && !had, |found| &mut found.possibly_loses_supply);
            list(may_have && !may_have_had && !has, |found| &mut found.possibly_gains_supply);
            list(has && is_earth && !(had && was_earth), |found| &mut found.energised_on_earth);
            let is_possible = may_have && may_be_earth && !(may_have_had && may_have_been_earth);
            list(is_possible && !(has && is_earth), |found| &mut found.possibly_energised_on_earth);
        }
        if !before.is_closed(phase) && after.may_be_closed(phase) {
            self.add_joins(branch, phase, found);
        }
    }
}

/// Removes nodes of an ordered list.
fn leave_out(nodes: &mut Vec<NodeId>, others: &[NodeId]) {
    nodes.retain(|node| others.binary_search(node).is_err());
}
