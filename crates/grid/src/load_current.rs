//! The load current table: the points of a feeder's row, and the quality of the row.

use std::collections::HashMap;

use crate::point::Point;
use crate::{AssetId, GatewayId, Micros, NodeId, PointId, Quality, Reading};

/// Asset types with a row: outgoing and incoming feeders (specification 2, section 9: 1 and 4).
pub const FEEDER_TYPES: [i32; 2] = [1, 4];
/// The asset type of the RTU itself, which reports the battery voltage of the data concentrator.
const STATION_TYPE: i32 = 11;
/// The codes of a row's values: load currents, fault currents, in the order R, Y, B.
const ROW_CODES: [&str; 6] = ["Ir", "Iy", "Ib", "FIr", "FIy", "FIb"];
/// The code of the data concentrator's battery voltage.
const BATTERY_CODE: &str = "DcuV";

/// The points of one feeder's row.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// The feeder.
    pub asset: AssetId,
    /// Its name.
    pub name: String,
    /// The gateway that reports it.
    pub gateway: GatewayId,
    /// The substation.
    pub location: NodeId,
    /// Load currents of the phases R, Y and B, then fault currents of R, Y and B.
    pub values: [Option<PointId>; 6],
    /// The battery voltage of the station's data concentrator.
    pub battery: Option<PointId>,
    /// The shortest age limit of the load currents.
    pub age_limit_ms: Option<i64>,
}

impl Layout {
    /// Returns every point that the row depends on.
    pub fn points(&self) -> impl Iterator<Item = PointId> + '_ {
        self.values.iter().chain([&self.battery]).filter_map(|point| *point)
    }
}

/// The present values of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadCurrents {
    /// Source time of the newest load current.
    pub reported: Option<Micros>,
    /// Load currents of the phases R, Y and B, then fault currents of R, Y and B, in amperes.
    pub values: [Option<f64>; 6],
    /// Battery voltage of the data concentrator, V.
    pub battery_v: Option<f64>,
    /// The worst quality of the load currents.
    pub quality: Quality,
}

/// Creates a layout for each feeder among `points` with at least one load current, sorted by substation and name.
pub fn layouts<'a>(points: impl Iterator<Item = &'a Point> + Clone) -> Vec<Layout> {
    let batteries: HashMap<NodeId, PointId> = points
        .clone()
        .filter(|point| point.asset_type == STATION_TYPE && point.code == BATTERY_CODE)
        .map(|point| (point.location, point.id))
        .collect();
    let mut by_feeder: HashMap<AssetId, Layout> = HashMap::new();
    for point in points.filter(|point| FEEDER_TYPES.contains(&point.asset_type)) {
        let Some(column) = ROW_CODES.iter().position(|code| *code == point.code) else { continue };
        let layout = by_feeder.entry(point.asset).or_insert_with(|| Layout {
            asset: point.asset,
            name: point.asset_name.clone(),
            gateway: point.gateway,
            location: point.location,
            values: [None; 6],
            battery: batteries.get(&point.location).copied(),
            age_limit_ms: None,
        });
        layout.values[column] = Some(point.id);
        if column < 3 {
            layout.age_limit_ms = match (layout.age_limit_ms, point.age_limit_ms()) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
    }
    let mut rows: Vec<Layout> = by_feeder.into_values().filter(|layout| layout.values[..3].iter().any(Option::is_some)).collect();
    rows.sort_by(|a, b| (a.location, &a.name, a.asset).cmp(&(b.location, &b.name, b.asset)));
    rows
}

/// Returns the present row, reading each point with `latest`. A feeder that has never reported has the quality `Never`.
pub fn row(layout: &Layout, latest: impl Fn(PointId) -> Option<Reading>) -> LoadCurrents {
    let readings: [Option<Reading>; 6] = layout.values.map(|point| point.and_then(&latest));
    let load = &readings[..3];
    LoadCurrents {
        reported: load.iter().flatten().map(|reading| reading.source).max(),
        values: readings.map(|reading| reading.and_then(|reading| reading.value)),
        battery_v: layout.battery.and_then(&latest).and_then(|reading| reading.value),
        quality: load
            .iter()
            .zip(&layout.values)
            .filter(|(_, point)| point.is_some())
            .map(|(reading, _)| reading.map_or(Quality::Never, |r| r.quality))
            .max()
            .unwrap_or(Quality::Never),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Quantity;
    use crate::point::PointKind;
    use crate::{ClientId, Ordinal};

    fn point(id: i64, asset: i64, asset_type: i32, code: &str) -> Point {
        Point {
            id: PointId(id),
            client: ClientId(1),
            gateway: GatewayId(7),
            device: "B".into(),
            metric: format!("A/{code}"),
            code: code.into(),
            asset: AssetId(asset),
            asset_name: format!("asset {asset}"),
            asset_type,
            location: NodeId(3),
            kind: PointKind::Measurand,
            quantity: Quantity::of_code(code),
            unit: String::new(),
            decimals: 0,
            scale: 1.0,
            expected_ms: Some(20_000),
        }
    }

    #[test]
    fn a_row_takes_its_feeder_and_the_station_battery_and_nothing_else() {
        let points = [
            point(1, 10, 1, "Ir"),
            point(2, 10, 1, "FIb"),
            point(3, 10, 1, "P"),
            point(4, 99, 11, "DcuV"),
            point(5, 11, 3, "Ir"),
            point(6, 12, 4, "FIr"),
        ];
        let rows = layouts(points.iter());
        assert_eq!(rows.len(), 1, "a breaker has no row, nor has a feeder without load currents");
        assert_eq!(rows[0].values, [Some(PointId(1)), None, None, None, None, Some(PointId(2))]);
        assert_eq!(rows[0].battery, Some(PointId(4)));
        assert_eq!(rows[0].age_limit_ms, Some(60_000));
    }

    #[test]
    fn absence_is_never_zero() {
        let points = [point(1, 10, 1, "Ir"), point(2, 10, 1, "Iy")];
        let layout = &layouts(points.iter())[0];
        let empty = row(layout, |_| None);
        assert_eq!((empty.reported, empty.values[0], empty.quality), (None, None, Quality::Never));
        let reading =
            Reading { value: Some(61.0), quality: Quality::Good, source: Micros(5), received: Micros(6), ordinal: Ordinal::default() };
        let half = row(layout, |id| (id == PointId(1)).then_some(reading));
        assert_eq!((half.reported, half.values[0], half.values[1], half.quality), (Some(Micros(5)), Some(61.0), None, Quality::Never));
    }
}
