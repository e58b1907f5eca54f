//! Networks as tables for spreadsheets: one file of comma-separated values for each kind of part.
//!
//! docs/NETWORK-FILES.md lists the columns with their units. The export writes all columns; an import needs those of the ids and nodes, and takes the
//! others as empty.

mod columns;
mod export;
mod import;

use crate::{ImportError, Imported, Positions};
use network::Description;

pub(crate) use columns::NODES;

/// A file of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvFile {
    /// The name of the file, such as `nodes.csv`.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// Reads a network from its files. A file that is not there has no rows; only `nodes.csv` is required.
pub fn import(files: &[CsvFile]) -> Result<Imported, ImportError> {
    import::import(files)
}

/// Writes a network, with the positions of switches as the normal ones. Kinds of which there is none get no file.
pub fn export(description: &Description, positions: &Positions) -> Vec<CsvFile> {
    export::export(description, positions)
}
