//! GET /api/assethealth/realtimertustatusbydate/{date}/{id} and realtimertucommstatusbydate/{date}: how RTUs communicated on a day, and in its hours.

use std::collections::HashMap;

use axum::Json;
use axum::extract::{Path, State};
use grid::link::{Tally, tally};
use grid::{GatewayId, Micros};
use store::comms::GatewayDay;
use store::registry::{GatewayRecord, NodeRecord};
use wire::Envelope;
use wire::comms::{RtuHoursRow, RtuStatusRow};
use wire::time::iso;

use super::days::{Day, day};
use super::heard::{Links, Place, Under, tenth};
use crate::error::Error;
use crate::extract::{Scoped, View};
use crate::state::Services;

/// How each RTU communicated on a day.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/realtimertustatusbydate/{date}/{id}", tag = "assethealth", operation_id = "rtuStatusByDate", security(("bearer" = [])),
    params(("date" = String, Path, description = "`YYYY-MM-DD` in the utility's zone, or 0 for today"), ("id" = i64, Path, description = "A circle or a node below one, or 0 for all")),
    responses((status = 200, description = "A row a gateway, by substation and name", body = Envelope<Vec<RtuStatusRow>>))
))]
pub(crate) async fn by_date(
    State(services): State<Services>,
    scoped: Scoped<Under>,
    Path((date, _node)): Path<(String, String)>,
) -> Result<Json<Envelope<Vec<RtuStatusRow>>>, Error> {
    let view = &scoped.view;
    let day = day(&date, view, Services::now())?;
    let rows = rows(&services, view, &scoped.target, &[day]).await?;
    Ok(Json(Envelope::ok(rows)))
}

/// In which share of each hour of a day each RTU was heard.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/realtimertucommstatusbydate/{date}", tag = "assethealth", operation_id = "rtuCommStatusByDate", security(("bearer" = [])),
    params(("date" = String, Path, description = "`YYYY-MM-DD` in the utility's zone, or 0 for today")),
    responses((status = 200, description = "A row a gateway, by substation and name", body = Envelope<Vec<RtuHoursRow>>))
))]
pub(crate) async fn by_hour(
    State(services): State<Services>,
    view: View,
    Path(date): Path<String>,
) -> Result<Json<Envelope<Vec<RtuHoursRow>>>, Error> {
    let day = day(&date, &view, Services::now())?;
    let gateways = Under(None).gateways(&view);
    let ids: Vec<GatewayId> = gateways.iter().map(|(_, gateway)| gateway.id).collect();
    let links = Links::read(services.store(), &view, &ids, day.from, day.to).await?;
    let hours = day.hours();
    let row = |(place, gateway): (Place, &GatewayRecord)| {
        let history = links.gateway(gateway.id);
        let share = |from: Micros, to: Micros| tenth(tally(history, from, to.min(day.to)).percent());
        RtuHoursRow {
            date: day.name(),
            gateway_id: gateway.id.0,
            gateway_name: gateway.name.clone(),
            location_id: place.location_id,
            location_name: place.location_name,
            bread_crumb_name: place.bread_crumb_name,
            availability: share(day.from, day.to),
            hours: hours.iter().map(|(from, to)| share(*from, *to)).collect(),
        }
    };
    Ok(Json(Envelope::ok(gateways.into_iter().map(row).collect())))
}

/// How a gateway was heard over a time and in each of its parts.
#[derive(Debug, Clone)]
pub(crate) struct HeardOver {
    pub(crate) gateway_name: String,
    pub(crate) location_name: String,
    pub(crate) whole: Tally,
    /// One a part.
    pub(crate) parts: Vec<Tally>,
}

/// The gateways below a node, by substation and name, over the time from the first edge to the last and between each two of them.
pub(crate) async fn heard_over(
    services: &Services,
    view: &View,
    node: Option<NodeRecord>,
    edges: &[Micros],
) -> Result<Vec<HeardOver>, Error> {
    let gateways = Under(node).gateways(view);
    let (Some(first), Some(last)) = (edges.first(), edges.last()) else { return Ok(Vec::new()) };
    let ids: Vec<GatewayId> = gateways.iter().map(|(_, gateway)| gateway.id).collect();
    let links = Links::read(services.store(), view, &ids, *first, *last).await?;
    let told = |(place, gateway): (Place, &GatewayRecord)| {
        let history = links.gateway(gateway.id);
        HeardOver {
            gateway_name: gateway.name.clone(),
            location_name: place.location_name,
            whole: tally(history, *first, *last),
            parts: edges.windows(2).map(|part| tally(history, part[0], part[1])).collect(),
        }
    };
    Ok(gateways.into_iter().map(told).collect())
}

/// A row for each of the days and gateways, by day.
pub(super) async fn rows(services: &Services, view: &View, under: &Under, days: &[Day]) -> Result<Vec<RtuStatusRow>, Error> {
    let gateways = under.gateways(view);
    let ids: Vec<GatewayId> = gateways.iter().map(|(_, gateway)| gateway.id).collect();
    let links = Links::of_days(services.store(), view, &ids, days).await?;
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return Ok(Vec::new()) };
    let counted = services.store().gateway_days(view.principal.client, &ids, &first.name(), &last.name()).await?;
    let counted: HashMap<(GatewayId, &str), &GatewayDay> =
        counted.iter().map(|count| ((count.gateway, count.day.as_str()), count)).collect();
    let mut rows = Vec::with_capacity(gateways.len() * days.len());
    for day in days {
        let date = day.name();
        for (place, gateway) in &gateways {
            let mut row = row(day, &date, place, gateway, &links, counted.get(&(gateway.id, date.as_str())).copied());
            if day.is_today {
                (row.online, row.since) = view.field.link_now(gateway.id, row.online, row.since);
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

fn row(day: &Day, date: &str, place: &Place, gateway: &GatewayRecord, links: &Links, counted: Option<&GatewayDay>) -> RtuStatusRow {
    let tally = tally(links.gateway(gateway.id), day.from, day.to);
    // Of today the gateway's own row is newer than what is counted every ten seconds.
    let last = counted.and_then(|counted| counted.last_message).max(gateway.last_seen.filter(|seen| day.from <= *seen && *seen < day.to));
    RtuStatusRow {
        date: date.to_owned(),
        gateway_id: gateway.id.0,
        gateway_code: gateway.code.clone(),
        gateway_name: gateway.name.clone(),
        location_id: place.location_id,
        location_name: place.location_name.clone(),
        circle_id: place.circle_id,
        bread_crumb_name: place.bread_crumb_name.clone(),
        online: tally.holds(),
        since: tally.since.map(iso),
        availability: tenth(tally.percent()),
        outage_minutes: tenth(tally.missed_minutes()),
        outages: tally.lost,
        connects: tally.begun,
        values: counted.map(|counted| counted.taken),
        late_values: counted.map(|counted| counted.late),
        missing_messages: counted.map(|counted| counted.missing),
        clock_skew_ms: counted.and_then(|counted| counted.skew_ms),
        last_message: last.map(iso),
    }
}
