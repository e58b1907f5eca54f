//! Exports the demo's network at ten instants, for a comparison with another program: `physics_peers FOLDER`.
//!
//! NUMBER.json is the network with its positions, taps, loads and source voltages, as a file of pandapower. NUMBER.values has what the meters show.

#![allow(clippy::print_stdout, reason = "a program of a comparison prints what it does")]

use std::collections::BTreeMap;
use std::path::Path;

use network_files::{Positions, pandapower};
use serde_json::json;

#[path = "../tests/instants/mod.rs"]
mod instants;

fn main() {
    let folder = std::env::args().nth(1).expect("the folder");
    let mut number = 0;
    instants::visit(|name, client, physics| {
        let network = physics.present_network();
        let exported = pandapower::export(&network, &Positions::normal(&network)).expect("an export");
        let values: BTreeMap<&str, _> = client
            .substations
            .iter()
            .enumerate()
            .map(|(index, substation)| (substation.code.as_str(), instants::metered(substation, physics.station(index).values())))
            .collect();
        let file = |extension: &str| Path::new(&folder).join(format!("{number}.{extension}"));
        std::fs::write(file("json"), exported.text).expect("written");
        std::fs::write(file("values"), json!({ "name": name, "values": values }).to_string()).expect("written");
        println!("{number}: {name}");
        for note in exported.notes.iter().filter(|_| number == 0) {
            println!("  {}: {}", note.place, note.reason);
        }
        number += 1;
    });
}
