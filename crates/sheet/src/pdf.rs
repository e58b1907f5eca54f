//! PDF: pages of 1200 x 800 points with the report's table, and for reports to send on, headings, paragraphs and charts around it
//! (specification 3, section 9).
//!
//! Each page goes out when it is full. What is known last, how many there are and which glyphs were used, is written last.

use std::io::Write;
use std::sync::Arc;

use crate::cell::{Value, clean, clean_line};
use crate::writer::{Room, Sheets, checked};
use crate::{Cell, Error, Report, Result};

mod axis;
mod chart;
mod file;
mod font;
mod grid;
mod lines;
mod page;

pub use chart::{CATEGORIES_MAX, Chart, SERIES_MAX, Series, Shape};

use chart::Place;
use grid::Grid;
use lines::broken;
use page::{FAINT, INK, LEFT, Pages, ROOM, Weight};

const TITLE_SIZE: f32 = 16.0;
const HEADING_SIZE: f32 = 12.0;
const SIZE: f32 = 9.0;
const LEADING: f32 = 12.0;
/// Facts beside each other.
const FACT_COLUMNS: usize = 4;
const CHART_HEIGHT: f32 = 250.0;
const CHART_GAP: f32 = 24.0;
/// Lines of a paragraph.
const PARAGRAPH_MAX: usize = 40;

/// A document that is written from its first page to its last. Most reports come by [`crate::Writer`]; one with charts is put together here.
pub struct Pdf<W: Write> {
    report: Arc<Report>,
    pages: Pages<W>,
    grid: Option<Grid>,
}

impl<W: Write> Pdf<W> {
    /// Begins with the title and the facts of the report.
    pub fn document(report: Report, out: W) -> Result<Self> {
        Self::new(Arc::new(checked(report)?), out)
    }

    pub(crate) fn new(report: Arc<Report>, out: W) -> Result<Self> {
        let pages = Pages::new(&report, out)?;
        let mut pdf = Self { report, pages, grid: None };
        pdf.opening();
        Ok(pdf)
    }

    fn opening(&mut self) {
        let report = Arc::clone(&self.report);
        let pages = &mut self.pages;
        for line in broken(pages.face(Weight::Bold), &report.title, ROOM / TITLE_SIZE, 2) {
            pages.y -= TITLE_SIZE * 1.15;
            pages.text(LEFT, pages.y + 2.0, Weight::Bold, TITLE_SIZE, INK, &line);
        }
        pages.y -= 6.0;
        let width = ROOM / FACT_COLUMNS as f32;
        for facts in report.facts.chunks(FACT_COLUMNS) {
            let mut lowest = pages.y;
            for ((name, value), x) in facts.iter().zip((0..).map(|place| LEFT + place as f32 * width)) {
                let name = broken(pages.face(Weight::Bold), name, width * 0.4 / SIZE, 1).concat();
                let indent = pages.face(Weight::Bold).width(&name) * SIZE + 6.0;
                let mut y = pages.y - SIZE;
                pages.text(x, y, Weight::Bold, SIZE, FAINT, &name);
                for line in broken(pages.face(Weight::Regular), value, (width - indent - 8.0) / SIZE, 3) {
                    pages.text(x + indent, y, Weight::Regular, SIZE, INK, &line);
                    y -= LEADING;
                }
                lowest = lowest.min(y + SIZE);
            }
            pages.y = lowest;
        }
        pages.y -= 8.0;
    }

    /// A heading within the report.
    pub fn heading(&mut self, words: &str) -> Result<()> {
        // With something below it on the same page.
        self.pages.need(HEADING_SIZE * 2.0 + 60.0)?;
        let words = broken(self.pages.face(Weight::Bold), &clean_line(words), ROOM / HEADING_SIZE, 1).concat();
        self.pages.y -= HEADING_SIZE + 8.0;
        self.pages.text(LEFT, self.pages.y, Weight::Bold, HEADING_SIZE, INK, &words);
        self.pages.y -= 7.0;
        Ok(())
    }

