//! The description of a file: title, facts, and the columns of its tables.

use grid::time::Micros;
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

use crate::logo::Logo;
use crate::{Error, Result};

/// Largest number of tables, equal to the number of sheets of a workbook (specification 3, section 9).
pub const TABLES_MAX: usize = 3;
/// Largest number of columns of a table: the limit of XLS, so that every format can write every report.
pub const COLUMNS_MAX: usize = 256;
/// Largest number of facts above the tables.
pub const FACTS_MAX: usize = 32;

/// The description of a file. Its rows are passed to the writer.
#[derive(Debug, Clone)]
pub struct Report {
    /// Name of the utility, the first fact.
    pub utility: String,
    /// Logo of the utility, for the formats with pictures: PDF and XLSX.
    pub logo: Option<Logo>,
    /// Title, as in the heading.
    pub title: String,
    /// Level, report, type, frequency, period and other selected options, as name and value in this order. Further facts are added: the time zone, the user who
    /// created the file, and the time of creation.
    pub facts: Vec<(String, String)>,
    /// Name of the user who created the file.
    pub made_by: String,
    /// Time zone of the utility; all times of the file are local.
    pub zone: TimeZone,
    /// Time of creation.
    pub made: Micros,
    /// One to three tables.
    pub tables: Vec<Table>,
    /// Largest number of rows of a table. A table with more rows is cut, and the file contains a note about it. `None` for the limit of the format.
    pub limit: Option<u64>,
    /// CSV only: starts with U+FEFF, by which Excel detects UTF-8.
    pub byte_order_mark: bool,
    /// PDF only: fields for In Charge, Reviewed By and Signature at the end.
    pub signatures: bool,
}

/// The description of a table.
#[derive(Debug, Clone)]
pub struct Table {
    /// Text above the columns if a report has several tables; may be empty.
    pub caption: String,
    /// Columns from the left.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// Unit, displayed after the name in brackets; empty for none.
    pub unit: String,
    /// Kind of its values. A cell of another kind is also accepted, such as "Total" in a column of numbers.
    pub kind: ColumnKind,
    /// Width in letters; `None`: derived from kind and heading.
    pub width: Option<u16>,
}

/// The kind of a column, which determines format and alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// A number; without `decimals` in full precision.
    Number {
        /// Digits after the decimal point, at most 15.
        decimals: Option<u8>,
    },
    /// An instant, to the day: `2026-11-22`.
    Day,
    /// An instant, to the minute.
    Minute,
    /// An instant, to the second.
    Second,
    /// An instant, to the millisecond, as in the sequence of events.
    Millisecond,
    /// A duration: `26:04:05` is 26 hours, four minutes and five seconds. If the duration is not a whole number of seconds, it is shown with milliseconds.
    Duration,
    /// A duration, always with milliseconds: `0:00:00.400`.
    DurationMillis,
}

impl Column {
    /// Creates a column with the default width of its kind.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, kind: ColumnKind) -> Self {
        Self { name: name.into(), unit: unit.into(), kind, width: None }
    }

    /// Sets the width, in letters.
    #[must_use]
    pub fn wide(self, letters: u16) -> Self {
        Self { width: Some(letters), ..self }
    }

    /// Returns name and unit: `Energy (kWh)`.
    pub(crate) fn heading(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, self.unit) }
    }

    /// Returns its width in letters.
    pub(crate) fn letters(&self) -> u16 {
        let least = match self.kind {
            ColumnKind::Text => 18,
            ColumnKind::Number { .. } | ColumnKind::Day => 11,
            ColumnKind::Duration | ColumnKind::DurationMillis => 13,
            ColumnKind::Minute => 17,
            ColumnKind::Second => 20,
            ColumnKind::Millisecond => 24,
        };
        // A heading can wrap to two lines, but not inside a word.
        let heading = self.heading();
        let word = heading.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
        let heading = heading.chars().count().div_ceil(2).max(word).min(30) as u16 + 2;
        self.width.unwrap_or(least.max(heading)).clamp(4, 100)
    }

    /// Whether its heading needs two lines.
    pub(crate) fn tall(&self) -> bool {
        self.heading().chars().count() + 1 > self.letters().into()
    }

    /// Whether it is aligned to the right.
    pub(crate) fn right(&self) -> bool {
        matches!(self.kind, ColumnKind::Number { .. } | ColumnKind::Duration | ColumnKind::DurationMillis)
    }
}

impl Report {
    /// Checks that every format can write the report.
    pub(crate) fn check(&self) -> Result<()> {
        if self.tables.is_empty() || self.tables.len() > TABLES_MAX {
            return Err(Error::Tables(self.tables.len()));
        }
        if self.facts.len() > FACTS_MAX {
            return Err(Error::Facts(self.facts.len()));
        }
        let wrong = self.tables.iter().position(|table| table.columns.is_empty() || table.columns.len() > COLUMNS_MAX);
        wrong.map_or(Ok(()), |table| Err(Error::Columns { table: table + 1, columns: self.tables[table].columns.len() }))
    }
}

/// Returns a zone's name with its offset from UTC in the year before the creation of the file: the smallest, and the largest if it
/// differs.
pub(crate) fn zone_words(zone: &TimeZone, made: Micros) -> String {
    const WEEK_MS: i64 = 7 * 24 * 3_600_000;
    let name = zone.iana_name().unwrap_or("UTC");
    // No zone has less than a week between two clock changes.
    let times = (0..=52).filter_map(|weeks| Timestamp::from_microsecond(made.plus_millis(-weeks * WEEK_MS).0).ok());
    let (mut least, mut most) = (Offset::MAX, Offset::MIN);
    for offset in times.map(|at| zone.to_offset(at)) {
        (least, most) = (least.min(offset), most.max(offset));
    }
    match (least, most) {
        (Offset::UTC, Offset::UTC) => name.to_owned(),
        (one, other) if one == other => format!("{name} (UTC{one})"),
        (one, other) if one < other => format!("{name} (UTC{one} and UTC{other})"),
        // No offset was found.
        _ => name.to_owned(),
    }
}
