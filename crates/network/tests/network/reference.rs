//! A description of a network that a test can change, and its states by repeated passes over all branches.

use std::sync::Arc;

use network::{Consumer, Contact, EquipmentKind, Model, ModelBuilder, NetworkState, NewEquipment, Phase, Phases, State};

/// A branch, a source or an earth with its positions by phase.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) kind: EquipmentKind,
    pub(crate) nodes: Vec<usize>,
    pub(crate) phases: Phases,
    pub(crate) contacts: [Contact; 3],
}

/// A network of numbered nodes. The id of a part is its number.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    pub(crate) nodes: usize,
    pub(crate) parts: Vec<Part>,
}

impl Network {
    /// Builds the model; the first contact of each part is its normal one.
    pub(crate) fn model(&self) -> Model {
        let mut builder = ModelBuilder::new();
        let nodes: Vec<_> = (0..self.nodes).map(|node| builder.add_node(&format!("node:{node}"), None).expect("a new id")).collect();
        for (number, part) in self.parts.iter().enumerate() {
            let terminals: Vec<_> = part.nodes.iter().map(|node| (nodes[*node], part.phases)).collect();
            let consumer = Consumer { customers: 1, load_kw: 2.5 };
            let (id, kind, normal) = (&number.to_string(), part.kind, part.contacts[0]);
            builder.add(NewEquipment { id, kind, terminals: &terminals, normal, consumer }).expect("valid equipment");
        }
        builder.build()
    }

    /// Builds the network with its present positions.
    pub(crate) fn present(&self) -> NetworkState {
        let mut present = NetworkState::new(Arc::new(self.model()));
        for number in 0..self.parts.len() {
            self.apply(&mut present, number);
        }
        present.settle();
        present
    }

    /// Brings a part of a network into the position that it has here.
    pub(crate) fn apply(&self, present: &mut NetworkState, number: usize) {
        let part = &self.parts[number];
        let model = Arc::clone(present.model());
        let equipment = model.equipment(&number.to_string()).expect("equipment");
        match part.kind {
            EquipmentKind::EnergySource => {
                let source = model.sources().find(|source| model.source_equipment(*source) == equipment).expect("its place");
                present.set_source(source, part.contacts[0]);
            }
            EquipmentKind::GroundDisconnector => {
                let earth = model.earths().find(|earth| model.earth_equipment(*earth) == equipment).expect("its place");
                present.set_earth(earth, part.contacts[0]);
            }
            EquipmentKind::Fuse => {
                for phase in Phase::ALL {
                    present.set_phase(equipment, phase, part.contacts[phase as usize]);
                }
            }
            _ => present.set_position(equipment, part.contacts[0]),
        }
    }

    /// Returns the states of the phases of each node.
    pub(crate) fn states(&self) -> Vec<[State; 3]> {
        self.states_with(&vec![Phases::NONE; self.nodes])
    }

    /// Returns whether a source may feed a phase of each node.
    pub(crate) fn may_be_supplied(&self, phase: Phase) -> Vec<bool> {
        self.reached(phase, EquipmentKind::EnergySource, true)
    }

    /// Returns whether a phase of each node is certainly earthed.
    pub(crate) fn earthed(&self, phase: Phase) -> Vec<bool> {
        self.reached(phase, EquipmentKind::GroundDisconnector, false)
    }

    /// Returns the states of the phases of each node, given the phases that are measured live at each.
    pub(crate) fn states_with(&self, measured: &[Phases]) -> Vec<[State; 3]> {
        // A measured voltage is as good as a source.
        let source = |(node, phases): (usize, &Phases)| Part {
            kind: EquipmentKind::EnergySource,
            nodes: vec![node],
            phases: *phases,
            contacts: [Contact::Closed; 3],
        };
        let parts = self.parts.iter().cloned().chain(measured.iter().enumerate().map(source)).collect();
        let all = Self { nodes: self.nodes, parts };
        let by_phase = Phase::ALL.map(|phase| {
            let supply = all.reached(phase, EquipmentKind::EnergySource, false);
            let possible_supply = all.reached(phase, EquipmentKind::EnergySource, true);
            let earth = self.reached(phase, EquipmentKind::GroundDisconnector, false);
            let possible_earth = self.reached(phase, EquipmentKind::GroundDisconnector, true);
            let state = |node: usize| {
                if supply[node] {
                    return if earth[node] { State::Conflict } else { State::Energised };
                }
                if possible_supply[node] {
                    return State::Unknown;
                }
                match (earth[node], possible_earth[node]) {
                    (true, _) => State::Earthed,
                    (false, true) => State::Unknown,
                    (false, false) => State::Dead,
                }
            };
            (0..self.nodes).map(state).collect::<Vec<State>>()
        });
        (0..self.nodes).map(|node| [0, 1, 2].map(|phase: usize| by_phase[phase][node])).collect()
    }

    /// Whether closing a part would close a loop in a phase, and whether it would join two sources.
    pub(crate) fn joins(&self, number: usize, phase: Phase) -> (bool, bool) {
        if self.parts[number].kind == EquipmentKind::EnergySource {
            return (false, self.sources_reached(self.parts[number].nodes[0], phase).into_iter().any(|other| other != number));
        }
        let [a, b] = match self.parts[number].nodes.as_slice() {
            [a, b, ..] => [*a, *b],
            _ => return (false, false),
        };
        let mut without = self.clone();
        without.parts[number].contacts = [Contact::Open; 3];
        if without.reached_from(a, phase, false)[b] {
            return (true, false);
        }
        let (of_a, of_b) = (without.sources_reached(a, phase), without.sources_reached(b, phase));
        (false, of_a.iter().any(|one| of_b.iter().any(|other| one != other)))
    }

    /// Returns the numbers of the sources that may feed a node.
    fn sources_reached(&self, node: usize, phase: Phase) -> Vec<usize> {
        let reached = self.reached_from(node, phase, true);
        let is_source = |part: &Part| {
            part.kind == EquipmentKind::EnergySource && part.phases.contains(phase) && part.contacts[phase as usize] != Contact::Open
        };
        let numbered = self.parts.iter().enumerate().filter(|(_, part)| is_source(part) && reached[part.nodes[0]]);
        numbered.map(|(number, _)| number).collect()
    }

    pub(crate) fn reached_from(&self, from: usize, phase: Phase, is_possible: bool) -> Vec<bool> {
        let source = Part { kind: EquipmentKind::EnergySource, nodes: vec![from], phases: Phases::ABC, contacts: [Contact::Closed; 3] };
        let others = self.parts.iter().filter(|part| part.kind != EquipmentKind::EnergySource).cloned();
        let network = Self { nodes: self.nodes, parts: others.chain([source]).collect() };
        network.reached(phase, EquipmentKind::EnergySource, is_possible)
    }

    fn reached(&self, phase: Phase, root: EquipmentKind, is_possible: bool) -> Vec<bool> {
        let mut reached = vec![false; self.nodes];
        let counts = |part: &Part| {
            let contact = part.contacts[phase as usize];
            part.phases.contains(phase) && (contact == Contact::Closed || is_possible && contact == Contact::Unknown)
        };
        for _ in 0..=self.nodes {
            for part in self.parts.iter().filter(|part| counts(part)) {
                if part.kind == root {
                    reached[part.nodes[0]] = true;
                } else if part.kind != EquipmentKind::PowerTransformer || root == EquipmentKind::EnergySource {
                    let is_reached = part.nodes.len() > 1 && part.nodes.iter().any(|node| reached[*node]);
                    part.nodes.iter().filter(|_| is_reached).for_each(|node| reached[*node] = true);
                }
            }
        }
        reached
    }
}
