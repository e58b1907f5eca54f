//! XLS: a workbook of Excel 97 to 2003 (BIFF8 in a compound file), according to [MS-XLS].
//!
//! Rows and texts are written to temporary files in their final form. Parts that depend on their sizes are written at the end. A sheet has 65,536 rows of 256
//! columns, and there are at most three sheets: rows continue on the next sheet, but one sheet is reserved for each later table.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cfb::{CompoundFile, Version};

use crate::cell::{Value, fitting};
use crate::report::Column;
use crate::sheets::{Room, Sheets};
use crate::xlsx::{facts, title};
use crate::{Report, Result, TABLES_MAX};

mod looks;
mod page;
mod record;
mod strings;

use looks::Looks;
use page::{Cells, Finished, Page};
use record::{EOF, GLOBALS, Records, short_text, text};
use strings::{Strings, Table};

/// Largest number of rows of a sheet.
const ROWS_MAX: u32 = 65_536;
/// Number of rows above the data: title, facts, headings.
const ABOVE: u16 = 3;
/// Largest size of rows and texts in bytes; spreadsheet programs fail with larger files.
const BYTES_MAX: u64 = 512 * 1024 * 1024;

pub(crate) struct Xls<W> {
    report: Arc<Report>,
    out: W,
    temporary: PathBuf,
    /// Largest number of rows of a sheet; smaller in tests.
    rows_max: u32,
    table: usize,
    pages: Vec<Page>,
    strings: Strings,
    looks: Looks,
}

impl<W: Write> Xls<W> {
    pub(crate) fn new(report: Arc<Report>, out: W, temporary: &Path) -> Result<Self> {
        let strings = Strings::new(tempfile::tempfile_in(temporary)?);
        let temporary = temporary.to_owned();
        Ok(Self { report, out, temporary, rows_max: ROWS_MAX, table: 0, pages: Vec::new(), strings, looks: Looks::default() })
    }

    fn last_sheet(&self) -> usize {
        TABLES_MAX - (self.report.tables.len() - 1 - self.table)
    }

    /// Returns the current sheet. It exists since the first table was started.
    fn page(&mut self) -> &mut Page {
        self.pages.last_mut().expect("a table is begun before its rows")
    }

    fn open_page(&mut self, continued: bool) -> Result<()> {
        self.pages.push(Page::new(self.table, tempfile::tempfile_in(&self.temporary)?));
        let report = Arc::clone(&self.report);
        self.words(&[(&title(&report, self.table, continued), looks::TITLE)], Some(20))?;
        self.words(&[(&facts(&report), looks::FACTS)], None)?;
        let columns = &report.tables[self.table].columns;
        let headings: Vec<_> =
            columns.iter().map(|column| (column.heading(), if column.right() { looks::HEADING_RIGHT } else { looks::HEADING })).collect();
        let tall = columns.iter().any(Column::tall);
        let headings: Vec<_> = headings.iter().map(|(heading, look)| (heading.as_str(), *look)).collect();
        self.words(&headings, tall.then_some(27))
    }

    /// Writes a row of texts, starting at the first column.
    fn words(&mut self, texts: &[(&str, u16)], points: Option<u16>) -> Result<()> {
        let mut cells = Cells::of(self.page().rows());
        for ((text, look), column) in texts.iter().zip(0_u16..) {
            if !text.is_empty() {
                cells.text(column, *look, self.strings.number(fitting(text))?);
            }
        }
        self.page().row(&cells, points)
    }

