//! The live tables of measured values: the points in each row of each table, and the quality of a row. Pure, so that every service builds the same
//! row.

pub mod overview;
pub mod phasor;
pub mod readings;

use std::collections::BTreeMap;

use crate::measure::Quantity;
use crate::point::{Point, PointKind};
use crate::{AssetId, GatewayId, Micros, NodeId, PointId, Quality, Reading};

/// A table with one row per asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    /// Currents, voltages, powers and energies (specification 2, section 2.6: Energy data; `pdsData`).
    Energy,
    /// Values about the quality of the supply (specification 2, section 2.6: Power quality).
    PowerQuality,
    /// Batteries and transformers (specification 2, section 2.6: Asset), with fixed columns.
    Assets,
    /// Temperatures, taps and oil in the form of a diagram (`adsData` of the diagram's values).
    Equipment,
    /// Direct-current supplies in the form of a diagram (`dcData` of the diagram's values).
    Supply,
}

/// A column of measured values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its key in a row: the code of its points, except in tables with fixed columns.
    pub key: String,
    /// Column heading.
    pub heading: String,
    /// Unit of its values; empty if there is none, or if it differs between rows.
    pub unit: String,
    /// Number of decimals to display.
    pub decimals: u8,
}

/// The points of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowLayout {
    /// The asset.
    pub asset: AssetId,
    /// Its name.
    pub name: String,
    /// Its type (specification 2, section 9).
    pub asset_type: i32,
    /// The gateway that reports it.
    pub gateway: GatewayId,
    /// The substation.
    pub location: NodeId,
    /// Its point in each column of the sheet.
    pub cells: Vec<Option<PointId>>,
    /// Shortest age limit of its points, ms; `None` if all report by exception.
    pub age_limit_ms: Option<i64>,
}

/// The layout of one table of one substation.
#[derive(Debug, Clone, PartialEq)]
pub struct TableLayout {
    /// The table.
    pub table: Table,
    /// Its columns, from left to right.
    pub columns: Vec<Column>,
    /// Its rows, sorted by asset name.
    pub rows: Vec<RowLayout>,
}

/// The present values of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetRow {
    /// Source time of the newest value.
    pub reported: Option<Micros>,
    /// Worst quality of the received values; `Never` if none was received. Points without any value are ignored: a fault current arrives only with
    /// the first fault and must not mark a healthy row.
    pub quality: Quality,
    /// The value in each column of the sheet.
    pub values: Vec<Option<f64>>,
}

/// Keys that every row has.
pub const FIXED: [&str; 8] = ["assetId", "assetName", "locationId", "reportedDateTime", "quality", "ageLimitMs", "deviceId", "assetType"];

/// Columns of [`Table::Assets`]: key, heading, and the codes of their points.
const OF_ASSETS: [(&str, &str, &[&str]); 6] = [
    ("batteryVdc", "Battery VDC", &["BatV", "DcuV"]),
    ("batteryAdc", "Battery ADC", &["BatA"]),
    ("tapPosition", "Tap Position", &["Tap"]),
    ("oti", "OTI", &["OTI"]),
    ("wti", "WTI", &["WTI"]),
    ("oilLevel", "Oil Level", &["OilLevel"]),
];

/// Order of codes within a quantity; other codes follow, sorted by name.
const ORDER: [&str; 48] = [
    "Ir", "Iy", "Ib", "I", "In", "FIr", "FIy", "FIb", "Vr", "Vy", "Vb", "Vry", "Vyb", "Vbr", "V", "Pr", "Py", "Pb", "P", "Qr", "Qy", "Qb",
    "Q", "Sr", "Sy", "Sb", "S", "Pf", "Hz", "EImp", "EExp", "EImpR", "EImpY", "EImpB", "RImp", "RExp", "ThdVr", "ThdVy", "ThdVb", "ThdIr",
    "ThdIy", "ThdIb", "Vuf", "Pst", "Plt", "Dips", "Swells", "Ops",
];

/// Returns the name of an asset type; `None` for types that are specific to a product (specification 2, section 9, has names for 1, 2, 4, 5 and 11;
/// 13 and 14 are types of this product).
pub fn type_word(asset_type: i32) -> Option<&'static str> {
    Some(match asset_type {
        1 => "Feeder",
        2 => "Power transformer",
        3 => "Breaker",
        4 => "Incoming feeder",
        5 => "Distribution transformer",
        6 => "Isolator",
        7 => "Relay",
        8 => "Battery",
        9 => "Capacitor",
        10 => "Cable",
        11 => "Substation",
        12 => "Busbar",
        13 => "Low-carbon site",
        14 => "Equipment of a site",
        _ => return None,
    })
}

