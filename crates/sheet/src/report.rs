//! What a file tells besides its rows: title, facts, and the columns of its tables.

use grid::time::Micros;
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

use crate::{Error, Result};

/// Tables of a report: as many as sheets of a workbook (specification 3, section 9).
pub const TABLES_MAX: usize = 3;
/// Columns of a table: as many as XLS has, so that every format takes every report.
pub const COLUMNS_MAX: usize = 256;
/// Facts above the tables.
pub const FACTS_MAX: usize = 32;

/// What the file is about. Its rows come afterwards.
#[derive(Debug, Clone)]
pub struct Report {
    /// Its name, as the heading has it.
    pub title: String,
    /// Level, report, type, frequency and whatever else was chosen, by name and value in this order. The time zone is added to them.
    pub facts: Vec<(String, String)>,
    /// The utility's: all times of the file are local ones.
    pub zone: TimeZone,
    /// When the file is made.
    pub made: Micros,
    /// One to three.
    pub tables: Vec<Table>,
    /// Rows of a table; one more, and the table is cut and says so. `None`: as many as the format takes.
    pub limit: Option<u64>,
    /// CSV alone: begins with U+FEFF, by which Excel knows UTF-8.
    pub byte_order_mark: bool,
    /// PDF alone: In Charge, Reviewed By and Signature at the end.
    pub signatures: bool,
}

/// What the rows of a table consist of.
#[derive(Debug, Clone)]
pub struct Table {
    /// Above its columns where a report has several; may be empty.
    pub caption: String,
    /// From the left.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// Shown behind the name in brackets; empty for none.
    pub unit: String,
    /// What is in it. A cell of another kind is taken as well, as "Total" among numbers.
    pub kind: Kind,
    /// In letters; `None`: by its kind and heading.
    pub width: Option<u16>,
}

/// What a column holds, which decides how it is written and on which side it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Words.
    Text,
    /// A number; without decimals as precise as it is.
    Number {
        /// Digits behind the point, up to 15.
        decimals: Option<u8>,
    },
    /// An instant, to the day: `2026-11-22`.
    Day,
    /// An instant, to the minute.
    Minute,
    /// An instant, to the second.
    Second,
    /// An instant, to the millisecond, as sequences of events need it.
    Millisecond,
    /// How long something lasts: `26:04:05` is a day, two hours, four minutes and five seconds.
    Duration,
}

impl Column {
    /// A column as wide as its kind needs.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), unit: unit.into(), kind, width: None }
    }

    /// With a width of its own, in letters.
    #[must_use]
    pub fn wide(self, letters: u16) -> Self {
        Self { width: Some(letters), ..self }
    }

    /// Name and unit: `Energy (kWh)`.
    pub(crate) fn heading(&self) -> String {
        if self.unit.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, self.unit) }
    }

    /// Its width in letters.
    pub(crate) fn letters(&self) -> u16 {
        let least = match self.kind {
            Kind::Text => 18,
            Kind::Number { .. } | Kind::Day | Kind::Duration => 11,
            Kind::Minute => 17,
            Kind::Second => 20,
            Kind::Millisecond => 24,
        };
        // A heading may take two lines, but no word of it.
        let heading = self.heading();
        let word = heading.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
        let heading = heading.chars().count().div_ceil(2).max(word).min(30) as u16 + 2;
        self.width.unwrap_or(least.max(heading)).clamp(4, 100)
    }

    /// Whether its heading needs two lines.
    pub(crate) fn tall(&self) -> bool {
        self.heading().chars().count() + 1 > self.letters().into()
    }

    /// Whether it stands on the right side.
    pub(crate) fn right(&self) -> bool {
        matches!(self.kind, Kind::Number { .. } | Kind::Duration)
    }
}

impl Report {
    /// Whether every format takes it.
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

    /// The zone as a fact.
    pub(crate) fn zone_fact(&self) -> (String, String) {
        ("Time zone".into(), zone_words(&self.zone, self.made))
    }
}

/// A zone's name, and how far it is from UTC in the year before a file is made: by how little, and by how much where that is another.
pub(crate) fn zone_words(zone: &TimeZone, made: Micros) -> String {
    const WEEK_MS: i64 = 7 * 24 * 3_600_000;
    let name = zone.iana_name().unwrap_or("UTC");
    // No zone leaves its clock alone for less than a week between two changes.
    let times = (0..=52).filter_map(|weeks| Timestamp::from_microsecond(made.plus_millis(-weeks * WEEK_MS).0).ok());
    let (mut least, mut most) = (Offset::MAX, Offset::MIN);
    for offset in times.map(|at| zone.to_offset(at)) {
        (least, most) = (least.min(offset), most.max(offset));
    }
    match (least, most) {
        (Offset::UTC, Offset::UTC) => name.to_owned(),
        (one, other) if one == other => format!("{name} (UTC{one})"),
        (one, other) if one < other => format!("{name} (UTC{one} and UTC{other})"),
        // No such time.
        _ => name.to_owned(),
    }
}
