//! The alerts of the energy dashboard: active alarms, deviations of feeders, and overloads of transformers.

use std::collections::HashMap;

use grid::alarm::deviation::{POWER_FACTOR_MIN, UNBALANCE_MAX_PERCENT, power_factor, unbalance_percent};
use grid::alarm::{AlarmRecord, State};
use grid::thermal::{Status, course};
use grid::{AssetId, Micros, NodeId, Point, PointId, Quality, Reading, Scope, freshness};
use identity::{Area, View};
use store::Store;
use store::rating::EnteredRating;
use store::registry::{AssetRecord, NodeRecord};
use wire::alarms::AlertRow;
use wire::time::{iso, now};

use crate::error::Error;
use crate::permissible_load::Points;

const ROWS_MAX: usize = 2_000;
/// Codes of the points from which the loading of a transformer is computed.
const LOADING: [&str; 6] = ["OTI", "WTI", "AmbT", "S", "P", "Q"];

/// Returns the alerts of an area or asset, the most urgent first; at most 2,000.
pub async fn alerts(store: &Store, view: &View, Area(scope): Area) -> Result<Vec<AlertRow>, Error> {
    let client = view.principal.client;
    let alarms = store.open_alarms(client, scope, ROWS_MAX as i64).await?;
    let picture = view.field.picture(store.latest_of(client, None).await?, now());
    let mut rows: Vec<AlertRow> =
        alarms.iter().filter(|alarm| alarm.life.shelved_until.is_none() && alarm.life.state != State::Suppressed).map(of_alarm).collect();
    rows.extend(deviations(view, scope, &picture, now()));
    rows.extend(overloads(view, scope, &picture, &store.plates(client, None).await?, now()));
    rows.sort_by_key(|row| row.priority);
    rows.truncate(ROWS_MAX);
    Ok(rows)
}

fn of_alarm(alarm: &AlarmRecord) -> AlertRow {
    AlertRow {
        kind: "alarm".to_owned(),
        priority: alarm.priority,
        alarm_id: Some(alarm.id),
        asset_id: alarm.asset.map(|id| id.0),
        asset_name: alarm.asset_name.clone(),
        location_id: alarm.location.0,
        location_name: alarm.location_name.clone(),
        text: alarm.text.clone(),
        value: alarm.value,
        limit: alarm.limit,
        unit: alarm.unit.clone(),
        since: alarm.life.raised.map(iso),
    }
}

/// Returns whether an asset is in the requested area.
fn lies_in(scope: Option<Scope>, location: &NodeRecord, asset: AssetId) -> bool {
    match scope {
        None => true,
        Some(Scope::Node(node)) => location.path.contains(&node),
        Some(Scope::Asset(only)) => only == asset,
    }
}

fn deviations(view: &View, scope: Option<Scope>, picture: &HashMap<PointId, Reading>, now: Micros) -> Vec<AlertRow> {
    let mut points: HashMap<AssetId, Vec<&Point>> = HashMap::new();
    for point in view.field.points().filter(|point| matches!(point.code.as_str(), "Ir" | "Iy" | "Ib" | "Pf")) {
        points.entry(point.asset).or_default().push(point);
    }
    let mut rows = Vec::new();
    for asset in view.field.assets() {
        let (Some(points), Some(location)) = (points.get(&asset.id), view.field.node(asset.location)) else { continue };
        if !lies_in(scope, location, asset.id) || !view.sees(location) {
            continue;
        }
        let live = |code: &str| {
            let point = points.iter().find(|point| point.code == code)?;
            let reading = picture.get(&point.id)?;
            let shown = freshness::shown_quality(reading.quality, reading.source, now, point.age_limit_ms(), true);
            (shown <= Quality::Questionable).then_some((reading.value?, reading.source))
        };
        let (currents, factor) = (["Ir", "Iy", "Ib"].map(live), live("Pf"));
        let values = currents.map(|current| current.map(|(value, _)| value));
        let newest = |readings: &[Option<(f64, Micros)>]| readings.iter().flatten().map(|(_, source)| *source).max();
        if let Some(percent) = unbalance_percent(values).filter(|percent| *percent > UNBALANCE_MAX_PERCENT) {
            let (text, limit) = ("Currents unbalanced", UNBALANCE_MAX_PERCENT);
            rows.push(of_asset(asset, location, ("unbalance", text, "%"), (percent, limit), newest(&currents)));
        }
        if let Some(factor_now) = power_factor(factor.map(|(value, _)| value), values).filter(|factor| *factor < POWER_FACTOR_MIN) {
            let text = "Power factor low";
            rows.push(of_asset(asset, location, ("power_factor", text, "pf"), (factor_now, POWER_FACTOR_MIN), newest(&[factor])));
        }
    }
    rows
}

/// Returns alerts for transformers whose load exceeds the permanent limit, or the limit for the next two hours
/// (`grid::thermal`).
fn overloads(
    view: &View,
    scope: Option<Scope>,
    picture: &HashMap<PointId, Reading>,
    plates: &[(AssetId, EnteredRating)],
    now: Micros,
) -> Vec<AlertRow> {
    let mut points: HashMap<NodeId, Vec<&Point>> = HashMap::new();
    let mut limits: HashMap<PointId, Option<i64>> = HashMap::new();
    for point in view.field.points().filter(|point| LOADING.contains(&point.code.as_str())) {
        points.entry(point.location).or_default().push(point);
        limits.insert(point.id, point.age_limit_ms());
    }
    let live = |point: PointId| {
        let reading = picture.get(&point)?;
        let shown = freshness::shown_quality(reading.quality, reading.source, now, limits.get(&point).copied().flatten(), true);
        reading.value.filter(|_| shown <= Quality::Questionable)
    };
    let mut rows = Vec::new();
    for (asset, plate) in plates.iter().filter_map(|(id, plate)| Some((view.field.asset(*id)?, plate))) {
        let Some(location) = view.field.node(asset.location) else { continue };
        if !lies_in(scope, location, asset.id) || !view.sees(location) {
            continue;
        }
        let Some(points) = points.get(&location.id) else { continue };
        let sample = Points::among(&points.iter().copied(), asset).sample(now, live);
        let rating = plate.record().rating;
        let Some(of) = course(&rating, &[sample]).first().copied() else { continue };
        let Some(mva) = sample.mva else { continue };
        let forever = of.continuous.map(|load| load * rating.mva);
        let (priority, text, limit) = match of.status {
            Status::TimeLimited => (2, "Overload, limited in time", forever),
            Status::Critical => (1, "Overload, critical", of.two_hours_mva),
            // A temperature is already above its limit: an overload if the load exceeds the permanent limit.
            Status::LimitExceeded if forever.is_some_and(|most| mva > most) => (1, "Overload, critical", of.two_hours_mva),
            _ => continue,
        };
        let Some(limit) = limit else { continue };
        let row = of_asset(asset, location, ("overload", text, "MVA"), (mva, limit), None);
        rows.push(AlertRow { priority, ..row });
    }
    rows
}

fn of_asset(
    asset: &AssetRecord,
    location: &NodeRecord,
    (kind, text, unit): (&str, &str, &str),
    (value, limit): (f64, f64),
    since: Option<Micros>,
) -> AlertRow {
    AlertRow {
        kind: kind.to_owned(),
        priority: 3,
        alarm_id: None,
        asset_id: Some(asset.id.0),
        asset_name: Some(asset.name.clone()),
        location_id: location.id.0,
        location_name: location.name.clone(),
        text: text.to_owned(),
        value: Some(value),
        limit: Some(limit),
        unit: unit.to_owned(),
        since: since.map(iso),
    }
}
