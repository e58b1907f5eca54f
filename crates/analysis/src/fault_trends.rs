//! Faults by day, feeder and type.

use std::collections::BTreeMap;

use grid::Micros;
use grid::fault::{FaultRecord, FaultType};
use identity::{Area, View};
use jiff::civil::Date;
use store::Store;
use store::kept::Level;
use wire::flag::Flag;
use wire::time::{iso, now};
use wire::trends::{FaultTrendRow, FaultTrends};

use crate::calendar::Calendar;
use crate::error::Error;

/// Maximum number of faults, and therefore of rows. If there are more, the latest ones are used.
const FAULTS_MAX: usize = 20_000;
/// The label of a fault whose currents are unknown.
const NOT_KNOWN: &str = "Not known";

/// Counts the faults of a span by day, feeder and type. The answer has the date since which faults are kept.
pub async fn trends(store: &Store, view: &View, Area(scope): Area, (from, to): (Micros, Micros)) -> Result<FaultTrends, Error> {
    let now = now();
    let calendar = Calendar::of(view, now);
    let limit = i64::try_from(FAULTS_MAX + 1).unwrap_or(i64::MAX);
    let mut faults = store.faults_between(view.principal.client, scope, (from, to), limit).await?;
    let cut = faults.len() > FAULTS_MAX;
    faults.truncate(FAULTS_MAX);
    let rows = rows(&faults, &calendar);
    let open = rows.iter().map(|row| row.open).sum();
    let kept_from = store.kept().await?.of(Level::Fault);
    let is_partial = cut || kept_from.is_some_and(|kept_from| from < kept_from);
    let flags = Flag::that_apply([(rows.is_empty(), Flag::NoData), (open > 0, Flag::Open), (is_partial, Flag::Partial)]);
    Ok(FaultTrends { rows, open, cut, kept_from: kept_from.map(iso), from: iso(from), to: iso(to), time_zone: calendar.name, flags })
}

/// Returns the label of a type, or of an unknown type.
pub fn word(fault_type: Option<FaultType>) -> &'static str {
    fault_type.map_or(NOT_KNOWN, FaultType::as_str)
}

/// The key of a row, in sort order: day, substation, feeder and type.
type Key<'a> = (Date, &'a str, i64, &'a str, i64, &'static str);

fn rows(faults: &[FaultRecord], calendar: &Calendar) -> Vec<FaultTrendRow> {
    /// The number of faults, the number of those that have not ended, and the total minutes of the others.
    #[derive(Default)]
    struct Sum {
        times: i64,
        open: i64,
        minutes: f64,
    }
    let mut sums: BTreeMap<Key<'_>, Sum> = BTreeMap::new();
    for record in faults {
        let FaultRecord { asset, asset_name, location, location_name, fault, .. } = record;
        let key = (calendar.day(fault.start), location_name.as_str(), location.0, asset_name.as_str(), asset.0, word(fault.fault_type()));
        let sum = sums.entry(key).or_default();
        sum.times += 1;
        if fault.is_open() {
            sum.open += 1;
        } else {
            sum.minutes += fault.minutes(calendar.now);
        }
    }
    let row = |((day, location_name, location_id, asset_name, asset_id, fault_type), sum): (Key<'_>, Sum)| FaultTrendRow {
        day: day.to_string(),
        dt: format!("{:02}/{:02}", day.day(), day.month()),
        fault_type: fault_type.to_owned(),
        asset_id,
        asset_name: asset_name.to_owned(),
        location_id,
        location_name: location_name.to_owned(),
        times: sum.times,
        minutes: (sum.times > sum.open).then_some(sum.minutes),
        open: sum.open,
    };
    sums.into_iter().map(row).collect()
}
