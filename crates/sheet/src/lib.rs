//! Tables as files (specification 3, sections 2.5 and 9; trust.md S23): CSV, XLSX, XLS and PDF, a row at a time.
//!
//! A [`Report`] says what the file is and which columns it has; a [`Writer`] takes its rows one by one, in the utility's time zone, and holds
//! none of them. What the four formats must share is decided once, before any of them sees a row: text without control characters, numbers
//! rounded to the decimals of their column, times as local ones, absence as an empty cell, and where a file is cut.
//!
//! Times are local and carry no offset, as spreadsheets know none: the file names the zone, and an hour that a clock change repeats is there
//! twice. Nothing here knows a database, a network or a clock; XLSX and XLS need a folder for files that vanish with their handle.

mod cell;
mod csv;
mod error;
mod format;
mod name;
pub mod pdf;
mod report;
mod sheets;
mod writer;
mod xls;
mod xlsx;

pub use cell::Cell;
pub use error::Error;
pub use format::Format;
pub use name::file_name;
pub use report::{COLUMNS_MAX, Column, FACTS_MAX, Kind, Report, TABLES_MAX, Table};
pub use sheets::Room;
pub use writer::{Writer, Written};

/// The result of every call into this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
