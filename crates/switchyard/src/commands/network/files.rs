//! Reads networks from files, of a format that is detected by content.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use network::Description;
use network_files::{Imported, Note, SIZE_LIMIT, pandapower};
use serde::Deserialize;

use super::progress;
use crate::console::note;

/// Maximum number of notes that are printed.
const NOTES_MAX: usize = 100;

/// Reads a network from files, and prints what was left out.
pub(super) async fn read(files: Vec<PathBuf>) -> anyhow::Result<Description> {
    let names = files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ");
    let Imported { description, notes } = progress::of_computation(&format!("reading {names}"), move || read_now(&files)).await??;
    print_notes(&notes);
    Ok(description)
}

/// Prints what an import or an export has left out or changed.
pub(super) fn print_notes(notes: &[Note]) {
    for at in notes.iter().take(NOTES_MAX) {
        note(&format!("{}: {}", at.place, at.reason));
    }
    if notes.len() > NOTES_MAX {
        note(&format!("… and {} more", notes.len() - NOTES_MAX));
    }
}

fn read_now(files: &[PathBuf]) -> anyhow::Result<Imported> {
    let [file] = files else { bail!("{} files are named; networks of these formats are in one file", files.len()) };
    let text = text_of(file)?;
    parse(&text).with_context(|| file.display().to_string())
}

/// The key that only files of pandapower have.
#[derive(Deserialize)]
struct Mark {
    #[serde(rename = "_class")]
    class: Option<serde::de::IgnoredAny>,
}

fn parse(text: &str) -> anyhow::Result<Imported> {
    let is_pandapower = serde_json::from_str::<Mark>(text).map_or(true, |mark| mark.class.is_some());
    if is_pandapower {
        return Ok(pandapower::import(text)?);
    }
    let description = serde_json::from_str(text).context("the file is neither a network of pandapower nor our own JSON")?;
    Ok(Imported { description, notes: Vec::new() })
}

/// Reads a file up to the maximum size: the path may name an endless device.
fn text_of(file: &Path) -> anyhow::Result<String> {
    let name = || file.display().to_string();
    let mut text = String::new();
    let size = std::fs::File::open(file).with_context(name)?.take(SIZE_LIMIT + 1).read_to_string(&mut text).with_context(name)?;
    anyhow::ensure!(size as u64 <= SIZE_LIMIT, "{} is larger than {SIZE_LIMIT} bytes", file.display());
    Ok(text)
}
