//! Faults of a demand file.

use std::fmt;

/// Largest number of faults that are reported for a file.
pub const FAULTS_MAX: usize = 100;

/// A fault of a file, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFault {
    /// Line, from 1.
    pub line: u64,
    /// `time` or `kW`; empty if the fault is about the whole line or file.
    pub column: &'static str,
    /// What is wrong, and what is permitted.
    pub what: String,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.column {
            "" => write!(f, "line {}: {}", self.line, self.what),
            column => write!(f, "line {}, column {column}: {}", self.line, self.what),
        }
    }
}