    fn globals(&self, begins: &[u32], strings: u32) -> Records {
        let mut out = Records::default();
        out.begin(GLOBALS);
        // Interface in UTF-16, no menus; the author is the product.
        out.words(0x00e1, &[0x04b0]);
        out.words(0x00c1, &[0]);
        out.words(0x00e2, &[]);
        let mut author = text("Switchyard");
        author.resize(112, b' ');
        out.record(0x005c, &author);
        // UTF-16, no dual-stream file, ids of the sheets, built-in function groups; nothing is protected.
        out.words(0x0042, &[0x04b0]);
        out.words(0x0161, &[0]);
        out.words(0x013d, &(1..=begins.len() as u16).collect::<Vec<_>>());
        out.words(0x009c, &[0x000e]);
        for protection in [0x0019, 0x0012, 0x0013, 0x01af, 0x01bc] {
            out.words(protection, &[0]);
        }
        // A window with scroll bars and tabs; no backup, nothing hidden, dates from 1900, full precision.
        out.words(0x003d, &[0, 0, 0x5000, 0x3000, 0x0038, 0, 0, 1, 600]);
        for (setting, value) in [(0x0040, 0), (0x008d, 0), (0x0022, 0), (0x000e, 1), (0x01b7, 0), (0x00da, 0)] {
            out.words(setting, &[value]);
        }
        self.looks.write(&mut out);
        out.words(0x0160, &[0]);
        for (begin, number) in begins.iter().zip(1..) {
            let mut data = begin.to_le_bytes().to_vec();
            // A visible worksheet.
            data.extend([0, 0]);
            data.extend(short_text(&format!("Sheet{number}")));
            out.record(0x0085, &data);
        }
        // English, United States: the language of the formats.
        out.words(0x008c, &[1, 1]);
        debug_assert!(strings == 0 || out.len() == strings, "the table of texts begins where it was told");
        out
    }
}

impl<W: Write> Sheets for Xls<W> {
    fn begin(&mut self, table: usize) -> Result<()> {
        self.table = table;
        self.open_page(false)
    }

    fn row(&mut self, values: &[Value<'_>]) -> Result<Room> {
        if self.strings.bytes() + self.pages.iter().map(Page::bytes).sum::<u64>() > BYTES_MAX {
            return Ok(Room::Full);
        }
        // The last row of the last sheet is reserved for the note that the table is cut.
        let last = self.pages.len() >= self.last_sheet();
        if self.page().rows() + u32::from(last) >= self.rows_max {
            if last {
                return Ok(Room::Full);
            }
            self.open_page(true)?;
        }
        let mut cells = Cells::of(self.page().rows());
        for (value, column) in values.iter().zip(0_u16..) {
            match (value, value.serial()) {
                (Value::Absent, _) => {}
                (Value::Text(text), _) => cells.text(column, looks::PLAIN, self.strings.number(fitting(text))?),
                (_, Some(serial)) => cells.number(column, self.looks.of(value.kind()), serial),
                (_, None) => cells.text(column, looks::PLAIN, self.strings.number(&value.text())?),
            }
        }
        self.page().row(&cells, None)?;
        Ok(Room::More)
    }

    fn end(&mut self, note: Option<&str>) -> Result<()> {
        let Some(note) = note else { return Ok(()) };
        if self.page().rows() >= self.rows_max {
            self.open_page(true)?;
        }
        self.words(&[(note, looks::NOTE)], None)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let pages: Vec<Finished> = std::mem::take(&mut self.pages)
            .into_iter()
            .enumerate()
            .map(|(place, page)| {
                let columns = &self.report.tables[page.table()].columns;
                page.finish(columns, ABOVE, place == 0)
            })
            .collect::<Result<_>>()?;
        // The length of the globals does not depend on the positions in them.
        let begin = self.globals(&vec![0; pages.len()], 0).len();
        let strings = std::mem::replace(&mut self.strings, Strings::new(tempfile::tempfile_in(&self.temporary)?)).finish(begin)?;
        let mut place = begin + strings.len() + 4;
        let mut begins = Vec::new();
        for page in &pages {
            begins.push(place);
            place += page.len();
        }
        let globals = self.globals(&begins, begin);
        let mut file = compound(&globals, strings, pages.into_iter().zip(begins), tempfile::tempfile_in(&self.temporary)?)?;
        file.rewind()?;
        io::copy(&mut file, &mut self.out)?;
        Ok(self.out.flush()?)
    }
}

/// Writes the compound file with the only stream that a workbook needs.
fn compound(globals: &Records, strings: Table, pages: impl Iterator<Item = (Finished, u32)>, file: File) -> Result<File> {
    let mut compound = CompoundFile::create_with_version(Version::V3, file)?;
    let mut stream = BufWriter::with_capacity(1 << 16, compound.create_stream("/Workbook")?);
    stream.write_all(&globals.0)?;
    strings.write(&mut stream)?;
    let mut end = Records::default();
    end.words(EOF, &[]);
    stream.write_all(&end.0)?;
    for (page, begin) in pages {
        page.write(begin, &mut stream)?;
    }
    stream.into_inner().map_err(io::IntoInnerError::into_error)?.flush()?;
    compound.flush()?;
    Ok(compound.into_inner())
}
