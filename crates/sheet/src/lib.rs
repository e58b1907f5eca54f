//! Tables as files (specification 3, sections 2.5 and 9): CSV, XLSX, XLS and PDF, written row by row.
//!
//! A [`Report`] describes the file and its columns. A [`Writer`] takes the rows one by one, in the utility's time zone, and keeps none of them in memory. The
//! rules that apply to all four formats are applied before the format is involved: texts have no control characters, numbers are rounded to the decimals of
//! their column, times are local, absent values are empty cells, and long files are cut.
//!
//! Times are local and have no offset, because spreadsheets do not support one. The file names the zone; a local time that occurs twice
//! because of a clock change is written as a text with its offset. The crate uses no database, network or clock. XLSX and XLS need a folder
//! for temporary files, which are deleted when their handle is closed.

mod cell;
mod csv;
mod error;
mod format;
mod head;
mod logo;
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
pub use logo::{LOGO_BYTES_MAX, Logo};
pub use name::file_name;
pub use report::{COLUMNS_MAX, Column, ColumnKind, FACTS_MAX, Report, TABLES_MAX, Table};
pub use sheets::Room;
pub use writer::{Writer, Written};

/// The result of every call into this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
