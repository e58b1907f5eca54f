//! XLSX: typed cells on at most three sheets, by `rust_xlsxwriter`, which writes rows to a temporary file immediately.
//!
//! A sheet has at most 1,048,576 rows. Further rows continue on the next sheet, but one sheet is reserved for each later table. A text is always written as a
//! text; formulas are never written.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Workbook, Worksheet};

use crate::cell::{Value, fitting, number_format};
use crate::report::Column;
use crate::sheets::{Room, Sheets};
use crate::{Error, Report, Result, TABLES_MAX};

/// Largest number of rows of a sheet.
const ROWS_MAX: u32 = 1_048_576;
/// Number of rows above the data: title, facts, headings.
const ABOVE: u32 = 3;
/// Largest width and height of the logo, pixels.
const LOGO_PIXELS: (f64, f64) = (160.0, 40.0);
/// Excel's number for the paper size A4.
const A4: u8 = 9;

pub(crate) struct Xlsx<W> {
    report: Arc<Report>,
    out: W,
    workbook: Workbook,
    /// Largest number of rows of a sheet; smaller in tests.
    rows_max: u32,
    table: usize,
    sheets: usize,
    /// The next row of the current sheet.
    row: u32,
}

impl<W: Write + Send> Xlsx<W> {
    pub(crate) fn new(report: Arc<Report>, out: W, temporary: &Path) -> Result<Self> {
        let mut workbook = Workbook::new();
        workbook.set_tempdir(temporary)?;
        let mut properties = DocProperties::new().set_title(&report.title).set_author(&report.made_by).set_company(&report.utility);
        // The time of creation; without it the library would read the clock.
        if let Ok(made) = ExcelDateTime::from_timestamp(report.made.millis().div_euclid(1000)) {
            properties = properties.set_creation_datetime(&made);
        }
        workbook.set_properties(&properties);
        Ok(Self { report, out, workbook, rows_max: ROWS_MAX, table: 0, sheets: 0, row: 0 })
    }

    /// Returns the last sheet that this table can fill, because one sheet is reserved for each later table.
    fn last_sheet(&self) -> usize {
        TABLES_MAX - (self.report.tables.len() - 1 - self.table)
    }

    fn sheet(&mut self) -> Result<&mut Worksheet> {
        Ok(self.workbook.worksheet_from_index(self.sheets - 1)?)
    }

    fn open_sheet(&mut self, continued: bool) -> Result<()> {
        self.sheets += 1;
        let name = format!("Sheet{}", self.sheets);
        let report = Arc::clone(&self.report);
        let sheet = self.workbook.add_worksheet_with_constant_memory()?;
        sheet.set_name(name)?.set_landscape().set_paper_size(A4).set_print_fit_to_pages(1, 0);
        sheet.set_freeze_panes(ABOVE, 0)?.set_repeat_rows(ABOVE - 1, ABOVE - 1)?;
        let table = &report.tables[self.table];
        for (column, place) in table.columns.iter().zip(0_u16..) {
            sheet.set_column_width(place, f64::from(column.letters()))?;
            sheet.set_column_format(place, &cell_format(column))?;
        }
        let title = title(&report, self.table, continued);
        sheet.write_string_with_format(0, 0, fitting(&title), &Format::new().set_bold().set_font_size(14))?;
        let facts = facts(&report);
        sheet.write_string_with_format(1, 0, fitting(&facts), &Format::new().set_font_color(0x59_59_59))?;
        if table.columns.iter().any(Column::tall) {
            sheet.set_row_height(ABOVE - 1, 30)?;
        }
        for (column, place) in table.columns.iter().zip(0_u16..) {
            let heading = column.heading();
            sheet.write_string_with_format(ABOVE - 1, place, fitting(&heading), &heading_format(column))?;
        }
        if let Some(logo) = report.logo.as_ref().filter(|_| !continued && self.sheets == 1) {
            // Right of the columns, so that it covers no text.
            let place = u16::try_from(table.columns.len()).unwrap_or(u16::MAX) + 1;
            self.sheet()?.insert_image(0, place, &logo.for_workbook(LOGO_PIXELS)?)?;
        }
        self.row = ABOVE;
        Ok(())
    }

