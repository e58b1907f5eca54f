//! The compact form of a network for the balanced load flow: buses, branches between them, and the equipment that is connected to each bus.
//!
//! Quantities are per unit of 1 MVA and of the nominal voltages of the buses.

use network::EquipmentId;
use num_complex::Complex64;

use crate::Finding;
use crate::terminals::Terminals;
use crate::two_port::TwoPort;

/// No bus.
pub(crate) const NONE: u32 = u32::MAX;

/// A network with the positions of its switches, ready to be calculated. Powers and voltages can be changed, positions cannot.
#[derive(Debug, Clone)]
pub struct Case {
    /// The bus of each node.
    pub(crate) bus_of_node: Vec<u32>,
    /// For each node, its nominal voltage divided by the nominal voltage of its bus.
    pub(crate) node_ratio: Vec<f64>,
    /// The nominal voltage of each bus, kV. Buses are in the order of the islands; those without a source are at the end.
    pub(crate) kv: Vec<f64>,
    pub(crate) branches: Vec<Branch>,
    pub(crate) injections: Vec<Injection>,
    pub(crate) islands: Vec<Island>,
    /// For each bus, the previous bus on the path from the source; `NONE` for the first bus of an island.
    pub(crate) parents: Vec<u32>,
    /// For each bus, the branch from its parent. The first end of the branch is at the parent.
    pub(crate) from_parent: Vec<TwoPort>,
    /// What calculates each piece of equipment.
    pub(crate) parts: Vec<Part>,
    pub(crate) terminals: Terminals,
    pub(crate) findings: Vec<Finding>,
}

/// A branch between two buses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Branch {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) port: TwoPort,
    /// Whether it is the impedance of a source, whose losses are not losses of the network.
    pub(crate) is_source: bool,
}

/// The equipment that is connected to a bus at one terminal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Injection {
    pub(crate) bus: u32,
    /// The node of its terminal; `NONE` for a bus behind the impedance of a source.
    pub(crate) node: u32,
    pub(crate) equipment: EquipmentId,
    pub(crate) draw: Draw,
}

/// What an injection draws.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Draw {
    Load(Load),
    /// An admittance to earth.
    Shunt(Complex64),
    /// A generator that holds a voltage. Contains the active power that it feeds, and the voltage.
    Held {
        power: f64,
        voltage: f64,
    },
    /// A source that holds a voltage.
    Source(Complex64),
}

/// A load whose power depends on the voltage. A generator is a load with negative power.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// The power at nominal voltage.
    pub(crate) power: Complex64,
    /// The share of constant impedance.
    pub(crate) impedance: f64,
    /// The share of constant current.
    pub(crate) current: f64,
    /// The nominal voltage of the bus divided by the nominal voltage of the load.
    pub(crate) ratio: f64,
    /// Whether its power is fed and not drawn.
    pub(crate) is_generator: bool,
}

impl Load {
    pub(crate) fn constant_power(&self) -> Complex64 {
        self.power * (1.0 - self.impedance - self.current)
    }

    /// Returns the power, at the nominal voltage of the bus, of the share that is proportional to the voltage.
    pub(crate) fn constant_current(&self) -> Complex64 {
        self.power * (self.current * self.ratio)
    }

    pub(crate) fn admittance(&self) -> Complex64 {
        self.power.conj() * (self.impedance * self.ratio * self.ratio)
    }

    pub(crate) fn power_at(&self, voltage: f64) -> Complex64 {
        self.constant_power() + self.constant_current() * voltage + self.admittance().conj() * (voltage * voltage)
    }
}

/// What calculates a piece of equipment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// No part of the case: the equipment is open, out of service, or without electrical effect.
    Idle,
    /// It joins its nodes.
    Joining,
    /// A branch. Its ends are the terminals, in order.
    Branch(u32),
    /// Three branches from its terminals to its star point. Contains the position of the first one.
    Star(u32),
    /// One injection for each terminal. Contains the position of the first one.
    Injections(u32),
}

