//! Live tables, the same over REST and on the live socket: tables with a row for each asset, live readings, phasors, and stored values for download.

use grid::table::readings::{self, Extremes};
use grid::table::{self, RowLayout, Table, TableLayout, phasor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::rows::{Column, GenericRow};
use crate::time::iso;

/// A row of a table with a row for each asset, ready for serialisation.
#[derive(Debug)]
pub struct TableRow<'a> {
    /// The columns of the table.
    pub sheet: &'a TableLayout,
    /// The asset of the row and its points.
    pub layout: &'a RowLayout,
    /// The values of the row.
    pub row: table::SheetRow,
    /// Whether the request was for this asset only. Then the columns in which it has no point are left out.
    pub alone: bool,
}

/// Returns whether a column is shown: for the whole table, or for the row of one asset.
fn has(sheet: &TableLayout, alone: Option<&RowLayout>, column: usize) -> bool {
    sheet.table == Table::Assets || alone.is_none_or(|layout| layout.cells.get(column).is_some_and(Option::is_some))
}

impl Serialize for TableRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { sheet, layout, row, alone } = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("assetId", &layout.asset.0)?;
        map.serialize_entry("assetName", &layout.name)?;
        map.serialize_entry("locationId", &layout.location.0)?;
        map.serialize_entry("reportedDateTime", &row.reported.map(iso))?;
        map.serialize_entry("quality", &row.quality.code())?;
        map.serialize_entry("ageLimitMs", &layout.age_limit_ms)?;
        if sheet.table == Table::Assets {
            map.serialize_entry("deviceId", &layout.gateway.0)?;
            map.serialize_entry("assetType", &table::type_word(layout.asset_type))?;
        }
        let shown = |column: &usize| has(sheet, alone.then_some(layout), *column);
        for column in (0..sheet.columns.len()).filter(shown) {
            map.serialize_entry(&sheet.columns[column].key, &row.values.get(column).copied().flatten())?;
        }
        map.end()
    }
}

impl TableRow<'_> {
    /// Returns the serialised row as a JSON object.
    pub fn object(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(object)) => object,
            // Serialisation of texts and numbers cannot fail; infinite numbers become null.
            _ => Map::new(),
        }
    }
}

/// Returns the columns of a table, or of the row of one asset.
pub fn columns(sheet: &TableLayout, alone: Option<&RowLayout>) -> Vec<Column> {
    let fixed: &[(&str, &str)] = if sheet.table == Table::Assets {
        &[("reportedDateTime", "Reported Date Time"), ("deviceId", "Device Id"), ("assetName", "Asset"), ("assetType", "Asset Type")]
    } else {
        &[("assetName", "Asset"), ("reportedDateTime", "Reported")]
    };
    let fixed = fixed.iter().map(|(name, alias)| Column::plain(name, alias));
    let measured = sheet.columns.iter().enumerate().filter(|(column, _)| has(sheet, alone, *column)).map(|(_, column)| Column {
        name: column.key.clone(),
        alias: column.heading.clone(),
        unit: Some(column.unit.clone()),
        decimals: Some(column.decimals),
    });
    fixed.chain(measured).collect()
}

/// A table with a row for each asset: `energy/…`, `pq/…` and `assets/…` of the live socket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TableRows {
    /// Rows, ordered by asset name. A row of a delta replaces the row with the same `assetId`.
    pub rows: Vec<Map<String, Value>>,
    /// The columns to show.
    pub columns: Vec<Column>,
}

/// Energy values of assets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PdsValues {
    /// One row for each asset. Keys are the column names, and `assetId`, `assetName`, `locationId`, `reportedDateTime`, `quality` and `ageLimitMs`.
    pub pds_data: Vec<Map<String, Value>>,
    /// The columns to show.
    pub pds_columns: Vec<Column>,
}

/// Power quality values of assets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PqValues {
    /// One row for each asset, with the same keys as energy values.
    pub pq_data: Vec<Map<String, Value>>,
    /// The columns to show.
    pub pq_columns: Vec<Column>,
}

/// Values of batteries and transformers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AdsValues {
    /// One row for each asset, with the same keys as energy values, and `deviceId` (the gateway) and `assetType`.
    pub ads_data: Vec<Map<String, Value>>,
    /// The columns to show; they do not depend on the points.
    pub ads_columns: Vec<Column>,
}

/// All points of an asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GdsValues {
    /// One row for each point.
    pub gds_data: Vec<GenericRow>,
    /// The columns to show.
    pub gds_columns: Vec<Column>,
}

impl From<TableRows> for PdsValues {
    fn from(TableRows { rows, columns }: TableRows) -> Self {
        Self { pds_data: rows, pds_columns: columns }
    }
}

impl From<TableRows> for PqValues {
    fn from(TableRows { rows, columns }: TableRows) -> Self {
        Self { pq_data: rows, pq_columns: columns }
    }
}

impl From<TableRows> for AdsValues {
    fn from(TableRows { rows, columns }: TableRows) -> Self {
        Self { ads_data: rows, ads_columns: columns }
    }
}

