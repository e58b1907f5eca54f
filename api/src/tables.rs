//! The tables whose columns come from the data: electrical values (pds), asset values (ads) and battery values (dc) of one substation.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use grid::measure::Quantity;
use grid::point::Kind;
use grid::{AssetId, Point, PointId, Quality, Reading};
use serde_json::{Map, Value, json};
use wire::rows::{Column, DataValues};
use wire::time::iso;

/// Which of the three tables a point belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    Electrical,
    Asset,
    Battery,
}

fn table_of(quantity: Quantity) -> Option<Table> {
    match quantity {
        Quantity::Temperature | Quantity::Tap | Quantity::Percent => Some(Table::Asset),
        Quantity::DcVoltage | Quantity::DcCurrent => Some(Table::Battery),
        Quantity::Status | Quantity::Count | Quantity::Other => None,
        _ => Some(Table::Electrical),
    }
}

/// The three tables. A row an asset, a column a code; a cell without a value is null.
pub(crate) fn data_values<'a>(points: &(impl Iterator<Item = &'a Point> + Clone), latest: &HashMap<PointId, Reading>) -> DataValues {
    let of =
        |table| one(points.clone().filter(move |point| point.kind == Kind::Measurand && table_of(point.quantity) == Some(table)), latest);
    let (pds_data, pds_columns) = of(Table::Electrical);
    let (ads_data, ads_columns) = of(Table::Asset);
    let (dc_data, dc_columns) = of(Table::Battery);
    DataValues { pds_data, pds_columns, ads_data, ads_columns, dc_data, dc_columns }
}

type Rows = Vec<Map<String, Value>>;

fn one<'a>(points: impl Iterator<Item = &'a Point>, latest: &HashMap<PointId, Reading>) -> (Rows, Vec<Column>) {
    let mut columns: BTreeSet<(Quantity, String, String)> = BTreeSet::new();
    let mut by_asset: BTreeMap<(String, AssetId), Vec<&Point>> = BTreeMap::new();
    for point in points {
        columns.insert((point.quantity, point.code.clone(), point.unit.clone()));
        by_asset.entry((point.asset_name.clone(), point.asset)).or_default().push(point);
    }
    let rows = by_asset.into_iter().map(|((name, asset), points)| row(&name, asset, &points, &columns, latest)).collect();
    let fixed =
        [("assetName", "Asset"), ("reportedDateTime", "Reported")].map(|(name, alias)| Column { name: name.into(), alias: alias.into() });
    let measured = columns
        .into_iter()
        .map(|(_, code, unit)| Column { alias: if unit.is_empty() { code.clone() } else { format!("{code} ({unit})") }, name: code });
    (rows, fixed.into_iter().chain(measured).collect())
}

fn row(
    name: &str,
    asset: AssetId,
    points: &[&Point],
    columns: &BTreeSet<(Quantity, String, String)>,
    latest: &HashMap<PointId, Reading>,
) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("assetId".into(), json!(asset.0));
    row.insert("assetName".into(), json!(name));
    for (_, code, _) in columns {
        row.insert(code.clone(), Value::Null);
    }
    let mut reported = None;
    // The worst of what has come: fault currents come with the first fault only, and must not mark a healthy row.
    let mut quality = None;
    for point in points {
        let reading = latest.get(&point.id);
        reported = reported.max(reading.map(|reading| reading.source));
        quality = quality.max(reading.map(|reading| reading.quality));
        row.insert(point.code.clone(), json!(reading.and_then(|reading| reading.value)));
    }
    row.insert("reportedDateTime".into(), json!(reported.map(iso)));
    row.insert("quality".into(), json!(quality.unwrap_or(Quality::Never).code()));
    row.insert("ageLimitMs".into(), json!(points.iter().filter_map(|point| point.age_limit_ms()).min()));
    row
}

#[cfg(test)]
mod tests {
    use grid::{Micros, Ordinal};

    use super::*;
    use crate::example::{LOCATION, field};

    #[test]
    fn each_value_is_in_its_table_and_what_is_missing_is_null() {
        let field = field();
        let reading = |value| Reading {
            value: Some(value),
            quality: Quality::Good,
            source: Micros::from_millis(1_000),
            received: Micros::from_millis(1_001),
            ordinal: Ordinal::default(),
        };
        let latest = HashMap::from([(PointId(102), reading(61.0)), (PointId(104), reading(48.5))]);
        let tables = data_values(&field.points_at(LOCATION), &latest);
        let names = |columns: &[Column]| columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&tables.pds_columns), ["assetName", "reportedDateTime", "Ir", "P"]);
        assert_eq!(tables.pds_data.len(), 1, "a breaker has no electrical values");
        assert_eq!((&tables.pds_data[0]["Ir"], &tables.pds_data[0]["P"]), (&json!(61.0), &Value::Null));
        assert_eq!(tables.pds_data[0]["quality"], json!(Quality::Good.code()));
        assert_eq!(tables.dc_data[0]["quality"], json!(Quality::Never.code()), "nothing of the row has come");
        assert_eq!(tables.ads_data[0]["OTI"], json!(48.5));
        assert_eq!(tables.ads_data[0]["reportedDateTime"], json!("1970-01-01T00:00:01.000Z"));
        assert_eq!(tables.dc_data[0]["BatV"], Value::Null);
    }
}
