//! The quality check of an asset's points. docs/reference/history.md, Quality check, defines the kinds of findings and the score.

use grid::check::{Report, Stretch};
use serde::{Deserialize, Serialize};

use crate::flag::Flag;
use crate::time::iso;

/// The findings in the values of an asset's points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QualityCheck {
    /// Id of the asset.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// The start of the period; ISO 8601 UTC.
    pub from: String,
    /// The end of the period, at most the time of the request; ISO 8601 UTC.
    pub to: String,
    /// The utility's time zone (IANA): hours of the day are its hours.
    pub time_zone: String,
    /// The mean completeness of the points with a reporting interval, %; null if there is none.
    pub coverage: Option<f64>,
    /// One row for each point, ordered by code.
    pub rows: Vec<QualityCheckRow>,
    /// `no_data` (nothing was received), `partial` (less was received than expected), `coarse` (a row is computed from rollups).
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
    /// Number of findings that are not listed, over all rows.
    pub cut: u64,
}

/// The findings for one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QualityCheckRow {
    /// Id of the point.
    pub point_id: i64,
    /// The last part of the point's metric name, which decides the quantity.
    pub code: String,
    /// Display name of the quantity.
    pub name: String,
    /// Unit, empty if none applies.
    pub unit: String,
    /// How often a value is expected, ms; null for report by exception.
    pub expected_ms: Option<i64>,
    /// Whether rollups were checked, because raw values are no longer stored or would be too many.
    pub coarse: bool,
    /// Share of the period covered by valid values, %; null for report by exception.
    pub completeness: Option<f64>,
    /// Number of values received.
    pub values: u64,
    /// Number of gaps: times longer than the age limit without a value; null for report by exception.
    pub gaps: Option<u64>,
    /// Length of the longest gap, ms; null if there is none.
    pub longest_gap_ms: Option<i64>,
    /// Number of times in which a good value did not change for longer than its quantity allows.
    pub flat_lines: u64,
    /// Number of values far from the usual ones of the same hour of the day. For each hour of the day, at most the 32 highest and the 32 lowest values are
    /// counted.
    pub outliers: u64,
    /// Number of values that are questionable or worse, or absent. In rollups: stale or worse, or absent.
    pub bad_quality: u64,
    /// Number of values with a wrong device clock: more than 5 s ahead, more than a minute behind in consecutive values, or set back; null if `coarse`.
    pub clock_errors: Option<u64>,
    /// Number of values received more than a minute after their source time; null if `coarse`.
    pub late: Option<u64>,
    /// Number of values outside of the possible range of their quantity.
    pub out_of_limits: u64,
    /// Quality score, 0 to 100; null if nothing was received and nothing was expected.
    pub score: Option<f64>,
    /// The findings in the order of time; of each kind at most the 20 longest.
    pub stretches: Vec<QualityStretch>,
    /// Number of findings that are not listed.
    pub cut: u64,
}

/// One finding: a period in which a value was wrong or missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QualityStretch {
    /// `gap`, `flat`, `outlier`, `quality`, `clock` or `limit`.
    pub kind: String,
    /// Start of the finding by source time, epoch ms.
    pub from_ms: i64,
    /// End of the finding, epoch ms; equal to `fromMs` for a single value.
    pub to_ms: i64,
    /// Start of the finding, ISO 8601 UTC.
    pub from: String,
    /// End of the finding, ISO 8601 UTC.
    pub to: String,
    /// Description of the finding.
    pub note: String,
}

impl From<&Stretch> for QualityStretch {
    fn from(stretch: &Stretch) -> Self {
        Self {
            kind: stretch.kind.as_str().to_owned(),
            from_ms: stretch.from.millis(),
            to_ms: stretch.to.millis(),
            from: iso(stretch.from),
            to: iso(stretch.to),
            note: stretch.note.clone(),
        }
    }
}

impl QualityCheckRow {
    /// Builds the row of a point from the report of its check. `name` is the display name of the quantity.
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
