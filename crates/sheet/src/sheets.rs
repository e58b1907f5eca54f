//! What every format does with rows.

use crate::Result;
use crate::cell::Value;

/// What a format does. Tables come in order: each is begun, gets its rows, and is ended.
pub(crate) trait Sheets {
    /// The next table.
    fn begin(&mut self, table: usize) -> Result<()>;
    /// A row with one value a column. Where the file is full, it is not taken.
    fn row(&mut self, values: &[Value<'_>]) -> Result<Room>;
    /// No more rows; a word below them, if there is one.
    fn end(&mut self, note: Option<&str>) -> Result<()>;
    /// The rest of the file.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// Whether a table takes more rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// The row is in; go on.
    More,
    /// The row is not in, and no other will be: whoever reads them may stop.
    Full,
}