/// Whether a point measures only the quality of the supply.
fn is_of_power_quality(point: &Point) -> bool {
    matches!(point.quantity, Quantity::Distortion | Quantity::Flicker) || ["Dips", "Swells"].contains(&point.code.as_str())
}

impl Table {
    /// Whether a point belongs in this table.
    fn takes(self, point: &Point) -> bool {
        if point.kind != PointKind::Measurand {
            return false;
        }
        match self {
            Self::Energy => matches!(
                point.quantity,
                Quantity::Current
                    | Quantity::FaultCurrent
                    | Quantity::Voltage
                    | Quantity::ActivePower
                    | Quantity::ReactivePower
                    | Quantity::ApparentPower
                    | Quantity::PowerFactor
                    | Quantity::Frequency
                    | Quantity::ActiveEnergy
                    | Quantity::ReactiveEnergy
            ),
            Self::PowerQuality => {
                is_of_power_quality(point) || matches!(point.quantity, Quantity::Voltage | Quantity::PowerFactor | Quantity::Frequency)
            }
            Self::Assets => OF_ASSETS.iter().any(|(.., codes)| codes.contains(&point.code.as_str())),
            Self::Equipment => matches!(point.quantity, Quantity::Temperature | Quantity::Tap | Quantity::Percent),
            Self::Supply => matches!(point.quantity, Quantity::DcVoltage | Quantity::DcCurrent),
        }
    }
}

/// Returns the rank of a code among the codes of its quantity.
fn rank(code: &str) -> usize {
    ORDER.iter().position(|known| *known == code).unwrap_or(ORDER.len())
}

/// A column without its key: one for each code, and a separate one if the same code has another unit.
type Place<'a> = (Quantity, usize, &'a str, &'a str);

fn place(point: &Point) -> Place<'_> {
    (point.quantity, rank(&point.code), &point.code, &point.unit)
}

impl TableLayout {
    /// Lays out a table from the points of one substation. If an asset has two points for one cell, the one with the lower id is used.
    pub fn of<'a>(table: Table, points: impl Iterator<Item = &'a Point>) -> Self {
        let mut points: Vec<&Point> = points.filter(|point| table.takes(point)).collect();
        if table == Table::PowerQuality {
            // An asset with only a frequency has no row.
            let assets: Vec<AssetId> = points.iter().filter(|point| is_of_power_quality(point)).map(|point| point.asset).collect();
            points.retain(|point| assets.contains(&point.asset));
        }
        points.sort_by_key(|point| point.id);
        let (columns, places) = if table == Table::Assets { columns_of_assets(&points) } else { columns(&points) };
        let mut rows: BTreeMap<(&str, AssetId), RowLayout> = BTreeMap::new();
        for point in points {
            let layout = rows.entry((&point.asset_name, point.asset)).or_insert_with(|| RowLayout {
                asset: point.asset,
                name: point.asset_name.clone(),
                asset_type: point.asset_type,
                gateway: point.gateway,
                location: point.location,
                cells: vec![None; columns.len()],
                age_limit_ms: None,
            });
            let column = if table == Table::Assets { column_of_assets(&point.code) } else { places.get(&place(point)).copied() };
            if let Some(cell) = column.and_then(|column| layout.cells.get_mut(column)) {
                cell.get_or_insert(point.id);
                layout.age_limit_ms = shortest(layout.age_limit_ms, point.age_limit_ms());
            }
        }
        Self { table, columns, rows: rows.into_values().collect() }
    }

    /// Returns the same table without rows, and without columns unless they are fixed.
    #[must_use]
    pub fn emptied(&self) -> Self {
        let columns = if self.table == Table::Assets { self.columns.clone() } else { Vec::new() };
        Self { table: self.table, columns, rows: Vec::new() }
    }

    /// Returns the row of an asset.
    pub fn row_of(&self, asset: AssetId) -> Option<&RowLayout> {
        self.rows.iter().find(|layout| layout.asset == asset)
    }
}

