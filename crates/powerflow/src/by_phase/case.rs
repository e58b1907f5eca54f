//! The compact form of a network for the load flow by phase. It consists of points and the admittances between them. A point is one conductor at a bus.
//!
//! Quantities are per unit of the nominal voltage of a phase and a third of 1 MVA.

use network::description::{Consumption, Description, Electrical, Equipment, Generation, SequenceImpedance, SourceVoltage, Transformer};
use network::{Contact, EquipmentId, EquipmentKind, NetworkState, Phase, Phases};
use num_complex::Complex64;

use super::elements::{self, LineMatrices};
use super::loads::PhaseLoad;
use super::matrix::Matrix;
use crate::buses::Buses;
use crate::consumer_power::total_power;
use crate::joined::Joined;
use crate::number::{finite, in_range};
use crate::positions::{Positions, is_normally_closed};
use crate::terminals::Terminals;
use crate::{CaseError, Finding, impedance};

/// No place for a result.
pub(super) const NONE: u32 = u32::MAX;
/// kW per phase in the unit of power.
const KW: f64 = 3e-3;

/// A network with the positions of its switches, ready to be calculated by phase.
#[derive(Debug, Clone)]
pub struct PhaseCase {
    /// The point of each phase of each node, with three entries for each node.
    pub(super) point_of: Vec<u32>,
    /// The nominal voltage of each point's bus, kV between phases.
    pub(super) kv: Vec<f64>,
    pub(super) node_kv: Vec<f64>,
    pub(super) elements: Vec<Element>,
    pub(super) loads: Vec<Drawn>,
    pub(super) sources: Vec<Held>,
    /// Closed switches by phase, each with the slots of both terminals and the conductors at both nodes.
    pub(super) switches: Vec<([u32; 2], [u32; 2])>,
    /// The points of each island, and its sources.
    pub(super) islands: Vec<Vec<u32>>,
    pub(super) terminals: Terminals,
    pub(super) findings: Vec<Finding>,
    /// Slots of equipment that is open or out of service.
    pub(super) idle: Vec<(u32, u32)>,
}

/// Admittances between points.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) points: Vec<u32>,
    pub(super) admittances: Matrix,
    /// The positions at which the currents into the conductors are reported: three times the terminal plus the phase.
    pub(super) slots: Vec<u32>,
    /// Whether the sum of its powers is a loss of the network.
    pub(super) is_branch: bool,
}

/// A load and its points of connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drawn {
    pub(super) from: u32,
    /// `NONE` is earth.
    pub(super) to: u32,
    pub(super) slots: [u32; 2],
    pub(super) load: PhaseLoad,
    pub(super) equipment: EquipmentId,
}

/// A point whose voltage a source holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub(super) point: u32,
    pub(super) voltage: Complex64,
    pub(super) slot: u32,
    pub(super) equipment: EquipmentId,
}

impl PhaseCase {
    /// Builds the case from a description and a state of its model.
    pub fn new(description: &Description, state: &NetworkState) -> Result<Self, CaseError> {
        let terminals = Terminals::new(description)?;
        let mut findings = Vec::new();
        let positions = Positions::new(description, state, &mut findings)?;
        let mut builder = Builder::new(description, &terminals, &positions, state, findings)?;
        for (index, equipment) in description.equipment.iter().enumerate() {
            builder.add(index, equipment, &terminals)?;
        }
        builder.finish(description, terminals)
    }

    /// Returns the assumptions that were made and the equipment that was left out.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}

struct Builder<'a> {
    positions: &'a Positions,
    /// For each piece of equipment, the phases in which it connects its nodes without impedance.
    joining: Vec<Phases>,
    /// The closed phases of each piece of equipment.
    closed: Vec<Phases>,
    buses: Buses,
    point_of: Vec<u32>,
    kv: Vec<f64>,
    node_kv: Vec<f64>,
    /// Points that are connected, including through windings.
    connected: Joined,
    /// Number of points. First come the points of the nodes, then those of star points and of voltages behind impedances.
    point_count: u32,
    elements: Vec<Element>,
    loads: Vec<Drawn>,
    sources: Vec<Held>,
    switches: Vec<([u32; 2], [u32; 2])>,
    idle: Vec<(u32, u32)>,
    findings: Vec<Finding>,
}

