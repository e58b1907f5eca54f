//! Plans when a battery charges and discharges, together with solar panels and the grid, so that a day has the least cost (specification 3,
//! section 2.2; docs/reference/low-carbon.md).
//!
//! A day has 48 half hours of local time. On days with a clock change some are skipped and some repeated; [`Site::hours`] has the duration of
//! each. Powers are mean values of the half hour in kW, energies in kWh, prices in money per kWh in any currency. The power of a battery is
//! positive when it charges. The crate is pure: it uses no clock, file or network. [`Problem::new`] returns all faults of its inputs.
//! [`Problem::solve`] returns a [`Plan`], or the constraint that cannot be satisfied.

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

/// Number of half hours of a day.
pub const SLOTS: usize = grid::solar::SLOTS;
/// Length of a half hour, h.
pub const SLOT_HOURS: f64 = grid::solar::SLOT_HOURS;

/// One value for each half hour of a day.
pub type Slots = [f64; SLOTS];

/// Durations of the half hours on a day without a clock change, h.
pub const USUAL_HOURS: Slots = [SLOT_HOURS; SLOTS];

/// Returns start and end of a half hour as a text for users.
fn clock(slot: usize) -> String {
    let time = |half: usize| format!("{:02}:{:02}", half / 2, half % 2 * 30);
    format!("{} to {}", time(slot), time(slot + 1))
}
