//! What a switch, an earth switch or a source would change if it moved.

use crate::forest::{self, Overlay, Parents};
use crate::model::Connected;
use crate::network_state::{Conduct, Layer, Quantity, View};
use crate::{BranchId, Consumer, Contact, EquipmentId, NetworkState, NodeId, SourceId};

/// What another state of equipment would change. Nodes are in order; a node is listed if one of its phases is concerned.
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
    /// Returns what would change if a switch or an earth switch had another position, if a source were present or not, or if a line or a transformer were in
    /// service or not. Nothing is changed. A switch or a source out of service changes nothing.
    pub fn consequences(&self, equipment: EquipmentId, to: Contact) -> Consequences {
        let mut found = Consequences::default();
        if self.model.is_held_open(equipment) {
            return found;
        }
        for layer in &self.layers {
            self.add_consequences(layer, equipment, to, &mut found);
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

    fn add_consequences(&self, layer: &Layer, equipment: EquipmentId, to: Contact, found: &mut Consequences) {
        let mut trial = Trial::new(self, layer);
        if let Some(source) = self.model.source_of(equipment) {
            let (at, before) = (self.model.sources[source.index()], self.source(source));
            trial.move_root([Quantity::Supply, Quantity::PossibleSupply], at, before, to);
            if at.phases.contains(layer.phase()) && before != Contact::Closed && to != Contact::Open && before != to {
                self.add_joins_of_source(source, layer.phase(), found);
            }
        } else if let Some(earth) = self.model.earth_of(equipment) {
            let at = self.model.earths[earth.index()];
            trial.move_root([Quantity::Earth, Quantity::PossibleEarth], at, self.earth(earth), to);
        } else {
            for branch in self.model.branches_of(equipment) {
                trial.move_branch(branch, to, found);
            }
        }
        trial.list(found);
    }
}

/// One phase of the network in which equipment has another state, one branch after the other.
struct Trial<'a> {
    network: &'a NetworkState,
    layer: &'a Layer,
    /// In the order of [`Quantity::ALL`].
    overlays: [Overlay<'a>; 4],
    moved: Vec<(BranchId, Conduct)>,
    /// Nodes that one of the quantities reaches now and did not, or the other way round; with repetitions.
    touched: Vec<NodeId>,
}

impl<'a> Trial<'a> {
    fn new(network: &'a NetworkState, layer: &'a Layer) -> Self {
        let overlays = Quantity::ALL.map(|quantity| Overlay::new(&layer.reach(quantity).parents));
        Self { network, layer, overlays, moved: Vec::new(), touched: Vec::new() }
    }

    fn move_branch(&mut self, branch: BranchId, to: Contact, found: &mut Consequences) {
        let (network, layer, phase) = (self.network, self.layer, self.layer.phase());
        let (before, at) = (network.conduct[branch.index()], network.model.branch(branch));
        let after = before.with(at.phases.intersection(layer.phases), to);
        if before == after {
            return;
        }
        if !before.is_closed(phase) && after.may_be_closed(phase) {
            network.add_joins(branch, phase, &self.moved, found);
        }
        self.moved.push((branch, after));
        for (quantity, overlay) in Quantity::ALL.into_iter().zip(&mut self.overlays) {
            let view = View { instead: &self.moved, ..layer.view(&network.model, &network.conduct, quantity) };
            match (quantity.passes(before, phase), quantity.passes(after, phase)) {
                (false, true) => forest::add_branch(overlay, &view, branch, at.ends, &mut self.touched),
                (true, false) => forest::remove_branch(overlay, &view, branch, at.ends, &mut self.touched),
                _ => {}
            }
        }
    }

    fn move_root(&mut self, quantities: [Quantity; 2], at: Connected, before: Contact, to: Contact) {
        let (network, layer) = (self.network, self.layer);
        if at.phases.intersection(layer.phases).is_empty() {
            return;
        }
        for quantity in quantities {
            let (was, is) = (quantity.counts(before), quantity.counts(to));
            if was == is {
                continue;
            }
            let others = layer.reach(quantity).roots[at.node.index()] - u8::from(was);
            let view = View { other_root: Some((at.node, is || others > 0)), ..layer.view(&network.model, &network.conduct, quantity) };
            let overlay = &mut self.overlays[quantity as usize];
            if is {
                forest::add_root(overlay, &view, at.node, &mut self.touched);
            } else {
                forest::remove_root(overlay, &view, at.node, &mut self.touched);
            }
        }
    }

    /// Adds the nodes that have another state now.
    fn list(mut self, found: &mut Consequences) {
        self.touched.sort_unstable();
        self.touched.dedup();
        for node in self.touched {
            let [had, may_have_had, was_earth, may_have_been_earth] =
                Quantity::ALL.map(|quantity| self.layer.reach(quantity).parents.is_reached(node));
            let [has, may_have, is_earth, may_be_earth] = [0, 1, 2, 3].map(|quantity: usize| self.overlays[quantity].is_reached(node));
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
    }
}

/// Removes nodes of an ordered list.
fn leave_out(nodes: &mut Vec<NodeId>, others: &[NodeId]) {
    nodes.retain(|node| others.binary_search(node).is_err());
}
