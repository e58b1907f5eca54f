//! The results of a load flow by phase.

use network::{EquipmentId, NodeId, Phase};
use num_complex::Complex64;

use super::case::{NONE, PhaseCase};
use crate::switch_currents::{self, Edge};
use crate::terminals::Terminals;

const NOT_KNOWN: Complex64 = Complex64::new(f64::NAN, f64::NAN);

/// The outcome of the calculation of an island.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PhaseOutcome {
    /// Voltages were found.
    Solved {
        /// The number of iterations.
        iterations: usize,
    },
    /// No voltages were found. The island has no results.
    NotConverged {
        /// The number of iterations.
        iterations: usize,
        /// The greatest change of a voltage in the last iteration, per unit; NaN if the equations have no solution.
        change_pu: f64,
        /// The position in the description of the node with that change; `None` if the point is inside of a transformer or behind the impedance of a source.
        node: Option<usize>,
    },
}

/// Voltages, currents and powers of a network by phase.
#[derive(Debug, Clone)]
pub struct PhaseSolution {
    islands: Vec<PhaseOutcome>,
    /// Voltages to earth, kV, with three entries for each node.
    voltages: Vec<Complex64>,
    node_kv: Vec<f64>,
    terminals: Terminals,
    /// Powers, MVA, and currents, A, with three entries for each terminal.
    powers: Vec<Complex64>,
    currents: Vec<Complex64>,
    losses: Complex64,
    low: Vec<EquipmentId>,
}

impl PhaseSolution {
    pub(super) fn new(case: &PhaseCase, voltages: &[Complex64], islands: Vec<PhaseOutcome>) -> Self {
        let mut results = Results::new(case, voltages);
        results.add_elements();
        results.add_loads();
        results.add_sources();
        results.add_switches();
        results.into_solution(islands)
    }

    /// Returns the outcome of the calculation of each island with a source.
    pub fn islands(&self) -> &[PhaseOutcome] {
        &self.islands
    }

    /// Whether all islands with a source have results.
    pub fn is_converged(&self) -> bool {
        self.islands.iter().all(|outcome| matches!(outcome, PhaseOutcome::Solved { .. }))
    }

    /// Returns the voltage of a phase to earth, kV. `None` for a dead conductor, or if the calculation did not converge.
    pub fn voltage_kv(&self, node: NodeId, phase: Phase) -> Option<Complex64> {
        known(self.voltages[node.index() * 3 + phase as usize])
    }

    /// Returns the voltage of a phase to earth, per unit of the nominal phase voltage.
    pub fn voltage_pu(&self, node: NodeId, phase: Phase) -> Option<Complex64> {
        known(self.voltages[node.index() * 3 + phase as usize] * (3.0_f64.sqrt() / self.node_kv[node.index()]))
    }

    /// Returns the current that flows into a phase of equipment at a terminal, numbered from 1, A. `None` if there are no results.
    pub fn current_a(&self, equipment: EquipmentId, terminal: u8, phase: Phase) -> Option<Complex64> {
        known(self.currents[self.slot(equipment, terminal, phase)?])
    }

    /// Returns the power that flows into a phase of equipment at a terminal, kW and kvar.
    pub fn power_kva(&self, equipment: EquipmentId, terminal: u8, phase: Phase) -> Option<Complex64> {
        known(self.powers[self.slot(equipment, terminal, phase)?] * 1_000.0)
    }

    /// Returns the losses of lines, transformers and series compensators in all phases, kW and kvar.
    pub fn losses_kva(&self) -> Complex64 {
        self.losses * 1_000.0
    }

    /// Returns the consumers whose voltage in a phase is below 70 % of the nominal voltage. In that phase their loads are modelled as impedances.
    pub fn consumers_with_low_voltage(&self) -> &[EquipmentId] {
        &self.low
    }

    fn slot(&self, equipment: EquipmentId, terminal: u8, phase: Phase) -> Option<usize> {
        let range = self.terminals.range(equipment.index());
        let at = range.start + usize::from(terminal).checked_sub(1)?;
        range.contains(&at).then_some(at * 3 + phase as usize)
    }
}

fn known(value: Complex64) -> Option<Complex64> {
    value.is_finite().then_some(value)
}

/// Collects the currents.
struct Results<'a> {
    case: &'a PhaseCase,
    voltages: &'a [Complex64],
    /// By terminal and phase.
    currents: Vec<Complex64>,
    has_current: Vec<bool>,
    /// The sum of the currents that are drawn at each point.
    at_point: Vec<Complex64>,
    losses: Complex64,
    low: Vec<EquipmentId>,
}

