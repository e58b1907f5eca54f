//! Limits and errors of import files.

use std::fmt;

/// Maximum size of a file, bytes.
pub const FILE_MAX_BYTES: u64 = 5 * 1024 * 1024;
/// Maximum number of rows in a file.
pub const ROWS_MAX: usize = 20_000;
/// Maximum number of errors that are reported.
pub const FAULTS_MAX: usize = 100;

/// An error in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Number of the line; the header is line 1.
    pub line: u64,
    /// Name of the column; empty if the error is about the whole line.
    pub column: String,
    /// What is wrong, and what is allowed.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.column.is_empty() {
            write!(f, "line {}: {}", self.line, self.what)
        } else {
            write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
        }
    }
}
