//! Reads networks from files. The format is detected by the content.

use std::path::PathBuf;

use anyhow::Context;
use network::Description;
use network_files::{Imported, Note};

use crate::console::note;
use crate::progress;

/// Maximum number of notes that are printed.
const NOTES_MAX: usize = 100;

/// Reads a network from files, and prints the notes about data that were left out.
pub(super) async fn read(files: Vec<PathBuf>) -> anyhow::Result<Description> {
    let names = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
    let read = progress::of_computation(&format!("reading {names}"), move || network_files::read_all(&files)).await?;
    let Imported { description, notes } = read.context(names)?;
    print_notes(&notes);
    Ok(description)
}

/// Prints the notes about data that an import or an export has left out or changed.
pub(super) fn print_notes(notes: &[Note]) {
    for at in notes.iter().take(NOTES_MAX) {
        note(&format!("{}: {}", at.place, at.reason));
    }
    if notes.len() > NOTES_MAX {
        note(&format!("… and {} more", notes.len() - NOTES_MAX));
    }
}
