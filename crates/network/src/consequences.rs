//! The consequences of a change of a switch, an earth switch or a source.

use crate::forest::{self, Overlay, Parents};
use crate::model::Connected;
use crate::network_state::{Conduct, Layer, Quantity, View};
use crate::{BranchId, Consumer, Contact, EquipmentId, NetworkState, NodeId, SourceId};

/// The effects of a different state of a piece of equipment. Nodes are in order; a node is listed if at least one of its phases is affected.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Consequences {
    /// Nodes that certainly have supply now and would not certainly have it afterwards. Certain supply is a known source, or a measurement that shows that the
    /// node is live.
    pub loses_supply: Vec<NodeId>,
    /// Customers and load at these nodes.
    pub lost: Consumer,
    /// Nodes that no known source feeds now, and that a known source would feed.
    pub gains_supply: Vec<NodeId>,
    /// Nodes that may be fed now, because a position or a source is unknown, and that would certainly not be fed any more.
    pub possibly_loses_supply: Vec<NodeId>,
    /// Nodes that are certainly not fed now, and that might be fed afterwards.
    pub possibly_gains_supply: Vec<NodeId>,
    /// Nodes that would be energised and earthed at the same time, and that are not in this state now.
    pub energised_on_earth: Vec<NodeId>,
    /// Further nodes that might be energised and earthed at the same time, because a position on the path is unknown. Nodes that might be in this state already
    /// are not listed.
    pub possibly_energised_on_earth: Vec<NodeId>,
    /// Two sources that would be joined, or might be. Sources whose present connection depends on an unknown position, or on a line with direct current, count
    /// as not joined yet.
    pub joins: Option<[SourceId; 2]>,
    /// Whether a loop would be closed, because both ends are certainly connected already.
    pub closes_loop: bool,
    /// Whether a loop would be closed if a switch of unknown position is closed.
    pub possibly_closes_loop: bool,
}

impl NetworkState {
    /// Returns the consequences of a different state of a piece of equipment: the position of a switch or an earth switch, the presence of a source, or whether
    /// a line or a transformer is in service. This state is not changed. A switch or a source that is out of service has no consequences.
    pub fn consequences(&self, equipment: EquipmentId, to: Contact) -> Consequences {
        self.joint_consequences(&[equipment], to)
    }

    /// Returns what would change if several pieces of equipment had another position at the same time, see [`NetworkState::consequences`].
    pub fn joint_consequences(&self, equipment: &[EquipmentId], to: Contact) -> Consequences {
        let mut found = Consequences::default();
        let moving: Vec<EquipmentId> = equipment.iter().copied().filter(|of| !self.model.is_held_open(*of)).collect();
        for layer in &self.layers {
            self.add_consequences(layer, &moving, to, &mut found);
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

    fn add_consequences(&self, layer: &Layer, equipment: &[EquipmentId], to: Contact, found: &mut Consequences) {
        let mut trial = Trial::new(self, layer);
        for of in equipment {
            self.add_move(&mut trial, *of, to, found);
        }
        trial.list(found);
    }

    fn add_move(&self, trial: &mut Trial<'_>, equipment: EquipmentId, to: Contact, found: &mut Consequences) {
        let layer = trial.layer;
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
    }
}

/// One phase of the network in which equipment has a different state. Branches are changed one after the other.
struct Trial<'a> {
    network: &'a NetworkState,
    layer: &'a Layer,
    /// In the order of [`Quantity::ALL`].
    overlays: [Overlay<'a>; 4],
    /// In the order of [`Quantity::MEASURED`].
    measured: Option<[Overlay<'a>; 2]>,
    moved: Vec<(BranchId, Conduct)>,
    /// Nodes with another number of roots, in the order of [`Quantity::ALL`].
    moved_roots: [Vec<(NodeId, u8)>; 4],
    /// Nodes that one of the quantities reaches now and did not, or the other way round; with repetitions.
    touched: Vec<NodeId>,
}

impl<'a> Trial<'a> {
    fn new(network: &'a NetworkState, layer: &'a Layer) -> Self {
        let overlays = Quantity::ALL.map(|quantity| Overlay::new(&layer.reach(quantity).parents));
        let measured = layer.measured().map(|reaches| reaches.each_ref().map(|reach| Overlay::new(&reach.parents)));
        Self { network, layer, overlays, measured, moved: Vec::new(), moved_roots: <_>::default(), touched: Vec::new() }
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
        let all = Quantity::ALL.into_iter().map(|quantity| (quantity, layer.reach(quantity))).zip(&mut self.overlays);
        let measured = layer.measured().into_iter().flat_map(|reaches| Quantity::MEASURED.into_iter().zip(reaches));
        for ((quantity, reach), overlay) in all.chain(measured.zip(self.measured.iter_mut().flatten())) {
            let other_roots = self.moved_roots.get(quantity as usize).map_or(&[][..], Vec::as_slice);
            let view = View { instead: &self.moved, other_roots, ..layer.view(&network.model, &network.conduct, quantity, reach) };
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
            let reach = layer.reach(quantity);
            let moved = &mut self.moved_roots[quantity as usize];
            let index = moved.iter().position(|(node, _)| *node == at.node).unwrap_or_else(|| {
                moved.push((at.node, reach.roots[at.node.index()]));
                moved.len() - 1
            });
            let roots = &mut moved[index].1;
            *roots = roots.saturating_add(u8::from(is)).saturating_sub(u8::from(was));
            let view = View { instead: &self.moved, other_roots: moved, ..layer.view(&network.model, &network.conduct, quantity, reach) };
            let overlay = &mut self.overlays[quantity as usize];
            if is {
                forest::add_root(overlay, &view, at.node, &mut self.touched);
            } else {
                forest::remove_root(overlay, &view, at.node, &mut self.touched);
            }
        }
    }

    /// Adds the nodes whose state has changed.
    fn list(mut self, found: &mut Consequences) {
        self.touched.sort_unstable();
        self.touched.dedup();
        for node in self.touched {
            let [had_supply, may_have_had_supply, was_earth, may_have_been_earth] =
                Quantity::ALL.map(|quantity| self.layer.reach(quantity).parents.is_reached(node));
            let [was_measured, was_possibly_measured] = self.layer.is_measured(node);
            let (had, may_have_had) = (had_supply || was_measured, may_have_had_supply || was_possibly_measured);
            let [has, may_have, is_earth, may_be_earth] = self.overlays.each_ref().map(|overlay| overlay.is_reached(node));
            // A measurement does not count any more where the last possible supply would be lost.
            let counts = may_have || !may_have_had_supply;
            let [measured, possibly_measured] =
                self.measured.as_ref().map_or([false; 2], |of| of.each_ref().map(|overlay| counts && overlay.is_reached(node)));
            let (has, may_have) = (has || measured, may_have || possibly_measured);
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