    /// Adds a filter to the headings, for the rows that are written so far. The range must be complete, because a spreadsheet program does not filter rows
    /// outside of it.
    fn close_sheet(&mut self) -> Result<()> {
        let last = u16::try_from(self.report.tables[self.table].columns.len() - 1).unwrap_or(u16::MAX);
        let row = self.row;
        if row > ABOVE {
            self.sheet()?.autofilter(ABOVE - 1, 0, row - 1, last)?;
        }
        Ok(())
    }

    fn write(&mut self, values: &[Value<'_>]) -> Result<()> {
        let row = self.row;
        let report = Arc::clone(&self.report);
        let columns = &report.tables[self.table].columns;
        let sheet = self.sheet()?;
        for ((value, column), place) in values.iter().zip(columns).zip(0_u16..) {
            match (value, value.serial()) {
                (Value::Absent, _) => {}
                (Value::Text(text), _) => _ = sheet.write_string(row, place, fitting(text))?,
                (_, Some(serial)) => {
                    if value.kind() == column.kind {
                        sheet.write_number(row, place, serial)?;
                    } else {
                        let format = Format::new().set_num_format(number_format(value.kind()));
                        sheet.write_number_with_format(row, place, serial, &format)?;
                    }
                }
                (_, None) => _ = sheet.write_string(row, place, value.text())?,
            }
        }
        self.row += 1;
        Ok(())
    }
}

impl<W: Write + Send> Sheets for Xlsx<W> {
    fn begin(&mut self, table: usize) -> Result<()> {
        self.table = table;
        guarded(|| self.open_sheet(false))
    }

    fn row(&mut self, values: &[Value<'_>]) -> Result<Room> {
        // The last row of the last sheet is reserved for the note that the table is cut.
        let last = self.sheets >= self.last_sheet();
        if self.row + u32::from(last) >= self.rows_max {
            if last {
                return Ok(Room::Full);
            }
            guarded(|| self.close_sheet())?;
            guarded(|| self.open_sheet(true))?;
        }
        guarded(|| self.write(values))?;
        Ok(Room::More)
    }

    fn end(&mut self, note: Option<&str>) -> Result<()> {
        guarded(|| self.close_sheet())?;
        let Some(note) = note else { return Ok(()) };
        if self.row >= self.rows_max {
            guarded(|| self.open_sheet(true))?;
        }
        let row = self.row;
        guarded(|| {
            self.sheet()?.write_string_with_format(row, 0, note, &Format::new().set_italic())?;
            Ok(())
        })
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let mut out = Patient { out: &mut self.out, failed: None };
        let workbook = &mut self.workbook;
        let saved = guarded(|| Ok(workbook.save_to_writer(&mut out)?));
        match out.failed {
            Some(error) => Err(error.into()),
            None => saved,
        }
    }
}

/// The library panics if a write fails in the background. An output that the browser has closed must not cause a panic, so its error is stored
/// until the end, and further data are discarded.
struct Patient<W> {
    out: W,
    failed: Option<io::Error>,
}

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failed.is_none() {
            self.failed = self.out.write_all(bytes).err();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.failed.is_none() {
            self.failed = self.out.flush().err();
        }
        Ok(())
    }
}

/// Converts a panic of the library into an error, for example when the disk of the temporary file is full.
fn guarded<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(Error::Io(io::Error::other("the folder for temporary files took no more"))))
}

/// Returns the heading of a sheet: the title, the caption if there is one, and whether the sheet continues a table.
pub(crate) fn title(report: &Report, table: usize, continued: bool) -> String {
    let caption = &report.tables[table].caption;
    let dash = if caption.is_empty() { "" } else { " – " };
    format!("{}{dash}{caption}{}", report.title, if continued { " (continued)" } else { "" })
}

/// Returns all facts in one line. The rows above the table are frozen on the screen, so they must take little height.
pub(crate) fn facts(report: &Report) -> String {
    report.facts.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("  |  ")
}

fn cell_format(column: &Column) -> Format {
    Format::new().set_num_format(number_format(column.kind)).set_align(FormatAlign::Top)
}

fn heading_format(column: &Column) -> Format {
    let align = if column.right() { FormatAlign::Right } else { FormatAlign::Left };
    let format = Format::new().set_bold().set_text_wrap().set_background_color(0xE7_EB_F0).set_border_bottom(FormatBorder::Thin);
    format.set_align(align).set_align(FormatAlign::Bottom)
}

#[cfg(test)]
mod tests;
