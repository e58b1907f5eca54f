//! A log sheet: a page for each place and day, with hours down and equipment across, sums at the foot, and lines for signatures.

use std::io::Write;

use super::lines::broken;
use super::page::{Colour, Edges, FAINT, INK, LOGO_ROOM, Pages, Paper, RULE, Weight, made_at};
use crate::cell::clean_line;
use crate::head::checked;
use crate::{Report, Result};

const ROOM: f32 = Paper::LARGE.room();
const LEFT: f32 = Paper::LARGE.left;
const TITLE_SIZE: f32 = 15.0;
const FACTS_SIZE: f32 = 8.5;
const SIZE: f32 = 7.5;
/// Width of the column of the hours, points.
const HOURS: f32 = 62.0;
/// Smallest and largest width of a column, points. The smallest one has room for seven digits.
const COLUMN: (f32, f32) = (31.0, 62.0);
/// Height of a row; 25 hours, the foot and the headings fit on a page.
const ROW: f32 = 16.5;
const PAD: f32 = 3.0;
const HEAD: Colour = [0.906, 0.922, 0.941];

/// A page: one place on one day.
#[derive(Debug, Clone, Default)]
pub struct LogPage {
    /// Place and day.
    pub heading: String,
    /// Labels of the hours, from the top.
    pub hours: Vec<String>,
    /// Labels of the rows at the foot.
    pub foot: Vec<String>,
    /// Equipment from the left. Groups that do not fit continue on a further page with the same hours.
    pub groups: Vec<LogGroup>,
}

/// A piece of equipment.
#[derive(Debug, Clone, Default)]
pub struct LogGroup {
    /// Its name.
    pub name: String,
    /// Its quantities, at least one.
    pub columns: Vec<LogColumn>,
}

/// A quantity of a piece of equipment. An unknown value is empty.
#[derive(Debug, Clone, Default)]
pub struct LogColumn {
    /// Symbol of the quantity.
    pub name: String,
    /// Unit; empty for none.
    pub unit: String,
    /// Texts for the hours.
    pub values: Vec<String>,
    /// Texts for the rows at the foot.
    pub foot: Vec<String>,
}

/// A log sheet that is written page by page.
pub struct LogSheet<W: Write> {
    report: Report,
    pages: Pages<W>,
    has_pages: bool,
}

impl<W: Write> LogSheet<W> {
    /// Starts the file. The tables and the row limit of the report are not used.
    pub fn new(report: Report, out: W) -> Result<Self> {
        let report = checked(report)?;
        let made = made_at(report.made, &report.zone);
        let by = if report.made_by.is_empty() { String::new() } else { format!(" by {}", report.made_by) };
        let edges = Edges { foot: format!("Made {made}{by}"), ..Edges::default() };
        let pages = Pages::new(Paper::LARGE, &report.title, (report.made, &report.zone), edges, out)?;
        Ok(Self { report, pages, has_pages: false })
    }

    /// Writes a page; more than one if the equipment does not fit.
    pub fn page(&mut self, page: &LogPage) -> Result<()> {
        let sheets = sheets(&page.groups);
        let all = sheets.len();
        for (number, groups) in sheets.into_iter().enumerate() {
            self.open(&page.heading, (all > 1).then(|| format!("Sheet {} of {all}", number + 1)))?;
            self.table(page, groups);
            self.pages.y -= 44.0;
            self.pages.signatures();
        }
        Ok(())
    }

    /// Ends the file. `note` is written below the last page, such as that the file is cut.
    pub fn finish(mut self, note: Option<&str>) -> Result<()> {
        if !self.has_pages {
            self.open("", None)?;
        }
        if let Some(note) = note {
            self.pages.y -= 16.0;
            self.pages.text(LEFT, self.pages.y, Weight::Bold, FACTS_SIZE, FAINT, note);
        }
        self.pages.finish()
    }

    fn open(&mut self, heading: &str, sheet: Option<String>) -> Result<()> {
        if self.has_pages {
            self.pages.turn()?;
        }
        self.has_pages = true;
        let pages = &mut self.pages;
        let mut room = ROOM;
        if let Some(logo) = &self.report.logo {
            let (width, height) = logo.fitted(LOGO_ROOM);
            let (width, height) = (width as f32, height as f32);
            pages.logo(logo, (LEFT + ROOM - width, pages.y - height), (width, height))?;
            room -= LOGO_ROOM.0 as f32 + 12.0;
        }
        let heading = clean_line(heading);
        let dash = if heading.is_empty() { "" } else { " – " };
        let title = format!("{}{dash}{heading}", self.report.title);
        let title = broken(pages.face(Weight::Bold), &title, room / TITLE_SIZE, 1).concat();
        pages.y -= TITLE_SIZE * 1.1;
        pages.text(LEFT, pages.y, Weight::Bold, TITLE_SIZE, INK, &title);
        let facts = self.report.facts.iter().map(|(name, value)| format!("{name}: {value}")).chain(sheet);
        let facts = facts.collect::<Vec<_>>().join("   ");
        for line in broken(pages.face(Weight::Regular), &facts, room / FACTS_SIZE, 2) {
            pages.y -= FACTS_SIZE * 1.35;
            pages.text(LEFT, pages.y, Weight::Regular, FACTS_SIZE, FAINT, &line);
        }
        pages.y -= 8.0;
        Ok(())
    }