/// Returns the phases that both terminals have, or the phases of a single terminal.
fn phases_of(equipment: &Equipment) -> Phases {
    equipment.terminals.iter().map(|terminal| terminal.phases).reduce(Phases::intersection).unwrap_or_default()
}

/// Returns the closed phases. Equipment with one position for all phases is closed in all of them or in none.
fn closed_phases(equipment: &Equipment, id: EquipmentId, is_closed: bool, state: &NetworkState) -> Phases {
    if !equipment.kind.has_position_for_each_phase() {
        return if is_closed { phases_of(equipment) } else { Phases::NONE };
    }
    let closed = |phase: &Phase| match state.phase_position(id, *phase) {
        Contact::Closed => true,
        Contact::Open => false,
        Contact::Unknown => is_normally_closed(equipment),
    };
    phases_of(equipment).iter().filter(closed).map(Phases::only).fold(Phases::NONE, Phases::union)
}

/// Returns the phases in which closed equipment connects its nodes without impedance: the phases of a switch, or of a line without impedance.
fn joining_phases(equipment: &Equipment, closed: Phases) -> Result<Phases, CaseError> {
    let is_branch = matches!(equipment.kind, EquipmentKind::LineSegment | EquipmentKind::SeriesCompensator);
    let joins = match &equipment.electrical {
        Electrical::Line(line) if line.by_phase.is_none() => impedance::joins(impedance::positive(&equipment.id, &line.series)?),
        Electrical::Series(series) => impedance::joins(impedance::positive(&equipment.id, series)?),
        Electrical::Nothing if is_branch => true,
        _ => equipment.kind.is_switch(),
    };
    Ok(if joins { closed } else { Phases::NONE })
}

impl<'a> Builder<'a> {
    fn new(
        description: &Description,
        terminals: &Terminals,
        positions: &'a Positions,
        state: &NetworkState,
        mut findings: Vec<Finding>,
    ) -> Result<Self, CaseError> {
        let count = description.nodes.len();
        let (mut nodes, mut conductors) = (Joined::new(count), Joined::new(count * 3));
        let (mut joining, mut closed) = (Vec::new(), Vec::new());
        for (index, equipment) in description.equipment.iter().enumerate() {
            let phases = closed_phases(equipment, positions.ids[index], positions.is_closed[index], state);
            let joined = joining_phases(equipment, phases)?;
            if !joined.is_empty() {
                if !equipment.kind.is_switch() {
                    findings.push(Finding::NoImpedance(positions.ids[index]));
                }
                let ends = terminals.of(index);
                nodes.join(ends[0], ends[1]);
                for phase in joined.iter() {
                    conductors.join(conductor(ends[0], phase), conductor(ends[1], phase));
                }
            }
            closed.push(phases);
            joining.push(joined);
        }
        let is_closed: Vec<bool> = closed.iter().map(|phases| !phases.is_empty()).collect();
        let buses = Buses::new(description, terminals, &is_closed, &mut nodes)?;
        let (point_of, point_count) = conductors.numbers();
        let mut kv = vec![1.0; point_count];
        for (at, point) in point_of.iter().enumerate() {
            kv[*point as usize] = buses.kv[buses.of_node[at / 3] as usize].unwrap_or(1.0);
        }
        let node_kv = description
            .nodes
            .iter()
            .zip(&buses.of_node)
            .map(|(node, bus)| node.nominal_kv.or(buses.kv[*bus as usize]).unwrap_or(1.0))
            .collect();
        // Points are added for at most three phases of a star point or a source each.
        let most = point_count + description.equipment.len() * 3;
        Ok(Self {
            positions,
            joining,
            closed,
            buses,
            point_of,
            kv,
            node_kv,
            connected: Joined::new(most),
            point_count: point_count as u32,
            elements: Vec::new(),
            loads: Vec::new(),
            sources: Vec::new(),
            switches: Vec::new(),
            idle: Vec::new(),
            findings,
        })
    }

