//! The rows of a file that can be taken.

use serde_json::{Map, Value};

/// A row that can be taken, but for what it names.
#[derive(Debug)]
pub(super) struct Told {
    /// Where it stands.
    pub(super) line: u64,
    /// What no other row may be about.
    pub(super) key: String,
    /// What it is about.
    pub(super) names: Names,
    /// Its columns in the database, but for ids.
    pub(super) row: Map<String, Value>,
}

/// What a row is about, by the names of the utility.
#[derive(Debug)]
pub(super) enum Names {
    /// An asset of a substation, and the column that names it.
    Asset { substation: String, column: &'static str, code: String, wanted: Wanted },
    /// A section; the year that the row tells of, and its column.
    Section { code: String, column: &'static str, year: i32 },
}

/// What an asset has to be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted {
    /// A feeder or an incoming line: types 1 and 4.
    Feeder,
    /// Types 2 and 5.
    Transformer,
    /// A circuit breaker.
    Breaker,
}