    fn table(&mut self, page: &LogPage, groups: &[LogGroup]) {
        let pages = &mut self.pages;
        let count = groups.iter().map(|group| group.columns.len()).sum::<usize>().max(1);
        let width = ((ROOM - HOURS) / count as f32).clamp(COLUMN.0, COLUMN.1);
        let right = LEFT + HOURS + width * count as f32;
        let top = pages.y;
        let (rows, foot) = (page.hours.len(), page.foot.len());
        let bottom = top - ROW * (rows + foot + 3) as f32;
        let line = |nth: usize| top - ROW * nth as f32;
        pages.fill(LEFT, line(3), right - LEFT, 3.0 * ROW, HEAD);
        pages.fill(LEFT, bottom, right - LEFT, foot as f32 * ROW, HEAD);
        let base = |nth: usize| line(nth) - ROW + 4.5;
        for (label, nth) in page.hours.iter().zip(3..).chain(page.foot.iter().zip(3 + rows..)) {
            let weight = if nth < 3 + rows { Weight::Regular } else { Weight::Bold };
            pages.text(LEFT + PAD, base(nth), weight, SIZE, INK, &clean_line(label));
        }
        let mut x = LEFT + HOURS;
        for group in groups {
            let room = width * group.columns.len() as f32;
            let name = broken(pages.face(Weight::Bold), &clean_line(&group.name), (room - 2.0 * PAD) / SIZE, 1).concat();
            pages.text(x + PAD, base(0), Weight::Bold, SIZE, INK, &name);
            pages.line((x, top), (x, bottom), 0.8, FAINT);
            for column in &group.columns {
                let head = [(1, &column.name), (2, &column.unit)];
                let values = column.values.iter().take(rows).zip(3..);
                let sums = column.foot.iter().take(foot).zip(3 + rows..);
                for (nth, text) in head.into_iter().chain(values.chain(sums).map(|(text, nth)| (nth, text))) {
                    let weight = if nth < 3 || nth >= 3 + rows { Weight::Bold } else { Weight::Regular };
                    let text = clean_line(text);
                    let natural = pages.face(weight).width(&text);
                    // A shortened number would be a different number.
                    let size = SIZE.min((width - 2.0 * PAD) / natural.max(f32::EPSILON));
                    pages.text(x + width - PAD - natural * size, base(nth), weight, size, INK, &text);
                }
                x += width;
                pages.line((x, line(1)), (x, bottom), 0.3, RULE);
            }
        }
        for nth in 0..=rows + foot + 3 {
            let is_edge = [0, 3, 3 + rows, rows + foot + 3].contains(&nth);
            let (thickness, colour) = if is_edge { (0.8, FAINT) } else { (0.3, RULE) };
            pages.line((LEFT, line(nth)), (right, line(nth)), thickness, colour);
        }
        pages.y = bottom;
    }
}

/// Splits the groups into pages. A group is never divided, unless it alone is wider than a page.
fn sheets(groups: &[LogGroup]) -> Vec<&[LogGroup]> {
    let most = ((ROOM - HOURS) / COLUMN.0) as usize;
    let (mut found, mut begin, mut used) = (Vec::new(), 0, 0);
    for (nth, group) in groups.iter().enumerate() {
        if used > 0 && used + group.columns.len() > most {
            found.push(&groups[begin..nth]);
            (begin, used) = (nth, 0);
        }
        used += group.columns.len();
    }
    found.push(&groups[begin..]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equipment_that_does_not_fit_continues_on_a_further_page() {
        let group = |columns: usize| LogGroup { name: "F1".into(), columns: vec![LogColumn::default(); columns] };
        let sizes = |groups: &[LogGroup]| sheets(groups).iter().map(|sheet| sheet.len()).collect::<Vec<_>>();
        assert_eq!(sizes(&vec![group(5); 7]), [7]);
        assert_eq!(sizes(&vec![group(5); 8]), [7, 1]);
        assert_eq!(sizes(&[group(99), group(1)]), [1, 1]);
        assert_eq!(sizes(&[]), [0]);
    }
}
