//! Builds the case from a description and a state.

use network::description::{Consumption, Description, Electrical, Equipment, Generation, SourceVoltage, Transformer};
use network::{EquipmentId, EquipmentKind, NetworkState, Phases};
use num_complex::Complex64;

use crate::buses::Buses;
use crate::case::{Branch, Case, Draw, Injection, Load, NONE, Part};
use crate::consumer_power::total_power;
use crate::joined::Joined;
use crate::number::{finite, in_range};
use crate::order::Order;
use crate::positions::Positions;
use crate::terminals::Terminals;
use crate::two_port::TwoPort;
use crate::{CaseError, Finding, impedance};

/// kW in the unit of power, 1 MVA.
const KW: f64 = 1e-3;

impl Case {
    /// Builds the case from a description and a state of its model.
    pub fn new(description: &Description, state: &NetworkState) -> Result<Self, CaseError> {
        let terminals = Terminals::new(description)?;
        let mut findings = Vec::new();
        let positions = Positions::new(description, state, &mut findings)?;
        let mut builder = Builder::new(description, &terminals, &positions, findings)?;
        for (index, equipment) in description.equipment.iter().enumerate() {
            builder.add(index, equipment, &terminals)?;
        }
        builder.finish(description, terminals)
    }
}

struct Builder<'a> {
    positions: &'a Positions,
    is_joining: Vec<bool>,
    buses: Buses,
    /// For each node, its nominal voltage divided by the nominal voltage of its bus.
    node_ratio: Vec<f64>,
    branches: Vec<Branch>,
    injections: Vec<Injection>,
    parts: Vec<Part>,
    findings: Vec<Finding>,
}

impl<'a> Builder<'a> {
    fn new(
        description: &Description,
        terminals: &Terminals,
        positions: &'a Positions,
        mut findings: Vec<Finding>,
    ) -> Result<Self, CaseError> {
        let mut joined = Joined::new(description.nodes.len());
        let mut is_joining = vec![false; description.equipment.len()];
        for (index, equipment) in description.equipment.iter().enumerate().filter(|(index, _)| positions.is_closed[*index]) {
            if joins(equipment)? {
                if !equipment.kind.is_switch() {
                    findings.push(Finding::NoImpedance(positions.ids[index]));
                }
                is_joining[index] = true;
                let nodes = terminals.of(index);
                joined.join(nodes[0], nodes[1]);
            }
        }
        let buses = Buses::new(description, terminals, &positions.is_closed, &mut joined)?;
        let node_ratio = description
            .nodes
            .iter()
            .zip(&buses.of_node)
            .map(|(node, bus)| match (node.nominal_kv, buses.kv[*bus as usize]) {
                (Some(own), Some(bus)) => own / bus,
                _ => 1.0,
            })
            .collect();
        Ok(Self { positions, is_joining, buses, node_ratio, branches: Vec::new(), injections: Vec::new(), parts: Vec::new(), findings })
    }

    fn add(&mut self, index: usize, equipment: &Equipment, terminals: &Terminals) -> Result<(), CaseError> {
        let part = if self.positions.is_closed[index] { self.part(index, equipment, terminals.of(index))? } else { Part::Idle };
        self.parts.push(part);
        Ok(())
    }

