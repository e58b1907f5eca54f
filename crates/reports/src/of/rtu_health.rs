//! RTU_HEALTH: the communication of each RTU, by day or now. The days of all RTUs are read in parts of at most 366 days.

use std::collections::HashMap;
use std::time::Duration;

use analysis::link_history::{LinkLocation, Links, Under};
use grid::link::{Change, tally};
use grid::{GatewayId, Micros, Scope};
use identity::Area;
use jiff::ToSpan as _;
use registry::Gateway;
use store::comms::GatewayDay;

use crate::definition::{Column, ColumnKind, Definition, Input, Places, Running};
use crate::error::Error;
use crate::of::ANY;
use crate::rows::{Row, Rows, Stop, Value};
use crate::valid_request::ValidRequest;

/// The largest number of RTU days in one query, and of days of one RTU.
const HELD_MAX: usize = 10_000;
const DAYS_MAX: usize = 366;

pub(crate) static RTU_HEALTH: Definition = Definition {
    id: 21,
    key: "RTU_HEALTH",
    name: "RTU Health",
    about: "One row for each RTU and day that has started, by day, substation and RTU, from its link states and message counts. Now: one row for each RTU with \
            today so far. The time before its first connection is not known.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: true,
    input: Input::None,
    levels: &[],
    columns: &[
        Column::day("Day", "The day of the utility's clock; now: today"),
        Column::text("Substation", "Its substation"),
        Column::text("RTU", "Its name"),
        Column::text("Edge node", "The code of its edge node"),
        Column::text(
            "State",
            "Online or Offline at the end of the day; for today and now, the present state; Offline while no ingest receives its messages",
        ),
        Column::time("Since", "Since when it has this state; empty if not known"),
        Column::number("Availability", "%", 1, "The share of the day, up to now, in which it was online, of the known time"),
        Column::count("Outages", "How often the link was lost on the day; empty if not known"),
        Column { name: "Not heard", unit: "", kind: ColumnKind::Duration, meaning: "The total time in which it was offline" },
        Column { name: "Longest", unit: "", kind: ColumnKind::Duration, meaning: "The longest single time offline within the day" },
        Column::count("Connections", "How often it connected, including connections without a loss before"),
        Column::count("Values", "How many values arrived on the day; empty if they were not counted"),
        Column::count("Late", "Those that arrived more than a minute after their time"),
        Column::number("Late share", "%", 1, "100 x Late / Values"),
        Column::count("Missing messages", "Sequence numbers that never arrived"),
        Column::number("Clock", "ms", 0, "How far its clock was ahead of the server's at the worst of the day; negative if behind"),
        Column::time("Last message", "When the last message of the day arrived, to ten seconds"),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let gateways = gateways(&request);
    let ids: Vec<GatewayId> = gateways.iter().map(|(_, gateway)| gateway.id).collect();
    let (store, view) = (request.reports.store(), &request.view);
    if ids.is_empty() {
        return Ok(());
    }
    let at_once = (HELD_MAX / ids.len()).clamp(1, DAYS_MAX);
    let mut parts: Vec<Vec<Day>> = days(&request)?.chunks(at_once).rev().map(<[Day]>::to_vec).collect();
    while let Some(mut part) = parts.pop() {
        let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
        let links = match Links::read(store, view, &ids, first.from, last.to).await {
            // There are too many link changes for one query.
            Err(analysis::Error::BadRequest(_)) if part.len() > 1 => {
                let later = part.split_off(part.len() / 2);
                parts.extend([later, part]);
                continue;
            }
            links => links?,
        };
        let counted = store.gateway_days(request.client(), &ids, &first.name, &last.name).await?;
        let counted: HashMap<(GatewayId, &str), &GatewayDay> =
            counted.iter().map(|counted| ((counted.gateway, counted.day.as_str()), counted)).collect();
        for Day { from, to, name, is_today } in &part {
            for (place, gateway) in &gateways {
                let history = since_before(links.gateway(gateway.id), *from);
                let day = GatewayDayRow { place, gateway, history, counted: counted.get(&(gateway.id, name.as_str())).copied() };
                rows.put(day.row(&request, (*from, *to), *is_today)).await?;
            }
        }
    }
    Ok(())
}

/// A past day, or the past part of today.
#[derive(Debug, Clone)]
struct Day {
    from: Micros,
    to: Micros,
    /// The date, `YYYY-MM-DD`.
    name: String,
    is_today: bool,
}

fn days(request: &ValidRequest) -> Result<Vec<Day>, Error> {
    let now = request.calendar.now;
    let mut found = Vec::new();
    for day in request.period.days() {
        let from = request.calendar.midnight(day)?;
        let end = request.calendar.midnight(day.checked_add(1.day()).map_err(|_| Error::Internal)?)?;
        if from >= now {
            break;
        }
        found.push(Day { from, to: end.min(now), name: day.to_string(), is_today: now < end });
    }
    Ok(found)
}

/// Returns the changes from an instant on, and the last one before it.
fn since_before(history: &[Change], from: Micros) -> &[Change] {
    &history[history.partition_point(|change| change.at < from).saturating_sub(1)..]
}

/// Returns the RTUs of all areas, and for an asset those that report it, sorted by substation and name.
fn gateways(request: &ValidRequest) -> Vec<(LinkLocation, &Gateway)> {
    let (view, field) = (&request.view, &request.view.field);
    let of = |area: &Area| match area.0 {
        None => Under(None).gateways(view),
        Some(Scope::Node(node)) => field.node(node).map(|node| Under(Some(node.clone())).gateways(view)).unwrap_or_default(),
        Some(Scope::Asset(asset)) => {
            let reports = |gateway: GatewayId| field.points_of(asset).any(|point| point.gateway == gateway);
            Under(None).gateways(view).into_iter().filter(|(_, gateway)| reports(gateway.id)).collect()
        }
    };
    let mut found: Vec<(LinkLocation, &Gateway)> = request.areas.iter().flat_map(of).collect();
    found.sort_by(|(a, one), (b, other)| (&a.location_name, &one.name, one.id).cmp(&(&b.location_name, &other.name, other.id)));
    found
}

/// The communication of an RTU on a day.
struct GatewayDayRow<'a> {
    place: &'a LinkLocation,
    gateway: &'a Gateway,
    history: &'a [Change],
    counted: Option<&'a GatewayDay>,
}