/// A quantity of an asset with its phases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReadingRow {
    /// Name of the quantity, such as `Voltage L-N`; the key of the row.
    pub parameter: String,
    /// Unit of all values; empty if none applies.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// Value of phase R; null if absent, or if the quantity has no phases.
    pub r: Option<f64>,
    /// Value of phase Y.
    pub y: Option<f64>,
    /// Value of phase B.
    pub b: Option<f64>,
    /// Value of all three phases, or of a quantity without phases.
    pub total: Option<f64>,
    /// Smallest value since midnight in the utility's time zone: of the total if it is measured, otherwise of the phases; null if not known, and for angles.
    pub day_min: Option<f64>,
    /// Largest value since midnight, as for `dayMin`.
    pub day_max: Option<f64>,
    /// The worst quality code of the row, including values that were never received.
    pub quality: u8,
    /// Source time of the latest value; ISO 8601 UTC, null before the first.
    pub reported_date_time: Option<String>,
    /// Age at which the row is stale, ms; null for report by exception.
    pub age_limit_ms: Option<i64>,
}

impl From<(&readings::Layout, &readings::ReadingsRow)> for ReadingRow {
    fn from((layout, row): (&readings::Layout, &readings::ReadingsRow)) -> Self {
        let [r, y, b] = row.phases;
        let day = |of: fn(Extremes) -> f64| row.day.map(of);
        Self {
            parameter: layout.parameter.name().to_owned(),
            unit: layout.unit.clone(),
            decimals: layout.decimals,
            r,
            y,
            b,
            total: row.total,
            day_min: day(|day| day.min),
            day_max: day(|day| day.max),
            quality: row.quality.code(),
            reported_date_time: row.reported.map(iso),
            age_limit_ms: layout.age_limit_ms,
        }
    }
}

/// The phasors of an asset. Phase a is R, b is Y, c is B. Angles are in degrees from the voltage of phase R, counter-clockwise, -180 to 180.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PhasorDiagram {
    /// Angle of the current of R.
    pub iaph: Option<f64>,
    /// Current of R, A.
    pub iarms: Option<f64>,
    /// Angle of the current of Y.
    pub ibph: Option<f64>,
    /// Current of Y, A.
    pub ibrms: Option<f64>,
    /// Angle of the current of B.
    pub icph: Option<f64>,
    /// Current of B, A.
    pub icrms: Option<f64>,
    /// Angle of the voltage of R.
    pub vaph: Option<f64>,
    /// Voltage of R to earth, kV.
    pub varms: Option<f64>,
    /// Angle of the voltage of Y.
    pub vbph: Option<f64>,
    /// Voltage of Y to earth, kV.
    pub vbrms: Option<f64>,
    /// Angle of the voltage of B.
    pub vcph: Option<f64>,
    /// Voltage of B to earth, kV.
    pub vcrms: Option<f64>,
    /// `R-Y-B` for the normal phase sequence, `R-B-Y` if two phases are exchanged; null if the voltages do not show it.
    pub sequence: Option<String>,
    /// Voltage unbalance V2/V1, percent; null without a sequence.
    pub vuf_percent: Option<f64>,
    /// Source time of the latest value; ISO 8601 UTC, null before the first.
    pub reported_date_time: Option<String>,
    /// The worst quality code of the measured values, including values that were never received.
    pub quality: u8,
    /// Age at which the phasors are stale, ms; null for report by exception.
    pub age_limit_ms: Option<i64>,
}

impl From<(&phasor::Layout, &phasor::Phasors)> for PhasorDiagram {
    fn from((layout, now): (&phasor::Layout, &phasor::Phasors)) -> Self {
        let ([iaph, ibph, icph], [iarms, ibrms, icrms]) = (now.amp_angles, now.amps);
        let ([vaph, vbph, vcph], [varms, vbrms, vcrms]) = (now.volt_angles, now.volts);
        Self {
            iaph,
            iarms,
            ibph,
            ibrms,
            icph,
            icrms,
            vaph,
            varms,
            vbph,
            vbrms,
            vcph,
            vcrms,
            sequence: now.sequence.map(|sequence| sequence.as_str().to_owned()),
            vuf_percent: now.vuf_percent,
            reported_date_time: now.reported.map(iso),
            quality: now.quality.code(),
            age_limit_ms: layout.age_limit_ms,
        }
    }
}

/// A stored value, ready for a line of a CSV file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProductRow {
    /// Source time; ISO 8601 UTC.
    pub reported_date_time: String,
    /// The last part of the point's metric name, such as `Ir`.
    pub code: String,
    /// The value; null when absent.
    pub value: Option<f64>,
    /// Unit of the value; empty if none applies.
    pub unit: String,
    /// Quality code.
    pub quality: u8,
    /// Receive time; ISO 8601 UTC.
    pub received_date_time: String,
}

/// Stored values of an asset, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProductData {
    /// Id of the asset.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Columns of the CSV file, from left to right.
    pub columns: Vec<Column>,
    /// Rows, oldest first, up to the limit of one answer.
    pub rows: Vec<ProductRow>,
    /// Whether there are more rows than one answer can have. The rows from `nextFrom` on are missing.
    pub cut: bool,
    /// Start of the next request: the time of the first missing row. Null unless `cut`.
    pub next_from: Option<String>,
}