fn columns<'a>(points: &[&'a Point]) -> (Vec<Column>, BTreeMap<Place<'a>, usize>) {
    let mut places: BTreeMap<Place<'a>, usize> = BTreeMap::new();
    let mut decimals: BTreeMap<Place<'a>, u8> = BTreeMap::new();
    for point in points {
        places.insert(place(point), 0);
        decimals.entry(place(point)).and_modify(|held| *held = point.decimals.max(*held)).or_insert(point.decimals);
    }
    let mut columns: Vec<Column> = Vec::with_capacity(places.len());
    for (index, (place, column)) in places.iter_mut().enumerate() {
        *column = index;
        let (_, _, code, unit) = *place;
        let heading = if unit.is_empty() { code.to_owned() } else { format!("{code} ({unit})") };
        let is_taken = FIXED.contains(&code) || columns.iter().any(|column| column.key == code);
        let key = if is_taken { format!("{heading}#{index}") } else { code.to_owned() };
        columns.push(Column { key, heading, unit: unit.to_owned(), decimals: decimals.get(place).copied().unwrap_or_default() });
    }
    (columns, places)
}

fn column_of_assets(code: &str) -> Option<usize> {
    OF_ASSETS.iter().position(|(.., codes)| codes.contains(&code))
}

fn columns_of_assets<'a>(points: &[&'a Point]) -> (Vec<Column>, BTreeMap<Place<'a>, usize>) {
    let column = |(key, heading, codes): &(&str, &str, &[&str])| {
        let mut under = points.iter().filter(|point| codes.contains(&point.code.as_str()));
        let first = under.next();
        let unit = first.filter(|first| under.all(|point| point.unit == first.unit)).map_or("", |first| first.unit.as_str());
        let decimals = first.map_or(0, |first| first.decimals);
        Column { key: (*key).to_owned(), heading: (*heading).to_owned(), unit: unit.to_owned(), decimals }
    };
    (OF_ASSETS.iter().map(column).collect(), BTreeMap::new())
}

