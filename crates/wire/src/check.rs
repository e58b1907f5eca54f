//! The quality check of an asset's points. What counts as wrong, and the score, are our definition (docs/API.md).

use grid::check::{Report, Stretch};
use serde::{Deserialize, Serialize};

use crate::time::iso;

/// What was found in the values of an asset's points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QualityCheck {
    /// The asset.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// The start of the span; ISO 8601 UTC.
    pub from: String,
    /// Its end, which is not later than now.
    pub to: String,
    /// The utility's time zone (IANA): hours of the day are its hours.
    pub time_zone: String,
    /// The mean completeness of the points with a reporting interval, %; null if there is none.
    pub coverage: Option<f64>,
    /// A row a point, by code.
    pub rows: Vec<QualityCheckRow>,
    /// `no_data` (nothing was received), `partial` (less than expected), `coarse` (a row is made of rollups).
    pub flags: Vec<String>,
    /// Findings that are not listed, of all rows.
    pub cut: u64,
}

/// One point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QualityCheckRow {
    /// The point.
    pub point_id: i64,
    /// The quantity.
    pub code: String,
    /// The same as text.
    pub name: String,
    /// Unit, empty if none applies.
    pub unit: String,
    /// How often a value is expected, ms; null for report by exception.
    pub expected_ms: Option<i64>,
    /// Whether rollups were used, because single values are no longer kept or would be too many.
    pub coarse: bool,
    /// Share of the span for which there are values that count, %; null for report by exception.
    pub completeness: Option<f64>,
    /// Values received.
    pub values: u64,
    /// Times without values, longer than their age limit; null for report by exception.
    pub gaps: Option<u64>,
    /// The longest of them; null if there is none.
    pub longest_gap_ms: Option<i64>,
    /// Times in which a good value did not move for longer than its kind allows.
    pub flat_lines: u64,
    /// Values far from the usual ones of their hour of the day; of each hour of the day at most the 32 highest and the 32 lowest are counted.
    pub outliers: u64,
    /// Values that are questionable or worse, or absent. Of rollups stale or worse, or absent.
    pub bad_quality: u64,
    /// Values whose device's clock was ahead by more than 5 s, behind by more than a minute one after the other, or set back; null if `coarse`.
    pub clock_errors: Option<u64>,
    /// Values that took longer than a minute; null if `coarse`.
    pub late: Option<u64>,
    /// Impossible values.
    pub out_of_limits: u64,
    /// 0 to 100; null if nothing arrived and nothing was expected.
    pub score: Option<f64>,
    /// The findings in the order of time; the 20 longest of each kind.
    pub stretches: Vec<QualityStretch>,
    /// Findings that are not listed.
    pub cut: u64,
}

/// A stretch of time in which something was wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QualityStretch {
    /// `gap`, `flat`, `outlier`, `quality`, `clock` or `limit`.
    pub kind: String,
    /// Since when, by source time; epoch ms.
    pub from_ms: i64,
    /// Until when; the same time for a single value.
    pub to_ms: i64,
    /// The same start; ISO 8601 UTC.
    pub from: String,
    /// The same end.
    pub to: String,
    /// What there is to say about it.
    pub note: String,
}

impl From<&Stretch> for QualityStretch {
    fn from(stretch: &Stretch) -> Self {
        Self {
            kind: stretch.kind.word().to_owned(),
            from_ms: stretch.from.millis(),
            to_ms: stretch.to.millis(),
            from: iso(stretch.from),
            to: iso(stretch.to),
            note: stretch.note.clone(),
        }
    }
}

impl QualityCheckRow {
    /// The row of a point that has this name for people.
    pub fn of(point: &grid::Point, name: &str, coarse: bool, report: &Report) -> Self {
        Self {
            point_id: point.id.0,
            code: point.code.clone(),
            name: name.to_owned(),
            unit: point.unit.clone(),
            expected_ms: point.expected_ms,
            coarse,
            completeness: report.completeness,
            values: report.values,
            gaps: report.gaps,
            longest_gap_ms: report.longest_gap_ms,
            flat_lines: report.flat_lines,
            outliers: report.outliers,
            bad_quality: report.bad_quality,
            clock_errors: report.clock_errors,
            late: report.late,
            out_of_limits: report.out_of_limits,
            score: report.score,
            stretches: report.stretches.iter().map(QualityStretch::from).collect(),
            cut: report.cut,
        }
    }
}
