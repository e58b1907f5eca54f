//! The valid rows of an import file.

use serde_json::{Map, Value};

/// A valid row whose references are not resolved yet.
#[derive(Debug)]
pub(super) struct ValidRow {
    /// Number of its line.
    pub(super) line: u64,
    /// The key of the row, which must be unique in the file.
    pub(super) key: String,
    /// The asset or section of the row.
    pub(super) names: Names,
    /// Columns of the database, without ids.
    pub(super) row: Map<String, Value>,
}

/// The asset or section of a row, by the utility's names.
#[derive(Debug)]
pub(super) enum Names {
    /// An asset of a substation, and the column that names it.
    Asset { substation: String, column: &'static str, code: String, required_type: RequiredAssetType },
    /// A section, the year of the row, and the column that names the section.
    Section { code: String, column: &'static str, year: i32 },
}

/// The required type of an asset.
#[derive(Debug, Clone, Copy)]
pub(super) enum RequiredAssetType {
    /// A feeder or incomer: asset types 1 and 4.
    Feeder,
    /// A transformer: asset types 2 and 5.
    Transformer,
    /// A circuit breaker.
    Breaker,
}
