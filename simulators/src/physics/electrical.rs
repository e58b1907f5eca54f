//! The results of the load flow of a network at the meters of one substation.

use network::{EquipmentId, NodeId};
use num_complex::Complex64;
use powerflow::Solution;

use super::utility_network::StationParts;

/// Voltages, currents and powers at the meters of a substation. They are 0 for dead parts.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Electrical {
    /// The incoming lines. Power is positive into the substation. The voltage is measured on the line.
    pub(super) incomers: Vec<LineEnd>,
    /// The voltage of the higher-voltage busbar, kV.
    pub(super) high_kv: f64,
    /// The voltage of each section of the lower-voltage busbar, kV.
    pub(super) sections_kv: Vec<f64>,
    /// The transformers.
    pub(super) units: Vec<UnitFlow>,
    /// The feeders. Power is positive into the feeder; the voltage is measured behind the breaker.
    pub(super) feeders: Vec<LineEnd>,
    /// The power into the capacitor bank, MVA.
    pub(super) capacitor: Complex64,
    /// The power that leaves the higher-voltage busbar into lines to other substations, MVA.
    pub(super) passing: Complex64,
}

/// The end of a line at a substation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct LineEnd {
    /// The voltage between phases, kV.
    pub(super) kv: f64,
    /// MVA.
    pub(super) power: Complex64,
    /// A.
    pub(super) amperes: f64,
}

/// The load of a transformer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct UnitFlow {
    /// The power into its higher-voltage side, MVA.
    pub(super) power: Complex64,
    /// The current of its lower-voltage side, A.
    pub(super) amperes: f64,
    /// Its losses, MVA.
    pub(super) lost: Complex64,
}

impl Electrical {
    pub(super) fn read(parts: &StationParts, solution: &Solution) -> Self {
        let kv = |node: NodeId| solution.voltage_kv(node).map_or(0.0, Complex64::norm);
        let mva =
            |equipment: EquipmentId, terminal: u8| solution.power_kva(equipment, terminal).map_or(Complex64::ZERO, |kva| kva / 1_000.0);
        let amperes = |equipment: EquipmentId, terminal: u8| solution.current_a(equipment, terminal).map_or(0.0, Complex64::norm);
        let line = |breaker: EquipmentId, node: NodeId| LineEnd { kv: kv(node), power: mva(breaker, 1), amperes: amperes(breaker, 1) };
        let unit = |unit: &EquipmentId| UnitFlow {
            power: mva(*unit, 1),
            amperes: amperes(*unit, 2),
            lost: solution.loss_kva(*unit).map_or(Complex64::ZERO, |kva| kva / 1_000.0),
        };
        Self {
            incomers: parts.incomers.iter().map(|incomer| line(incomer.breaker, incomer.line)).collect(),
            high_kv: kv(parts.high),
            sections_kv: parts.sections.iter().map(|section| kv(*section)).collect(),
            units: parts.units.iter().map(unit).collect(),
            feeders: parts.feeders.iter().map(|feeder| line(feeder.breaker, feeder.line)).collect(),
            capacitor: parts.capacitor.map_or(Complex64::ZERO, |capacitor| mva(capacitor, 1)),
            passing: parts.passing.iter().map(|switch| mva(*switch, 1)).sum(),
        }
    }

    /// Returns the power into the substation without the power that passes through it, MVA.
    pub(super) fn incoming(&self) -> Complex64 {
        self.incomers.iter().map(|incomer| incomer.power).sum::<Complex64>() - self.passing
    }
}