    fn part(&mut self, index: usize, equipment: &Equipment, nodes: &[u32]) -> Result<Part, CaseError> {
        let id = equipment.id.as_str();
        if self.is_joining[index] {
            if let Electrical::Line(line) = &equipment.electrical {
                let charging = impedance::charging(id, line)?;
                self.inject_at_bus(index, nodes[0], charging);
            }
            return Ok(Part::Joining);
        }
        match &equipment.electrical {
            Electrical::Line(line) => {
                let port = TwoPort::pi(impedance::positive(id, &line.series)?, impedance::charging(id, line)?);
                Ok(self.branch(nodes, port))
            }
            Electrical::Series(series) => Ok(self.branch(nodes, TwoPort::series(impedance::positive(id, series)?))),
            Electrical::Transformer(transformer) => self.transformer(id, transformer, nodes),
            Electrical::Nothing if equipment.kind == EquipmentKind::PowerTransformer => {
                Err(CaseError::WrongEnds { id: id.to_owned(), ends: 0, terminals: nodes.len() })
            }
            Electrical::Shunt(shunt) => {
                let siemens = impedance::shunt(id, shunt)?;
                let kv = self.kv(nodes[0]);
                Ok(self.inject(index, nodes[0], Draw::Shunt(siemens * (kv * kv))))
            }
            Electrical::Consumer(consumed) => {
                let load = self.consumer(id, consumed, (nodes[0], equipment.terminals[0].phases))?;
                Ok(self.inject(index, nodes[0], Draw::Load(load)))
            }
            Electrical::Generator(generation) => self.generator(index, id, generation, nodes[0]),
            Electrical::Source(source) => self.source(index, id, source, nodes[0]),
            Electrical::Nothing if equipment.kind == EquipmentKind::EnergySource => {
                self.source(index, id, &SourceVoltage::default(), nodes[0])
            }
            Electrical::DirectCurrent { kw } => {
                let power = finite(id, "kw", *kw)?;
                let part = self.inject(index, nodes[0], Draw::Load(self.constant(power * KW, nodes[0])));
                self.inject(index, nodes[1], Draw::Load(self.constant(-power * KW, nodes[1])));
                Ok(part)
            }
            Electrical::Nothing | Electrical::Switch(_) => Ok(Part::Idle),
        }
    }

    fn transformer(&mut self, id: &str, transformer: &Transformer, nodes: &[u32]) -> Result<Part, CaseError> {
        if transformer.ends.len() != nodes.len() {
            return Err(CaseError::WrongEnds { id: id.to_owned(), ends: transformer.ends.len(), terminals: nodes.len() });
        }
        if nodes.len() == 2 {
            let port = impedance::two_windings(id, transformer)?;
            return Ok(self.branch(nodes, port));
        }
        let ports = impedance::three_windings(id, transformer)?;
        let star = self.add_bus(Some(transformer.ends[0].rated_kv));
        let first = self.branches.len() as u32;
        for (node, port) in nodes.iter().zip(ports) {
            self.branch_between(self.bus(*node), star, port, false);
        }
        Ok(Part::Star(first))
    }

    fn consumer(&self, id: &str, consumed: &Consumption, (node, phases): (u32, Phases)) -> Result<Load, CaseError> {
        let power = total_power(id, consumed, phases)? * KW;
        let impedance = in_range(id, "constant_impedance", consumed.constant_impedance, 0.0, 1.0)?;
        let current = in_range(id, "constant_current", consumed.constant_current, 0.0, 1.0)?;
        in_range(id, "the sum of constant_impedance and constant_current", impedance + current, 0.0, 1.0 + 1e-9)?;
        Ok(Load { power, impedance, current, ratio: self.node_ratio[node as usize].recip(), is_generator: false })
    }

    fn constant(&self, power: f64, node: u32) -> Load {
        let ratio = self.node_ratio[node as usize].recip();
        Load { power: power.into(), impedance: 0.0, current: 0.0, ratio, is_generator: false }
    }

    fn generator(&mut self, index: usize, id: &str, generation: &Generation, node: u32) -> Result<Part, CaseError> {
        let kw = finite(id, "kw", generation.kw)?;
        let draw = if let Some(voltage) = generation.voltage_pu {
            let voltage = in_range(id, "voltage_pu", voltage, 0.1, 10.0)? * self.node_ratio[node as usize];
            Draw::Held { power: kw * KW, voltage }
        } else {
            let power = Complex64::new(kw, finite(id, "kvar", generation.kvar)?) * -KW;
            Draw::Load(Load { power, is_generator: true, ..self.constant(0.0, node) })
        };
        Ok(self.inject(index, node, draw))
    }

    fn source(&mut self, index: usize, id: &str, source: &SourceVoltage, node: u32) -> Result<Part, CaseError> {
        let magnitude = in_range(id, "voltage_pu", source.voltage_pu, 0.1, 10.0)? * self.node_ratio[node as usize];
        let voltage = Complex64::from_polar(magnitude, in_range(id, "angle_deg", source.angle_deg, -720.0, 720.0)?.to_radians());
        let behind = match &source.impedance {
            Some(series) => Some(impedance::positive(id, series)?).filter(|impedance| !impedance::joins(*impedance)),
            None => None,
        };
        let Some(behind) = behind else { return Ok(self.inject(index, node, Draw::Source(voltage))) };
        let bus = self.bus(node);
        let internal = self.add_bus(self.buses.kv[bus as usize]);
        let part = self.branch_between(bus, internal, TwoPort::series(behind), true);
        self.injections.push(Injection { bus: internal, node: NONE, equipment: self.positions.ids[index], draw: Draw::Source(voltage) });
        Ok(part)
    }

