//! Tables with a row for each asset, over REST. Their rows come from the same functions as the rows of the live socket.

use grid::table::{self, Table, TableLayout};
use grid::{AssetId, Point, Scope};
use identity::View;
use store::Store;
use wire::rows::DataValues;
use wire::tables::{TableRow, TableRows, columns};

use crate::error::Error;
use crate::latest::{Picture, picture};

/// Returns the three tables of a diagram.
pub fn data_values<'a>(points: &(impl Iterator<Item = &'a Point> + Clone), latest: &Picture) -> DataValues {
    let of = |table| rows(&TableLayout::of(table, points.clone()), None, latest);
    let TableRows { rows: pds_data, columns: pds_columns } = of(Table::Energy);
    let TableRows { rows: ads_data, columns: ads_columns } = of(Table::Equipment);
    let TableRows { rows: dc_data, columns: dc_columns } = of(Table::Supply);
    DataValues { pds_data, pds_columns, ads_data, ads_columns, dc_data, dc_columns }
}

/// Returns the rows of a table of a substation or of an asset.
pub async fn table_rows(store: &Store, view: &View, table: Table, scope: Scope) -> Result<TableRows, Error> {
    let (location, alone) = match scope {
        Scope::Node(location) => (location, None),
        Scope::Asset(asset) => (view.field.asset(asset).ok_or(Error::NotFound)?.location, Some(asset)),
    };
    let latest = picture(store, view, location).await?;
    let sheet = TableLayout::of(table, view.field.points_at(location));
    Ok(rows(&sheet, alone, &latest))
}

/// Returns the rows of a table: all of them, or those of one asset.
fn rows(sheet: &TableLayout, alone: Option<AssetId>, latest: &Picture) -> TableRows {
    let layouts = sheet.rows.iter().filter(|layout| alone.is_none_or(|asset| asset == layout.asset));
    let row = |layout| {
        let row = table::row(layout, |point| latest.get(&point).copied());
        TableRow { sheet, layout, row, alone: alone.is_some() }.object()
    };
    let rows = layouts.map(row).collect();
    let columns = match alone {
        None => columns(sheet, None),
        Some(asset) => sheet.row_of(asset).map_or_else(|| columns(&sheet.emptied(), None), |layout| columns(sheet, Some(layout))),
    };
    TableRows { rows, columns }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use grid::{Micros, Ordinal, PointId, Quality, Reading};
    use serde_json::{Value, json};
    use wire::rows::Column;

    use super::*;
    use testkit::example::{LOCATION, field};

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
        assert_eq!((&*tables.pds_columns[2].alias, tables.pds_columns[2].unit.as_deref()), ("Ir (A)", Some("A")));
        assert_eq!(tables.pds_data.len(), 1, "a breaker has no electrical values");
        assert_eq!((&tables.pds_data[0]["Ir"], &tables.pds_data[0]["P"]), (&json!(61.0), &Value::Null));
        assert_eq!(tables.pds_data[0]["quality"], json!(Quality::Good.code()));
        assert_eq!(tables.dc_data[0]["quality"], json!(Quality::Never.code()), "nothing of the row has come");
        assert_eq!(tables.ads_data[0]["OTI"], json!(48.5));
        assert_eq!(tables.ads_data[0]["reportedDateTime"], json!("1970-01-01T00:00:01.000Z"));
        assert_eq!(tables.dc_data[0]["BatV"], Value::Null);
    }

    #[test]
    fn an_asset_alone_has_its_own_columns_and_the_table_of_assets_always_the_same() {
        let field = field();
        let points = || field.points_at(LOCATION);
        let names = |rows: &TableRows| rows.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        let energy = TableLayout::of(Table::Energy, points());
        let (feeder, breaker) = (rows(&energy, Some(AssetId(10)), &Picture::new()), rows(&energy, Some(AssetId(11)), &Picture::new()));
        assert_eq!((names(&feeder).len(), feeder.rows.len()), (4, 1));
        assert_eq!((names(&breaker), breaker.rows.len()), (vec!["assetName".to_owned(), "reportedDateTime".to_owned()], 0));
        let assets = TableLayout::of(Table::Assets, points());
        let fixed =
            ["reportedDateTime", "deviceId", "assetName", "assetType", "batteryVdc", "batteryAdc", "tapPosition", "oti", "wti", "oilLevel"];
        for alone in [None, Some(AssetId(12)), Some(AssetId(11))] {
            assert_eq!(names(&rows(&assets, alone, &Picture::new())), fixed, "{alone:?}");
        }
        let transformer = rows(&assets, Some(AssetId(12)), &Picture::new()).rows.remove(0);
        assert_eq!((&transformer["assetType"], &transformer["oti"]), (&json!("Power transformer"), &Value::Null));
        assert_eq!(transformer.len(), 6 + 2 + 6, "{transformer:?}");
    }
}
