//! Reads network models from files of other tools.
//!
//! An import never drops anything silently: what it does not understand is listed as a [`Note`] with its place and the reason. A file that cannot be a
//! network is refused with what is wrong and where.

pub mod pandapower;
mod table;

use network::{BuildError, Model};

/// The largest file that is read, bytes. A network of 100,000 buses has about 60 MB.
pub const SIZE_LIMIT: u64 = 256 << 20;

/// A network that was read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The network.
    pub model: Model,
    /// What the import left out or changed.
    pub notes: Vec<Note>,
}

/// Something that an import left out or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where it is in the file, such as `line:7` or the name of a table.
    pub place: String,
    /// What was done and why.
    pub reason: String,
}

/// Why a file is not a network.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file is larger than [`SIZE_LIMIT`].
    #[error("the file has {0} bytes; allowed are {SIZE_LIMIT}")]
    TooLarge(u64),
    /// The file is not JSON.
    #[error("the file is not valid JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// The file is JSON, but of another kind.
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
    /// The parts do not make a model.
    #[error(transparent)]
    Build(#[from] BuildError),
}