    fn bus(&self, node: u32) -> u32 {
        self.buses.of_node[node as usize]
    }

    /// Returns the nominal voltage of the bus of a node. In an island with a source, each bus has a nominal voltage. Other islands are not calculated.
    fn kv(&self, node: u32) -> f64 {
        self.buses.kv[self.bus(node) as usize].unwrap_or(1.0)
    }

    fn add_bus(&mut self, kv: Option<f64>) -> u32 {
        self.buses.kv.push(kv);
        self.buses.kv.len() as u32 - 1
    }

    /// Adds a branch, given in ohms and siemens, between the buses of two nodes.
    fn branch(&mut self, nodes: &[u32], port: TwoPort) -> Part {
        self.branch_between(self.bus(nodes[0]), self.bus(nodes[1]), port, false)
    }

    fn branch_between(&mut self, from: u32, to: u32, port: TwoPort, is_source: bool) -> Part {
        let kv = |bus: u32| self.buses.kv[bus as usize].unwrap_or(1.0);
        self.branches.push(Branch { from, to, port: port.per_unit(kv(from), kv(to)), is_source });
        Part::Branch(self.branches.len() as u32 - 1)
    }

    fn inject(&mut self, index: usize, node: u32, draw: Draw) -> Part {
        self.injections.push(Injection { bus: self.bus(node), node, equipment: self.positions.ids[index], draw });
        Part::Injections(self.injections.len() as u32 - 1)
    }

    /// Adds the admittance of a line that is treated like a closed switch, siemens.
    fn inject_at_bus(&mut self, index: usize, node: u32, siemens: Complex64) {
        if siemens != Complex64::ZERO {
            let kv = self.kv(node);
            self.inject(index, node, Draw::Shunt(siemens * (kv * kv)));
        }
    }

    fn finish(self, description: &Description, terminals: Terminals) -> Result<Case, CaseError> {
        let name = |equipment: EquipmentId| description.equipment[equipment.index()].id.clone();
        let mut findings = self.findings;
        let mut order = Order::new(self.buses.kv.len(), &self.branches, &self.injections, &mut findings)
            .map_err(|[first, second]| CaseError::HeldTwice { first: name(first), second: name(second) })?;
        let live = order.live();
        for (node, bus) in description.nodes.iter().zip(&self.buses.of_node) {
            if order.new_number[*bus as usize] < live && self.buses.kv[*bus as usize].is_none() {
                return Err(CaseError::NoVoltage(node.id.clone()));
            }
        }
        let mut kv = vec![1.0; self.buses.kv.len()];
        for (bus, value) in self.buses.kv.iter().enumerate() {
            kv[order.new_number[bus] as usize] = value.unwrap_or(1.0);
        }
        let renumber = |bus: u32| order.new_number[bus as usize];
        let branches: Vec<Branch> =
            self.branches.iter().map(|branch| Branch { from: renumber(branch.from), to: renumber(branch.to), ..*branch }).collect();
        let injections = self.injections.iter().map(|injection| Injection { bus: renumber(injection.bus), ..*injection }).collect();
        Ok(Case {
            bus_of_node: self.buses.of_node.iter().map(|bus| renumber(*bus)).collect(),
            node_ratio: self.node_ratio,
            kv,
            branches,
            injections,
            islands: std::mem::take(&mut order.islands),
            parents: std::mem::take(&mut order.parents),
            from_parent: std::mem::take(&mut order.from_parent),
            parts: self.parts,
            terminals,
            findings,
        })
    }
}

/// Whether closed equipment makes its two nodes one bus: a switch, or a branch without impedance.
fn joins(equipment: &Equipment) -> Result<bool, CaseError> {
    let is_branch = matches!(equipment.kind, EquipmentKind::LineSegment | EquipmentKind::SeriesCompensator);
    Ok(match &equipment.electrical {
        Electrical::Line(line) => impedance::joins(impedance::positive(&equipment.id, &line.series)?),
        Electrical::Series(series) => impedance::joins(impedance::positive(&equipment.id, series)?),
        Electrical::Nothing if is_branch => true,
        _ => equipment.kind.is_switch(),
    })
}
