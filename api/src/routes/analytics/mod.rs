//! Rows for the analytics screens.

pub(crate) mod budget;
pub(crate) mod demand;
pub(crate) mod demand_peaks;
pub(crate) mod efficiency;
pub(crate) mod energy;
pub(crate) mod fault_trends;
pub(crate) mod feeder_curves;
pub(crate) mod forecast;
pub(crate) mod load_current;
pub(crate) mod losses;
pub(crate) mod outages;
pub(crate) mod past;
pub(crate) mod quality_check;
pub(crate) mod register_steps;
pub(crate) mod reliability;
pub(crate) mod unit;
