//! What can be wrong with a report, its rows, or the place it is written to.

use std::io;

/// Why a file could not be begun or gone on with. What was written until then is no whole file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A CSV file without rows; the words are the specification's alert (3, section 9).
    #[error("Invalid data")]
    Empty,
    /// Not 1 to [`crate::TABLES_MAX`] tables.
    #[error("a report has 1 to 3 tables; this one has {0}")]
    Tables(usize),
    /// Not 1 to [`crate::COLUMNS_MAX`] columns.
    #[error("a table has 1 to 256 columns; table {table} has {columns}")]
    Columns {
        /// The first is 1.
        table: usize,
        /// How many it has.
        columns: usize,
    },
    /// More than [`crate::FACTS_MAX`] facts.
    #[error("a report tells up to 32 facts; this one has {0}")]
    Facts(usize),
    /// A row that does not fit its table.
    #[error("row {row} of table {table} has {cells} cells for {columns} columns")]
    Row {
        /// The first is 1.
        table: usize,
        /// The first is 1.
        row: u64,
        /// How many it has.
        cells: usize,
        /// How many it needs.
        columns: usize,
    },
    /// One more table was begun than the report has.
    #[error("the report has no further table")]
    NoTable,
    /// The output or the folder for temporary files did not take it.
    #[error("the file could not be written: {0}")]
    Io(#[from] io::Error),
    /// The library for XLSX refused.
    #[error("the XLSX file could not be written: {0}")]
    Xlsx(#[from] rust_xlsxwriter::XlsxError),
    /// The font that comes with the program could not be read or reduced.
    #[error("the font of the PDF could not be used: {0}")]
    Font(String),
}