/// A set of buses that branches connect with a source.
#[derive(Debug, Clone)]
pub(crate) struct Island {
    pub(crate) buses: std::ops::Range<u32>,
    pub(crate) branches: Vec<u32>,
    /// Buses whose voltage a source holds, in order.
    pub(crate) sources: Vec<(u32, Complex64)>,
    /// Buses whose voltage a generator holds, in order.
    pub(crate) held: Vec<(u32, f64)>,
    /// Whether it is a tree with one source and no generator that holds a voltage.
    pub(crate) is_radial: bool,
}

impl Case {
    /// Returns the assumptions that were made and the equipment that was left out.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the number of buses. Nodes that closed switches connect are one bus.
    pub fn bus_count(&self) -> usize {
        self.kv.len()
    }

    /// Sets the power at nominal voltage that a consumer draws or a generator feeds, kW and kvar. Returns false, and changes nothing, if the equipment is
    /// neither of these, is out of service or holds a voltage, or if a value is not finite.
    pub fn set_power(&mut self, equipment: EquipmentId, kw: f64, kvar: f64) -> bool {
        let Some(Part::Injections(first)) = self.parts.get(equipment.index()).copied() else { return false };
        // A line with direct current has two.
        if self.terminals.range(equipment.index()).len() != 1 {
            return false;
        }
        let Draw::Load(load) = &mut self.injections[first as usize].draw else { return false };
        if !kw.is_finite() || !kvar.is_finite() {
            return false;
        }
        let sign = if load.is_generator { -1.0 } else { 1.0 };
        load.power = Complex64::new(kw, kvar) * (sign / 1_000.0);
        true
    }

    /// Returns the power at nominal voltage that a consumer draws, or that a generator feeds, kW and kvar, see [`Case::set_power`].
    pub fn power(&self, equipment: EquipmentId) -> Option<Complex64> {
        let Some(Part::Injections(first)) = self.parts.get(equipment.index()).copied() else { return None };
        match &self.injections[first as usize].draw {
            Draw::Load(load) if self.terminals.range(equipment.index()).len() == 1 => {
                Some(load.power * if load.is_generator { -1_000.0 } else { 1_000.0 })
            }
            _ => None,
        }
    }

    /// Sets the voltage that a source holds, per unit of the nominal voltage of its node; its angle does not change. Returns false, and changes nothing, if the
    /// equipment is not a source in service, if there is another source at the same place, or if the voltage is not from 0.1 to 10.
    pub fn set_voltage(&mut self, equipment: EquipmentId, voltage_pu: f64) -> bool {
        let Some(at) = self.source(equipment).filter(|_| (0.1..=10.0).contains(&voltage_pu)) else { return false };
        let (bus, ratio) = (self.injections[at].bus, self.source_ratio(equipment));
        let is_only = self.injections.iter().filter(|other| other.bus == bus && matches!(other.draw, Draw::Source(_))).count() == 1;
        let held = self.islands.iter_mut().flat_map(|island| &mut island.sources).find(|(held, _)| *held == bus);
        let (Some((_, held)), true) = (held, is_only) else { return false };
        *held = Complex64::from_polar(voltage_pu * ratio, held.arg());
        self.injections[at].draw = Draw::Source(*held);
        true
    }

    /// Returns the voltage that a source holds, per unit of the nominal voltage of its node.
    pub fn voltage(&self, equipment: EquipmentId) -> Option<f64> {
        match self.injections[self.source(equipment)?].draw {
            Draw::Source(voltage) => Some(voltage.norm() / self.source_ratio(equipment)),
            _ => None,
        }
    }

    /// Returns the position of the injection of a source.
    fn source(&self, equipment: EquipmentId) -> Option<usize> {
        self.injections.iter().position(|injection| injection.equipment == equipment && matches!(injection.draw, Draw::Source(_)))
    }

    /// Returns the nominal voltage of a source's node divided by the nominal voltage of its bus.
    fn source_ratio(&self, equipment: EquipmentId) -> f64 {
        self.node_ratio[self.terminals.of(equipment.index())[0] as usize]
    }
}
