//! What is wrong with a demand file.

use std::fmt;

/// Faults that are told one by one.
pub const FAULTS_MAX: usize = 100;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFault {
    /// The line, the first being 1.
    pub line: u64,
    /// `time` or `kW`; empty when it is about the whole line or file.
    pub column: &'static str,
    /// What is wrong and what is allowed.
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
