//! The network as it would be if one piece of equipment had a different state.

use crate::{Contact, EquipmentId, NetworkState, NodeId, Phase};

impl NetworkState {
    /// Calls `ask` with the network as it would be if some equipment had another state, see [`NetworkState::contact`], and with the nodes whose state would
    /// differ. Afterwards the network is as before. Costs as much as the part of the network behind the equipment.
    ///
    /// Earlier changes must have been settled.
    pub fn with_contact<T>(&mut self, equipment: &[EquipmentId], contact: Contact, ask: impl FnOnce(&Self, &[NodeId]) -> T) -> T {
        debug_assert!(self.touched.is_empty(), "changes must be settled first");
        let before = |of: &EquipmentId| {
            let phases = Phase::ALL.map(|phase| self.phase_position(*of, phase));
            (*of, self.contact(*of), self.by_phase.get(of).copied(), phases)
        };
        let before: Vec<_> = equipment.iter().map(before).collect();
        let losses = self.losses();
        for of in equipment {
            self.set_contact(*of, contact);
        }
        let changed = self.settle();
        let answer = ask(self, &changed);
        for (of, whole, by_phase, phases) in before {
            if self.model.kind(of).has_position_for_each_phase() {
                Phase::ALL.into_iter().zip(phases).for_each(|(phase, contact)| self.set_phase(of, phase, contact));
            } else {
                self.set_contact(of, whole);
                self.by_phase.extend(by_phase.map(|contacts| (of, contacts)));
            }
        }
        self.settle();
        self.restore_measured(losses);
        self.settle();
        answer
    }
}
