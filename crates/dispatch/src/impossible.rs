//! The constraints that a day may be unable to keep.

use std::fmt;

use thiserror::Error;

use crate::clock;
use crate::parameters::Window;

/// The constraint that cannot be kept.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Impossible {
    /// The site needs more than may be drawn from the grid.
    ImportLimit {
        /// The half hour in which most is missing.
        slot: usize,
        /// What the site needs in it beside its panels, kW.
        needed_kw: f64,
        /// What may be drawn, kW.
        limit_kw: f64,
        /// What is missing, kW.
        missing_kw: f64,
        /// Why the battery does not give it.
        battery: Missing,
        /// In how many half hours of the day something is missing.
        slots: usize,
        /// What is missing in all, kWh.
        missing_kwh: f64,
    },
    /// The battery cannot be as full at the end as it has to be.
    EndEnergy {
        /// How full it has to be, kWh.
        wanted_kwh: f64,
        /// How full it can be, kWh.
        reachable_kwh: f64,
        /// When it may charge.
        charging: Window,
        /// When it may discharge.
        discharging: Window,
        /// What may be drawn from the grid, kW.
        limit_kw: Option<f64>,
    },
}

/// Why a battery does not help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It may not discharge then.
    Window,
    /// It gives all that BatteryDischargeRateKw allows.
    Rate,
    /// It does not hold enough by then.
    Energy,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Window => "the battery may not discharge then (DischargingStartTimeHours, DischargingEndTimeHours)",
            Self::Rate => "the battery gives no more than BatteryDischargeRateKw",
            Self::Energy => "the battery does not hold enough by then",
        })
    }
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ImportLimit { slot, needed_kw, limit_kw, missing_kw, battery, slots, missing_kwh } => write!(
                f,
                "demand is above the import limit in slot {slot} ({}): {needed_kw:.2} kW are needed beside the panels, \
                 {limit_kw} kW may be drawn, {missing_kw:.2} kW are missing: {battery}; in all {missing_kwh:.2} kWh in {slots} slot{}",
                clock(*slot),
                if *slots == 1 { "" } else { "s" }
            ),
            Self::EndEnergy { wanted_kwh, reachable_kwh, charging, discharging, limit_kw } => {
                write!(
                    f,
                    "the battery has to end the day with {wanted_kwh} kWh and comes to {reachable_kwh:.2} kWh: \
                     it charges in slots {} to {}, discharges in slots {} to {}",
                    charging.start, charging.end, discharging.start, discharging.end
                )?;
                limit_kw.map_or(Ok(()), |limit| write!(f, ", and {limit} kW may be drawn"))
            }
        }
    }
}
