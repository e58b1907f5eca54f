//! Errors of a report, its rows or its output.

use std::io;

/// The reason why a file could not be written. The data that were written before are not a complete file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A CSV file without rows. The message is the alert of the specification (3, section 9).
    #[error("Invalid data")]
    Empty,
    /// Not 1 to [`crate::TABLES_MAX`] tables.
    #[error("a report has 1 to 3 tables; this one has {0}")]
    Tables(usize),
    /// Not 1 to [`crate::COLUMNS_MAX`] columns.
    #[error("a table has 1 to 256 columns; table {table} has {columns}")]
    Columns {
        /// Number of the table, from 1.
        table: usize,
        /// Number of its columns.
        columns: usize,
    },
    /// More than [`crate::FACTS_MAX`] facts.
    #[error("a report tells up to 32 facts; this one has {0}")]
    Facts(usize),
    /// A row whose number of cells differs from the number of columns.
    #[error("row {row} of table {table} has {cells} cells for {columns} columns")]
    Row {
        /// Number of the table, from 1.
        table: usize,
        /// Number of the row, from 1.
        row: u64,
        /// Number of its cells.
        cells: usize,
        /// Number of the table's columns.
        columns: usize,
    },
    /// `next_table` was called after the last table.
    #[error("the report has no further table")]
    NoTable,
    /// Writing to the output or to the folder for temporary files failed.
    #[error("the file could not be written: {0}")]
    Io(#[from] io::Error),
    /// The XLSX library returned an error.
    #[error("the XLSX file could not be written: {0}")]
    Xlsx(#[from] rust_xlsxwriter::XlsxError),
    /// The built-in font could not be read or reduced to the used glyphs.
    #[error("the font of the PDF could not be used: {0}")]
    Font(String),
}
