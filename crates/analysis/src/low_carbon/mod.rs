//! Plans of a day for low-carbon sites, and the values that their meters reported (specification 3, section 2.2).

mod day;
mod demand;
mod entry;
mod error;
mod parameters;
mod plan;
mod reported;

pub use day::Day;
pub use entry::site_record;
pub use error::PlanError;
pub use parameters::{changed_parameters, site_parameters};
pub use plan::{PlanInputs, PlanQuestion};
pub use reported::reported;
