//! The conductors of the demo's lines.
//!
//! Resistance of overhead lines at 20 °C and of cables at their highest temperature, from the tables of IS 398 (ACSR), IS 7098 (XLPE cables) and IS 14255
//! (aerial bunched cables); currents are those that utilities publish for an air temperature of 40 °C.

use crate::utility::{Feeder, SupplyArea};

/// Impedance and susceptance of a conductor per kilometre, and its rating.
#[derive(Debug, Clone, Copy)]
pub(in crate::utility) struct Conductor {
    pub(in crate::utility) r_ohm: f64,
    pub(in crate::utility) x_ohm: f64,
    /// Microsiemens.
    pub(in crate::utility) b_us: f64,
    pub(in crate::utility) rated_a: f64,
}

/// Three cores of 240 mm² aluminium, XLPE, 11 kV.
const CABLE_240: Conductor = Conductor { r_ohm: 0.161, x_ohm: 0.089, b_us: 129.0, rated_a: 325.0 };
/// Three cores of 120 mm² aluminium, XLPE, 11 kV.
const CABLE_120: Conductor = Conductor { r_ohm: 0.325, x_ohm: 0.098, b_us: 98.0, rated_a: 215.0 };
/// ACSR of 100 mm² at 11 kV and 33 kV.
const DOG: Conductor = Conductor { r_ohm: 0.279, x_ohm: 0.33, b_us: 3.4, rated_a: 300.0 };
/// ACSR of 50 mm².
const RABBIT: Conductor = Conductor { r_ohm: 0.552, x_ohm: 0.355, b_us: 3.3, rated_a: 190.0 };
/// ACSR of 30 mm².
const WEASEL: Conductor = Conductor { r_ohm: 0.929, x_ohm: 0.37, b_us: 3.2, rated_a: 135.0 };

/// Aluminium conductor, steel-reinforced: Panther at 132 kV, Dog at 33 kV and 11 kV, aerial cable at low voltage.
pub(in crate::utility) fn overhead(kv: f64) -> Conductor {
    match kv {
        100.0.. => Conductor { r_ohm: 0.139, x_ohm: 0.39, b_us: 2.9, rated_a: 480.0 },
        20.0.. => Conductor { x_ohm: 0.36, b_us: 3.1, ..DOG },
        1.0.. => DOG,
        _ => Conductor { r_ohm: 0.443, x_ohm: 0.09, b_us: 0.0, rated_a: 160.0 },
    }
}

/// Returns the conductor of a feeder's trunk.
pub(in crate::utility) fn trunk(feeder: &Feeder, kv: f64) -> Conductor {
    match feeder.detail.map(|detail| detail.area) {
        Some(SupplyArea::City | SupplyArea::Works) => CABLE_240,
        Some(SupplyArea::Town | SupplyArea::Pumps) | None => overhead(kv),
        Some(SupplyArea::Village) => RABBIT,
    }
}

/// Returns the conductor of the branches of a feeder.
pub(in crate::utility) fn branch(area: SupplyArea) -> Conductor {
    match area {
        SupplyArea::City | SupplyArea::Works => CABLE_120,
        SupplyArea::Town | SupplyArea::Pumps => RABBIT,
        SupplyArea::Village => WEASEL,
    }
}

/// Returns the aerial cable of a street: 95 mm², 70 mm² or 50 mm².
pub(in crate::utility) fn street(area: SupplyArea) -> Conductor {
    let of = |r_ohm, x_ohm, rated_a| Conductor { r_ohm, x_ohm, b_us: 0.0, rated_a };
    match area {
        SupplyArea::City | SupplyArea::Works => of(0.32, 0.083, 215.0),
        SupplyArea::Town => of(0.443, 0.085, 175.0),
        SupplyArea::Village | SupplyArea::Pumps => of(0.641, 0.088, 140.0),
    }
}

/// Returns the cable of a service connection: 25 mm² to the houses of a city, else 16 mm².
pub(in crate::utility) fn service(area: SupplyArea) -> Conductor {
    let of = |r_ohm, rated_a| Conductor { r_ohm, x_ohm: 0.09, b_us: 0.0, rated_a };
    match area {
        SupplyArea::City | SupplyArea::Works => of(1.2, 95.0),
        SupplyArea::Town | SupplyArea::Village | SupplyArea::Pumps => of(1.91, 70.0),
    }
}
