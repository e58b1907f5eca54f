//! Measured voltages as evidence. A node at which a voltage is measured is energised. All nodes that closed branches connect with it are energised too.
//!
//! A measurement describes the past, and the opening of a switch changes the state at once. So a measured voltage is used only until the node loses its last
//! possible supply. After that, only a new measurement can show that the node is live. No measurement makes a node dead.

use crate::forest::Parents;
use crate::network_state::{Layer, LostSupply, MeasuredAt, Quantity};
use crate::{NetworkState, NodeId, Phase, Phases};

impl NetworkState {
    /// Starts to record when a node loses its last possible supply, see [`NetworkState::take_lost`]. Earlier changes must have been settled.
    pub fn watch(&mut self, node: NodeId) {
        let supplied = self.possibly_supplied(node);
        self.measured.entry(node).or_insert(MeasuredAt { live: Phases::NONE, supplied });
    }

    /// Sets the phases of a node that are live according to a measurement. They are used until the node loses its last possible supply.
    pub fn set_measured(&mut self, node: NodeId, live: Phases) {
        let (supplied, live) = (self.possibly_supplied(node), live.intersection(self.model.phases(node)));
        let at = self.measured.entry(node).or_insert(MeasuredAt { live: Phases::NONE, supplied });
        let before = std::mem::replace(&mut at.live, live);
        for layer in &mut self.layers {
            let [was, is] = [before, live].map(|live| !live.intersection(layer.phases).is_empty());
            layer.change_measured(&self.model, &self.conduct, node, was, is, &mut self.touched);
        }
    }

    /// Returns the phases of a node that are live according to a measurement.
    pub fn measured(&self, node: NodeId) -> Phases {
        self.measured.get(&node).map_or(Phases::NONE, |at| at.live)
    }

    /// Returns whether a node is live by measurements only: no known source feeds one of its live phases.
    pub fn is_live_by_measurement(&self, node: NodeId) -> bool {
        let is_one = |layer: &Layer| layer.is_measured(node)[0] && !layer.reach(Quantity::Supply).parents.is_reached(node);
        self.layers.iter().any(is_one)
    }

    /// Returns the phases of a node that a source may feed, according to the positions of the switches.
    pub fn possibly_supplied(&self, node: NodeId) -> Phases {
        let is_supplied = |phase: &Phase| self.layer(*phase).reach(Quantity::PossibleSupply).parents.is_reached(node);
        self.model.phases(node).iter().filter(is_supplied).fold(Phases::NONE, |all, phase| all.union(Phases::only(phase)))
    }

    /// Returns the watched nodes of which a phase has lost its last possible supply since the last call.
    pub fn take_lost(&mut self) -> Vec<LostSupply> {
        std::mem::take(&mut self.lost)
    }

    /// Withdraws the measurements at nodes that have lost their last possible supply.
    pub(crate) fn withdraw_measured(&mut self) {
        if self.measured.is_empty() {
            return;
        }
        let mut lost: Vec<LostSupply> = Vec::new();
        let mut nodes: Vec<NodeId> = self.touched.iter().copied().filter(|node| self.measured.contains_key(node)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        for node in nodes {
            let now = self.possibly_supplied(node);
            let Some(at) = self.measured.get_mut(&node) else { continue };
            let gone = std::mem::replace(&mut at.supplied, now).without(now);
            if !gone.is_empty() {
                lost.push(LostSupply { node, gone, withdrawn: at.live.intersection(gone) });
            }
        }
        for LostSupply { node, withdrawn, .. } in lost.iter().filter(|lost| !lost.withdrawn.is_empty()) {
            let live = self.measured(*node).without(*withdrawn);
            self.set_measured(*node, live);
        }
        self.lost.extend(lost);
    }

    /// Restores the measurements that were withdrawn after the first `losses` losses, and removes these later losses.
    pub(crate) fn restore_measured(&mut self, losses: usize) {
        for LostSupply { node, withdrawn, .. } in self.lost.split_off(losses) {
            let live = self.measured(node).union(withdrawn);
            self.set_measured(node, live);
        }
    }

    /// The number of losses that [`NetworkState::take_lost`] has not returned yet.
    pub(crate) fn losses(&self) -> usize {
        self.lost.len()
    }
}
