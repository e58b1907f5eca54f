//! Takes rows one by one and gives them to a format: what is the same for all of them.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use crate::cell::{Value, clean_line};
use crate::report::{Column, Table};
use crate::sheets::{Room, Sheets};
use crate::{Cell, Error, Format, Report, Result, csv, pdf, xls, xlsx};

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// In all tables together.
    pub rows: u64,
    /// Whether a table was cut, which the file says as well.
    pub cut: bool,
}

/// A file that grows by rows. Dropped without [`Writer::finish`], what it has written is no whole file.
pub struct Writer<'a> {
    format: Format,
    report: Arc<Report>,
    sheets: Box<dyn Sheets + Send + 'a>,
    table: usize,
    /// Of this table.
    rows: u64,
    cut: Option<String>,
    sum: Written,
}

impl<'a> Writer<'a> {
    /// Begins a file and its first table. `temporary` is a folder for files without a name, which go when the writer does: XLSX and XLS keep
    /// their rows there until the end, CSV and PDF none.
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

    /// The next row of the table that is open.
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

    /// Ends the table that is open and begins the next.
    pub fn next_table(&mut self) -> Result<()> {
        if self.table + 1 >= self.report.tables.len() {
            return Err(Error::NoTable);
        }
        self.end()?;
        self.table += 1;
        self.rows = 0;
        self.sheets.begin(self.table)
    }

    /// Ends the file. Tables that were not begun are in it without rows. A CSV file without any row is refused, and nothing was written.
    pub fn finish(mut self) -> Result<Written> {
        if self.format == Format::Csv && self.sum.rows == 0 {
            return Err(Error::Empty);
        }
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

/// The report as every format can show it.
pub(crate) fn checked(report: Report) -> Result<Report> {
    report.check()?;
    let mut facts = report.facts.clone();
    facts.push(report.zone_fact());
    let column = |column: &Column| Column { name: clean_line(&column.name), unit: clean_line(&column.unit), ..column.clone() };
    let table = |table: &Table| Table { caption: clean_line(&table.caption), columns: table.columns.iter().map(column).collect() };
    Ok(Report {
        title: clean_line(&report.title),
        facts: facts.iter().map(|(name, value)| (clean_line(name), clean_line(value))).collect(),
        tables: report.tables.iter().map(table).collect(),
        ..report
    })
}