    /// Sentences, up to 40 lines of them.
    pub fn paragraph(&mut self, words: &str) -> Result<()> {
        // Longer lines than these are hard to follow.
        let width = ROOM * 0.75;
        for line in broken(self.pages.face(Weight::Regular), &clean(words), width / SIZE, PARAGRAPH_MAX) {
            self.pages.need(LEADING)?;
            self.pages.y -= LEADING;
            self.pages.text(LEFT, self.pages.y + 3.0, Weight::Regular, SIZE, INK, &line);
        }
        self.pages.y -= 6.0;
        Ok(())
    }

    /// Charts, two beside each other; one alone takes the whole width.
    pub fn charts(&mut self, charts: &[Chart]) -> Result<()> {
        for pair in charts.chunks(2) {
            self.pages.need(CHART_HEIGHT)?;
            let width = (ROOM - CHART_GAP * (pair.len() - 1) as f32) / pair.len() as f32;
            for (chart, place) in pair.iter().zip(0_u8..) {
                let x = LEFT + f32::from(place) * (width + CHART_GAP);
                chart::draw(chart, Place { x, y: self.pages.y, width, height: CHART_HEIGHT }, &mut self.pages);
            }
            self.pages.y -= CHART_HEIGHT + 12.0;
        }
        Ok(())
    }

    /// One of the report's tables with all of its rows, the first being table 0.
    pub fn table<'c, R: AsRef<[Cell<'c>]>>(&mut self, table: usize, rows: impl IntoIterator<Item = R>) -> Result<()> {
        let report = Arc::clone(&self.report);
        let columns = &report.tables.get(table).ok_or(Error::NoTable)?.columns;
        self.begin(table)?;
        let (mut written, mut note) = (0, None);
        for row in rows {
            let cells = row.as_ref();
            if cells.len() != columns.len() {
                return Err(Error::Row { table: table + 1, row: written + 1, cells: cells.len(), columns: columns.len() });
            }
            if let Some(limit) = report.limit.filter(|limit| written >= *limit) {
                note = Some(format!("Cut after {written} rows: a report has up to {limit}."));
                break;
            }
            let values: Vec<_> = cells.iter().zip(columns).map(|(cell, column)| Value::of(*cell, column.kind, &report.zone)).collect();
            self.row(&values)?;
            written += 1;
        }
        self.end(note.as_deref().or((written == 0).then_some("No data")))
    }

    /// The signatures if the report has them, and the end of the file.
    pub fn finish(mut self) -> Result<()> {
        if self.report.signatures {
            self.signatures()?;
        }
        self.pages.finish()
    }

    fn signatures(&mut self) -> Result<()> {
        self.pages.need(64.0)?;
        self.pages.y -= 44.0;
        let (width, gap) = (260.0, (ROOM - 3.0 * 260.0) / 2.0);
        for (words, place) in ["In Charge", "Reviewed By", "Signature"].into_iter().zip(0_u8..) {
            let x = LEFT + f32::from(place) * (width + gap);
            self.pages.line((x, self.pages.y), (x + width, self.pages.y), 0.7, INK);
            self.pages.text(x, self.pages.y - 12.0, Weight::Regular, SIZE, FAINT, words);
        }
        self.pages.y -= 16.0;
        Ok(())
    }
}

impl<W: Write> Sheets for Pdf<W> {
    fn begin(&mut self, table: usize) -> Result<()> {
        let report = Arc::clone(&self.report);
        let table = &report.tables[table];
        if !table.caption.is_empty() {
            self.heading(&table.caption)?;
        }
        self.grid = Some(Grid::new(&table.columns, &mut self.pages)?);
        Ok(())
    }

    fn row(&mut self, values: &[Value<'_>]) -> Result<Room> {
        let grid = self.grid.as_mut().expect("a table is begun before its rows");
        grid.row(values, &mut self.pages)?;
        Ok(Room::More)
    }

    fn end(&mut self, note: Option<&str>) -> Result<()> {
        if let Some(grid) = self.grid.take() {
            grid.finish(&mut self.pages)?;
        }
        if let Some(note) = note {
            self.pages.need(LEADING + 8.0)?;
            self.pages.y -= LEADING + 4.0;
            self.pages.text(LEFT + 4.0, self.pages.y, Weight::Bold, SIZE, FAINT, note);
        }
        self.pages.y -= 10.0;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Pdf::finish(*self)
    }
}
