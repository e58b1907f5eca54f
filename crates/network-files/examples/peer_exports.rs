//! Imports and exports networks of another tool: `peer_exports FOLDER`, a folder with files NAME.json of pandapower.
//!
//! Writes NAME.again.json beside each, and fails if an import and another export of it differ. NAME.pgm is the export for power-grid-model.

#![allow(clippy::print_stdout, reason = "a program of a comparison prints its figures")]

use std::process::ExitCode;

use network_files::{Positions, pandapower, power_grid_model};

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).expect("the folder");
    let mut files: Vec<_> = std::fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".json") && !file.to_string_lossy().ends_with(".again.json"));
    files.sort();
    let mut differing = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).expect("the network");
        let imported = pandapower::import(&text).expect("a network");
        let exported = pandapower::export(&imported.description, &Positions::normal(&imported.description)).expect("exportable");
        let again = pandapower::import(&exported.text).expect("the export").description;
        let second = pandapower::export(&again, &Positions::normal(&again)).expect("exportable");
        let is_equal = exported.text == second.text;
        differing += usize::from(!is_equal);
        println!(
            "{}: {} nodes, {} pieces of equipment, second export {}",
            file.file_stem().expect("a name").to_string_lossy(),
            imported.description.nodes.len(),
            imported.description.equipment.len(),
            if is_equal { "equal" } else { "differs" }
        );
        for note in imported.notes.iter().chain(&exported.notes) {
            println!("  {}: {}", note.place, note.reason);
        }
        std::fs::write(file.with_extension("again.json"), exported.text).expect("written");
        let other = power_grid_model::export(&imported.description, &Positions::normal(&imported.description)).expect("exportable");
        std::fs::write(file.with_extension("pgm"), other.text).expect("written");
    }
    println!("= second exports that differ from the first, of {} networks | {differing} | <= 0", files.len());
    if differing == 0 && !files.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
