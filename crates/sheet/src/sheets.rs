//! The operations that every format implements.

use crate::Result;
use crate::cell::Value;

/// The operations of a format. Tables are written in order: each is started, gets its rows, and is ended.
pub(crate) trait Sheets {
    /// Starts the next table.
    fn begin(&mut self, table: usize) -> Result<()>;
    /// Writes a row with one value per column. Returns [`Room::Full`] without writing it if the file is full.
    fn row(&mut self, values: &[Value<'_>]) -> Result<Room>;
    /// Ends the table, with an optional note below its rows.
    fn end(&mut self, note: Option<&str>) -> Result<()>;
    /// Writes the rest of the file.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Whether a table accepts more rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// The row was written.
    More,
    /// The row was not written, and no other will be: the caller can stop reading rows.
    Full,
}
