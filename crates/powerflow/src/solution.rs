//! The results of a load flow.

use network::{EquipmentId, NodeId};
use num_complex::Complex64;

use crate::case::{Case, Draw, Island, Part};
use crate::switch_currents::{self, Edge};
use crate::terminals::Terminals;

const NOT_KNOWN: Complex64 = Complex64::new(f64::NAN, f64::NAN);

/// Voltages, currents and powers of a network.
#[derive(Debug, Clone)]
pub struct Solution {
    islands: Vec<IslandResult>,
    /// The voltage of each node, kV between phases.
    voltages: Vec<Complex64>,
    /// The nominal voltage of each node, kV.
    nominal_kv: Vec<f64>,
    island_of_node: Vec<u32>,
    terminals: Terminals,
    /// The power that flows into the equipment at each terminal, MVA.
    powers: Vec<Complex64>,
    /// The current that flows into the equipment at each terminal, A.
    currents: Vec<Complex64>,
    losses: Complex64,
}

/// How the calculation of an island ended.
#[derive(Debug, Clone, PartialEq)]
pub struct IslandResult {
    /// The sources whose voltage is held.
    pub sources: Vec<EquipmentId>,
    /// The number of its buses.
    pub buses: usize,
    /// How the calculation ended.
    pub outcome: Outcome,
}

/// How the calculation of an island ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// It was swept.
    Swept {
        /// The number of sweeps.
        sweeps: usize,
    },
    /// It was solved by the method of Newton.
    Solved {
        /// The number of iterations.
        iterations: usize,
    },
    /// There is no solution for the loads, or none was found. The island has no results.
    NotConverged {
        /// The number of iterations.
        iterations: usize,
        /// The largest power mismatch at a bus, kVA.
        mismatch_kva: f64,
        /// The position in the description of a node of that bus; `None` if the bus is inside of a transformer or behind the impedance of a source.
        node: Option<usize>,
    },
}

impl Outcome {
    /// Whether voltages were found.
    pub fn is_converged(&self) -> bool {
        !matches!(self, Self::NotConverged { .. })
    }
}

impl IslandResult {
    pub(crate) fn new(case: &Case, island: &Island, outcome: Outcome) -> Self {
        let sources = case
            .injections
            .iter()
            .filter(|injection| matches!(injection.draw, Draw::Source(_)) && island.buses.contains(&injection.bus))
            .map(|injection| injection.equipment)
            .collect();
        Self { sources, buses: island.buses.len(), outcome }
    }
}

impl Solution {
    /// Computes the currents and powers from the voltages of the buses. A bus without a voltage has NaN.
    pub(crate) fn new(case: &Case, voltages: &[Complex64], islands: Vec<IslandResult>) -> Self {
        let mut drawn = Drawn { at_bus: vec![Complex64::ZERO; voltages.len()], at_node: vec![Complex64::ZERO; case.bus_of_node.len()] };
        let mut currents = vec![NOT_KNOWN; case.terminals.count()];
        let mut losses = Complex64::ZERO;
        // The current into each end of each branch.
        let branch_currents: Vec<[Complex64; 2]> = case
            .branches
            .iter()
            .map(|branch| {
                let (from, to) = (voltages[branch.from as usize], voltages[branch.to as usize]);
                let port = branch.port.admittances();
                let ends = [port.first * from + port.first_second * to, port.second_first * from + port.second * to];
                let lost = from * ends[0].conj() + to * ends[1].conj();
                if !branch.is_source && lost.is_finite() {
                    losses += lost;
                }
                drawn.at_bus[branch.from as usize] += ends[0];
                drawn.at_bus[branch.to as usize] += ends[1];
                ends
            })
            .collect();
        let injected = injected(case, voltages, &mut drawn);
        for (index, part) in case.parts.iter().enumerate() {
            for (number, terminal) in case.terminals.range(index).enumerate() {
                let node = case.terminals.of(index)[number] as usize;
                let current = match part {
                    Part::Branch(branch) => branch_currents[*branch as usize][number],
                    Part::Star(first) => branch_currents[*first as usize + number][0],
                    Part::Injections(first) => injected[*first as usize + number],
                    Part::Idle if voltages[case.bus_of_node[node] as usize].is_finite() => Complex64::ZERO,
                    Part::Idle | Part::Joining => NOT_KNOWN,
                };
                currents[terminal] = current;
                if matches!(part, Part::Branch(_) | Part::Star(_)) {
                    drawn.at_node[node] += current;
                }
            }
        }
        switch_currents::add(&closed_switches(case, voltages), drawn.at_node, &mut currents);
        Self::scaled(case, voltages, currents, islands, losses)
    }

    fn scaled(case: &Case, voltages: &[Complex64], mut currents: Vec<Complex64>, islands: Vec<IslandResult>, losses: Complex64) -> Self {
        let mut powers = vec![NOT_KNOWN; currents.len()];
        for index in 0..case.parts.len() {
            for (terminal, node) in case.terminals.range(index).zip(case.terminals.of(index)) {
                let bus = case.bus_of_node[*node as usize] as usize;
                powers[terminal] = voltages[bus] * currents[terminal].conj();
                // 1 MVA divided by the nominal voltage in kV and the root of 3 is in kA.
                currents[terminal] *= 1_000.0 / (3.0_f64.sqrt() * case.kv[bus]);
            }
        }
        let bus_kv = |bus: &u32| case.kv[*bus as usize];
        Self {
            voltages: case.bus_of_node.iter().map(|bus| voltages[*bus as usize] * bus_kv(bus)).collect(),
            nominal_kv: case.bus_of_node.iter().zip(&case.node_ratio).map(|(bus, ratio)| bus_kv(bus) * ratio).collect(),
            island_of_node: case
                .bus_of_node
                .iter()
                .map(|bus| case.islands.partition_point(|island| island.buses.end <= *bus) as u32)
                .collect(),
            terminals: case.terminals.clone(),
            islands,
            powers,
            currents,
            losses,
        }
    }

