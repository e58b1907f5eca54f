//! How long RTUs were online: by day, by hour, and by parts of a span.

use std::collections::HashMap;

use grid::link::{LinkStatistics, tally};
use grid::{GatewayId, Micros};
use identity::View;
use registry::Gateway;
use store::Store;
use store::comms::GatewayDay;
use store::registry::NodeRecord;
use wire::comms::{RtuHoursRow, RtuStatusRow};
use wire::time::iso;

use crate::days::Day;
use crate::error::Error;
use crate::link_history::{LinkLocation, Links, Under, tenth};

/// How long a gateway was online in a span and in each of its parts.
#[derive(Debug, Clone)]
pub struct OnlineShare {
    /// The name of the gateway.
    pub gateway_name: String,
    /// The name of its substation.
    pub location_name: String,
    /// The figures of the whole span.
    pub whole: LinkStatistics,
    /// The figures of each part.
    pub parts: Vec<LinkStatistics>,
}

/// Returns the figures of the gateways below a node, sorted by substation and name. The span lasts from the first edge to the last; each two adjacent edges are
/// the limits of a part.
pub async fn online_share(store: &Store, view: &View, node: Option<NodeRecord>, edges: &[Micros]) -> Result<Vec<OnlineShare>, Error> {
    let gateways = Under(node).gateways(view);
    let (Some(first), Some(last)) = (edges.first(), edges.last()) else { return Ok(Vec::new()) };
    let ids: Vec<GatewayId> = gateways.iter().map(|(_, gateway)| gateway.id).collect();
    let links = Links::read(store, view, &ids, *first, *last).await?;
    let row = |(place, gateway): (LinkLocation, &Gateway)| {
        let history = links.gateway(gateway.id);
        OnlineShare {
            gateway_name: gateway.name.clone(),
            location_name: place.location_name,
            whole: tally(history, *first, *last),
            parts: edges.windows(2).map(|part| tally(history, part[0], part[1])).collect(),
        }
    };
    Ok(gateways.into_iter().map(row).collect())
}

/// Returns a row for each day and gateway, sorted by day.
pub async fn rows(store: &Store, view: &View, under: &Under, days: &[Day]) -> Result<Vec<RtuStatusRow>, Error> {
    let gateways = under.gateways(view);
    let ids: Vec<GatewayId> = gateways.iter().map(|(_, gateway)| gateway.id).collect();
    let links = Links::of_days(store, view, &ids, days).await?;
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return Ok(Vec::new()) };
    let counted = store.gateway_days(view.principal.client, &ids, &first.name(), &last.name()).await?;
    let counted: HashMap<(GatewayId, &str), &GatewayDay> =
        counted.iter().map(|count| ((count.gateway, count.day.as_str()), count)).collect();
    let mut rows = Vec::with_capacity(gateways.len() * days.len());
    for day in days {
        let date = day.name();
        for (place, gateway) in &gateways {
            let seen = view.field.link(gateway.id).last_seen;
            let counted = counted.get(&(gateway.id, date.as_str())).copied();
            let mut row = row(day, &date, (place, gateway, seen), &links, counted);
            if day.is_today {
                (row.online, row.since) = view.field.link_now(gateway.id, row.online, row.since);
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

fn row(
    day: &Day,
    date: &str,
    (place, gateway, seen): (&LinkLocation, &Gateway, Option<Micros>),
    links: &Links,
    counted: Option<&GatewayDay>,
) -> RtuStatusRow {
    let tally = tally(links.gateway(gateway.id), day.from, day.to);
    // For today, the time in the gateway's own row is newer than the counts, which are updated every ten seconds.
    let last = counted.and_then(|counted| counted.last_message).max(seen.filter(|seen| day.from <= *seen && *seen < day.to));
    RtuStatusRow {
        date: date.to_owned(),
        gateway_id: gateway.id.0,
        gateway_code: gateway.code.clone(),
        gateway_name: gateway.name.clone(),
        location_id: place.location_id,
        location_name: place.location_name.clone(),
        circle_id: place.circle_id,
        bread_crumb_name: place.bread_crumb_name.clone(),
        online: tally.is_present_at_end(),
        since: tally.since.map(iso),
        availability: tenth(tally.percent()),
        outage_minutes: tenth(tally.missed_minutes()),
        outages: tally.lost,
        connects: tally.reported_present,
        values: counted.map(|counted| counted.taken),
        late_values: counted.map(|counted| counted.late),
        missing_messages: counted.map(|counted| counted.missing),
        clock_skew_ms: counted.and_then(|counted| counted.skew_ms),
        last_message: last.map(iso),
    }
}

/// Returns the share of each hour of a day in which each RTU was online.
pub async fn by_hour(store: &Store, view: &View, day: &Day) -> Result<Vec<RtuHoursRow>, Error> {
    let gateways = Under(None).gateways(view);
    let ids: Vec<GatewayId> = gateways.iter().map(|(_, gateway)| gateway.id).collect();
    let links = Links::read(store, view, &ids, day.from, day.to).await?;
    let hours = day.hours();
    let row = |(place, gateway): (LinkLocation, &Gateway)| {
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
    Ok(gateways.into_iter().map(row).collect())
}
