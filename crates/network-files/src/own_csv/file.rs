//! A file of a network, in memory.

/// A file of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvFile {
    /// The name of the file, such as `nodes.csv`.
    pub name: String,
    /// Its content.
    pub text: String,
}
