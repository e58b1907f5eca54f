//! The network with the present positions of its switches, and the state of each node.

mod conduct;
mod layer;
mod measured_at;

use std::collections::HashMap;
use std::sync::Arc;

use crate::{BranchId, Contact, EarthId, EquipmentId, Model, NodeId, Phase, Phases, SourceId, State};

pub(crate) use conduct::Conduct;
pub(crate) use layer::{Layer, Quantity, View};
pub use measured_at::LostSupply;
pub(crate) use measured_at::MeasuredAt;

/// A network and its present state. It starts in the normal state of the model.
#[derive(Debug, Clone)]
pub struct NetworkState {
    pub(crate) model: Arc<Model>,
    /// For each branch, which phases conduct.
    pub(crate) conduct: Vec<Conduct>,
    sources: Vec<Contact>,
    earths: Vec<Contact>,
    /// One layer for each phase, or one layer for all phases if all equipment has three phases that move together.
    pub(crate) layers: Vec<Layer>,
    /// The states as of the last [`NetworkState::settle`].
    states: Vec<[State; 3]>,
    /// The reported states of the single phases, for equipment whose phases should move together but whose state was set by phase.
    pub(crate) by_phase: HashMap<EquipmentId, [Contact; 3]>,
    /// Nodes whose state may have changed since the last [`NetworkState::settle`], with repetitions.
    pub(crate) touched: Vec<NodeId>,
    /// Nodes at which voltages are measured.
    pub(crate) measured: HashMap<NodeId, MeasuredAt>,
    /// Nodes that have lost their supply since the last [`NetworkState::take_lost`].
    pub(crate) lost: Vec<LostSupply>,
}

impl NetworkState {
    /// Creates the network in its normal state.
    pub fn new(model: Arc<Model>) -> Self {
        let conduct: Vec<Conduct> = model.branches.iter().map(Conduct::new).collect();
        let layers = if model.are_phases_separate { Phase::ALL.map(Phases::only).to_vec() } else { vec![Phases::ABC] };
        let layers = layers.into_iter().map(|phases| Layer::new(&model, &conduct, phases)).collect();
        let (sources, earths) = (normals(&model.sources), normals(&model.earths));
        let (states, by_phase, touched, measured, lost) = <_>::default();
        let mut present = Self { model, conduct, sources, earths, layers, states, by_phase, touched, measured, lost };
        present.states = present.model.nodes().map(|node| present.computed(node)).collect();
        present
    }

    /// Returns the model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the state of any equipment: the position of a switch or an earth switch, whether a source is present, or whether a line or a transformer is in
    /// service. The result for a switch or a source that is out of service is open, because it connects nothing.
    pub fn contact(&self, equipment: EquipmentId) -> Contact {
        match (self.model.source_of(equipment), self.model.earth_of(equipment)) {
            (Some(source), _) => self.source(source),
            (None, Some(earth)) => self.earth(earth),
            (None, None) => self.position(equipment),
        }
    }

    /// Sets the state of any equipment, see [`NetworkState::contact`]. A switch or a source that is out of service stays open, see [`Model::is_in_service`].
    pub fn set_contact(&mut self, equipment: EquipmentId, contact: Contact) {
        self.by_phase.remove(&equipment);
        self.change_contact(equipment, contact);
    }

    /// Returns a copy of the network in which the positions of some equipment are unknown.
    #[must_use]
    pub fn with_unknown(&self, equipment: &[EquipmentId]) -> Self {
        let mut other = self.clone();
        for of in equipment {
            other.set_contact(*of, Contact::Unknown);
        }
        other.settle();
        other
    }

    /// Returns the position of equipment: of a switch, or whether a line or a transformer is in service. The phases of a fuse can have different positions;
    /// then the result is unknown. For equipment without branches it is open.
    pub fn position(&self, equipment: EquipmentId) -> Contact {
        let mut contacts = self.model.branches_of(equipment).flat_map(|branch| {
            let phases = self.model.branch(branch).phases;
            phases.iter().map(move |phase| self.conduct[branch.index()].contact(phase))
        });
        let Some(first) = contacts.next() else { return Contact::Open };
        if contacts.all(|contact| contact == first) { first } else { Contact::Unknown }
    }

    /// Returns the position of one phase of equipment, see [`NetworkState::position`]. For a phase that the equipment does not have, the result is open.
    pub fn phase_position(&self, equipment: EquipmentId, phase: Phase) -> Contact {
        self.model.branches_of(equipment).next().map_or(Contact::Open, |branch| self.conduct[branch.index()].contact(phase))
    }

    /// Sets the position of a switch, or whether a line or a transformer is in service.
    pub fn set_position(&mut self, equipment: EquipmentId, contact: Contact) {
        self.by_phase.remove(&equipment);
        self.set_branches(equipment, contact);
    }

    /// Sets the state of any equipment, but keeps the reported states of its phases.
    fn change_contact(&mut self, equipment: EquipmentId, contact: Contact) {
        match (self.model.source_of(equipment), self.model.earth_of(equipment)) {
            (Some(source), _) => self.change_source(source, contact),
            (None, Some(earth)) => self.change_earth(earth, contact),
            (None, None) => self.set_branches(equipment, contact),
        }
    }

    fn set_branches(&mut self, equipment: EquipmentId, contact: Contact) {
        if self.model.is_held_open(equipment) {
            return;
        }
        for branch in self.model.branches_of(equipment) {
            let phases = self.model.branch(branch).phases;
            self.set_branch(branch, phases, contact);
        }
    }

