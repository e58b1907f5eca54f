//! When a battery charges and discharges beside solar panels and the grid, so that a day costs the least (specification 3, section 2.2;
//! domain.md section 4).
//!
//! A day is 48 half hours of the clock on the wall; where that is changed some are left out and some are there twice, and each lasts as long as
//! [`Site::hours`] says. Powers are kW and hold for the half hour, energies kWh, prices money per kWh in whatever currency. A battery's
//! power is above 0 where it charges. Nothing here knows a clock, a file or a network: [`Problem::new`] says all that is wrong with what it
//! was given, and [`Problem::solve`] gives a [`Plan`] or names the constraint that cannot be kept.

mod compare;
mod demand_file;
mod error;
mod explain;
mod fault;
mod impossible;
mod model;
mod parameters;
mod plan;
mod problem;
mod solve;

pub use compare::{Comparison, compare};
pub use demand_file::{CivilDay, DAYS_MAX, Demand, FAULTS_MAX, FILE_MAX_BYTES, FileFault, ROWS_MAX, demand_file};
pub use error::Error;
pub use fault::Fault;
pub use impossible::{Impossible, Missing};
pub use parameters::{Objective, Parameters, Window};
pub use plan::{Plan, Shares, Stats};
pub use problem::{Ending, Problem, Site, Tariff};

/// Half hours of a day.
pub const SLOTS: usize = grid::solar::SLOTS;
/// Length of a half hour, h.
pub const SLOT_HOURS: f64 = grid::solar::SLOT_HOURS;

/// One figure for each half hour of a day.
pub type Slots = [f64; SLOTS];

/// How long each half hour lasts on a day without a change of the clocks, h.
pub const USUAL_HOURS: Slots = [SLOT_HOURS; SLOTS];

/// From when to when a half hour lasts, as a person reads it.
fn clock(slot: usize) -> String {
    let time = |half: usize| format!("{:02}:{:02}", half / 2, half % 2 * 30);
    format!("{} to {}", time(slot), time(slot + 1))
}
