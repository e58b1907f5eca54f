//! PDF: pages of 1200 x 800 points with the tables of a report (specification 3, section 9), and A4 documents with headings, figures and
//! charts ([`Document`]).
//!
//! Each page is written when it is full. The number of pages and the used glyphs are known last and written at the end.

use std::io::Write;
use std::sync::Arc;

use crate::cell::Value;
use crate::sheets::{Room, Sheets};
use crate::{Report, Result};

mod axis;
mod chart;
mod document;
mod file;
mod font;
mod grid;
mod hatch;
mod lines;
mod log_sheet;
mod page;

pub use chart::{CATEGORIES_MAX, Chart, SERIES_MAX, Series, Shape};
pub use document::{About, Document, FIGURES_MAX, Figure};
pub use log_sheet::{LogColumn, LogGroup, LogPage, LogSheet};

use grid::Grid;
use lines::broken;
use page::{Edges, FAINT, INK, LOGO_ROOM, Pages, Paper, Weight, made_at};

const ROOM: f32 = Paper::LARGE.room();
const LEFT: f32 = Paper::LARGE.left;

const TITLE_SIZE: f32 = 16.0;
const HEADING_SIZE: f32 = 12.0;
const SIZE: f32 = 9.0;
const LEADING: f32 = 12.0;
/// Facts per line.
const FACT_COLUMNS: usize = 4;

/// Writes the tables of a report from the first page to the last, for [`crate::Writer`].
pub(crate) struct Pdf<W: Write> {
    report: Arc<Report>,
    pages: Pages<W>,
    grid: Option<Grid>,
}

impl<W: Write> Pdf<W> {
    pub(crate) fn new(report: Arc<Report>, out: W) -> Result<Self> {
        let foot = Some(made_at(report.made, &report.zone)).filter(|made| !made.is_empty());
        let by = if report.made_by.is_empty() { String::new() } else { format!(" by {}", report.made_by) };
        let foot = foot.map_or_else(String::new, |made| format!("Made {made}{by}"));
        let edges = Edges { left: report.title.clone(), right: report.utility.clone(), foot, ..Edges::default() };
        let pages = Pages::new(Paper::LARGE, &report.title, (report.made, &report.zone), edges, out)?;
        let mut pdf = Self { report, pages, grid: None };
        pdf.opening()?;
        Ok(pdf)
    }

    fn opening(&mut self) -> Result<()> {
        let report = Arc::clone(&self.report);
        let pages = &mut self.pages;
        let mut room = ROOM;
        if let Some(logo) = &report.logo {
            let (width, height) = logo.fitted(LOGO_ROOM);
            let (width, height) = (width as f32, height as f32);
            pages.logo(logo, (LEFT + ROOM - width, pages.y - height), (width, height))?;
            room -= LOGO_ROOM.0 as f32 + 12.0;
        }
        for line in broken(pages.face(Weight::Bold), &report.title, room / TITLE_SIZE, 2) {
            pages.y -= TITLE_SIZE * 1.15;
            pages.text(LEFT, pages.y + 2.0, Weight::Bold, TITLE_SIZE, INK, &line);
        }
        pages.y -= 6.0;
        let width = room / FACT_COLUMNS as f32;
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
        Ok(())
    }

    /// Writes a heading above a table.
    fn heading(&mut self, words: &str) -> Result<()> {
        // Keep it with at least some of the following content on one page.
        self.pages.need(HEADING_SIZE * 2.0 + 60.0)?;
        let words = broken(self.pages.face(Weight::Bold), words, ROOM / HEADING_SIZE, 1).concat();
        self.pages.y -= HEADING_SIZE + 8.0;
        self.pages.text(LEFT, self.pages.y, Weight::Bold, HEADING_SIZE, INK, &words);
        self.pages.y -= 7.0;
        Ok(())
    }

    fn signatures(&mut self) -> Result<()> {
        self.pages.need(64.0)?;
        self.pages.y -= 44.0;
        self.pages.signatures();
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

    fn finish(mut self: Box<Self>) -> Result<()> {
        if self.report.signatures {
            self.signatures()?;
        }
        self.pages.finish()
    }
}
