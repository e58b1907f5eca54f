//! Tests of the domain rules against external figures, and of their properties. They are one program, because each test program
//! is linked separately.

mod cable_health_cases;
mod cable_health_properties;
mod control_cases;
mod control_machine;
mod control_schedules;
mod energy_cases;
mod energy_properties;
mod forecast_cases;
mod power_quality_cases;
mod reliability_cases;
mod reliability_properties;
mod solar_cases;
mod thermal_cases;
mod thermal_properties;
