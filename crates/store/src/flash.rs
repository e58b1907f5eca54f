//! Flashing points on diagrams: changes of status points that no user has acknowledged, and their acknowledgement.

use std::collections::BTreeMap;

use grid::area::Place;
use grid::flash::{Change, FlashKind, of};
use grid::point;
use grid::position::Encoding;
use grid::{ClientId, MemberId, Micros, NodeId, PointId};
use serde_json::json;
use tokio_postgres::Row;

use crate::audit::{Entry, Origin, enter};
use crate::convert::{kind, micros, sql};
use crate::tenant::bind;
use crate::{Result, Store, areas};

/// A flashing point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlashRecord {
    /// Id of the point.
    pub point: PointId,
    /// Id of the substation.
    pub location: NodeId,
    /// Why it flashes.
    pub kind: FlashKind,
    /// Source time of the change.
    pub at: Micros,
}

impl Store {
    /// Returns the flashing points of some substations, or of all substations of all utilities with `None`, ordered by point.
    pub async fn flashes(&self, locations: Option<&[NodeId]>) -> Result<Vec<FlashRecord>> {
        let locations: Option<Vec<i64>> = locations.map(|locations| locations.iter().map(|location| location.0).collect());
        let rows = self.query(sql!("flash/unacknowledged"), &[&locations]).await?;
        let mut points: BTreeMap<PointId, (NodeId, Vec<Change>)> = BTreeMap::new();
        for row in &rows {
            let place = NodeId(row.try_get("location_id")?);
            points.entry(PointId(row.try_get("point_id")?)).or_insert_with(|| (place, Vec::new())).1.push(change(row)?);
        }
        let flashing = |(point, (location, changes)): (PointId, (NodeId, Vec<Change>))| {
            of(&changes).map(|(kind, at)| FlashRecord { point, location, kind, at })
        };
        Ok(points.into_iter().filter_map(flashing).collect())
    }

    /// Acknowledges the changes in a substation up to now, of some points or of all, and adds an audit entry. Returns the points that had a change to
    /// acknowledge. `places` returns where they are, in the areas of responsibility.
    pub async fn acknowledge(
        &self,
        client: ClientId,
        location: NodeId,
        points: Option<&[PointId]>,
        member: MemberId,
        origin: &Origin,
        places: impl FnOnce(&[PointId]) -> Vec<Place>,
    ) -> Result<Vec<PointId>> {
        let selected: Option<Vec<i64>> = points.map(|points| points.iter().map(|point| point.0).collect());
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("flash/acknowledge")).await?;
        let rows = transaction.query(&statement, &[&client.0, &location.0, &selected, &member.0]).await?;
        let mut done: Vec<i64> = rows.iter().map(|row| row.try_get("point_id")).collect::<Result<_, _>>()?;
        done.sort_unstable();
        if !done.is_empty() {
            let points: Vec<PointId> = done.iter().copied().map(PointId).collect();
            areas::permit(&transaction, client, origin, &places(&points)).await?;
            let entry = Entry::new(origin, "changes_acknowledged", format!("substation {location}"));
            enter(&transaction, &entry.changing(None, Some(json!({ "points": done })))).await?;
        }
        transaction.commit().await?;
        Ok(done.into_iter().map(PointId).collect())
    }
}

fn change(row: &Row) -> Result<Change> {
    let encoding = match kind(row)? {
        point::PointKind::Status(encoding) => encoding,
        point::PointKind::Measurand => Encoding::Signal,
    };
    Ok(Change {
        of_breaker: row.try_get("of_breaker")?,
        encoding,
        value: row.try_get("value")?,
        source: micros(row, "source_ts")?,
        received: micros(row, "recv_ts")?,
        by_protection: row.try_get::<_, Option<bool>>("by_protection")?.unwrap_or(false),
        ordered: row.try_get::<_, Option<bool>>("ordered")?.unwrap_or(false),
    })
}
