//! Passes rows to a format, one by one. It contains the code that all formats share.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use crate::cell::Value;
use crate::head::checked;
use crate::sheets::{Room, Sheets};
use crate::{Cell, Error, Format, Report, Result, csv, pdf, xls, xlsx};

/// The result of writing a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Number of rows in all tables.
    pub rows: u64,
    /// Whether a table was cut. The file contains a note about it, too.
    pub cut: bool,
}

/// A file that is written row by row. If it is dropped without [`Writer::finish`], the file is not complete.
pub struct Writer<'a> {
    format: Format,
    report: Arc<Report>,
    sheets: Box<dyn Sheets + Send + 'a>,
    table: usize,
    /// Number of rows of this table.
    rows: u64,
    cut: Option<String>,
    sum: Written,
}

impl<'a> Writer<'a> {
    /// Starts a file and its first table. `temporary` is a folder for unnamed temporary files, which are deleted with the writer: XLSX and
    /// XLS store their rows there until the end, CSV and PDF do not use it.
    pub fn new(format: Format, report: Report, out: impl Write + Send + 'a, temporary: &Path) -> Result<Self> {
        let report = Arc::new(checked(report)?);
        let mut sheets: Box<dyn Sheets + Send + 'a> = match format {
            Format::Csv => Box::new(csv::Csv::new(Arc::clone(&report), out)),
            Format::Xlsx => Box::new(xlsx::Xlsx::new(Arc::clone(&report), out, temporary)?),
            Format::Xls => Box::new(xls::Xls::new(Arc::clone(&report), out, temporary)?),
            Format::Pdf => Box::new(pdf::Pdf::new(Arc::clone(&report), out)?),
        };
        sheets.begin(0)?;
        Ok(Self { format, report, sheets, table: 0, rows: 0, cut: None, sum: Written { rows: 0, cut: false } })
    }

    /// Writes the next row of the present table.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> Result<Room> {
        let columns = &self.report.tables[self.table].columns;
        if cells.len() != columns.len() {
            return Err(Error::Row { table: self.table + 1, row: self.rows + 1, cells: cells.len(), columns: columns.len() });
        }
        if self.cut.is_some() {
            return Ok(Room::Full);
        }
        if let Some(limit) = self.report.limit.filter(|limit| self.rows >= *limit) {
            return Ok(self.cut(&format!("a report has up to {limit}.")));
        }
        let zone = &self.report.zone;
        let values: Vec<_> = cells.iter().zip(columns).map(|(cell, column)| Value::of(*cell, column.kind, zone)).collect();
        if self.sheets.row(&values)? == Room::Full {
            return Ok(self.cut(&format!("a file of {} takes no more.", self.format.extension().to_uppercase())));
        }
        self.rows += 1;
        self.sum.rows += 1;
        Ok(Room::More)
    }

    /// Ends the present table and starts the next.
    pub fn next_table(&mut self) -> Result<()> {
        if self.table + 1 >= self.report.tables.len() {
            return Err(Error::NoTable);
        }
        self.end()?;
        self.table += 1;
        self.rows = 0;
        self.sheets.begin(self.table)
    }

    /// Ends the file. Tables that were not started are written without rows. A CSV file without rows is refused, and nothing is written.
    pub fn finish(self) -> Result<Written> {
        if self.format == Format::Csv && self.sum.rows == 0 {
            return Err(Error::Empty);
        }
        self.finish_with_head()
    }

    /// Ends a file whose head is useful even without rows. So the file may have no rows in any format.
    pub fn finish_with_head(mut self) -> Result<Written> {
        while self.table + 1 < self.report.tables.len() {
            self.next_table()?;
        }
        self.end()?;
        self.sheets.finish()?;
        Ok(self.sum)
    }

    fn cut(&mut self, why: &str) -> Room {
        self.cut = Some(format!("Cut after {} rows: {why}", self.rows));
        self.sum.cut = true;
        Room::Full
    }

    fn end(&mut self) -> Result<()> {
        let cut = self.cut.take();
        self.sheets.end(cut.as_deref().or((self.rows == 0).then_some("No data")))
    }
}
