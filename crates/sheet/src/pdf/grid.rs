//! A table on pages: column widths, headings on every page, and rows that are buffered until their page is full.
//!
//! Columns that do not fit at a readable size continue on further pages, each starting with the first column. A number that is too long for
//! its column gets a smaller font, because a truncated number would be a different number.

use std::io::Write;

use super::lines::broken;
use super::page::{Colour, FAINT, INK, Pages, RULE, Weight};
use crate::Result;
use crate::cell::Value;
use crate::report::{Column, ColumnKind};

const HEAD: Colour = [0.906, 0.922, 0.941];
const SHADE: Colour = [0.965, 0.971, 0.978];

const SIZE: f32 = 9.0;
/// Smallest readable font size in print, points.
const SIZE_MIN: f32 = 6.5;
/// Font size if columns continue on further pages.
const SIZE_PARTS: f32 = 8.0;
/// Mean width of a letter at size 1.
const LETTER: f32 = 0.56;
/// Largest factor by which columns are widened to fill the page. In wide columns, numbers and times are hard to read; texts are easier to read.
const STRETCH_MAX: f32 = 1.5;
const STRETCH_WORDS_MAX: f32 = 4.0;
/// Padding of a text in its cell: left and right, top and bottom, points.
const PAD: (f32, f32) = (6.0, 2.5);
/// Line spacing, and distance from the upper edge of a line to its baseline, at size 1.
const LEADING: f32 = 1.22;
const RISE: f32 = 0.92;
const LINES_MAX: usize = 4;
/// Height of the line "Columns 9 to 16 of 24", points.
const PART_LINE: f32 = 12.0;

pub(super) struct Grid {
    headings: Vec<Vec<String>>,
    right: Vec<bool>,
    widths: Vec<f32>,
    /// Columns that are on the same page; one part if all fit.
    parts: Vec<Vec<usize>>,
    size: f32,
    head: f32,
    rows: Vec<Row>,
    /// Height of the buffered rows.
    height: f32,
    /// Height available for rows on this page.
    room: f32,
    shaded: bool,
}

struct Row {
    cells: Vec<Vec<String>>,
    height: f32,
    shaded: bool,
}

impl Grid {
    pub(super) fn new<W: Write>(columns: &[Column], pages: &mut Pages<W>) -> Result<Self> {
        let (size, widths) = sized(columns, pages.paper.room());
        let parts = parts(&widths, pages.paper.room());
        let mut headings = Vec::new();
        for (column, width) in columns.iter().zip(&widths) {
            headings.push(broken(pages.face(Weight::Bold), &column.heading(), (width - 2.0 * PAD.0) / size, LINES_MAX));
        }
        let lines = headings.iter().map(Vec::len).max().unwrap_or(1);
        let head = height(lines, size) + if parts.len() > 1 { PART_LINE } else { 0.0 };
        // Headings must not be alone at the end of a page.
        pages.need(head + 3.0 * height(1, size))?;
        let right = columns.iter().map(Column::right).collect();
        Ok(Self { headings, right, widths, parts, size, head, rows: Vec::new(), height: 0.0, room: pages.left() - head, shaded: false })
    }

