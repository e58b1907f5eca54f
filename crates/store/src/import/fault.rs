//! How large a file of a hierarchy may be, and what is wrong with one.

use std::fmt;

/// Bytes of a file.
pub const FILE_MAX_BYTES: u64 = 5 * 1024 * 1024;
/// Rows of a file.
pub const ROWS_MAX: usize = 20_000;
/// Faults that are told one by one.
pub const FAULTS_MAX: usize = 100;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The line, the header being 1.
    pub line: u64,
    /// The column by its name; empty when it is about the whole line.
    pub column: String,
    /// What is wrong and what is allowed.
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
