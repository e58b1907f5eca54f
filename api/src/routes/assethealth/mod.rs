//! `assethealth/…`: how RTUs and feeders communicate, and whether feeders are on.

pub(crate) mod comm_lists;
mod days;
pub(crate) mod feeder_status;
mod heard;
pub(crate) mod monitoring;
pub(crate) mod rtu_status;
