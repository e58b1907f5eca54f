//! The status of feeders at the end of a day, and the times in which their breakers were open.

use std::collections::HashMap;

use grid::link::{Change, tally};
use grid::position::{Encoding, Position};
use grid::{GatewayId, Micros, Point, PointId, Quality, freshness};
use identity::View;
use store::Store;
use store::comms::FeederChange;
use wire::comms::{FeederOnRow, FeederOutageRow, FeederStatus, OutageCause};
use wire::time::{iso, now};

use crate::days::Day;
use crate::error::Error;
use crate::link_history::{Feeder, Links, Under, tenth};

/// Limit of position changes in one request.
const CHANGES_MAX: usize = 100_000;
/// A smaller current counts as zero, A, because current transformers and transducers can indicate up to this current on a dead feeder.
const FLOWS_FROM_A: f64 = 2.0;

type Histories = HashMap<PointId, Vec<FeederChange>>;

async fn histories(store: &Store, view: &View, feeders: &[Feeder<'_>], day: &Day) -> Result<Histories, Error> {
    let points: Vec<PointId> = feeders.iter().filter_map(|feeder| Some(feeder.position?.id)).collect();
    let changes = store.feeder_changes(view.principal.client, &points, (day.from, day.to), CHANGES_MAX).await?;
    let changes = changes.ok_or_else(|| Error::BadRequest(format!("more than {CHANGES_MAX} changes on this day, ask for a lower node")))?;
    let mut histories = Histories::new();
    for change in changes {
        histories.entry(change.point).or_default().push(change);
    }
    Ok(histories)
}

async fn links(store: &Store, view: &View, feeders: &[Feeder<'_>], day: &Day) -> Result<Links, Error> {
    let mut gateways: Vec<GatewayId> = feeders.iter().filter_map(|feeder| Some(feeder.link?.0)).collect();
    gateways.sort_unstable();
    gateways.dedup();
    Links::read(store, view, &gateways, day.from, day.to).await
}

/// A value at the end of the day, with its quality.
#[derive(Debug, Clone, Copy)]
struct Shown {
    value: Option<f64>,
    quality: Quality,
    source: Micros,
}

/// Returns positions and currents at the end of the day; for today, the latest ones.
async fn shown(
    store: &Store,
    view: &View,
    feeders: &[Feeder<'_>],
    day: &Day,
    histories: &Histories,
) -> Result<HashMap<PointId, Shown>, Error> {
    let client = view.principal.client;
    if day.is_today {
        let picture = view.field.picture(store.latest_of(client, None).await?, now());
        let points = feeders.iter().flat_map(|feeder| feeder.currents.into_iter().chain([feeder.position])).flatten();
        let of = |point: &Point| {
            let reading = picture.get(&point.id)?;
            let quality = freshness::shown_quality(reading.quality, reading.source, day.to, point.age_limit_ms(), true);
            Some((point.id, Shown { value: reading.value, quality, source: reading.source }))
        };
        return Ok(points.filter_map(of).collect());
    }
    let links = links(store, view, feeders, day).await?;
    let currents: Vec<PointId> = feeders.iter().flat_map(|feeder| feeder.currents).flatten().map(|point| point.id).collect();
    let values = store.last_values(client, &currents, day.to).await?;
    let mut shown: HashMap<PointId, Shown> =
        values.into_iter().map(|value| (value.point, Shown { value: value.value, quality: value.quality, source: value.at })).collect();
    for point in feeders.iter().filter_map(|feeder| feeder.position) {
        let Some(last) = histories.get(&point.id).and_then(|changes| changes.last()) else { continue };
        let is_online = tally(&links.device(point.gateway, &point.device), day.from, day.to).is_present_at_end() != Some(false);
        let quality = if is_online { last.quality } else { last.quality.worst(Quality::CommLost) };
        shown.insert(point.id, Shown { value: last.value, quality, source: last.at });
    }
    Ok(shown)
}

fn is_believed(quality: Quality) -> bool {
    quality <= Quality::Substituted
}

/// Derives the status from breaker position and current. A current through an open breaker is a contradiction, so the status is unknown. A
/// closed breaker without current is on.
fn status(position: Option<Position>, most_a: Option<f64>) -> FeederStatus {
    match position {
        Some(Position::Closed) => FeederStatus::On,
        Some(Position::Open) if most_a.is_none_or(|most| most < FLOWS_FROM_A) => FeederStatus::Off,
        _ => FeederStatus::Unknown,
    }
}

/// Returns the times in which a breaker was closed, open, or in neither position.
fn openness(point: &Point, histories: &Histories) -> Vec<Change> {
    let changes = histories.get(&point.id).map(Vec::as_slice).unwrap_or_default();
    changes.iter().map(|change| Change { at: change.at, holds: is_closed(point.encoding(), change) }).collect()
}

fn is_closed(encoding: Option<Encoding>, change: &FeederChange) -> Option<bool> {
    match Position::decode(encoding?, change.value?) {
        Position::Closed => Some(true),
        Position::Open => Some(false),
        _ => None,
    }
}

/// A time in which a breaker was open.
#[derive(Debug, Clone, Copy, PartialEq)]
struct OpenTime {
    since: Micros,
    restored: Option<Micros>,
    tripped: bool,
    quality: Quality,
}

/// Returns the times from each opening to the next closing. Intermediate and bad positions are ignored.
fn open_times(encoding: Option<Encoding>, changes: &[FeederChange]) -> Vec<OpenTime> {
    let mut times: Vec<OpenTime> = Vec::new();
    for change in changes {
        let under_way = times.last_mut().filter(|time| time.restored.is_none());
        match (is_closed(encoding, change), under_way) {
            (Some(false), None) => {
                times.push(OpenTime { since: change.at, restored: None, tripped: change.tripped, quality: change.quality });
            }
            (Some(true), Some(time)) => time.restored = Some(change.at),
            _ => {}
        }
    }
    times
}

/// Returns the status of each feeder at the end of a day, and for how many minutes of the day its breaker was closed and open.
pub async fn on(store: &Store, view: &View, day: &Day) -> Result<Vec<FeederOnRow>, Error> {
    let feeders = Under(None).feeders(view);
    let histories = histories(store, view, &feeders, day).await?;
    let shown = shown(store, view, &feeders, day, &histories).await?;
    let row = |feeder: &Feeder<'_>| {
        let position = feeder.position.and_then(|point| shown.get(&point.id));
        let currents = feeder.currents.map(|point| point.and_then(|point| shown.get(&point.id)));
        let values = currents.map(|current| current.and_then(|current| current.value));
        let decoded = position.zip(feeder.position).and_then(|(shown, point)| Some(Position::decode(point.encoding()?, shown.value?)));
        let quality = position.map_or(Quality::Never, |shown| shown.quality);
        let flowing = currents.into_iter().flatten().filter(|current| is_believed(current.quality)).filter_map(|current| current.value);
        let most = flowing.map(f64::abs).reduce(f64::max);
        let tally = feeder.position.map(|point| tally(&openness(point, &histories), day.from, day.to)).unwrap_or_default();
        let all = position.into_iter().chain(currents.into_iter().flatten());
        FeederOnRow {
            asset_id: feeder.asset.id.0,
            asset_name: feeder.asset.name.clone(),
            location_id: feeder.place.location_id,
            location_name: feeder.place.location_name.clone(),
            bread_crumb_name: feeder.place.bread_crumb_name.clone(),
            customers: feeder.asset.customers,
            status: status(decoded.filter(|_| is_believed(quality)), most),
            position: decoded.map(|position| position.text().to_owned()),
            since: tally.since.map(iso),
            current_r: values[0],
            current_y: values[1],
            current_b: values[2],
            loaded: most.map(|most| most >= FLOWS_FROM_A),
            on_minutes: tenth((tally.known_us > 0).then_some(tally.held_us as f64 / 60e6)),
            off_minutes: tenth(tally.missed_minutes()),
            quality: all.clone().map(|shown| shown.quality).max().unwrap_or(Quality::Never).code(),
            reported_date_time: all.map(|shown| shown.source).max().map(iso),
        }
    };
    Ok(feeders.iter().map(row).collect())
}

/// Returns the times of a day in which breakers of feeders were open. Times that have not ended are first.
pub async fn outages(store: &Store, view: &View, under: &Under, day: &Day) -> Result<Vec<FeederOutageRow>, Error> {
    let feeders = under.feeders(view);
    let histories = histories(store, view, &feeders, day).await?;
    let links = links(store, view, &feeders, day).await?;
    let mut found: Vec<(bool, Micros, FeederOutageRow)> = Vec::new();
    for feeder in &feeders {
        let Some(position) = feeder.position else { continue };
        let changes = histories.get(&position.id).map(Vec::as_slice).unwrap_or_default();
        let stored_online = tally(&links.device(position.gateway, &position.device), day.from, day.to).is_present_at_end();
        let online = if day.is_today { view.field.holds_now(position.gateway, stored_online) } else { stored_online };
        for outage in open_times(position.encoding(), changes) {
            let over = outage.restored.unwrap_or(day.to);
            let quality =
                if outage.restored.is_none() && online == Some(false) { outage.quality.worst(Quality::CommLost) } else { outage.quality };
            let row = FeederOutageRow {
                asset_id: feeder.asset.id.0,
                asset_name: feeder.asset.name.clone(),
                location_id: feeder.place.location_id,
                location_name: feeder.place.location_name.clone(),
                bread_crumb_name: feeder.place.bread_crumb_name.clone(),
                customers: feeder.asset.customers,
                since: iso(outage.since),
                restored: outage.restored.map(iso),
                minutes: tenth(Some(over.millis_since(outage.since).max(0) as f64 / 60e3)).unwrap_or(0.0),
                cause: if outage.tripped { OutageCause::Trip } else { OutageCause::Switched },
                quality: quality.code(),
            };
            found.push((outage.restored.is_some(), outage.since, row));
        }
    }
    found.sort_by_key(|(is_over, since, row)| (*is_over, std::cmp::Reverse(*since), row.asset_id));
    Ok(found.into_iter().map(|(.., row)| row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feeder_is_on_by_its_breaker_unless_a_current_contradicts() {
        use FeederStatus::{Off, On, Unknown};
        for (position, most, expected) in [
            (Some(Position::Closed), Some(120.0), On),
            (Some(Position::Closed), Some(0.0), On),
            (Some(Position::Closed), None, On),
            (Some(Position::Open), Some(0.4), Off),
            (Some(Position::Open), None, Off),
            (Some(Position::Open), Some(FLOWS_FROM_A), Unknown),
            (Some(Position::Intermediate), Some(0.0), Unknown),
            (Some(Position::Bad), None, Unknown),
            (None, Some(120.0), Unknown),
        ] {
            assert_eq!(status(position, most), expected, "{position:?} {most:?}");
        }
    }

    #[test]
    fn an_outage_lasts_from_the_opening_to_the_closing() {
        let change =
            |at, value| FeederChange { point: PointId(1), at: Micros(at), value: Some(value), quality: Quality::Good, tripped: at == 5 };
        let times = |values: &[(i64, f64)]| {
            let changes: Vec<FeederChange> = values.iter().map(|(at, value)| change(*at, *value)).collect();
            let times = open_times(Some(Encoding::DoublePoint), &changes);
            times.iter().map(|time| (time.since.0, time.restored.map(|at| at.0), time.tripped)).collect::<Vec<_>>()
        };
        assert_eq!(times(&[(1, 2.0)]), []);
        assert_eq!(times(&[(1, 2.0), (4, 0.0), (5, 1.0)]), [(5, None, true)]);
        assert_eq!(times(&[(1, 1.0), (3, 0.0), (4, 2.0), (6, 1.0)]), [(1, Some(4), false), (6, None, false)]);
        assert_eq!(times(&[(1, 1.0), (2, 0.0), (3, 1.0), (4, 2.0)]), [(1, Some(4), false)], "it did not get there");
    }
}