impl<'a> Results<'a> {
    fn new(case: &'a PhaseCase, voltages: &'a [Complex64]) -> Self {
        let count = case.terminals.count() * 3;
        Self {
            case,
            voltages,
            currents: vec![Complex64::ZERO; count],
            has_current: vec![false; count],
            at_point: vec![Complex64::ZERO; voltages.len()],
            losses: Complex64::ZERO,
            low: Vec::new(),
        }
    }

    fn draw(&mut self, point: u32, slot: u32, current: Complex64) {
        self.at_point[point as usize] += current;
        if slot != NONE {
            self.currents[slot as usize] += current;
            self.has_current[slot as usize] = true;
        }
    }

    fn add_elements(&mut self) {
        for element in &self.case.elements {
            let at: Vec<Complex64> = element.points.iter().map(|point| self.voltages[*point as usize]).collect();
            for (row, (point, slot)) in element.points.iter().zip(&element.slots).enumerate() {
                let current: Complex64 = at.iter().enumerate().map(|(column, voltage)| element.admittances.at(row, column) * voltage).sum();
                self.draw(*point, *slot, current);
                let lost = at[row] * current.conj();
                if element.is_branch && lost.is_finite() {
                    self.losses += lost;
                }
            }
        }
    }

    fn add_loads(&mut self) {
        for drawn in &self.case.loads {
            let other = if drawn.to == NONE { Complex64::ZERO } else { self.voltages[drawn.to as usize] };
            let voltage = self.voltages[drawn.from as usize] - other;
            let current = drawn.load.current_at(voltage);
            self.draw(drawn.from, drawn.slots[0], current);
            if drawn.to != NONE {
                self.draw(drawn.to, drawn.slots[1], -current);
            }
            if drawn.load.is_low(voltage) && self.low.last() != Some(&drawn.equipment) {
                self.low.push(drawn.equipment);
            }
        }
    }

    /// Adds the currents of sources. The sources at a point feed the missing current of the point in equal parts.
    fn add_sources(&mut self) {
        let mut counts = vec![0_u32; self.voltages.len()];
        for held in &self.case.sources {
            counts[held.point as usize] += 1;
        }
        let missing: Vec<Complex64> =
            self.case.sources.iter().map(|held| -self.at_point[held.point as usize] / f64::from(counts[held.point as usize])).collect();
        for (held, current) in self.case.sources.iter().zip(missing) {
            self.draw(held.point, held.slot, current);
        }
    }

    fn add_switches(&mut self) {
        let mut edges = Vec::new();
        for (slots, conductors) in &self.case.switches {
            if self.voltages[self.case.point_of[conductors[0] as usize] as usize].is_finite() {
                edges.push(Edge { nodes: *conductors, slots: slots.map(|slot| slot as usize) });
                for slot in slots {
                    self.has_current[*slot as usize] = true;
                }
            }
        }
        let mut drawn = vec![Complex64::ZERO; self.case.point_of.len()];
        for (slot, current) in self.currents.iter().enumerate() {
            drawn[self.case.terminals.node(slot / 3) as usize * 3 + slot % 3] += current;
        }
        switch_currents::add(&edges, drawn, &mut self.currents);
        for (slot, point) in &self.case.idle {
            self.has_current[*slot as usize] |= self.voltages[*point as usize].is_finite();
        }
    }

    fn into_solution(self, islands: Vec<PhaseOutcome>) -> PhaseSolution {
        let case = self.case;
        let root = 3.0_f64.sqrt();
        let (mut powers, mut currents) = (Vec::with_capacity(self.currents.len()), Vec::with_capacity(self.currents.len()));
        for (slot, current) in self.currents.iter().enumerate() {
            let point = case.point_of[case.terminals.node(slot / 3) as usize * 3 + slot % 3] as usize;
            let is_known = self.has_current[slot] && self.voltages[point].is_finite();
            // A third of 1 MVA divided by the nominal voltage of a phase.
            currents.push(if is_known { current * (1_000.0 / (root * case.kv[point])) } else { NOT_KNOWN });
            powers.push(if is_known { self.voltages[point] * current.conj() / 3.0 } else { NOT_KNOWN });
        }
        PhaseSolution {
            islands,
            voltages: case.point_of.iter().map(|point| self.voltages[*point as usize] * (case.kv[*point as usize] / root)).collect(),
            node_kv: case.node_kv.clone(),
            terminals: case.terminals.clone(),
            powers,
            currents,
            losses: self.losses / 3.0,
            low: self.low,
        }
    }
}
