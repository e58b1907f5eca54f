//! The network as it would be with another state of one piece of equipment.

use crate::{Contact, EquipmentId, NetworkState, NodeId, Phase};

impl NetworkState {
    /// Calls `ask` with the network as it would be if equipment had another state, see [`NetworkState::contact`], and with the nodes whose state would
    /// differ. Afterwards the network is as before. Costs as much as the part of the network behind the equipment.
    ///
    /// Earlier changes must have been settled.
    pub fn with_contact<T>(&mut self, equipment: EquipmentId, contact: Contact, ask: impl FnOnce(&Self, &[NodeId]) -> T) -> T {
        debug_assert!(self.touched.is_empty(), "changes must be settled first");
        let (whole, by_phase) = (self.contact(equipment), self.by_phase.get(&equipment).copied());
        let phases = Phase::ALL.map(|phase| self.phase_position(equipment, phase));
        let losses = self.losses();
        self.set_contact(equipment, contact);
        let changed = self.settle();
        let answer = ask(self, &changed);
        if self.model.kind(equipment).has_position_for_each_phase() {
            Phase::ALL.into_iter().zip(phases).for_each(|(phase, contact)| self.set_phase(equipment, phase, contact));
        } else {
            self.set_contact(equipment, whole);
            self.by_phase.extend(by_phase.map(|contacts| (equipment, contacts)));
        }
        self.settle();
        self.restore_measured(losses);
        self.settle();
        answer
    }
}
