//! A document in A4 portrait: headings, paragraphs, key figures, small tables and charts, written page by page.

use std::io::Write;

use grid::time::Micros;
use jiff::tz::TimeZone;

use super::chart::{self, Chart, Place};
use super::grid::Grid;
use super::lines::broken;
use super::page::{Edges, FAINT, INK, Pages, Paper, RULE, Weight, made_at};
use crate::cell::{Value, clean, clean_line};
use crate::logo::Logo;
use crate::report::{COLUMNS_MAX, Column, zone_words};
use crate::{Cell, Error, Result};

const PAPER: Paper = Paper::A4;
const LEFT: f32 = PAPER.left;
const ROOM: f32 = PAPER.room();

const TITLE_SIZE: f32 = 20.0;
const PART_SIZE: f32 = 16.0;
const HEADING_SIZE: f32 = 13.0;
const SIZE: f32 = 9.0;
const NOTE_SIZE: f32 = 8.0;
const LEADING: f32 = 1.38;
/// Largest number of lines of a paragraph.
const PARAGRAPH_MAX: usize = 40;
/// Key figures per row.
const FIGURES_BESIDE: usize = 4;
/// Largest number of key figures of one call.
pub const FIGURES_MAX: usize = 16;
const FIGURE_GAP: f32 = 8.0;
const FIGURE_PAD: f32 = 7.0;
/// Smallest font size of a note that is readable in print, points.
const FIGURE_NOTE_LEAST: f32 = 5.5;
const VALUE_SIZE: f32 = 15.0;
const CHART_HEIGHT: f32 = 178.0;
const CHART_GAP: f32 = 18.0;
/// Largest width and height of the logo, points.
const LOGO_ROOM: (f64, f64) = (130.0, 40.0);

/// The subject of a document. Utility, title and period are on every page.
#[derive(Debug, Clone)]
pub struct About {
    /// Name of the utility.
    pub utility: String,
    /// Title of the document.
    pub title: String,
    /// Period of the document.
    pub period: String,
    /// Further facts below the title, as name and value; the zone is added.
    pub facts: Vec<(String, String)>,
    /// Time zone of the utility; all times of the document are local.
    pub zone: TimeZone,
    /// Time of creation.
    pub made: Micros,
    /// Name of the user who created the file.
    pub made_by: String,
    /// Logo of the utility.
    pub logo: Option<Logo>,
}

/// A key figure.
#[derive(Debug, Clone, Default)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// Its value as displayed; `None` if not known.
    pub value: Option<String>,
    /// Unit, displayed after the value.
    pub unit: String,
    /// Notes below it, such as the change from an earlier period; at most three lines.
    pub notes: Vec<String>,
}

/// A document that is written from its first page to its last.
pub struct Document<W: Write> {
    pages: Pages<W>,
    zone: TimeZone,
}

impl<W: Write> Document<W> {
    /// Starts a document with the title and the facts.
    pub fn new(about: &About, out: W) -> Result<Self> {
        let title = clean_line(&about.title);
        let made = made_at(about.made, &about.zone);
        let zone = zone_words(&about.zone, about.made);
        let edges = Edges {
            left: clean_line(&about.utility),
            right: format!("{title}, {}", clean_line(&about.period)),
            from_first: true,
            foot: format!("Made {made} by {}, times in {zone}", clean_line(&about.made_by)),
        };
        let pages = Pages::new(PAPER, &title, (about.made, &about.zone), edges, out)?;
        let mut document = Self { pages, zone: about.zone.clone() };
        document.opening(about, &zone)?;
        Ok(document)
    }

    fn opening(&mut self, about: &About, zone: &str) -> Result<()> {
        self.pages.y -= 6.0;
        if let Some(logo) = &about.logo {
            let (width, height) = logo.fitted(LOGO_ROOM);
            let (width, height) = (width as f32, height as f32);
            self.pages.logo(logo, (LEFT + ROOM - width, self.pages.y - height), (width, height))?;
        }
        self.lines(&about.title, Weight::Bold, TITLE_SIZE, 2);
        self.lines(&about.period, Weight::Regular, HEADING_SIZE, 1);
        self.pages.y -= 4.0;
        let indent = 92.0;
        let zone = ("Time zone".to_owned(), zone.to_owned());
        for (name, value) in about.facts.iter().chain([&zone]) {
            let pages = &mut self.pages;
            let name = broken(pages.face(Weight::Bold), &clean_line(name), (indent - 6.0) / SIZE, 1).concat();
            pages.text(LEFT, pages.y - SIZE, Weight::Bold, SIZE, FAINT, &name);
            for line in broken(pages.face(Weight::Regular), &clean_line(value), (ROOM - indent) / SIZE, 3) {
                pages.text(LEFT + indent, pages.y - SIZE, Weight::Regular, SIZE, INK, &line);
                pages.y -= SIZE * LEADING;
            }
        }
        self.pages.y -= 6.0;
        let y = self.pages.y;
        self.pages.line((LEFT, y), (LEFT + ROOM, y), 1.0, FAINT);
        self.pages.y -= 4.0;
        Ok(())
    }

