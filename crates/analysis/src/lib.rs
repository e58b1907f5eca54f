//! Figures about an area of a utility's network: energy, losses, demand, reliability, health of equipment, and communication. Routes,
//! reports and schedules get a figure from the same function.

pub mod alerts;
pub mod asset_tables;
pub mod cable_health;
pub mod calendar;
pub mod communication;
pub mod days;
pub mod demand;
pub mod demand_peaks;
pub mod diagrams;
pub mod efficiency;
pub mod energy_budget;
pub mod energy_meters;
pub mod energy_sums;
mod error;
pub mod fault_trends;
pub mod feeder_curves;
pub mod feeder_hours;
pub mod feeder_status;
mod feeder_weights;
pub mod forecast_chart;
mod hours_of_day;
pub mod latest;
pub mod lines;
pub mod link_history;
pub mod low_carbon;
pub mod major_events;
pub mod measure;
pub mod permissible_load;
pub mod plant_health;
pub mod quality_check;
pub mod register_steps;
pub mod reliability;
pub mod reliability_groups;
pub mod served_drawing;
pub mod unit;

pub use error::Error;
