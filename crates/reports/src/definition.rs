//! The definition of a report: name, parameters, columns with their meaning, and the function that produces the rows.

use std::pin::Pin;

use store::kept::Level;

use crate::rows::{Rows, Stop};
use crate::valid_request::ValidRequest;

pub use sheet::ColumnKind;

/// The task that produces the rows of a report.
pub type Running = Pin<Box<dyn Future<Output = Result<(), Stop>> + Send>>;

/// The definition of a report.
#[derive(Debug)]
pub struct Definition {
    /// The id. It never changes, because clients store it.
    pub id: i64,
    /// The specification's key.
    pub key: &'static str,
    /// The name for users.
    pub name: &'static str,
    /// What the rows are, for docs/REPORTS.md.
    pub about: &'static str,
    /// The ids of the frequencies that a historic report accepts ([`super::period`]).
    pub frequencies: &'static [i64],
    /// The areas for which the report can be requested.
    pub of: Places,
    /// Whether the report can be requested for a period.
    pub historic: bool,
    /// Whether the report can be requested for the present state, from the newest values.
    pub real_time: bool,
    /// The further parameter of the historic report.
    pub input: Input,
    /// The levels of the history from which the rows come. If values of a fine resolution have expired, coarser ones are read. So for values, it is the
    /// coarsest resolution that the report accepts.
    pub levels: &'static [Level],
    /// The columns, from left to right.
    pub columns: &'static [Column],
    /// Produces the rows and puts them into the channel one by one.
    pub rows: fn(ValidRequest, Rows) -> Running,
}

/// The areas for which a report can be requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// Only the whole utility, and only by administrators of the utility.
    Utility,
    /// Substations and the levels above them.
    AboveAssets,
    /// Any level, including single assets.
    Any,
}

/// The parameter of a report besides area and period (specification 3, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// No parameter.
    None,
    /// Whether momentary faults are excluded.
    Momentary,
    /// The smallest count that is listed. Default: 5.
    Limit,
    /// Voltage or current. Default: both.
    Quantity,
    /// Interval between rows, minutes. Default: 15.
    Sample,
    /// Interval between rows, minutes, for users with the flag showGDSData. Default: 15.
    SampleOfGds,
}

impl Input {
    const WORDS: [(Self, &'static str); 5] = [
        (Self::Momentary, "excludeMomentary"),
        (Self::Limit, "limit"),
        (Self::Quantity, "quantity"),
        (Self::Sample, "sampleMinutes"),
        (Self::SampleOfGds, "sampleMinutes"),
    ];

    /// Returns its name in requests and in the catalogue.
    pub fn name(self) -> Option<&'static str> {
        Self::WORDS.iter().find(|(input, _)| *input == self).map(|(_, word)| *word)
    }
}

/// A column of a report, and its meaning.
#[derive(Debug)]
pub struct Column {
    /// The heading.
    pub name: &'static str,
    /// The unit; empty if the column has none.
    pub unit: &'static str,
    /// The kind of values in the column.
    pub kind: ColumnKind,
    /// Source and formula of the values.
    pub meaning: &'static str,
}

impl Column {
    /// Creates a column of texts.
    pub const fn text(name: &'static str, meaning: &'static str) -> Self {
        Self { name, unit: "", kind: ColumnKind::Text, meaning }
    }

    /// Creates a column of times, with a resolution of one second.
    pub const fn time(name: &'static str, meaning: &'static str) -> Self {
        Self { name, unit: "", kind: ColumnKind::Second, meaning }
    }

    /// Creates a column of days.
    pub const fn day(name: &'static str, meaning: &'static str) -> Self {
        Self { name, unit: "", kind: ColumnKind::Day, meaning }
    }

    /// Creates a column of numbers.
    pub const fn number(name: &'static str, unit: &'static str, decimals: u8, meaning: &'static str) -> Self {
        Self { name, unit, kind: ColumnKind::Number { decimals: Some(decimals) }, meaning }
    }

    /// Creates a column of counts.
    pub const fn count(name: &'static str, meaning: &'static str) -> Self {
        Self::number(name, "", 0, meaning)
    }

    /// Returns name and unit, such as `Energy (kWh)`.
    pub fn heading(&self) -> String {
        if self.unit.is_empty() { self.name.to_owned() } else { format!("{} ({})", self.name, self.unit) }
    }
}

/// Returns the name of a kind in answers.
pub fn kind_word(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Text => "text",
        ColumnKind::Number { .. } => "number",
        ColumnKind::Day => "day",
        ColumnKind::Minute | ColumnKind::Second => "time",
        ColumnKind::Millisecond => "millisecond",
        ColumnKind::Duration | ColumnKind::DurationMillis => "duration",
    }
}

/// Returns the decimals of a column of numbers; `None` if the unit of each row determines them.
pub fn decimals(kind: ColumnKind) -> Option<u8> {
    if let ColumnKind::Number { decimals } = kind { decimals } else { None }
}