    /// Writes lines downwards from the current position; they must fit on the page.
    fn lines(&mut self, words: &str, weight: Weight, size: f32, lines_max: usize) {
        for line in broken(self.pages.face(weight), &clean_line(words), ROOM / size, lines_max) {
            self.pages.y -= size * 1.25;
            self.pages.text(LEFT, self.pages.y + size * 0.25, weight, size, INK, &line);
        }
    }

    /// Writes a heading, and keeps at least `below` points of the following content on the same page.
    fn headed(&mut self, words: &str, size: f32, below: f32) -> Result<()> {
        self.pages.need(size * 2.6 + below)?;
        self.pages.y -= size * 0.8;
        self.lines(words, Weight::Bold, size, 2);
        self.pages.y -= 3.0;
        Ok(())
    }

    /// Starts a main part, such as one of several substations: on a new page, unless most of the present one is free.
    pub fn part(&mut self, words: &str) -> Result<()> {
        self.pages.need(PAPER.whole() * 0.75)?;
        self.headed(words, PART_SIZE, 0.0)
    }

    /// Starts a section.
    pub fn heading(&mut self, words: &str) -> Result<()> {
        self.headed(words, HEADING_SIZE, 90.0)
    }

    /// Starts a section and keeps it on one page with its chart, which follows at most two lines of notes.
    pub fn heading_over_chart(&mut self, words: &str) -> Result<()> {
        self.headed(words, HEADING_SIZE, CHART_HEIGHT + 45.0)
    }

    /// Starts a subsection.
    pub fn subheading(&mut self, words: &str) -> Result<()> {
        self.headed(words, SIZE + 1.0, 50.0)
    }

    /// Writes sentences, at most 40 lines.
    pub fn paragraph(&mut self, words: &str) -> Result<()> {
        self.sentences(words, SIZE, 0.0)
    }

    /// Writes notes in small type, such as a note about unknown values.
    pub fn note(&mut self, words: &str) -> Result<()> {
        self.sentences(words, NOTE_SIZE, 0.0)
    }

    fn sentences(&mut self, words: &str, size: f32, indent: f32) -> Result<()> {
        let colour = if size < SIZE { FAINT } else { INK };
        for line in broken(self.pages.face(Weight::Regular), &clean(words), (ROOM - indent) / size, PARAGRAPH_MAX) {
            self.pages.need(size * LEADING)?;
            self.pages.y -= size * LEADING;
            self.pages.text(LEFT + indent, self.pages.y + size * 0.3, Weight::Regular, size, colour, &line);
        }
        self.pages.y -= 5.0;
        Ok(())
    }

    /// Writes terms with their definitions.
    pub fn terms(&mut self, terms: &[(&str, &str)]) -> Result<()> {
        for (term, meaning) in terms {
            self.pages.need(SIZE * LEADING * 3.0)?;
            self.pages.y -= SIZE * LEADING;
            let term = broken(self.pages.face(Weight::Bold), &clean_line(term), ROOM / SIZE, 1).concat();
            self.pages.text(LEFT, self.pages.y + SIZE * 0.3, Weight::Bold, SIZE, INK, &term);
            self.sentences(meaning, SIZE, 10.0)?;
            self.pages.y += 2.0;
        }
        Ok(())
    }

    /// Writes key figures, four per row; at most [`FIGURES_MAX`].
    pub fn figures(&mut self, figures: &[Figure]) -> Result<()> {
        let width = (ROOM - FIGURE_GAP * (FIGURES_BESIDE - 1) as f32) / FIGURES_BESIDE as f32;
        for row in figures[..figures.len().min(FIGURES_MAX)].chunks(FIGURES_BESIDE) {
            let notes = row.iter().map(|figure| figure.notes.len().min(3)).max().unwrap_or(0) as f32;
            let height = 2.0 * FIGURE_PAD + NOTE_SIZE * LEADING * (notes + 1.0) + VALUE_SIZE * 1.3;
            self.pages.need(height + FIGURE_GAP)?;
            for (figure, place) in row.iter().zip(0_u8..) {
                self.figure(figure, LEFT + f32::from(place) * (width + FIGURE_GAP), (width, height));
            }
            self.pages.y -= height + FIGURE_GAP;
        }
        Ok(())
    }

