//! Reads network models from files of other tools, and writes them.
//!
//! An import creates a [`Description`]; an export writes one. Neither drops data silently: data that the import does not support, or that the other format
//! cannot express, are listed as a [`Note`] with their place and the reason. If a file is not a valid network, it is refused with the error and its place.

mod bundle;
pub mod cim;
mod csv_table;
mod exportable;
mod format;
pub mod own_csv;
pub mod pandapower;
mod positions;
pub mod power_grid_model;
mod rounding;
pub mod scl;
mod sequence;
pub mod simbench;
mod switched_ends;
mod table;
mod transformer_ends;
mod xml_text;

use std::collections::BTreeMap;

use network::changes::Part;
use network::description::greatest_number;
use network::findings::PartKind;
use network::{BuildError, Description};

pub use exportable::ExportError;
pub use format::{read, read_all, read_bytes};
pub use positions::Positions;

/// Maximum size of a file, bytes. A network of 100,000 buses has about 60 MB.
pub const SIZE_LIMIT: u64 = 256 << 20;

/// A network that was read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The network.
    pub description: Description,
    /// Notes about data that the import has left out or changed.
    pub notes: Vec<Note>,
    /// What became of the objects of each class of a CIM network. Empty for other formats.
    pub classes: BTreeMap<String, ClassCount>,
}

/// What became of the objects of a class. Each object is counted once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassCount {
    /// All objects of the class.
    pub objects: usize,
    /// Objects that are parts of the network.
    pub taken: usize,
    /// Objects whose data are in parts of the network, such as the end of a transformer.
    pub used: usize,
    /// Objects that are left out. A note has their number.
    pub left_out: usize,
}

impl Imported {
    /// Returns the notes that forbid storing the network.
    pub fn errors(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(|note| note.is_error)
    }

    /// Refuses a description that cannot be a model.
    fn check(description: Description, notes: Vec<Note>) -> Result<Self, ImportError> {
        description.to_model()?;
        Ok(Self { description, notes, classes: BTreeMap::new() })
    }
}

/// Refuses a further part if the maximum number of parts of its kind is reached.
fn make_room<T: Part>(parts: &[T]) -> Result<(), ImportError> {
    limit_count(T::KIND, parts.len() + 1)
}

fn limit_count(kind: PartKind, count: usize) -> Result<(), ImportError> {
    let most = greatest_number(kind);
    if count > most { Err(ImportError::TooMany { part: kind.as_str(), most }) } else { Ok(()) }
}

/// A network as text for another tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The content of the file.
    pub text: String,
    /// Notes about data that the export has left out or changed.
    pub notes: Vec<Note>,
}

/// A note about data that an import or an export has left out or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The place in the file, such as `line:7` or the name of a table.
    pub place: String,
    /// What was done and why.
    pub reason: String,
    /// Whether the network would be dangerous without the data, such as an earth. It must not be stored before the file is corrected.
    pub is_error: bool,
}

impl Note {
    fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { place: place.into(), reason: reason.into(), is_error: false }
    }

    fn error(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::new(place, reason) }
    }
}

/// The reason why a file is not a valid network.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is larger than [`SIZE_LIMIT`].
    #[error("the file has {0} bytes; allowed are {SIZE_LIMIT}")]
    TooLarge(u64),
    /// The file is not JSON.
    #[error("the file cannot be read as JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// The file is JSON, but not in one of the known formats.
    #[error("the file is no pandapower network: {0}. Write it with pandapower's to_json.")]
    NoNetwork(&'static str),
    /// A table that cannot be read.
    #[error("table {table}: {reason}")]
    Table {
        /// The name of the table.
        table: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A value that cannot be used.
    #[error("{place}, column {column}: {reason}")]
    Value {
        /// The row, such as `line:7`.
        place: String,
        /// The column.
        column: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A file that cannot be read.
    #[error("{file}: {reason}")]
    File {
        /// The name of the file.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A cell that cannot be used.
    #[error("{file}, line {line}, column {column}: {reason}")]
    Cell {
        /// The name of the file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What is wrong.
        reason: String,
    },
    /// The file has more parts than a network can have.
    #[error("there are more than {most} parts of the kind {part}, which is the limit")]
    TooMany {
        /// The kind.
        part: &'static str,
        /// The greatest number.
        most: usize,
    },
    /// Too many objects refer to the same object.
    #[error("{id}: more than {most} objects refer to it by {property}")]
    TooManyReferences {
        /// The id of the object that they refer to.
        id: String,
        /// The property that refers.
        property: &'static str,
        /// The greatest number.
        most: usize,
    },
    /// Files of no known format.
    #[error("the format is not known; known are pandapower JSON, CSV files with nodes.csv, CGMES and CIM100, SimBench CSV, and SCL")]
    UnknownFormat,
    /// A model cannot be built from the parts.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl ImportError {
    /// Refuses a second file of one name: one of them would be lost.
    fn second_file(name: &str) -> Self {
        Self::File { file: name.to_owned(), reason: "there are two files of this name. Import one network at a time".to_owned() }
    }
}
