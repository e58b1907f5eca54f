//! GET /api/assethealth/assetmonitoringdata/{id}: the points of an asset and the communication of its device.

use analysis::days::day;
use analysis::link_history::{Links, tenth};
use axum::Json;
use axum::extract::State;
use grid::link::{Change, tally};
use grid::position::Position;
use grid::{Micros, Point, Quality, freshness};
use wire::Envelope;
use wire::comms::{AssetMonitoring, LinkChangeRow, MonitoredPoint};
use wire::time::iso;

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::state::Services;

const DAY_MS: i64 = 86_400_000;
/// Limit of link changes in the answer.
const CHANGES: usize = 50;

/// Returns the points of an asset with their latest values, and the communication of their device.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/assetmonitoringdata/{id}", tag = "assethealth", operation_id = "assetMonitoringData", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset")),
    responses((status = 200, description = "Its points and its link", body = Envelope<AssetMonitoring>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Asset>) -> Result<Json<Envelope<AssetMonitoring>>, Error> {
    let (view, Asset(asset)) = (&scoped.view, &scoped.target);
    let now = Services::now();
    let mut points: Vec<&Point> = view.field.points_of(asset.id).collect();
    points.sort_by(|a, b| (&a.code, a.id).cmp(&(&b.code, b.id)));
    let gateway = points.first().and_then(|point| view.field.gateway(point.gateway));
    let device = points.first().map_or(asset.device.as_str(), |point| point.device.as_str());
    let from = now.plus_millis(-30 * DAY_MS);
    let history = match gateway {
        Some(gateway) => Links::read(services.store(), view, &[gateway.id], from, now).await?.device(gateway.id, device),
        None => Vec::new(),
    };
    let share = |from: Micros| tenth(tally(&history, from, now).percent());
    let month = tally(&history, from, now);
    let picture = view.field.picture(services.store().latest_of(view.principal.client, Some(asset.location)).await?, Services::now());
    let shown = |point: &&Point| {
        let reading = picture.get(&point.id);
        let quality = reading
            .map_or(Quality::Never, |reading| freshness::shown_quality(reading.quality, reading.source, now, point.age_limit_ms(), true));
        let value = reading.and_then(|reading| reading.value);
        MonitoredPoint {
            point_id: point.id.0,
            code: point.code.clone(),
            value,
            text: point.encoding().zip(value).map(|(encoding, value)| Position::decode(encoding, value).text().to_owned()),
            unit: point.unit.clone(),
            decimals: point.decimals,
            quality: quality.code(),
            reported_date_time: reading.map(|reading| iso(reading.source)),
            age_limit_ms: point.age_limit_ms(),
        }
    };
    let (online, since) =
        gateway.map_or((None, None), |gateway| view.field.link_now(gateway.id, month.is_present_at_end(), month.since.map(iso)));
    let row = AssetMonitoring {
        asset_id: asset.id.0,
        asset_name: asset.name.clone(),
        location_id: asset.location.0,
        location_name: view.field.node(asset.location).map(|location| location.name.clone()).unwrap_or_default(),
        gateway_id: gateway.map(|gateway| gateway.id.0),
        gateway_name: gateway.map(|gateway| gateway.name.clone()),
        device: device.to_owned(),
        online,
        since,
        last_message: gateway.and_then(|gateway| view.field.link(gateway.id).last_seen).map(iso),
        availability_today: share(day("0", view, now)?.from),
        availability7_days: share(now.plus_millis(-7 * DAY_MS)),
        availability30_days: tenth(month.percent()),
        outages30_days: month.lost,
        points: points.iter().map(shown).collect(),
        changes: changes(&history, now),
    };
    Ok(Json(Envelope::ok(row)))
}

/// Returns the latest link changes, each with its duration.
fn changes(history: &[Change], now: Micros) -> Vec<LinkChangeRow> {
    let ends = history.iter().skip(1).map(|next| next.at).chain([now]);
    let row = |(change, end): (&Change, Micros)| {
        let minutes = tenth(Some(end.millis_since(change.at).max(0) as f64 / 60e3))?;
        Some(LinkChangeRow { at: iso(change.at), online: change.holds?, minutes })
    };
    let mut rows: Vec<LinkChangeRow> = history.iter().zip(ends).filter_map(row).collect();
    rows.reverse();
    rows.truncate(CHANGES);
    rows
}