    fn figure(&mut self, figure: &Figure, x: f32, (width, height): (f32, f32)) {
        let pages = &mut self.pages;
        let (top, bottom) = (pages.y, pages.y - height);
        pages.fill(x, bottom, width, height, [0.965, 0.971, 0.978]);
        pages.line((x, bottom), (x, top), 2.0, RULE);
        let (x, room) = (x + FIGURE_PAD, width - 2.0 * FIGURE_PAD);
        let mut y = top - FIGURE_PAD - NOTE_SIZE;
        let name = broken(pages.face(Weight::Bold), &clean_line(&figure.name), room / NOTE_SIZE, 1).concat();
        pages.text(x, y, Weight::Bold, NOTE_SIZE, FAINT, &name);
        y -= VALUE_SIZE * 1.25;
        if let Some(value) = &figure.value {
            // A truncated number would be a different number, so the font is made smaller instead.
            let value = clean_line(value);
            let unit = clean_line(&figure.unit);
            let beside = if unit.is_empty() { 0.0 } else { pages.face(Weight::Regular).width(&unit) * NOTE_SIZE + 4.0 };
            let long = pages.face(Weight::Bold).width(&value).max(0.01);
            let size = VALUE_SIZE.min((room - beside).max(20.0) / long);
            pages.text(x, y, Weight::Bold, size, INK, &value);
            pages.text(x + long * size + 4.0, y, Weight::Regular, NOTE_SIZE, FAINT, &unit);
        } else {
            pages.text(x, y, Weight::Regular, SIZE + 1.0, FAINT, "not known");
        }
        for note in figure.notes.iter().take(3) {
            y -= NOTE_SIZE * LEADING;
            // The end of a note can say how reliable the number is, so the font is made smaller before the note is cut.
            let note = clean_line(note);
            let long = pages.face(Weight::Regular).width(&note).max(0.01);
            let size = (room / long).clamp(FIGURE_NOTE_LEAST, NOTE_SIZE - 0.5);
            let note = broken(pages.face(Weight::Regular), &note, room / size + 1e-3, 1).concat();
            pages.text(x, y, Weight::Regular, size, INK, &note);
        }
    }

    /// Draws charts, two per row; a single one takes the whole width.
    pub fn charts(&mut self, charts: &[Chart]) -> Result<()> {
        for pair in charts.chunks(2) {
            self.pages.need(CHART_HEIGHT + 8.0)?;
            let width = (ROOM - CHART_GAP * (pair.len() - 1) as f32) / pair.len() as f32;
            self.pages.y -= 8.0;
            for (chart, place) in pair.iter().zip(0_u8..) {
                let x = LEFT + f32::from(place) * (width + CHART_GAP);
                chart::draw(chart, Place { x, y: self.pages.y, width, height: CHART_HEIGHT }, &mut self.pages);
            }
            self.pages.y -= CHART_HEIGHT + 4.0;
        }
        Ok(())
    }

    /// Writes a table with all its rows. If it has no rows, a line reports this.
    pub fn table<'c, R: AsRef<[Cell<'c>]>>(&mut self, columns: &[Column], rows: impl IntoIterator<Item = R>) -> Result<()> {
        if columns.is_empty() || columns.len() > COLUMNS_MAX {
            return Err(Error::Columns { table: 1, columns: columns.len() });
        }
        let clean = |column: &Column| Column { name: clean_line(&column.name), unit: clean_line(&column.unit), ..column.clone() };
        let columns: Vec<Column> = columns.iter().map(clean).collect();
        self.pages.y -= 4.0;
        let mut grid = Grid::new(&columns, &mut self.pages)?;
        let mut written = 0;
        for row in rows {
            let cells = row.as_ref();
            if cells.len() != columns.len() {
                return Err(Error::Row { table: 1, row: written + 1, cells: cells.len(), columns: columns.len() });
            }
            let values: Vec<_> = cells.iter().zip(&columns).map(|(cell, column)| Value::of(*cell, column.kind, &self.zone)).collect();
            grid.row(&values, &mut self.pages)?;
            written += 1;
        }
        grid.finish(&mut self.pages)?;
        self.pages.y -= 4.0;
        if written == 0 {
            self.note("No data")?;
        }
        Ok(())
    }

    /// Ends the file.
    pub fn finish(self) -> Result<()> {
        self.pages.finish()
    }
}