    pub(super) fn row<W: Write>(&mut self, values: &[Value<'_>], pages: &mut Pages<W>) -> Result<()> {
        let mut cells = Vec::with_capacity(values.len());
        for (value, width) in values.iter().zip(&self.widths) {
            cells.push(match value {
                Value::Absent => Vec::new(),
                Value::Text(text) => broken(pages.face(Weight::Regular), text, (width - 2.0 * PAD.0) / self.size, LINES_MAX),
                value => vec![value.text()],
            });
        }
        let height = height(cells.iter().map(Vec::len).max().unwrap_or(1).max(1), self.size);
        if self.height + height > self.room {
            self.draw(pages)?;
            pages.turn()?;
            self.room = pages.paper.whole() - self.head;
        }
        self.height += height;
        self.rows.push(Row { cells, height, shaded: self.shaded });
        self.shaded = !self.shaded;
        Ok(())
    }

    /// Draws the buffered rows. The position is below them afterwards.
    pub(super) fn finish<W: Write>(mut self, pages: &mut Pages<W>) -> Result<()> {
        self.draw(pages)
    }

    fn draw<W: Write>(&mut self, pages: &mut Pages<W>) -> Result<()> {
        let (rows, left) = (std::mem::take(&mut self.rows), pages.paper.left);
        self.height = 0.0;
        for (number, part) in self.parts.iter().enumerate() {
            if number > 0 {
                pages.turn()?;
            }
            if self.parts.len() > 1 {
                let (from, to, all) = (part[usize::from(number > 0)] + 1, part[part.len() - 1] + 1, self.widths.len());
                let words = format!("Columns {from} to {to} of {all}");
                pages.text(left + PAD.0, pages.y - SIZE_PARTS, Weight::Regular, SIZE_PARTS, FAINT, &words);
                pages.y -= PART_LINE;
            }
            self.draw_head(part, pages);
            for row in &rows {
                self.draw_row(row, part, pages);
            }
        }
        Ok(())
    }

    fn width(&self, part: &[usize]) -> f32 {
        part.iter().map(|column| self.widths[*column]).sum()
    }

    fn draw_head<W: Write>(&self, part: &[usize], pages: &mut Pages<W>) {
        let (left, width) = (pages.paper.left, self.width(part));
        let height = self.head - if self.parts.len() > 1 { PART_LINE } else { 0.0 };
        pages.fill(left, pages.y - height, width, height, HEAD);
        self.draw_cells(part, &self.headings, Weight::Bold, pages);
        pages.y -= height;
        pages.line((left, pages.y), (left + width, pages.y), 0.8, FAINT);
    }

    fn draw_row<W: Write>(&self, row: &Row, part: &[usize], pages: &mut Pages<W>) {
        let (left, width) = (pages.paper.left, self.width(part));
        if row.shaded {
            pages.fill(left, pages.y - row.height, width, row.height, SHADE);
        }
        self.draw_cells(part, &row.cells, Weight::Regular, pages);
        pages.y -= row.height;
        pages.line((left, pages.y), (left + width, pages.y), 0.3, RULE);
        debug_assert!(pages.left() >= -0.5, "a row below the margin");
    }

    fn draw_cells<W: Write>(&self, part: &[usize], cells: &[Vec<String>], weight: Weight, pages: &mut Pages<W>) {
        let mut x = pages.paper.left;
        for column in part {
            let room = self.widths[*column] - 2.0 * PAD.0;
            let mut y = pages.y - PAD.1 - RISE * self.size;
            for line in &cells[*column] {
                let width = pages.face(weight).width(line);
                let size = if width * self.size > room { room / width } else { self.size };
                let indent = if self.right[*column] { room - width * size } else { 0.0 };
                pages.text(x + PAD.0 + indent, y, weight, size, INK, line);
                y -= LEADING * self.size;
            }
            x += self.widths[*column];
        }
    }
}

fn height(lines: usize, size: f32) -> f32 {
    lines as f32 * LEADING * size + 2.0 * PAD.1
}

/// Returns the font size and the width of each column.
fn sized(columns: &[Column], room: f32) -> (f32, Vec<f32>) {
    let at = |size: f32| -> Vec<f32> {
        columns.iter().map(|column| (f32::from(column.letters()) * LETTER * size + 2.0 * PAD.0).min(room)).collect()
    };
    let sum = |widths: &[f32]| widths.iter().sum::<f32>();
    let widths = at(SIZE);
    if sum(&widths) <= room {
        return (SIZE, stretched(columns, widths, room));
    }
    if sum(&at(SIZE_MIN)) > room {
        return (SIZE_PARTS, at(SIZE_PARTS));
    }
    let mut size = SIZE;
    while sum(&at(size)) > room {
        size -= 0.1;
    }
    (size, at(size))
}

/// Widens columns to fill the page: first all of them a little, then those with texts.
fn stretched(columns: &[Column], mut widths: Vec<f32>, room: f32) -> Vec<f32> {
    let all = (room / widths.iter().sum::<f32>()).min(STRETCH_MAX);
    for width in &mut widths {
        *width *= all;
    }
    let words = |column: &Column| column.kind == ColumnKind::Text;
    let used: f32 = widths.iter().sum();
    let with_words: f32 = widths.iter().zip(columns).filter(|(_, column)| words(column)).map(|(width, _)| width).sum();
    if with_words > 0.0 {
        let more = (1.0 + (room - used) / with_words).min(STRETCH_WORDS_MAX / all);
        for (width, _) in widths.iter_mut().zip(columns).filter(|(_, column)| words(column)) {
            *width *= more;
        }
    }
    widths
}

fn parts(widths: &[f32], room: f32) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = vec![vec![0]];
    let mut used = widths[0];
    for (column, width) in widths.iter().enumerate().skip(1) {
        if used + width > room + 0.5 && parts.last().is_some_and(|part| part.len() > 1) {
            // Each part starts with the first column, which identifies the rows, and has at least one more column, even if both are wider
            // than the page.
            parts.push(vec![0]);
            used = widths[0];
        }
        parts.last_mut().expect("there is one").push(column);
        used += width;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::page::Paper;

    const ROOM: f32 = Paper::LARGE.room();

    #[test]
    fn columns_fill_the_page_shrink_or_go_on_further_pages() {
        let columns = |number: usize| vec![Column::new("Energy", "kWh", ColumnKind::Number { decimals: Some(1) }); number];
        let sum = |widths: &[f32]| widths.iter().sum::<f32>();
        let (size, widths) = sized(&columns(3), ROOM);
        assert!(size == SIZE && sum(&widths) < ROOM, "few columns do not sprawl");
        let mut wordy = columns(3);
        wordy.push(Column::new("Remark", "", ColumnKind::Text).wide(50));
        let (_, wide) = sized(&wordy, ROOM);
        assert!((sum(&wide) - ROOM).abs() < 0.5 && wide[0] < widths[0] * 1.01, "words take what is left");
        let (size, widths) = sized(&columns(16), ROOM);
        assert!(size == SIZE && (sum(&widths) - ROOM).abs() < 0.5);
        let (size, widths) = sized(&columns(21), ROOM);
        assert!((SIZE_MIN..SIZE).contains(&size) && sum(&widths) <= ROOM, "{size}");
        assert_eq!(parts(&widths, ROOM).len(), 1);
        let (size, widths) = sized(&columns(256), ROOM);
        let parts = parts(&widths, ROOM);
        assert!(size == SIZE_PARTS && parts.len() > 10);
        let mut seen: Vec<_> = parts.iter().flat_map(|part| &part[usize::from(part[0] == 0 && part != &parts[0])..]).copied().collect();
        seen.dedup();
        assert_eq!(seen, (0..256).collect::<Vec<_>>());
        assert!(parts.iter().all(|part| part[0] == 0 && part.iter().map(|column| widths[*column]).sum::<f32>() <= ROOM + 0.5));
    }
}