    /// Sets the state of one phase of any equipment, see [`NetworkState::contact`]. If the phases of the equipment move together, its state is unknown until
    /// the states of all phases are set and equal. For a phase that the equipment does not have, nothing changes.
    pub fn set_phase(&mut self, equipment: EquipmentId, phase: Phase, contact: Contact) {
        if self.model.is_held_open(equipment) {
            return;
        }
        if self.model.kind(equipment).has_position_for_each_phase() {
            for branch in self.model.branches_of(equipment) {
                let phases = self.model.branch(branch).phases.intersection(Phases::only(phase));
                self.set_branch(branch, phases, contact);
            }
            return;
        }
        let phases = self.model.phases_with_contact(equipment);
        if !phases.contains(phase) {
            return;
        }
        let contacts = self.by_phase.entry(equipment).or_insert([Contact::Unknown; 3]);
        contacts[phase as usize] = contact;
        let agreed =
            phases.iter().map(|phase| contacts[phase as usize]).reduce(|one, other| if one == other { one } else { Contact::Unknown });
        self.change_contact(equipment, agreed.unwrap_or(Contact::Unknown));
    }

    /// Returns whether a source is present.
    pub fn source(&self, source: SourceId) -> Contact {
        self.sources[source.index()]
    }

    /// Sets whether a source is present.
    pub fn set_source(&mut self, source: SourceId, contact: Contact) {
        self.by_phase.remove(&self.model.source_equipment(source));
        self.change_source(source, contact);
    }

    fn change_source(&mut self, source: SourceId, contact: Contact) {
        if self.model.is_held_open(self.model.source_equipment(source)) {
            return;
        }
        let before = std::mem::replace(&mut self.sources[source.index()], contact);
        let at = self.model.sources[source.index()];
        self.set_root([Quantity::Supply, Quantity::PossibleSupply], at.node, at.phases, before, contact);
    }

    /// Returns the position of a connection to earth.
    pub fn earth(&self, earth: EarthId) -> Contact {
        self.earths[earth.index()]
    }

    /// Sets the position of a connection to earth.
    pub fn set_earth(&mut self, earth: EarthId, contact: Contact) {
        self.by_phase.remove(&self.model.earth_equipment(earth));
        self.change_earth(earth, contact);
    }

    fn change_earth(&mut self, earth: EarthId, contact: Contact) {
        let before = std::mem::replace(&mut self.earths[earth.index()], contact);
        let at = self.model.earths[earth.index()];
        self.set_root([Quantity::Earth, Quantity::PossibleEarth], at.node, at.phases, before, contact);
    }

    /// Updates the states after changes. Returns the nodes whose state has changed since the last call, in order.
    pub fn settle(&mut self) -> Vec<NodeId> {
        self.withdraw_measured();
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        touched.retain(|node| {
            let state = self.computed(*node);
            std::mem::replace(&mut self.states[node.index()], state) != state
        });
        touched
    }

    /// Returns the state of a phase of a node; `None` if the node does not have the phase.
    pub fn phase_state(&self, node: NodeId, phase: Phase) -> Option<State> {
        self.model.phases(node).contains(phase).then(|| self.layer(phase).state(node))
    }

    /// Returns the state of a node. If its phases have different states, the result is the most dangerous one: conflict, then energised, then unknown. A node
    /// without terminals is dead.
    pub fn state(&self, node: NodeId) -> State {
        let states = || self.model.phases(node).iter().map(|phase| self.layer(phase).state(node));
        let first = states().next().unwrap_or(State::Dead);
        if states().all(|state| state == first) {
            return first;
        }
        // Dead and earthed in different phases remain: one phase is not earthed.
        [State::Conflict, State::Energised, State::Unknown]
            .into_iter()
            .find(|worst| states().any(|state| state == *worst))
            .unwrap_or(State::Dead)
    }

    /// Returns the layer of a phase.
    pub(crate) fn layer(&self, phase: Phase) -> &Layer {
        if self.layers.len() == 1 { &self.layers[0] } else { &self.layers[phase as usize] }
    }

    fn computed(&self, node: NodeId) -> [State; 3] {
        Phase::ALL.map(|phase| self.layer(phase).state(node))
    }

    fn set_branch(&mut self, branch: BranchId, phases: Phases, contact: Contact) {
        let before = self.conduct[branch.index()];
        let after = before.with(phases, contact);
        if before == after {
            return;
        }
        self.conduct[branch.index()] = after;
        for layer in &mut self.layers {
            layer.change_branch(&self.model, &self.conduct, branch, before, &mut self.touched);
        }
    }

    /// Changes a root of two quantities: of the certain one and of the possible one.
    fn set_root(&mut self, quantities: [Quantity; 2], node: NodeId, phases: Phases, before: Contact, after: Contact) {
        for layer in self.layers.iter_mut().filter(|layer| !layer.phases.intersection(phases).is_empty()) {
            let [certain, possible] = quantities;
            let (was, is) = (before == Contact::Closed, after == Contact::Closed);
            layer.change_root(&self.model, &self.conduct, certain, node, was, is, &mut self.touched);
            let (was, is) = (before != Contact::Open, after != Contact::Open);
            layer.change_root(&self.model, &self.conduct, possible, node, was, is, &mut self.touched);
        }
    }
}

fn normals(connected: &[crate::model::Connected]) -> Vec<Contact> {
    connected.iter().map(|at| at.normal).collect()
}
