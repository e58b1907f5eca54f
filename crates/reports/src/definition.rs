//! What a report is: its name, what may be asked, its columns with what each means, and how its rows come.

use std::pin::Pin;

use crate::asked::Asked;
use crate::rows::{Rows, Stop};

pub use sheet::Kind;

/// The rows of a report on their way.
pub type Running = Pin<Box<dyn Future<Output = Result<(), Stop>> + Send>>;

/// A report.
#[derive(Debug)]
pub struct Definition {
    /// Fixed: clients remember it.
    pub id: i64,
    /// The specification's key.
    pub key: &'static str,
    /// As people read it.
    pub name: &'static str,
    /// What its rows are, for docs/REPORTS.md.
    pub about: &'static str,
    /// The frequencies that its past may be asked with, by id ([`super::period`]).
    pub frequencies: &'static [i64],
    /// What it can be of.
    pub of: Places,
    /// Whether it is of days that are named.
    pub historic: bool,
    /// Whether it is of what stands now, from the newest values.
    pub real_time: bool,
    /// What is asked besides, of its past alone.
    pub input: Input,
    /// From the left.
    pub columns: &'static [Column],
    /// Puts its rows one by one.
    pub rows: fn(Asked, Rows) -> Running,
}

/// What a report can be of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// The whole utility alone, and for those who administer it.
    Utility,
    /// Substations and what is above them.
    AboveAssets,
    /// Any level, single assets too.
    Any,
}

/// What a report asks besides place and time (specification 3, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Nothing.
    None,
    /// Whether momentary faults are left out.
    Momentary,
    /// The least of what is counted; 5 unless told.
    Limit,
    /// Voltages or currents alone; both unless told.
    Quantity,
    /// How many minutes lie between rows; 15 unless told.
    Sample,
    /// The same, for who has the switch showGDSData.
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

    /// As it is named in questions and in the catalogue.
    pub fn word(self) -> Option<&'static str> {
        Self::WORDS.iter().find(|(input, _)| *input == self).map(|(_, word)| *word)
    }
}

/// A column, and what it means.
#[derive(Debug)]
pub struct Column {
    /// Its heading.
    pub name: &'static str,
    /// Empty for none.
    pub unit: &'static str,
    /// What is in it.
    pub kind: Kind,
    /// Source and formula.
    pub meaning: &'static str,
}

impl Column {
    /// A column of words.
    pub const fn text(name: &'static str, meaning: &'static str) -> Self {
        Self { name, unit: "", kind: Kind::Text, meaning }
    }

    /// A column of instants, to the second.
    pub const fn time(name: &'static str, meaning: &'static str) -> Self {
        Self { name, unit: "", kind: Kind::Second, meaning }
    }

    /// A column of days.
    pub const fn day(name: &'static str, meaning: &'static str) -> Self {
        Self { name, unit: "", kind: Kind::Day, meaning }
    }

    /// A column of numbers.
    pub const fn number(name: &'static str, unit: &'static str, decimals: u8, meaning: &'static str) -> Self {
        Self { name, unit, kind: Kind::Number { decimals: Some(decimals) }, meaning }
    }

    /// A column of how many.
    pub const fn count(name: &'static str, meaning: &'static str) -> Self {
        Self::number(name, "", 0, meaning)
    }

    /// Name and unit: `Energy (kWh)`.
    pub fn heading(&self) -> String {
        if self.unit.is_empty() { self.name.to_owned() } else { format!("{} ({})", self.name, self.unit) }
    }
}

/// A kind as it is told to clients.
pub fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Number { .. } => "number",
        Kind::Day => "day",
        Kind::Minute | Kind::Second => "time",
        Kind::Millisecond => "millisecond",
        Kind::Duration => "duration",
    }
}

/// The decimals that a column of numbers has; `None` where they follow from its unit, row by row.
pub fn decimals(kind: Kind) -> Option<u8> {
    if let Kind::Number { decimals } = kind { decimals } else { None }
}
