//! GET /api/assethealth/getrtucommlistbycircleid/{id}/{from}/{to} and getfeedercommlistbycircleid/{id}/{from}/{to}: the availability of the links of RTUs and
//! feeders by day.

use analysis::communication as rtu_status;
use analysis::days::{Day, days};
use analysis::link_history::{Links, Under, tenth};
use axum::Json;
use axum::extract::{Path, State};
use grid::GatewayId;
use grid::link::tally;
use wire::Envelope;
use wire::comms::{FeederCommRow, RtuStatusRow};
use wire::time::iso;

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

/// Maximum number of rows of one answer.
const ROWS_MAX: usize = 20_000;

/// Returns the communication of each RTU below a node, for each of some days.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/getrtucommlistbycircleid/{id}/{from}/{to}", tag = "assethealth", operation_id = "rtuCommList", security(("bearer" = [])),
    params(
        ("id" = i64, Path, description = "A circle or a node below one, or 0 for everything"),
        ("from" = String, Path, description = "The first day, `YYYY-MM-DD` in the utility's zone, or 0 for today"),
        ("to" = String, Path, description = "The last day, at most 92 days later")
    ),
    responses((status = 200, description = "A row for each day and gateway, by day, substation and name", body = Envelope<Vec<RtuStatusRow>>))
))]
pub(crate) async fn rtus(
    State(services): State<Services>,
    scoped: Scoped<Under>,
    Path((_node, from, to)): Path<(String, String, String)>,
) -> Result<Json<Envelope<Vec<RtuStatusRow>>>, Error> {
    let days = days(&from, &to, &scoped.view, Services::now())?;
    few(&days, scoped.target.gateways(&scoped.view).len())?;
    Ok(Json(Envelope::ok(rtu_status::rows(services.store(), &scoped.view, &scoped.target, &days).await?)))
}

/// Returns the communication of the bay of each feeder below a node, for each of some days.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/getfeedercommlistbycircleid/{id}/{from}/{to}", tag = "assethealth", operation_id = "feederCommList", security(("bearer" = [])),
    params(
        ("id" = i64, Path, description = "A circle or a node below one, or 0 for everything"),
        ("from" = String, Path, description = "The first day, `YYYY-MM-DD` in the utility's zone, or 0 for today"),
        ("to" = String, Path, description = "The last day, at most 92 days later")
    ),
    responses((status = 200, description = "A row for each day and feeder, by day, substation and name", body = Envelope<Vec<FeederCommRow>>))
))]
pub(crate) async fn feeders(
    State(services): State<Services>,
    scoped: Scoped<Under>,
    Path((_node, from, to)): Path<(String, String, String)>,
) -> Result<Json<Envelope<Vec<FeederCommRow>>>, Error> {
    let view = &scoped.view;
    let days = days(&from, &to, view, Services::now())?;
    let feeders = scoped.target.feeders(view);
    few(&days, feeders.len())?;
    let mut gateways: Vec<GatewayId> = feeders.iter().filter_map(|feeder| Some(feeder.link?.0)).collect();
    gateways.sort_unstable();
    gateways.dedup();
    let links = Links::of_days(services.store(), view, &gateways, &days).await?;
    let histories: Vec<_> =
        feeders.iter().map(|feeder| feeder.link.map_or_else(Vec::new, |(of, device)| links.device(of, device))).collect();
    let mut rows = Vec::with_capacity(feeders.len() * days.len());
    for day in &days {
        for (feeder, history) in feeders.iter().zip(&histories) {
            let tally = tally(history, day.from, day.to);
            let gateway = feeder.link.map(|(gateway, _)| gateway);
            let stored = (tally.is_present_at_end(), tally.since.map(iso));
            let (online, since) = match gateway.filter(|_| day.is_today) {
                Some(gateway) => view.field.link_now(gateway, stored.0, stored.1),
                None => stored,
            };
            rows.push(FeederCommRow {
                date: day.name(),
                asset_id: feeder.asset.id.0,
                asset_name: feeder.asset.name.clone(),
                location_id: feeder.place.location_id,
                location_name: feeder.place.location_name.clone(),
                bread_crumb_name: feeder.place.bread_crumb_name.clone(),
                gateway_id: gateway.map(|gateway| gateway.0),
                device: feeder.link.map_or(feeder.asset.device.as_str(), |(_, device)| device).to_owned(),
                online,
                since,
                availability: tenth(tally.percent()),
                outage_minutes: tenth(tally.missed_minutes()),
                outages: tally.lost,
            });
        }
    }
    Ok(Json(Envelope::ok(rows)))
}

fn few(days: &[Day], each: usize) -> Result<(), Error> {
    let rows = days.len() * each;
    if rows > ROWS_MAX {
        return Err(Error::BadRequest(format!("{rows} rows, {ROWS_MAX} are allowed: ask for fewer days or a lower node")));
    }
    Ok(())
}
