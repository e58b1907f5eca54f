//! Compares islands and supply with those that another tool has found: `peer_states FOLDER`, a folder that tests/peers/states.py has written.
//!
//! Prints a line for each network, and fails if one state differs.

#![allow(clippy::print_stdout, reason = "a program of a comparison prints its figures")]

use std::process::ExitCode;

#[path = "../tests/peers/compare.rs"]
mod compare;

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).expect("the folder");
    let compared = compare::folder(folder.as_ref());
    for network in &compared {
        if let Some(difference) = &network.first_difference {
            println!("{}, {difference}", network.name);
        }
        println!(
            "{}: {} buses, {} switches, {} states, {} differ; {} µs a state, {} notes",
            network.name,
            network.buses,
            network.switches,
            network.states,
            network.differing,
            network.micros / network.states.max(1) as u128,
            network.notes
        );
    }
    let differing: usize = compared.iter().map(|network| network.differing).sum();
    println!("= states of {} networks that differ from pandapower | {differing} | <= 0", compared.len());
    if differing == 0 && !compared.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
