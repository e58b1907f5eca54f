//! GET /api/assethealth/transformerlivedata/{id}: the latest readings of a transformer.

use std::collections::HashMap;

use analysis::latest::{Picture, picture};
use axum::Json;
use axum::extract::State;
use grid::alarm::rated::{HighLimits, Indicator};
use grid::{Point, PointId, Quality, Reading};
use identity::View;
use store::Store;
use store::registry::AssetRecord;
use wire::Envelope;
use wire::energy::{TransformerLive, TransformerReadings, TransformerStanding, TransformerStandings};
use wire::time::iso;

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::state::Services;

/// Asset types (specification 2, section 9): power and distribution transformers, busbars.
const TRANSFORMERS: [i32; 2] = [2, 5];
const BUSBAR: i32 = 12;
/// Oil level below which the default rule raises an alarm (grid::alarm), percent.
const OIL_LOW: f64 = 25.0;
const OIL_HIGH: f64 = 95.0;

/// Returns the latest readings of a transformer.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/transformerlivedata/{id}", tag = "assethealth", operation_id = "transformerLiveData", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A transformer")),
    responses((status = 200, description = "One entry, or none for an asset that is not a transformer", body = Envelope<TransformerLive>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Asset>) -> Result<Json<Envelope<TransformerLive>>, Error> {
    let (view, Asset(asset)) = (&scoped.view, &scoped.target);
    let latest = picture(services.store(), view, asset.location).await?;
    let shown = if TRANSFORMERS.contains(&asset.type_id) {
        let limits = high_limits(services.store(), view, asset).await?;
        Some(readings(view, asset, &latest, &limits))
    } else {
        None
    };
    Ok(Json(Envelope::ok(TransformerLive { data_stream: shown.into_iter().collect() })))
}

/// Returns the point of the asset with this code.
fn own<'a>(view: &'a View, asset: &AssetRecord, code: &str) -> Option<&'a Point> {
    view.field.points_at(asset.location).find(|point| point.asset == asset.id && point.code == code)
}

/// Returns the point of the ambient temperature, which is the same for the whole substation.
fn ambient<'a>(view: &'a View, asset: &AssetRecord) -> Option<&'a Point> {
    own(view, asset, "AmbT").or_else(|| view.field.points_at(asset.location).find(|point| point.code == "AmbT"))
}

/// Returns the limits with which the alarm service compares the temperatures.
async fn high_limits(store: &Store, view: &View, asset: &AssetRecord) -> Result<HashMap<PointId, HighLimits>, Error> {
    let plates = store.plates(asset.client, Some(asset.id)).await?;
    let plate = plates.first().map(|(_, plate)| plate.limits);
    let oil = plate.map_or(Indicator::default(), |limits| Indicator { alarm: limits.oil_alarm, trip: limits.oil_trip });
    let winding = plate.map_or(Indicator::default(), |limits| Indicator { alarm: limits.winding_alarm, trip: limits.winding_trip });
    let mut limits = HashMap::new();
    for point in [own(view, asset, "WTI"), own(view, asset, "OTI"), ambient(view, asset)].into_iter().flatten() {
        let decided = store.alarm_rules(asset.client, Some(point.id)).await?;
        limits.insert(point.id, HighLimits::of(point, oil, winding, &decided));
    }
    Ok(limits)
}

fn readings(view: &View, asset: &AssetRecord, latest: &Picture, limits: &HashMap<PointId, HighLimits>) -> TransformerReadings {
    let own = |code: &str| own(view, asset, code);
    let expected =
        view.field.node(asset.location).and_then(|node| node.kv.as_deref()).map(|kv| kv.trim_end_matches("kV").trim().to_owned());
    // The low side has the voltage of its busbar.
    let low_kv = expected.as_deref().and_then(|kv| kv.rsplit('/').next()).and_then(|kv| kv.trim().parse::<f64>().ok());
    let low = low_side(view, asset, low_kv);
    let points = [own("WTI"), own("OTI"), ambient(view, asset), own("OilLevel"), own("Tap"), low];
    let values: [Option<Reading>; 6] = points.map(|point| point.and_then(|point| latest.get(&point.id).copied()));
    let [winding, oil, air, level, tap, volts] = values.map(|reading| reading.and_then(|reading| reading.value));
    let kilovolts = low.is_some_and(|point| point.unit == "kV");
    let known = || values.iter().flatten();
    let state_of = |at: usize| points[at].map(|point| sensor_state(point, values[at].as_ref(), limits.get(&point.id)));
    TransformerReadings {
        winding_c: winding,
        oil_c: oil,
        ambient_c: air,
        oil_level: level.map(oil_word).map(str::to_owned),
        oil_level_percent: level,
        tap,
        expected_voltage: expected,
        actual_voltage: volts.map(|volts| if kilovolts { volts * 1_000.0 } else { volts }),
        reported: known().map(|reading| reading.source).min().map(iso),
        quality: known().map(|reading| reading.quality).max().unwrap_or(Quality::Never).code(),
        age_limit_ms: points.into_iter().flatten().filter_map(Point::age_limit_ms).min(),
        readings: TransformerStandings {
            winding: state_of(0),
            oil: state_of(1),
            ambient: state_of(2),
            oil_level: state_of(3),
            tap: state_of(4),
            actual_voltage: state_of(5),
        },
    }
}

/// Returns the quality of one sensor. A stopped sensor is stale even if another one of the transformer reports.
fn sensor_state(point: &Point, reading: Option<&Reading>, limits: Option<&HighLimits>) -> TransformerStanding {
    TransformerStanding {
        quality: reading.map_or(Quality::Never, |reading| reading.quality).code(),
        reported_date_time: reading.map(|reading| iso(reading.source)),
        age_limit_ms: point.age_limit_ms(),
        high_limit: limits.and_then(|limits| limits.high),
        high_high_limit: limits.and_then(|limits| limits.high_high),
    }
}

/// Returns the point that measures the voltage of the low side. If the transformer does not measure it, the point is at the first busbar of that voltage.
fn low_side<'a>(view: &'a View, asset: &AssetRecord, low_kv: Option<f64>) -> Option<&'a Point> {
    let points = || view.field.points_at(asset.location).filter(|point| point.code == "V");
    let busbar = |point: &&Point| {
        let asset = view.field.asset(point.asset);
        asset.is_some_and(|asset| {
            asset.type_id == BUSBAR && asset.kv.is_some_and(|kv| low_kv.is_some_and(|low| (kv - low).abs() < 0.05 * low))
        })
    };
    points().find(|point| point.asset == asset.id).or_else(|| points().filter(busbar).min_by_key(|point| point.id))
}

fn oil_word(percent: f64) -> &'static str {
    if percent < OIL_LOW {
        "LOW"
    } else if percent > OIL_HIGH {
        "HIGH"
    } else {
        "NORMAL"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oil_is_low_high_or_as_it_should_be() {
        assert_eq!([0.0, 24.9, 25.0, 95.0, 95.1].map(oil_word), ["LOW", "LOW", "NORMAL", "NORMAL", "HIGH"]);
    }
}
