//! Prints a log sheet: the rows of a substation and day become a page, with hours down and equipment across.

use std::io::Write;

use grid::Micros;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use sheet::pdf::{LogColumn, LogGroup, LogPage, LogSheet};
use sheet::{Report, Written};

use crate::definition::{Column, Definition, decimals};
use crate::rows::{Reader, Row, Value};

/// Number of columns before the quantities: hour, substation and asset.
const BEFORE: usize = 3;
/// Symbols of the quantities on the page, by the names of the columns.
const SYMBOLS: [(&str, &str); 12] = [
    ("Voltage", "U"),
    ("Current R", "I R"),
    ("Current Y", "I Y"),
    ("Current B", "I B"),
    ("Active power", "P"),
    ("Reactive power", "Q"),
    ("Power factor", "PF"),
    ("Frequency", "f"),
    ("Tap", "Tap"),
    ("Oil temperature", "Oil"),
    ("Winding temperature", "Wdg"),
    (ENERGY, "E"),
];
/// The column of the energy, which is summed at the foot of the active power.
const ENERGY: &str = "Energy";
const POWER: &str = "Active power";
/// The column that applies to the whole substation.
const SHARED: &str = "Frequency";
const FOOT: [&str; 4] = ["Minimum", "Maximum", "Maximum at", "Energy, kWh"];

/// The rows of one asset on one day.
struct Equipment {
    name: String,
    rows: Vec<Row>,
}

/// The rows of one substation and day.
struct Sheet {
    substation: String,
    day: String,
    hours: Vec<String>,
    equipment: Vec<Equipment>,
}

/// Writes all pages. The rows are sorted by day, substation, asset and hour.
pub(crate) fn write<W: Write>(
    definition: &Definition,
    report: Report,
    first: Option<Row>,
    reader: &mut Reader,
    out: W,
) -> Result<Written, sheet::Error> {
    let (zone, limit) = (report.zone.clone(), report.limit.unwrap_or(u64::MAX));
    let mut pages = LogSheet::new(report, out)?;
    let mut written = Written { rows: 0, cut: false };
    let (mut next, mut open): (_, Option<Sheet>) = (first, None);
    while let Some(row) = next {
        if written.rows == limit {
            written.cut = true;
            break;
        }
        written.rows += 1;
        let (day, hour) = day_and_hour(&row[0], &zone);
        let (substation, asset) = (text(&row[1]), text(&row[2]));
        if let Some(done) = open.take_if(|sheet| sheet.day != day || sheet.substation != substation) {
            pages.page(&page(definition, &done, &zone))?;
        }
        let sheet = open.get_or_insert_with(|| Sheet { substation, day, hours: Vec::new(), equipment: Vec::new() });
        if sheet.equipment.last().is_none_or(|last| last.name != asset) {
            sheet.equipment.push(Equipment { name: asset, rows: Vec::new() });
        }
        if sheet.equipment.len() == 1 {
            sheet.hours.push(hour);
        }
        if let Some(last) = sheet.equipment.last_mut() {
            last.rows.push(row);
        }
        next = reader.blocking_next().map_err(std::io::Error::other)?;
    }
    if let Some(done) = open {
        pages.page(&page(definition, &done, &zone))?;
    }
    let note = match (written.rows, written.cut) {
        (0, _) => Some("No data".to_owned()),
        (rows, true) => Some(format!("Cut after {rows} rows: a report has up to {limit}.")),
        _ => None,
    };
    pages.finish(note.as_deref())?;
    Ok(written)
}

fn text(value: &Value) -> String {
    if let Value::Text(text) = value { text.clone() } else { String::new() }
}

fn local(at: Micros, zone: &TimeZone) -> Option<DateTime> {
    Some(Timestamp::from_microsecond(at.0).ok()?.to_zoned(zone.clone()).datetime())
}

fn day_and_hour(value: &Value, zone: &TimeZone) -> (String, String) {
    let Value::Time(at) = value else { return (String::new(), String::new()) };
    let local = local(*at, zone).unwrap_or_default();
    (local.date().to_string(), local.strftime("%H:%M").to_string())
}

