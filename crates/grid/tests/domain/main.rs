//! The rules of the domain against figures from outside and as properties, in one program: each test program is linked by itself.

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