    /// Returns the islands with a source.
    pub fn islands(&self) -> &[IslandResult] {
        &self.islands
    }

    /// Whether all islands with a source have results.
    pub fn is_converged(&self) -> bool {
        self.islands.iter().all(|island| island.outcome.is_converged())
    }

    /// Returns the position of a node's island in [`Solution::islands`]; `None` for a dead node.
    pub fn island(&self, node: NodeId) -> Option<usize> {
        Some(self.island_of_node[node.index()] as usize).filter(|island| *island < self.islands.len())
    }

    /// Returns the voltage between phases, kV; the angle is that of the phase to neutral. `None` for a dead node, or if the calculation did not converge.
    pub fn voltage_kv(&self, node: NodeId) -> Option<Complex64> {
        known(self.voltages[node.index()])
    }

    /// Returns the voltage per unit of the nominal voltage of the node, see [`Solution::voltage_kv`].
    pub fn voltage_pu(&self, node: NodeId) -> Option<Complex64> {
        known(self.voltages[node.index()] / self.nominal_kv[node.index()])
    }

    /// Returns the power of all phases that flows into equipment at a terminal, numbered from 1, kW and kvar. `None` if there are no results.
    ///
    /// If closed switches form a ring without impedance, the current is divided between them as if their resistances were equal.
    pub fn power_kva(&self, equipment: EquipmentId, terminal: u8) -> Option<Complex64> {
        known(self.powers[self.terminal(equipment, terminal)?] * 1_000.0)
    }

    /// Returns the current of a phase that flows into equipment at a terminal, A, with its angle, see [`Solution::power_kva`].
    pub fn current_a(&self, equipment: EquipmentId, terminal: u8) -> Option<Complex64> {
        known(self.currents[self.terminal(equipment, terminal)?])
    }

    /// Returns the losses of lines, transformers and series compensators, kW and kvar. Charging of lines reduces the reactive part.
    pub fn losses_kva(&self) -> Complex64 {
        self.losses * 1_000.0
    }

    /// Returns the loss of one piece of equipment: the sum of the powers that flow in at its terminals.
    pub fn loss_kva(&self, equipment: EquipmentId) -> Option<Complex64> {
        known(self.powers[self.terminals.range(equipment.index())].iter().sum::<Complex64>() * 1_000.0)
    }

    fn terminal(&self, equipment: EquipmentId, terminal: u8) -> Option<usize> {
        let range = self.terminals.range(equipment.index());
        let at = range.start + usize::from(terminal).checked_sub(1)?;
        range.contains(&at).then_some(at)
    }
}

fn known(value: Complex64) -> Option<Complex64> {
    value.is_finite().then_some(value)
}

/// The sums of the currents that flow into equipment.
struct Drawn {
    at_bus: Vec<Complex64>,
    at_node: Vec<Complex64>,
}

/// Returns the current of each injection. The sources and generators that hold a voltage at a bus feed its missing power in equal parts.
fn injected(case: &Case, voltages: &[Complex64], drawn: &mut Drawn) -> Vec<Complex64> {
    let mut sources = vec![0_u32; voltages.len()];
    let mut held = vec![0_u32; voltages.len()];
    let mut currents: Vec<Complex64> = case
        .injections
        .iter()
        .map(|injection| {
            let bus = injection.bus as usize;
            let voltage = voltages[bus];
            match injection.draw {
                Draw::Load(load) => (load.power_at(voltage.norm()) / voltage).conj(),
                Draw::Shunt(admittance) => admittance * voltage,
                Draw::Held { power, .. } => {
                    held[bus] += 1;
                    (Complex64::from(-power) / voltage).conj()
                }
                Draw::Source(_) => {
                    sources[bus] += 1;
                    Complex64::ZERO
                }
            }
        })
        .collect();
    for (injection, current) in case.injections.iter().zip(&currents) {
        drawn.at_bus[injection.bus as usize] += current;
    }
    for (injection, current) in case.injections.iter().zip(&mut currents) {
        let bus = injection.bus as usize;
        let missing = -drawn.at_bus[bus];
        match injection.draw {
            Draw::Source(_) => *current += missing / f64::from(sources[bus]),
            Draw::Held { .. } if sources[bus] == 0 => {
                let reactive = (voltages[bus] * missing.conj()).im / f64::from(held[bus]);
                *current += (Complex64::new(0.0, reactive) / voltages[bus]).conj();
            }
            _ => {}
        }
        if let Some(sum) = drawn.at_node.get_mut(injection.node as usize) {
            *sum += *current;
        }
    }
    currents
}

/// Returns the closed switches, and other equipment without impedance, at buses with a voltage.
fn closed_switches(case: &Case, voltages: &[Complex64]) -> Vec<Edge> {
    let joining = case.parts.iter().enumerate().filter(|(_, part)| **part == Part::Joining);
    joining
        .filter_map(|(index, _)| {
            let (nodes, first) = (case.terminals.of(index), case.terminals.range(index).start);
            let is_live = voltages[case.bus_of_node[nodes[0] as usize] as usize].is_finite();
            is_live.then_some(Edge { nodes: [nodes[0], nodes[1]], slots: [first, first + 1] })
        })
        .collect()
}
