//! Events: ordered by source time for lists, by offset for streams.

use std::collections::HashMap;

use grid::event::signal_name;
use grid::point::PointKind;
use grid::position::{Encoding, Position};
use grid::{AssetId, ClientId, Event, Micros, NodeId, PointId, Quality, Scope};
use tokio_postgres::Row;

use crate::convert::{Stamp, kind, micros, quality, reading, sql};
use crate::kept::Level;
use crate::{Error, Result, Store};

/// Search ranges for the events of a page, hours back from its end. The next longer range is used until the page is full.
const PAGE_HOURS: [Option<i32>; 5] = [Some(1), Some(24), Some(30 * 24), Some(365 * 24), None];

/// The substations and assets of a query of events.
#[derive(Debug, Clone, Copy)]
pub struct EventScope<'a> {
    /// Ids of the substations.
    pub locations: &'a [NodeId],
    /// Ids of the assets; `None` for all assets of the substations.
    pub assets: Option<&'a [AssetId]>,
}

impl EventScope<'_> {
    fn ids(&self) -> (Vec<i64>, Option<Vec<i64>>) {
        let assets = self.assets.map(|assets| assets.iter().map(|asset| asset.0).collect());
        (self.locations.iter().map(|location| location.0).collect(), assets)
    }
}

/// How often a device reached a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operations {
    /// Id of the device.
    pub asset: AssetId,
    /// The position.
    pub position: Position,
    /// Number of times.
    pub times: i64,
    /// Source time of the first time.
    pub first: Micros,
    /// Source time of the last time.
    pub last: Micros,
}

/// A status of a status point and when it began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatusPeriod {
    /// Id of the point.
    pub point: PointId,
    /// When it changed, by the device's clock.
    pub at: Micros,
    /// Raw value, in the encoding of the point.
    pub value: Option<f64>,
    /// Quality of the value.
    pub quality: Quality,
}

impl Store {
    /// Returns epoch and newest offset of a utility's event stream; offset 0 before the first event.
    pub async fn event_stream(&self, client: ClientId) -> Result<(String, i64)> {
        if let Some(row) = self.of(client).query_opt(sql!("events/stream"), &[&client.0]).await? {
            return Ok((row.try_get("epoch")?, row.try_get("top")?));
        }
        // The utility has no stream yet. It is created before the first event, so that the returned epoch remains valid.
        self.execute(sql!("writer/create_stream"), &[&client.0]).await?;
        let row = self.of(client).query_opt(sql!("events/stream"), &[&client.0]).await?;
        let row = row.ok_or_else(|| Error::Data(format!("there is no client {client}")))?;
        Ok((row.try_get("epoch")?, row.try_get("top")?))
    }

    /// Returns the kept events, newest first by source time; equal times are in the device's order. `before` is the offset of the last event of the previous page.
    pub async fn events_newest(&self, client: ClientId, scope: Scope, before: Option<i64>, limit: i64) -> Result<Vec<Event>> {
        self.events_newest_within(client, scope, (None, None), before, limit).await
    }

    /// As `events_newest`, but only the events from one time (inclusive) to another (exclusive).
    pub async fn events_newest_within(
        &self,
        client: ClientId,
        scope: Scope,
        (from, to): (Option<Micros>, Option<Micros>),
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<Event>> {
        let limit = limit.max(0);
        let kept = self.kept().await?.floor(Level::Event);
        let floor = Stamp(from.map_or(kept, |from| from.max(kept)));
        let to = to.map(Stamp);
        let node = match scope {
            Scope::Node(node) => node,
            Scope::Asset(asset) => {
                let rows =
                    self.of(client).query(sql!("events/newest_of_asset"), &[&client.0, &asset.0, &before, &limit, &floor, &to]).await?;
                return rows.iter().map(event).collect();
            }
        };
        // A page is mostly found within hours. Further back, each substation is read in each partition.
        let mut rows = Vec::new();
        for hours in PAGE_HOURS {
            rows =
                self.of(client).query(sql!("events/newest_of_node"), &[&client.0, &node.0, &before, &limit, &hours, &floor, &to]).await?;
            if rows.len() as i64 >= limit {
                break;
            }
        }
        rows.iter().map(event).collect()
    }

    /// Returns events after an offset, in the order of the offsets; if `scope` is `None`, the events of the whole utility, including events that have expired
    /// but are not deleted yet. With a scope, all events of the utility after the offset are read, so the offset must not be far back.
    pub async fn events_after(&self, client: ClientId, scope: Option<Scope>, after_offset: i64, limit: i64) -> Result<Vec<Event>> {
        let limit = limit.max(0);
        let floor = Stamp(self.kept().await?.floor(Level::Event));
        let rows = match scope {
            None => self.of(client).query(sql!("events/after_of_client"), &[&client.0, &after_offset, &limit]).await?,
            Some(Scope::Node(node)) => {
                self.of(client).query(sql!("events/after_of_node"), &[&client.0, &node.0, &after_offset, &limit, &floor]).await?
            }
            Some(Scope::Asset(asset)) => {
                self.of(client).query(sql!("events/after_of_asset"), &[&client.0, &asset.0, &after_offset, &limit, &floor]).await?
            }
        };
        rows.iter().map(event).collect()
    }

    /// Returns the events of a place within a period, oldest first by source time. `after` is the last event of the previous page.
    pub async fn events_between(
        &self,
        client: ClientId,
        place: &EventScope<'_>,
        (from, to): (Micros, Micros),
        after: Option<&Event>,
        limit: i64,
    ) -> Result<Vec<Event>> {
        // Events before the last one of the previous page need not be read again.
        let from = after.map_or(from, |last| last.source.max(from)).max(self.kept().await?.floor(Level::Event));
        let (locations, assets) = place.ids();
        let offset = after.map(|last| last.offset);
        let params: crate::pool::Params<'_> = &[&client.0, &locations, &assets, &Stamp(from), &Stamp(to), &offset, &limit.max(0)];
        self.of(client).query(sql!("events/between"), params).await?.iter().map(event).collect()
    }

    /// Returns the changes of some status points within a period, and for each point the last change before it, ordered by point, oldest first. `None` if there
    /// are more than `limit`.
    pub async fn status_changes(
        &self,
        client: ClientId,
        points: &[PointId],
        (from, to): (Micros, Micros),
        limit: usize,
    ) -> Result<Option<Vec<StatusPeriod>>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let beyond = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let floor = self.kept().await?.floor(Level::Event);
        let params: crate::pool::Params<'_> = &[&client.0, &points, &Stamp(from.max(floor)), &Stamp(to), &beyond, &Stamp(floor)];
        let rows = self.of(client).query(sql!("events/stood"), params).await?;
        if rows.len() > limit {
            return Ok(None);
        }
        let status_changes = |row: &Row| {
            let (point, at) = (PointId(row.try_get("point_id")?), micros(row, "source_ts")?);
            Ok(StatusPeriod { point, at, value: row.try_get("value")?, quality: quality(row)? })
        };
        rows.iter().map(status_changes).collect::<Result<_>>().map(Some)
    }

