//! `assethealth/…`: how RTUs and feeders communicate, whether feeders are on, and what may be loaded on transformers.

pub(crate) mod comm_lists;
mod days;
pub(crate) mod feeder_status;
mod heard;
pub(crate) mod monitoring;
pub(crate) mod permissible_load;
pub(crate) mod rtu_status;
pub(crate) mod transformer_live;