    fn add(&mut self, index: usize, equipment: &Equipment, terminals: &Terminals) -> Result<(), CaseError> {
        let places = Places { nodes: terminals.of(index), first: terminals.range(index).start as u32, phases: phases_of(equipment) };
        self.note_switch(index, equipment, &places);
        if self.closed[index].is_empty() {
            return Ok(());
        }
        let id = equipment.id.as_str();
        match &equipment.electrical {
            Electrical::Line(line) if self.joining[index].is_empty() => {
                let matrices = elements::line(id, line)?;
                self.line(index, id, &matrices, &places)
            }
            Electrical::Series(series) if self.joining[index].is_empty() => {
                // A reactor or capacitor has a unit in each phase.
                let matrices = LineMatrices { assumed: false, ..elements::series(id, series, 1.0)? };
                self.line(index, id, &matrices, &places)
            }
            Electrical::Transformer(transformer) => self.transformer(index, equipment, transformer, &places),
            Electrical::Nothing if equipment.kind == EquipmentKind::PowerTransformer => {
                Err(CaseError::WrongEnds { id: id.to_owned(), ends: 0, terminals: places.nodes.len() })
            }
            Electrical::Shunt(shunt) => {
                let siemens = impedance::shunt(id, shunt)?;
                for phase in places.phases.iter() {
                    let point = self.point(places.nodes[0], phase);
                    let kv = self.kv[point as usize];
                    let admittances = Matrix::from_fn(1, |_, _| siemens * (kv * kv));
                    let slots = vec![places.slot(0, phase)];
                    self.elements.push(Element { points: vec![point], admittances, slots, is_branch: false });
                }
                Ok(())
            }
            Electrical::Consumer(consumed) => self.consumer(index, id, consumed, &places),
            Electrical::Generator(generation) => self.generator(index, id, generation, &places),
            Electrical::Source(source) => self.source(index, id, source, &places),
            Electrical::Nothing if equipment.kind == EquipmentKind::EnergySource => {
                self.source(index, id, &SourceVoltage::default(), &places)
            }
            Electrical::DirectCurrent { kw } => {
                let power = finite(id, "kw", *kw)?;
                self.star(index, power.into(), 0, &places);
                self.star(index, Complex64::from(-power), 1, &places);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Records the conductors that a switch connects, and the terminals of open phases.
    fn note_switch(&mut self, index: usize, equipment: &Equipment, places: &Places<'_>) {
        for phase in self.joining[index].iter() {
            let slots = [places.slot(0, phase), places.slot(1, phase)];
            self.switches.push((slots, [conductor(places.nodes[0], phase), conductor(places.nodes[1], phase)]));
        }
        for (terminal, node) in places.nodes.iter().enumerate() {
            for phase in equipment.terminals[terminal].phases.iter().filter(|phase| !self.closed[index].contains(*phase)) {
                self.idle.push((places.slot(terminal, phase), self.point(*node, phase)));
            }
        }
    }

    fn line(&mut self, index: usize, id: &str, matrices: &LineMatrices, places: &Places<'_>) -> Result<(), CaseError> {
        if matrices.assumed {
            self.findings.push(Finding::NoZeroSequence(self.positions.ids[index]));
        }
        let phases: Vec<Phase> = places.phases.iter().collect();
        let numbers: Vec<usize> = phases.iter().map(|phase| *phase as usize).collect();
        let siemens = elements::line_admittances(id, matrices, &numbers)?;
        for phase in &phases {
            self.connected.join(self.point(places.nodes[0], *phase), self.point(places.nodes[1], *phase));
        }
        let ends: Vec<(usize, Phase)> = (0..2).flat_map(|end| phases.iter().map(move |phase| (end, *phase))).collect();
        self.element(&siemens, &ends, places, true);
        Ok(())
    }

    /// Adds an element between the phases of terminals, with admittances in siemens.
    fn element(&mut self, siemens: &Matrix, ends: &[(usize, Phase)], places: &Places<'_>, is_branch: bool) {
        let points: Vec<u32> = ends.iter().map(|(end, phase)| self.point(places.nodes[*end], *phase)).collect();
        let slots = ends.iter().map(|(end, phase)| places.slot(*end, *phase)).collect();
        self.element_between(siemens, points, slots, is_branch);
    }

    fn element_between(&mut self, siemens: &Matrix, points: Vec<u32>, slots: Vec<u32>, is_branch: bool) {
        let kv: Vec<f64> = points.iter().map(|point| self.kv[*point as usize]).collect();
        let admittances = Matrix::from_fn(siemens.size(), |row, column| siemens.at(row, column) * (kv[row] * kv[column]));
        self.elements.push(Element { points, admittances, slots, is_branch });
    }

    fn transformer(
        &mut self,
        index: usize,
        equipment: &Equipment,
        transformer: &Transformer,
        places: &Places<'_>,
    ) -> Result<(), CaseError> {
        let id = equipment.id.as_str();
        if transformer.ends.len() != places.nodes.len() {
            return Err(CaseError::WrongEnds { id: id.to_owned(), ends: transformer.ends.len(), terminals: places.nodes.len() });
        }
        let all: Vec<Phases> = equipment.terminals.iter().map(|terminal| terminal.phases).collect();
        let ends: Vec<(usize, Phase)> =
            all.iter().enumerate().flat_map(|(end, phases)| phases.iter().map(move |phase| (end, phase))).collect();
        if let [first, second] = all[..] {
            let Some(siemens) = elements::two_windings(id, transformer, [first, second])? else {
                self.findings.push(Finding::LeftOut(self.positions.ids[index]));
                return Ok(());
            };
            self.join_ends(&ends, places);
            self.element(&siemens, &ends, places, true);
            return Ok(());
        }
        if all.iter().any(|phases| *phases != Phases::ABC) {
            self.findings.push(Finding::LeftOut(self.positions.ids[index]));
            return Ok(());
        }
        let matrices = elements::three_windings(id, transformer)?;
        self.join_ends(&ends, places);
        let star = self.add_points(transformer.ends[0].rated_kv);
        self.connected.join(star[0], self.point(places.nodes[0], Phase::A));
        for (end, siemens) in matrices.iter().enumerate() {
            let points = Phase::ALL.map(|phase| self.point(places.nodes[end], phase)).into_iter().chain(star).collect();
            let slots = Phase::ALL.map(|phase| places.slot(end, phase)).into_iter().chain([NONE; 3]).collect();
            self.element_between(siemens, points, slots, true);
        }
        Ok(())
    }

    fn join_ends(&mut self, ends: &[(usize, Phase)], places: &Places<'_>) {
        for pair in ends.windows(2) {
            let [one, other] = [pair[0], pair[1]].map(|(end, phase)| self.point(places.nodes[end], phase));
            self.connected.join(one, other);
        }
    }

    fn consumer(&mut self, index: usize, id: &str, consumed: &Consumption, places: &Places<'_>) -> Result<(), CaseError> {
        let power = total_power(id, consumed, places.phases)?;
        let impedance = in_range(id, "constant_impedance", consumed.constant_impedance, 0.0, 1.0)?;
        let current = in_range(id, "constant_current", consumed.constant_current, 0.0, 1.0)?;
        in_range(id, "the sum of constant_impedance and constant_current", impedance + current, 0.0, 1.0 + 1e-9)?;
        let phases: Vec<Phase> = places.phases.iter().collect();
        // Between phases: two phases have one load, three have three.
        let is_delta = consumed.is_delta && phases.len() > 1;
        let count = if is_delta && phases.len() == 2 { 1 } else { phases.len() };
        for (at, phase) in phases.iter().take(count).enumerate() {
            let own = match consumed.by_phase {
                Some(shares) if count > 1 || !is_delta => Complex64::new(shares[*phase as usize][0], shares[*phase as usize][1]),
                _ => power / count as f64,
            };
            let to = is_delta.then(|| phases[(at + 1) % phases.len()]);
            self.load(index, (own, impedance, current), 0, [Some(*phase), to], places);
        }
        Ok(())
    }

    fn load(&mut self, index: usize, power: (Complex64, f64, f64), end: usize, phases: [Option<Phase>; 2], places: &Places<'_>) {
        let node = places.nodes[end];
        let place = |phase: Option<Phase>| phase.map_or((NONE, NONE), |phase| (self.point(node, phase), places.slot(end, phase)));
        let ((from, first), (to, second)) = (place(phases[0]), place(phases[1]));
        let phase_voltage = self.node_kv[node as usize] / self.kv[from as usize];
        let nominal = if to == NONE { phase_voltage } else { phase_voltage * 3.0_f64.sqrt() };
        let (power, impedance, current) = power;
        let load = PhaseLoad { power: power * KW, impedance, current, nominal };
        self.loads.push(Drawn { from, to, slots: [first, second], load, equipment: self.positions.ids[index] });
    }

    /// Adds a constant power, divided equally between all phases.
    fn star(&mut self, index: usize, power: Complex64, end: usize, places: &Places<'_>) {
        let count = places.phases.iter().count() as f64;
        for phase in places.phases.iter() {
            self.load(index, (power / count, 0.0, 0.0), end, [Some(phase), None], places);
        }
    }

    fn generator(&mut self, index: usize, id: &str, generation: &Generation, places: &Places<'_>) -> Result<(), CaseError> {
        if generation.voltage_pu.is_some() {
            self.findings.push(Finding::VoltageNotHeld(self.positions.ids[index]));
        }
        let power = Complex64::new(finite(id, "kw", generation.kw)?, finite(id, "kvar", generation.kvar)?);
        self.star(index, -power, 0, places);
        Ok(())
    }

    fn source(&mut self, index: usize, id: &str, source: &SourceVoltage, places: &Places<'_>) -> Result<(), CaseError> {
        let magnitude = in_range(id, "voltage_pu", source.voltage_pu, 0.1, 10.0)?;
        let angle = in_range(id, "angle_deg", source.angle_deg, -720.0, 720.0)?.to_radians();
        let voltage = |phase: Phase, ratio: f64| {
            Complex64::from_polar(magnitude * ratio, angle - std::f64::consts::TAU / 3.0 * f64::from(phase as u8))
        };
        let node = places.nodes[0];
        let behind = match source.impedance {
            Some(SequenceImpedance { r_ohm: 0.0, x_ohm: 0.0, .. }) | None => None,
            Some(series) => Some(elements::series(id, &series, 1.0)?),
        };
        let phases: Vec<Phase> = places.phases.iter().collect();
        let equipment = self.positions.ids[index];
        let Some(matrices) = behind else {
            for phase in phases {
                let point = self.point(node, phase);
                let ratio = self.node_kv[node as usize] / self.kv[point as usize];
                self.sources.push(Held { point, voltage: voltage(phase, ratio), slot: places.slot(0, phase), equipment });
            }
            return Ok(());
        };
        if matrices.assumed {
            self.findings.push(Finding::NoZeroSequence(equipment));
        }
        let numbers: Vec<usize> = phases.iter().map(|phase| *phase as usize).collect();
        let siemens = elements::line_admittances(id, &matrices, &numbers)?;
        let internal = self.add_points(self.node_kv[node as usize]);
        let mut points: Vec<u32> = phases.iter().map(|phase| self.point(node, *phase)).collect();
        let mut slots: Vec<u32> = phases.iter().map(|phase| places.slot(0, *phase)).collect();
        for (at, phase) in phases.iter().enumerate() {
            self.connected.join(points[at], internal[at]);
            self.sources.push(Held { point: internal[at], voltage: voltage(*phase, 1.0), slot: NONE, equipment });
        }
        points.extend(&internal[..phases.len()]);
        slots.extend(phases.iter().map(|_| NONE));
        self.element_between(&siemens, points, slots, false);
        Ok(())
    }

    fn add_points(&mut self, kv: f64) -> [u32; 3] {
        let first = self.point_count;
        self.point_count += 3;
        self.kv.extend([kv; 3]);
        let added = [first, first + 1, first + 2];
        self.connected.join(added[0], added[1]);
        self.connected.join(added[1], added[2]);
        added
    }

    fn point(&self, node: u32, phase: Phase) -> u32 {
        self.point_of[conductor(node, phase) as usize]
    }

    fn finish(mut self, description: &Description, terminals: Terminals) -> Result<PhaseCase, CaseError> {
        let count = self.point_count as usize;
        let mut islands: Vec<Vec<u32>> = Vec::new();
        // All phases of a source are one island, also where only windings or loads connect them.
        let mut last: Option<Held> = None;
        for held in &self.sources {
            if let Some(last) = last.filter(|last| last.equipment == held.equipment) {
                self.connected.join(last.point, held.point);
            }
            last = Some(*held);
        }
        let mut number = vec![NONE; count];
        for held in &self.sources {
            let set = self.connected.set_of(held.point) as usize;
            if number[set] == NONE {
                number[set] = islands.len() as u32;
                islands.push(Vec::new());
            }
        }
        for point in 0..count as u32 {
            let set = self.connected.set_of(point) as usize;
            if let Some(island) = islands.get_mut(number[set] as usize) {
                island.push(point);
            }
        }
        let mut is_live = vec![false; count];
        for point in islands.iter().flatten() {
            is_live[*point as usize] = true;
        }
        for (at, point) in self.point_of.iter().enumerate() {
            if is_live[*point as usize] && self.buses.kv[self.buses.of_node[at / 3] as usize].is_none() {
                return Err(CaseError::NoVoltage(description.nodes[at / 3].id.clone()));
            }
        }
        check_sources(description, &self.sources)?;
        let mut elements = self.elements;
        for element in &mut elements {
            element.keep(&is_live);
        }
        elements.retain(|element| !element.points.is_empty());
        let is_fed = |point: u32| point == NONE || is_live[point as usize];
        let loads = self.loads.into_iter().filter(|drawn| is_fed(drawn.from) && is_fed(drawn.to)).collect();
        Ok(PhaseCase {
            point_of: self.point_of,
            kv: self.kv,
            node_kv: self.node_kv,
            elements,
            loads,
            sources: self.sources,
            switches: self.switches,
            islands,
            terminals,
            findings: self.findings,
            idle: self.idle,
        })
    }
}

impl Element {
    /// Leaves out dead conductors.
    fn keep(&mut self, is_live: &[bool]) {
        let kept: Vec<usize> = (0..self.points.len()).filter(|at| is_live[self.points[*at] as usize]).collect();
        if kept.len() < self.points.len() {
            self.admittances = self.admittances.part(&kept);
            self.points = kept.iter().map(|at| self.points[*at]).collect();
            self.slots = kept.iter().map(|at| self.slots[*at]).collect();
        }
    }
}

fn check_sources(description: &Description, sources: &[Held]) -> Result<(), CaseError> {
    let mut sorted: Vec<&Held> = sources.iter().collect();
    sorted.sort_by_key(|held| (held.point, held.equipment));
    for pair in sorted.windows(2) {
        if pair[0].point == pair[1].point && (pair[0].voltage - pair[1].voltage).norm() > 1e-9 {
            let name = |held: &Held| description.equipment[held.equipment.index()].id.clone();
            return Err(CaseError::HeldTwice { first: name(pair[0]), second: name(pair[1]) });
        }
    }
    Ok(())
}

/// Where a piece of equipment is connected.
struct Places<'a> {
    nodes: &'a [u32],
    /// The number of its first terminal.
    first: u32,
    phases: Phases,
}

impl Places<'_> {
    fn slot(&self, terminal: usize, phase: Phase) -> u32 {
        (self.first + terminal as u32) * 3 + u32::from(phase as u8)
    }
}

fn conductor(node: u32, phase: Phase) -> u32 {
    node * 3 + u32::from(phase as u8)
}