    /// Returns when each status point changed for the first time. Points without a change are left out.
    pub async fn first_changes(&self, client: ClientId, points: &[PointId]) -> Result<HashMap<PointId, Micros>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let floor = Stamp(self.kept().await?.floor(Level::Event));
        let rows = self.of(client).query(sql!("events/first"), &[&client.0, &points, &floor]).await?;
        rows.iter().map(|row| Ok((PointId(row.try_get("id")?), micros(row, "source_ts")?))).collect()
    }

    /// Returns how often the switching devices of a place reached each position within a period.
    pub async fn operations(&self, client: ClientId, place: &EventScope<'_>, (from, to): (Micros, Micros)) -> Result<Vec<Operations>> {
        let (locations, assets) = place.ids();
        let floor = self.kept().await?.floor(Level::Event);
        let params: crate::pool::Params<'_> = &[&client.0, &locations, &assets, &Stamp(from.max(floor)), &Stamp(to), &Stamp(floor)];
        let rows = self.of(client).query(sql!("events/operations"), params).await?;
        rows.iter()
            .map(|row| {
                let encoding = match kind(row)? {
                    PointKind::Status(encoding) => encoding,
                    PointKind::Measurand => Encoding::Signal,
                };
                let value: Option<f64> = row.try_get("value")?;
                Ok(Operations {
                    asset: AssetId(row.try_get("asset_id")?),
                    position: value.map_or(Position::Bad, |raw| Position::decode(encoding, raw)),
                    times: row.try_get("times")?,
                    first: micros(row, "first")?,
                    last: micros(row, "last")?,
                })
            })
            .collect()
    }

    /// Returns the newest offset within a scope; 0 without events. For an asset, it is the offset of the newest event of its substation.
    pub async fn scope_top(&self, client: ClientId, scope: Scope) -> Result<i64> {
        let row = match scope {
            Scope::Node(node) => self.of(client).query_opt(sql!("events/top_of_node"), &[&client.0, &node.0]).await?,
            Scope::Asset(asset) => self.of(client).query_opt(sql!("events/top_of_asset"), &[&client.0, &asset.0]).await?,
        };
        row.map_or(Ok(0), |row| Ok(row.try_get("top")?))
    }
}

/// Reads an event from a row. All statements that return events have the same columns.
pub(crate) fn event(row: &Row) -> Result<Event> {
    let reading = reading(row)?;
    let code: &str = row.try_get("code")?;
    // A point that is now a measurand keeps its past events. They are read as signals.
    let encoding = match kind(row)? {
        PointKind::Status(encoding) => encoding,
        PointKind::Measurand => Encoding::Signal,
    };
    Ok(Event {
        client: ClientId(row.try_get("client_id")?),
        offset: row.try_get("offset")?,
        point: PointId(row.try_get("point_id")?),
        asset: AssetId(row.try_get("asset_id")?),
        asset_name: row.try_get("asset_name")?,
        location: NodeId(row.try_get("location_id")?),
        location_name: row.try_get("location_name")?,
        signal: signal_name(code),
        encoding,
        value: reading.value,
        quality: reading.quality,
        source: reading.source,
        received: reading.received,
        ordinal: reading.ordinal,
    })
}