impl GatewayDayRow<'_> {
    fn row(&self, request: &ValidRequest, (from, to): (Micros, Micros), is_today: bool) -> Row {
        let Self { place, gateway, history, counted } = self;
        let field = &request.view.field;
        let tally = tally(history, from, to);
        let stored_online = tally.is_present_at_end();
        let online = if is_today { field.holds_now(gateway.id, stored_online) } else { stored_online };
        // Without a running ingest, the last link change is not the reason for the present state.
        let since = tally.since.filter(|_| online == stored_online);
        let is_known = tally.known_us > 0;
        let lasting = |us: i64| if is_known { Value::Lasting(Duration::from_micros(us.unsigned_abs())) } else { Value::Absent };
        let times = |times: u32| Value::from(is_known.then_some(i64::from(times)));
        let late = counted.filter(|counted| counted.taken > 0).map(|counted| 100.0 * counted.late as f64 / counted.taken as f64);
        // For today, the time in the gateway's own row is newer than the counts, which are updated every ten seconds.
        let seen = field.link(gateway.id).last_seen.filter(|seen| from <= *seen && *seen < to);
        vec![
            from.into(),
            place.location_name.as_str().into(),
            gateway.name.as_str().into(),
            gateway.code.as_str().into(),
            online.map(|online| if online { "Online" } else { "Offline" }).into(),
            since.into(),
            tally.percent().into(),
            times(tally.lost),
            lasting(tally.known_us - tally.held_us),
            lasting(tally.longest_us),
            times(tally.reported_present),
            counted.map(|counted| counted.taken).into(),
            counted.map(|counted| counted.late).into(),
            late.into(),
            counted.map(|counted| counted.missing).into(),
            counted.and_then(|counted| counted.skew_ms).into(),
            counted.and_then(|counted| counted.last_message).max(seen).into(),
        ]
    }
}
