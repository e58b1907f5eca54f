//! `assethealth/…`: the communication of RTUs and feeders, the status of feeders, the loading of transformers, and the health of cables and
//! plant.

pub(crate) mod cable_forecast;
pub(crate) mod cable_sections;
pub(crate) mod cable_stations;
pub(crate) mod comm_lists;
pub(crate) mod feeder_status;
pub(crate) mod monitoring;
pub(crate) mod permissible_load;
pub(crate) mod plant_health;
pub(crate) mod rtu_status;
pub(crate) mod transformer_live;
