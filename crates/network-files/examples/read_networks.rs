//! Reads networks of any format and prints their contents and the parts that were not imported: `read_networks [--export FOLDER] PATH…`.
//!
//! With a folder, each network is written there for pandapower. Each network is also written as CGMES, read and written again; the program fails if both differ.

#![allow(clippy::print_stdout, reason = "a program of a comparison prints its figures")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use network::description::Electrical;
use network::{Description, NetworkState};
use network_files::{ClassCount, Positions, cim, pandapower};

fn main() -> ExitCode {
    let (mut differing, mut refused, mut read) = (0, 0, 0);
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = (arguments.first().is_some_and(|first| first == "--export") && arguments.len() > 1).then(|| {
        arguments.remove(0);
        arguments.remove(0)
    });
    for path in arguments {
        let start = Instant::now();
        match network_files::read(Path::new(&path)) {
            Err(error) => {
                refused += 1;
                println!("{path}: refused: {error}");
            }
            Ok(imported) => {
                read += 1;
                println!("{path}: read in {} ms", start.elapsed().as_millis());
                print(&imported.description);
                if !imported.classes.is_empty() {
                    let sum = |of: fn(&ClassCount) -> usize| imported.classes.values().map(of).sum::<usize>();
                    println!(
                        "  {} objects of {} classes: {} are parts, {} have data in parts, {} are left out",
                        sum(|count| count.objects),
                        imported.classes.len(),
                        sum(|count| count.taken),
                        sum(|count| count.used),
                        sum(|count| count.left_out)
                    );
                }
                for note in &imported.notes {
                    println!("  {}: {}", note.place, note.reason);
                }
                if let Some(folder) = &folder {
                    let name = Path::new(&path).file_name().expect("a name");
                    let file = Path::new(folder).join(name).with_extension("json");
                    let positions = Positions::normal(&imported.description);
                    std::fs::write(file, pandapower::export(&imported.description, &positions).expect("exportable").text).expect("written");
                }
                differing += usize::from(!is_equal_after_export(&imported.description));
            }
        }
    }
    println!("= second exports that differ from the first, of {read} networks | {differing} | <= 0");
    if differing == 0 && refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print(description: &Description) {
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for equipment in &description.equipment {
        let counts = kinds.entry(equipment.kind.as_str()).or_default();
        counts.0 += 1;
        counts.1 += usize::from(equipment.electrical == Electrical::Nothing);
    }
    let kinds: Vec<String> = kinds.into_iter().map(|(kind, (all, without))| format!("{kind} {all} ({without} without values)")).collect();
    let without = description.nodes.iter().filter(|node| node.nominal_kv.is_none()).count();
    println!("  {} containers, {} nodes ({without} without voltage)", description.containers.len(), description.nodes.len());
    println!("  {}", kinds.join(", "));
    if let Ok(model) = description.to_model() {
        let islands = NetworkState::new(std::sync::Arc::new(model)).islands();
        let energised = islands.list.iter().filter(|island| island.is_energised).count();
        let largest = islands.list.iter().map(|island| island.nodes.len()).max().unwrap_or(0);
        println!("  {} islands, {energised} energised; the largest has {largest} nodes", islands.list.len());
    }
}

fn is_equal_after_export(description: &Description) -> bool {
    let export = |description: &Description| {
        cim::export(description, &Positions::normal(description), cim::Version::V3, "net").expect("exportable").files
    };
    let first = export(description);
    let read = |files: &[network_files::own_csv::CsvFile]| cim::import(files.iter().map(|file| (file.name.as_str(), file.text.as_str())));
    let equal_as_cim = match read(&first) {
        Ok(again) => export(&again.description)
            .iter()
            .zip(&first)
            .all(|(second, first)| is_equal(&first.text.replace("  </", "\n</"), &second.text.replace("  </", "\n</"))),
        Err(error) => {
            println!("  the export as CGMES is refused: {error}");
            false
        }
    };
    let first = pandapower::export(description, &Positions::normal(description)).expect("exportable").text;
    let equal_as_pandapower = match pandapower::import(&first) {
        Ok(again) => {
            let second = pandapower::export(&again.description, &Positions::normal(&again.description)).expect("exportable").text;
            is_equal(&first.replace("],[", "\n"), &second.replace("],[", "\n"))
        }
        Err(error) => {
            println!("  the export for pandapower is refused: {error}");
            false
        }
    };
    println!("  second export equal: CGMES {equal_as_cim}, pandapower {equal_as_pandapower}");
    equal_as_cim && equal_as_pandapower
}

/// Prints the first line that differs.
fn is_equal(first: &str, second: &str) -> bool {
    if let Some((first, second)) = first.lines().zip(second.lines()).find(|(first, second)| first != second && !first.contains("FullModel"))
    {
        let at = first.bytes().zip(second.bytes()).position(|(first, second)| first != second).unwrap_or(0).saturating_sub(60);
        let part = |text: &str| text.chars().skip(at).take(160).collect::<String>();
        println!("  first {}\n  second {}", part(first), part(second));
    }
    first == second
}
