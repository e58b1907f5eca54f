//! Fuzzes files with networks: no file makes an import panic, and every imported network can be exported in every
//! format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use network_files::{Positions, cim, own_csv, pandapower, power_grid_model};

fuzz_target!(|bytes: &[u8]| {
    for name in ["nodes.csv", "Node.csv"] {
        let Ok(imported) = network_files::read_bytes(name, bytes.to_vec()) else { continue };
        let (description, positions) = (&imported.description, Positions::normal(&imported.description));
        let _ = (pandapower::export(description, &positions), power_grid_model::export(description, &positions));
        own_csv::export(description, &positions);
        let _ = cim::export(description, &positions, cim::Version::V3, "network");
    }
});
