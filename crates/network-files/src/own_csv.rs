//! Networks as tables for spreadsheets: one file of comma-separated values for each kind of part.
//!
//! docs/NETWORK-FILES.md lists the columns with their units. The export writes all columns. An import requires the columns of the ids and nodes; other columns
//! that are missing count as empty.

mod columns;
mod export;
mod file;
mod import;

pub(crate) use columns::NODES;
pub use export::export;
pub use file::CsvFile;
pub use import::import;
