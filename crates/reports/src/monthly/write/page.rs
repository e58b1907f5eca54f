//! Elements for printing the parts of the monthly document.

use sheet::pdf::Document;
use sheet::{Column, ColumnKind};

pub(crate) type Out<'a> = Document<&'a mut Vec<u8>>;

pub(crate) type Done = Result<(), sheet::Error>;

pub(crate) fn column(name: &str, unit: &str, decimals: u8) -> Column {
    Column::new(name, unit, ColumnKind::Number { decimals: Some(decimals) })
}
