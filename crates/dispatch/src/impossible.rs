//! The constraints that can be impossible to satisfy.

use std::fmt;

use thiserror::Error;

use crate::clock;
use crate::parameters::Window;

/// The constraint that cannot be satisfied.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Impossible {
    /// The site needs more than the import limit.
    ImportLimit {
        /// The half hour with the largest shortage.
        slot: usize,
        /// Demand of the site minus solar power in that half hour, kW.
        needed_kw: f64,
        /// Import limit, kW.
        limit_kw: f64,
        /// Shortage, kW.
        missing_kw: f64,
        /// The reason why the battery does not cover it.
        battery: Missing,
        /// Number of half hours of the day with a shortage.
        slots: usize,
        /// Shortage of the day, kWh.
        missing_kwh: f64,
    },
    /// The battery cannot reach the required energy at the end of the day.
    EndEnergy {
        /// Required energy, kWh.
        required_kwh: f64,
        /// Largest energy that can be reached, kWh.
        reachable_kwh: f64,
        /// Half hours in which it may charge.
        charging: Window,
        /// Half hours in which it may discharge.
        discharging: Window,
        /// Import limit, kW; `None` without limit.
        limit_kw: Option<f64>,
    },
}

/// The reason why the battery does not cover a shortage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// It may not discharge at that time.
    Window,
    /// It discharges at `BatteryDischargeRateKw` already.
    Rate,
    /// It has too little energy at that time.
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
            Self::EndEnergy { required_kwh, reachable_kwh, charging, discharging, limit_kw } => {
                write!(
                    f,
                    "the battery has to end the day with {required_kwh} kWh and comes to {reachable_kwh:.2} kWh: \
                     it charges in slots {} to {}, discharges in slots {} to {}",
                    charging.start, charging.end, discharging.start, discharging.end
                )?;
                limit_kw.map_or(Ok(()), |limit| write!(f, ", and {limit} kW may be drawn"))
            }
        }
    }
}