/// Returns the shorter of two age limits; `None` if both are absent.
pub(crate) fn shortest(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Returns the present row, reading each point with `latest`. The qualities that `latest` returns must be those to display.
pub fn row(layout: &RowLayout, latest: impl Fn(PointId) -> Option<Reading>) -> SheetRow {
    let (mut reported, mut quality, mut absent) = (None, None, None);
    let mut value = |cell: &Option<PointId>| {
        let reading = cell.and_then(&latest)?;
        reported = reported.max(Some(reading.source));
        // A value that cannot be measured now, such as the power factor of a spare, is an empty cell and does not change the quality of the row.
        let cannot = reading.value.is_none() && reading.quality == Quality::Invalid;
        let of = if cannot { &mut absent } else { &mut quality };
        *of = (*of).max(Some(reading.quality));
        reading.value
    };
    let values = layout.cells.iter().map(&mut value).collect();
    SheetRow { reported, quality: quality.or(absent).unwrap_or(Quality::Never), values }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::point::kind_of_code;
    use crate::{ClientId, Ordinal};

    /// A point of an asset in substation 3.
    pub(crate) fn point(id: i64, asset: i64, asset_type: i32, code: &str) -> Point {
        let quantity = Quantity::of_code(code);
        Point {
            id: PointId(id),
            client: ClientId(1),
            gateway: GatewayId(7),
            device: "B".into(),
            metric: format!("A{asset}/{code}"),
            code: code.into(),
            asset: AssetId(asset),
            asset_name: format!("asset {asset}"),
            asset_type,
            location: NodeId(3),
            kind: kind_of_code(code),
            quantity,
            unit: quantity.unit().into(),
            decimals: quantity.decimals(),
            scale: 1.0,
            expected_ms: Some(20_000),
        }
    }

    /// A good value at a second.
    pub(crate) fn reading(value: f64, second: i64) -> Reading {
        let at = Micros::from_millis(second * 1_000);
        Reading { value: Some(value), quality: Quality::Good, source: at, received: at, ordinal: Ordinal::default() }
    }

    fn keys(sheet: &TableLayout) -> Vec<&str> {
        sheet.columns.iter().map(|column| column.key.as_str()).collect()
    }

    #[test]
    fn each_value_is_in_its_tables_and_phases_stand_in_their_order() {
        let codes = ["P", "Ib", "Ir", "Iy", "Vuf", "ThdVr", "Hz", "OTI", "Tap", "BatV", "Pos", "FIr", "Dips", "AVr", "Odd"];
        let points: Vec<Point> = codes.iter().enumerate().map(|(id, code)| point(id as i64, 10, 1, code)).collect();
        for (table, expected) in [
            (Table::Energy, vec!["Ir", "Iy", "Ib", "FIr", "P", "Hz"]),
            (Table::PowerQuality, vec!["Hz", "ThdVr", "Vuf", "Dips"]),
            (Table::Assets, vec!["batteryVdc", "batteryAdc", "tapPosition", "oti", "wti", "oilLevel"]),
            (Table::Equipment, vec!["OTI", "Tap"]),
            (Table::Supply, vec!["BatV"]),
        ] {
            assert_eq!(keys(&TableLayout::of(table, points.iter())), expected, "{table:?}");
        }
    }

    #[test]
    fn a_row_has_what_its_asset_has_and_absence_is_never_zero() {
        let points = [point(1, 11, 1, "Ir"), point(2, 10, 1, "P"), point(3, 10, 1, "Ir"), point(4, 10, 1, "FIr")];
        let sheet = TableLayout::of(Table::Energy, points.iter());
        assert_eq!(sheet.rows.iter().map(|layout| layout.asset.0).collect::<Vec<_>>(), [10, 11]);
        assert_eq!(sheet.rows[1].cells, [Some(PointId(1)), None, None]);
        let empty = row(&sheet.rows[0], |_| None);
        assert_eq!((empty.reported, empty.quality, empty.values), (None, Quality::Never, vec![None; 3]));
        let lost = Reading { quality: Quality::CommLost, ..reading(2.5, 9) };
        let half = row(&sheet.rows[0], |id| match id.0 {
            2 => Some(lost),
            3 => Some(reading(61.0, 5)),
            _ => None,
        });
        assert_eq!((half.reported, half.quality), (Some(Micros::from_millis(9_000)), Quality::CommLost));
        assert_eq!(half.values, [Some(61.0), None, Some(2.5)]);
        let absent = Reading { value: None, quality: Quality::Invalid, ..reading(0.0, 7) };
        let spare = row(&sheet.rows[0], |id| Some(if id.0 == 2 { absent } else { reading(0.0, 5) }));
        assert_eq!((spare.quality, spare.values), (Quality::Good, vec![Some(0.0), Some(0.0), None]));
        assert_eq!(row(&sheet.rows[0], |_| Some(absent)).quality, Quality::Invalid);
        assert_eq!(sheet.rows[0].age_limit_ms, Some(60_000));
    }

    #[test]
    fn a_frequency_alone_is_no_power_quality() {
        let points = [point(1, 10, 12, "Hz"), point(2, 11, 1, "Hz"), point(3, 11, 1, "Plt")];
        let sheet = TableLayout::of(Table::PowerQuality, points.iter());
        assert_eq!((keys(&sheet), sheet.rows.len(), sheet.rows[0].asset), (vec!["Hz", "Plt"], 1, AssetId(11)));
    }

    #[test]
    fn what_the_field_calls_its_values_takes_no_key_of_ours() {
        let mut points = [point(1, 10, 1, "V"), point(2, 11, 1, "V"), point(3, 11, 1, "quality")];
        points[1].unit = "V".into();
        points[2].quantity = Quantity::Voltage;
        let sheet = TableLayout::of(Table::Energy, points.iter());
        let mut keys = keys(&sheet);
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 3, "volts do not stand under kilovolts: {keys:?}");
        assert!(keys.iter().all(|key| !FIXED.contains(key)));
    }

    #[test]
    fn the_battery_of_a_station_stands_with_the_others() {
        let points = [point(1, 20, 8, "BatV"), point(2, 21, 11, "DcuV"), point(3, 22, 2, "WTI"), point(4, 23, 1, "Ir")];
        let sheet = TableLayout::of(Table::Assets, points.iter());
        let of = |asset| sheet.row_of(AssetId(asset)).map(|layout| layout.cells.clone());
        assert_eq!(of(20), Some(vec![Some(PointId(1)), None, None, None, None, None]));
        assert_eq!(of(21), Some(vec![Some(PointId(2)), None, None, None, None, None]));
        assert_eq!(of(22).map(|cells| cells[4]), Some(Some(PointId(3))));
        assert_eq!(of(23), None);
        assert_eq!((type_word(8), type_word(77)), (Some("Battery"), None));
    }
}
