//! The cost of a failure: repair, safety, environment and supply (CNAIM v2.1).

use super::cable::{CableKind, Insulation, Voltage};

/// Currency and price year of the reference costs. The criticality index compares costs within a category, so it does not depend on the
/// currency.
pub const REFERENCE_CURRENCY: (&str, &str) = ("GBP", "2020/21");
/// Factor of the network cost where a single failure interrupts the supply.
const NOT_SECURE: f64 = 2.5;

/// The cost of a failure by its parts, GBP.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Repair or replacement.
    pub financial: f64,
    /// Harm to persons.
    pub safety: f64,
    /// Leaked oil or gas, and waste.
    pub environmental: f64,
    /// Lost supply.
    pub network: f64,
}

impl Cost {
    pub(super) const fn of(financial: f64, safety: f64, environmental: f64, network: f64) -> Self {
        Self { financial, safety, environmental, network }
    }

    /// Returns the sum of the parts.
    pub fn total(&self) -> f64 {
        self.financial + self.safety + self.environmental + self.network
    }
}

/// Factors by which a location differs from the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Consequence {
    /// Factor for access and type, applied to the financial part.
    pub financial: f64,
    /// Factor for the location, applied to the safety part.
    pub safety: f64,
    /// Factor for water nearby and bunds, applied to the environmental part (0.5 for a bunded oil cable 80 to 120 m from water).
    pub environmental: f64,
    /// Connected load, MVA; `None` counts as the reference load.
    pub load_mva: Option<f64>,
    /// Whether the supply continues after a single failure.
    pub secure: bool,
}

impl Default for Consequence {
    fn default() -> Self {
        Self { financial: 1.0, safety: 1.0, environmental: 1.0, load_mva: None, secure: true }
    }
}

impl Consequence {
    /// Returns the cost of a failure at this location, from the reference cost and the load of the reference, MVA.
    pub fn cost(&self, reference: Cost, reference_mva: f64) -> Cost {
        let load = self.load_mva.map_or(1.0, |mva| mva / reference_mva);
        Cost {
            financial: reference.financial * self.financial,
            safety: reference.safety * self.safety,
            environmental: reference.environmental * self.environmental,
            network: reference.network * load * if self.secure { 1.0 } else { NOT_SECURE },
        }
    }
}

impl Voltage {
    /// Returns the load of the reference network cost, MVA. CNAIM gives 12 for 33 kV. 24 and 60 follow from the reference network costs,
    /// whose ratio is 1 : 2 : 5.
    pub fn reference_mva(self) -> f64 {
        match self {
            Self::Kv33 => 12.0,
            Self::Kv66 => 24.0,
            Self::Kv132 => 60.0,
        }
    }
}

impl CableKind {
    /// Returns the reference cost of a failure, GBP.
    pub fn reference_cost(self) -> Cost {
        match (self.voltage, self.insulation) {
            (Voltage::Kv33, Insulation::NonPressurised) => Cost::of(31_644.0, 2.0, 726.0, 3_530.0),
            (Voltage::Kv33, Insulation::Oil) => Cost::of(129.0, 2.0, 5_885.0, 4.0),
            (Voltage::Kv33, Insulation::Gas) => Cost::of(317.0, 2.0, 54.0, 35.0),
            (Voltage::Kv66, Insulation::NonPressurised) => Cost::of(64_021.0, 2.0, 726.0, 7_059.0),
            (Voltage::Kv66, Insulation::Oil) => Cost::of(140.0, 2.0, 5_885.0, 7.0),
            (Voltage::Kv66, Insulation::Gas) => Cost::of(519.0, 2.0, 54.0, 71.0),
            (Voltage::Kv132, Insulation::NonPressurised) => Cost::of(109_244.0, 2.0, 1_086.0, 17_684.0),
            (Voltage::Kv132, Insulation::Oil) => Cost::of(154.0, 2.0, 7_410.0, 18.0),
            (Voltage::Kv132, Insulation::Gas) => Cost::of(802.0, 2.0, 81.0, 176.0),
        }
    }

    /// Returns the average cost of a failure in the category, GBP, as printed. The printed sum was rounded separately and may differ from
    /// the sum of its parts by a few pounds.
    pub fn average_cost(self) -> f64 {
        match (self.voltage, self.insulation) {
            (Voltage::Kv33, Insulation::NonPressurised) => 35_901.0,
            (Voltage::Kv33, Insulation::Oil) => 6_019.0,
            (Voltage::Kv33, Insulation::Gas) => 407.0,
            (Voltage::Kv66, Insulation::NonPressurised) => 71_808.0,
            (Voltage::Kv66, Insulation::Oil) => 6_033.0,
            (Voltage::Kv66, Insulation::Gas) => 645.0,
            (Voltage::Kv132, Insulation::NonPressurised) => 127_980.0,
            (Voltage::Kv132, Insulation::Oil) => 7_583.0,
            (Voltage::Kv132, Insulation::Gas) => 1_060.0,
        }
    }
}
