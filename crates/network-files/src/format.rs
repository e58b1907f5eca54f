//! Recognises the format of files by their content.

use std::path::Path;

use crate::bundle::{self, Part};
use crate::own_csv::{self, CsvFile};
use crate::{ImportError, Imported, pandapower};

/// Reads a network from a file, a folder or a zip of any known format.
pub fn read(path: &Path) -> Result<Imported, ImportError> {
    from_parts(bundle::open(path)?)
}

fn from_parts(parts: Vec<Part>) -> Result<Imported, ImportError> {
    let starts_with = |part: &Part, first: char| part.text.trim_start_matches('\u{feff}').trim_start().starts_with(first);
    if let [part] = parts.as_slice()
        && starts_with(part, '{')
    {
        return pandapower::import(&part.text);
    }
    if parts.iter().any(|part| part.name == own_csv::NODES.0) {
        let files: Vec<CsvFile> = parts.into_iter().map(|part| CsvFile { name: part.name, text: part.text }).collect();
        return own_csv::import(&files);
    }
    Err(ImportError::UnknownFormat)
}
