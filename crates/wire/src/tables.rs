//! The live tables, over REST and over the stream the same: rows an asset, live readings, phasors, and stored values for a sheet.

use grid::table::readings::{self, Extremes};
use grid::table::{self, Layout, Sheet, Table, phasor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::rows::{Column, GenericRow};
use crate::time::iso;

/// One row of a table with a row an asset, as it is written.
#[derive(Debug)]
pub struct TableRow<'a> {
    /// What stands in which column.
    pub sheet: &'a Sheet,
    /// Which row of it.
    pub layout: &'a Layout,
    /// What it says.
    pub row: table::Row,
    /// Whether the asset is asked about alone: then columns in which it has nothing are left out.
    pub alone: bool,
}

/// Whether a column is shown of a sheet, or of one row of it.
fn has(sheet: &Sheet, alone: Option<&Layout>, column: usize) -> bool {
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
    /// As the object that it is written as.
    pub fn object(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(object)) => object,
            // Texts and numbers always have a JSON form; infinite ones become null.
            _ => Map::new(),
        }
    }
}

/// The columns of a sheet, or of what one asset has of it.
pub fn columns(sheet: &Sheet, alone: Option<&Layout>) -> Vec<Column> {
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

/// A table with a row an asset: `energy/…`, `pq/…` and `assets/…` of the live socket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TableRows {
    /// Rows by the names of the assets; a delta replaces by `assetId`.
    pub rows: Vec<Map<String, Value>>,
    /// What to show of them.
    pub columns: Vec<Column>,
}

/// Energy data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PdsValues {
    /// A row an asset; keys are the column names, and `assetId`, `assetName`, `locationId`, `reportedDateTime`, `quality` and `ageLimitMs`.
    pub pds_data: Vec<Map<String, Value>>,
    /// What to show of them.
    pub pds_columns: Vec<Column>,
}

/// Power quality data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PqValues {
    /// Rows as those of energy data.
    pub pq_data: Vec<Map<String, Value>>,
    /// What to show of them.
    pub pq_columns: Vec<Column>,
}

/// Asset data: batteries and transformers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AdsValues {
    /// Rows as those of energy data, and `deviceId` (the gateway) and `assetType`.
    pub ads_data: Vec<Map<String, Value>>,
    /// Always the same.
    pub ads_columns: Vec<Column>,
}

/// Every point of an asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GdsValues {
    /// A row a point.
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

/// One quantity of an asset with its phases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReadingRow {
    /// The quantity, such as `Voltage L-N`, which is the key of the row.
    pub parameter: String,
    /// Unit of all its values; empty without a unit.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// Phase R; null if absent, or if the quantity has no phases.
    pub r: Option<f64>,
    /// Phase Y.
    pub y: Option<f64>,
    /// Phase B.
    pub b: Option<f64>,
    /// Of all three, or the one value that there is.
    pub total: Option<f64>,
    /// The lowest since midnight in the utility's zone: of the total if the asset measures it, otherwise of the phases; null if not known, and for angles.
    pub day_min: Option<f64>,
    /// The highest.
    pub day_max: Option<f64>,
    /// The worst quality code of the row, including values that were never received.
    pub quality: u8,
    /// Source time of the latest value; ISO 8601 UTC, null before the first.
    pub reported_date_time: Option<String>,
    /// Age at which the row is stale, ms; null for report by exception.
    pub age_limit_ms: Option<i64>,
}

impl From<(&readings::Layout, &readings::Row)> for ReadingRow {
    fn from((layout, row): (&readings::Layout, &readings::Row)) -> Self {
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

/// The phasors of an asset. Phase a is R, b is Y, c is B; angles in degrees from the voltage of phase R, counter-clockwise, -180 to 180.
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
    /// `R-Y-B` for the normal sequence, `R-B-Y` if two phases are exchanged; null if the voltages do not show it.
    pub sequence: Option<String>,
    /// Unbalance of the voltages, V2/V1 in percent; null without a sequence.
    pub vuf_percent: Option<f64>,
    /// Source time of the latest value; ISO 8601 UTC, null before the first.
    pub reported_date_time: Option<String>,
    /// The worst quality code of the measured values, including values that were never received.
    pub quality: u8,
    /// Age at which the picture is stale, ms; null for report by exception.
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
            sequence: now.sequence.map(|sequence| sequence.word().to_owned()),
            vuf_percent: now.vuf_percent,
            reported_date_time: now.reported.map(iso),
            quality: now.quality.code(),
            age_limit_ms: layout.age_limit_ms,
        }
    }
}

/// One stored value, ready for a line of a CSV file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProductRow {
    /// When it was measured, by the device's clock; ISO 8601 UTC.
    pub reported_date_time: String,
    /// What was measured, such as `Ir`.
    pub code: String,
    /// The value; null when absent.
    pub value: Option<f64>,
    /// Its unit; empty where none applies.
    pub unit: String,
    /// Quality code.
    pub quality: u8,
    /// When it was received; ISO 8601 UTC.
    pub received_date_time: String,
}

/// Returns stored values of an asset, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProductData {
    /// The asset.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// What to write of each row, from left to right.
    pub columns: Vec<Column>,
    /// At most as many rows as one answer can have.
    pub rows: Vec<ProductRow>,
    /// There are more rows than one answer can have; the rows from `nextFrom` on are missing.
    pub cut: bool,
    /// Where to continue: the time of the first missing row. Null unless `cut`.
    pub next_from: Option<String>,
}
