//! Loads by phase: the current that they draw between a phase and earth, or between two phases.

use num_complex::Complex64;

/// Below this voltage, per unit of its nominal voltage, a load is modelled as an impedance. Otherwise it would draw an infinite current from a phase without
/// voltage.
const IMPEDANCE_BELOW: f64 = 0.7;

/// A load between a conductor and earth or another conductor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PhaseLoad {
    /// The power at nominal voltage, per unit of a third of 1 MVA.
    pub(crate) power: Complex64,
    pub(crate) impedance: f64,
    pub(crate) current: f64,
    /// The nominal voltage, per unit of the phase voltage of its bus: about 1, or about the square root of 3 between phases.
    pub(crate) nominal: f64,
}

impl PhaseLoad {
    /// Returns the admittance that draws the power of the load at nominal voltage.
    pub(crate) fn admittance(&self) -> Complex64 {
        self.power.conj() / (self.nominal * self.nominal)
    }

    /// Returns the current at a voltage.
    pub(crate) fn current_at(&self, voltage: Complex64) -> Complex64 {
        let relative = voltage.norm() / self.nominal;
        let share = |relative: f64| (1.0 - self.impedance - self.current) + self.current * relative + self.impedance * relative * relative;
        if relative < IMPEDANCE_BELOW {
            return self.admittance() * voltage * (share(IMPEDANCE_BELOW) / (IMPEDANCE_BELOW * IMPEDANCE_BELOW));
        }
        (self.power * share(relative) / voltage).conj()
    }

    /// Whether the voltage is so low that the load is modelled as an impedance.
    pub(crate) fn is_low(&self, voltage: Complex64) -> bool {
        voltage.norm() < IMPEDANCE_BELOW * self.nominal
    }
}