/// Arranges the rows of a substation and day.
fn page(definition: &Definition, sheet: &Sheet, zone: &TimeZone) -> LogPage {
    let quantities: Vec<(usize, &Column)> = definition.columns.iter().enumerate().skip(BEFORE).collect();
    let mut groups = Vec::new();
    // The frequency is the same for all equipment.
    let shared = quantities.iter().find(|(_, column)| column.name == SHARED);
    if let Some((place, column)) = shared
        && let Some(of) = sheet.equipment.iter().find(|equipment| is_known(equipment, *place))
    {
        groups.push(LogGroup { name: "Station".to_owned(), columns: vec![printed(of, *place, column, None, zone)] });
    }
    for equipment in &sheet.equipment {
        let energy = quantities.iter().find(|(_, column)| column.name == ENERGY).and_then(|(place, _)| energy(equipment, *place));
        let is_shown = |(place, column): &&(usize, &Column)| match column.name {
            SHARED | ENERGY => false,
            POWER => true,
            _ => is_known(equipment, *place),
        };
        let shown = quantities.iter().filter(is_shown);
        let columns = shown.map(|(place, column)| {
            let energy = energy.filter(|_| column.name == POWER);
            printed(equipment, *place, column, energy, zone)
        });
        groups.push(LogGroup { name: equipment.name.clone(), columns: columns.collect() });
    }
    LogPage {
        heading: format!("{}, {}", sheet.substation, sheet.day),
        hours: sheet.hours.clone(),
        foot: FOOT.map(str::to_owned).into(),
        groups,
    }
}

fn number(row: &Row, place: usize) -> Option<f64> {
    if let Value::Number(number) = row[place] { Some(number).filter(|number| number.is_finite()) } else { None }
}

fn is_known(equipment: &Equipment, place: usize) -> bool {
    equipment.rows.iter().any(|row| number(row, place).is_some())
}

/// Returns the energy of the day so far; `None` if an hour is unknown.
fn energy(equipment: &Equipment, place: usize) -> Option<f64> {
    equipment.rows.iter().map(|row| number(row, place)).sum()
}

fn printed(equipment: &Equipment, place: usize, column: &Column, energy: Option<f64>, zone: &TimeZone) -> LogColumn {
    let digits = usize::from(decimals(column.kind).unwrap_or(2));
    let shown = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.digits$}"));
    let known = || equipment.rows.iter().filter_map(|row| Some((number(row, place)?, &row[0])));
    let least = known().map(|(value, _)| value).reduce(f64::min);
    let most = known().reduce(|most, next| if next.0 > most.0 { next } else { most });
    let name = SYMBOLS.iter().find(|(name, _)| *name == column.name).map_or(column.name, |(_, symbol)| symbol);
    LogColumn {
        name: name.to_owned(),
        unit: column.unit.to_owned(),
        values: equipment.rows.iter().map(|row| shown(number(row, place))).collect(),
        foot: vec![
            shown(least),
            shown(most.map(|(value, _)| value)),
            most.map_or_else(String::new, |(_, at)| day_and_hour(at, zone).1),
            energy.map_or_else(String::new, |energy| format!("{energy:.0}")),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::of::log_sheets::SUBSTATION;

    fn row(hour: i64, asset: &str, power: Option<f64>, energy: Option<f64>) -> Row {
        let mut row = vec![Value::Absent; SUBSTATION.columns.len()];
        row[0] = Value::Time(Micros::from_millis(hour * 3_600_000));
        row[1] = "Harbour".into();
        row[2] = asset.into();
        for (name, value) in [(POWER, power), (ENERGY, energy), (SHARED, Some(50.0))] {
            let place = SUBSTATION.columns.iter().position(|column| column.name == name).expect("a column");
            row[place] = value.into();
        }
        row
    }

    #[test]
    fn page_has_minimum_maximum_and_energy_of_each_equipment() {
        let rows = |asset: &str, energy: Option<f64>| {
            vec![row(0, asset, Some(1.5), Some(1_500.0)), row(1, asset, Some(4.25), energy), row(2, asset, None, Some(0.0))]
        };
        let equipment =
            vec![Equipment { name: "F1".into(), rows: rows("F1", Some(4_250.0)) }, Equipment { name: "F2".into(), rows: rows("F2", None) }];
        let hours = ["00:00", "01:00", "02:00"].map(str::to_owned).into();
        let sheet = Sheet { substation: "Harbour".into(), day: "1970-01-01".into(), hours, equipment };
        let page = page(&SUBSTATION, &sheet, &TimeZone::UTC);
        assert_eq!(page.heading, "Harbour, 1970-01-01");
        let names: Vec<&str> = page.groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["Station", "F1", "F2"], "the frequency is printed once");
        let [power] = page.groups[1].columns.as_slice() else { panic!("quantities without values are not printed") };
        assert_eq!(
            (power.name.as_str(), power.unit.as_str(), power.values.as_slice()),
            ("P", "MW", ["1.500", "4.250", ""].map(str::to_owned).as_slice())
        );
        assert_eq!(power.foot, ["1.500", "4.250", "01:00", "5750"]);
        assert_eq!(page.groups[2].columns[0].foot[3], "", "the energy of an hour is not known");
    }
}
