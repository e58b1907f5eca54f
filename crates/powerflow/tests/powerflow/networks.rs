//! Builds descriptions of small networks.

use std::sync::Arc;

use network::description::{
    Consumption, Electrical, Equipment, Generation, Line, Node, SequenceImpedance, SourceVoltage, Switch, Terminal, Transformer,
};
use network::{Contact, Description, EquipmentId, EquipmentKind, NetworkState, NodeId, Phases};
use powerflow::{Case, CaseError, Complex64, Options, Solution};

/// A network that is built step by step. Nodes and equipment are addressed by their ids.
#[derive(Debug, Clone, Default)]
pub(crate) struct Network(pub(crate) Description);

impl Network {
    pub(crate) fn node(&mut self, id: &str, kv: f64) -> &mut Self {
        self.0.nodes.push(Node {
            id: id.to_owned(),
            name: String::new(),
            container: None,
            nominal_kv: Some(kv),
            is_internal: false,
            place: None,
        });
        self
    }

    pub(crate) fn add(&mut self, id: &str, kind: EquipmentKind, nodes: &[&str], electrical: Electrical) -> &mut Self {
        let terminals = nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect();
        self.0.equipment.push(Equipment {
            id: id.to_owned(),
            name: String::new(),
            kind,
            container: None,
            terminals,
            is_in_service: true,
            electrical,
        });
        self
    }

    /// Adds the equipment with the phases of its terminals.
    pub(crate) fn add_phases(&mut self, id: &str, kind: EquipmentKind, nodes: &[&str], phases: &str, electrical: Electrical) -> &mut Self {
        self.add(id, kind, nodes, electrical);
        for terminal in &mut self.0.equipment.last_mut().expect("added").terminals {
            terminal.phases = Phases::parse(phases).expect("phases");
        }
        self
    }

    pub(crate) fn source(&mut self, id: &str, node: &str, voltage_pu: f64) -> &mut Self {
        self.add(id, EquipmentKind::EnergySource, &[node], Electrical::Source(SourceVoltage { voltage_pu, ..SourceVoltage::default() }))
    }

    pub(crate) fn line(&mut self, id: &str, nodes: [&str; 2], r_ohm: f64, x_ohm: f64) -> &mut Self {
        self.add(id, EquipmentKind::LineSegment, &nodes, Electrical::Line(line(r_ohm, x_ohm)))
    }

    pub(crate) fn load(&mut self, id: &str, node: &str, kw: f64, kvar: f64) -> &mut Self {
        self.add(id, EquipmentKind::EnergyConsumer, &[node], Electrical::Consumer(Consumption { kw, kvar, ..Consumption::default() }))
    }

    pub(crate) fn generator(&mut self, id: &str, node: &str, generation: Generation) -> &mut Self {
        self.add(id, EquipmentKind::GeneratingUnit, &[node], Electrical::Generator(generation))
    }

    pub(crate) fn switch(&mut self, id: &str, nodes: [&str; 2], is_normally_open: bool) -> &mut Self {
        self.add(id, EquipmentKind::Breaker, &nodes, Electrical::Switch(Switch { is_normally_open, ..Switch::default() }))
    }

    pub(crate) fn transformer(&mut self, id: &str, nodes: &[&str], transformer: Transformer) -> &mut Self {
        self.add(id, EquipmentKind::PowerTransformer, nodes, Electrical::Transformer(transformer))
    }

    pub(crate) fn state(&self) -> NetworkState {
        NetworkState::new(Arc::new(self.0.to_model().expect("a model")))
    }

    pub(crate) fn case(&self) -> Result<Case, CaseError> {
        Case::new(&self.0, &self.state())
    }

    pub(crate) fn solve(&self) -> Solved {
        self.solve_with(&Options::default(), |_| {})
    }

    pub(crate) fn solve_with(&self, options: &Options, change: impl Fn(&mut Positions)) -> Solved {
        let mut positions = Positions(self.state());
        change(&mut positions);
        let case = Case::new(&self.0, &positions.0).expect("a case");
        Solved { solution: case.solve(options), case, state: positions.0 }
    }
}

pub(crate) fn line(r_ohm: f64, x_ohm: f64) -> Line {
    Line { series: SequenceImpedance { r_ohm, x_ohm, ..SequenceImpedance::default() }, ..Line::default() }
}

/// The state of a network, with ids.
pub(crate) struct Positions(pub(crate) NetworkState);

impl Positions {
    pub(crate) fn set(&mut self, id: &str, contact: Contact) {
        let equipment = self.0.model().equipment(id).expect("there");
        self.0.set_contact(equipment, contact);
    }
}

/// The results of a network, by ids.
pub(crate) struct Solved {
    pub(crate) case: Case,
    pub(crate) solution: Solution,
    pub(crate) state: NetworkState,
}

impl Solved {
    pub(crate) fn node(&self, id: &str) -> NodeId {
        self.state.model().node(id).expect("there")
    }

    pub(crate) fn equipment(&self, id: &str) -> EquipmentId {
        self.state.model().equipment(id).expect("there")
    }

    pub(crate) fn voltage(&self, node: &str) -> Complex64 {
        self.solution.voltage_pu(self.node(node)).expect("a voltage")
    }

    pub(crate) fn power(&self, equipment: &str, terminal: u8) -> Complex64 {
        self.solution.power_kva(self.equipment(equipment), terminal).expect("a power")
    }

    pub(crate) fn current(&self, equipment: &str, terminal: u8) -> Complex64 {
        self.solution.current_a(self.equipment(equipment), terminal).expect("a current")
    }
}

/// Compares with a tolerance that is relative above 1.
pub(crate) fn assert_near(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{what}: {found}, expected {expected}");
}
