//! Reads networks from files. The format is detected by the content.

use std::path::PathBuf;

use anyhow::Context;
use network::Description;
use network_files::Note;

use crate::console::note;
use crate::progress;

/// Maximum number of notes that are printed.
const NOTES_MAX: usize = 100;

/// A network that was read from files, and how many of its notes are errors.
pub(super) struct ReadNetwork {
    pub(super) description: Description,
    pub(super) errors: usize,
}

/// Reads a network from files, and prints the notes about data that were left out.
pub(super) async fn read(files: Vec<PathBuf>) -> anyhow::Result<Description> {
    Ok(read_with_errors(files).await?.description)
}

/// Reads a network from files, prints the notes about data that were left out, and counts the errors among them.
pub(super) async fn read_with_errors(files: Vec<PathBuf>) -> anyhow::Result<ReadNetwork> {
    let names = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
    let read = progress::of_computation(&format!("reading {names}"), move || network_files::read_all(&files)).await?;
    let imported = read.context(names)?;
    print_notes(&imported.notes);
    Ok(ReadNetwork { errors: imported.errors().count(), description: imported.description })
}

/// Prints the notes about data that an import or an export has left out or changed. Errors come first.
pub(super) fn print_notes(notes: &[Note]) {
    let (errors, others): (Vec<_>, Vec<_>) = notes.iter().partition(|note| note.is_error);
    for at in errors.into_iter().chain(others).take(NOTES_MAX) {
        note(&format!("{}{}: {}", if at.is_error { "error: " } else { "" }, at.place, at.reason));
    }
    if notes.len() > NOTES_MAX {
        note(&format!("… and {} more", notes.len() - NOTES_MAX));
    }
}
