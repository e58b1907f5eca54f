//! Queries and changes of the analytics service. One transaction replaces the outages of a substation from a time onwards; repeating it gives the same result.
//! The cursor of the events moves after all substations with changes are done.

use std::collections::HashSet;

use grid::outage::{CustomersLost, Outage, Trigger};
use grid::position::Encoding;
use grid::{AssetId, ClientId, Micros, NodeId, PointId, Quality};
use serde_json::{Value, json};
use tokio_postgres::Row;

use super::{OutageRecord, outage};
use crate::alarm::Cursor;
use crate::convert::{Stamp, kind, micros, micros_or_null, quality, sql};
use crate::network::VersionNumber;
use crate::{Error, Result, Store, tenant};

/// Maximum number of outages in one statement, because a substation can have any number.
const ROWS: usize = 2_000;
/// The asset type of feeders (specification 2, section 9).
const FEEDER: i32 = 1;

/// A substation whose switches have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed {
    /// Id of the substation.
    pub location: NodeId,
    /// Source time of the earliest change.
    pub since: Micros,
    /// Source time of the earliest event of the last day; `None` if there is none.
    pub recent: Option<Micros>,
    /// Number of events.
    pub events: i64,
}

/// The state of a switch before a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwitchStateBefore {
    /// Id of the position's point.
    pub point: PointId,
    /// Encoding of the position.
    pub encoding: Encoding,
    /// Value and quality of its last event before the time.
    pub was: Option<(Option<f64>, Quality)>,
    /// The source time of that event.
    pub was_at: Option<Micros>,
    /// If there is no such event: the value of the first event after the time, if any.
    pub became: Option<f64>,
    /// The latest value, if its quality is usable.
    pub latest: Option<(Option<f64>, Quality)>,
}

/// A position in the order of source times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceOrder {
    at: Micros,
    epoch: i64,
    seq: i64,
    index: i16,
    point: i64,
}

impl SourceOrder {
    /// Returns the position before all events of a time.
    pub fn before(at: Micros) -> Self {
        Self { at, epoch: i64::MIN, seq: i64::MIN, index: i16::MIN, point: i64::MIN }
    }

    /// Returns its source time.
    pub fn at(&self) -> Micros {
        self.at
    }
}

/// A change of a switch.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// Position of the change in the order of source times.
    pub place: SourceOrder,
    /// Id of the position's point.
    pub point: PointId,
    /// Device of the bay.
    pub device: String,
    /// Source time.
    pub at: Micros,
    /// Raw value, in the encoding of the point.
    pub value: Option<f64>,
    /// Quality of the value.
    pub quality: Quality,
    /// The known facts about the reason of the change.
    pub trigger: Trigger,
}

/// The recomputed outages of substations that were derived together.
#[derive(Debug, Clone, PartialEq)]
pub struct RecomputedOutages<'a> {
    /// The substations.
    pub stations: &'a [RecomputedStation],
    /// Start of the recomputed time.
    pub from: Micros,
    /// All outages that begin after the start of the recomputed time, and those that had not ended by then.
    pub outages: &'a [Outage],
}

/// A substation whose outages were recomputed.
#[derive(Debug, Clone, PartialEq)]
pub struct RecomputedStation {
    /// Id of the substation.
    pub location: NodeId,
    /// Switches that have never reported a value.
    pub silent: Vec<PointId>,
    /// If the whole past was recomputed: the feeders, whether a drawing was used, and the longest momentary interruption, ms.
    pub layout: Option<(Vec<AssetId>, bool, i64)>,
}

impl Store {
    /// Claims the work for a utility for this service and returns the cursor of its events. For a new epoch of the events, the cursor is at the beginning.
    pub async fn claim_outages(&self, client: ClientId, worker: &str) -> Result<Cursor> {
        let (epoch, _) = self.event_stream(client).await?;
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("outage_work/claim")).await?;
        let row = transaction.query_one(&statement, &[&client.0, &epoch, &worker]).await?;
        let held: String = row.try_get("epoch")?;
        let through = if held == epoch { row.try_get("through")? } else { 0 };
        transaction.commit().await?;
        Ok(Cursor { epoch, through })
    }

    /// Returns the offset up to which a utility's events have been processed; `None` before the first time.
    pub async fn outage_cursor(&self, client: ClientId) -> Result<Option<Cursor>> {
        let rows = self.query_bound(client, sql!("outage_work/cursor"), &[&client.0]).await?;
        let read = |row: &Row| Ok(Cursor { epoch: row.try_get("epoch")?, through: row.try_get("through")? });
        rows.first().map(read).transpose()
    }

    /// Returns the substations with changes of switches after one offset, up to another.
    pub async fn outages_changed(&self, client: ClientId, (after, through): (i64, i64)) -> Result<Vec<Changed>> {
        let rows = self.query_bound(client, sql!("outage_work/changed"), &[&client.0, &after, &through]).await?;
        let read = |row: &Row| {
            let (since, recent) = (micros(row, "since")?, micros_or_null(row, "recent")?);
            Ok(Changed { location: NodeId(row.try_get("location_id")?), since, recent, events: row.try_get("events")? })
        };
        rows.iter().map(read).collect()
    }

    /// Returns the substations with outages whose cause depends on a fault that was recorded after one offset of the stream of faults, up to another.
    pub async fn outages_by_faults(&self, client: ClientId, (after, through): (i64, i64)) -> Result<Vec<Changed>> {
        let rows = self.query_bound(client, sql!("outage_work/faults"), &[&client.0, &after, &through]).await?;
        rows.iter()
            .map(|row| Ok(Changed { location: NodeId(row.try_get("location_id")?), since: micros(row, "since")?, recent: None, events: 0 }))
            .collect()
    }

    /// Returns the substations that were computed when a switch had not reported yet, and in which this switch has reported since. Each has the time from which
    /// it must be recomputed.
    pub async fn outage_gaps(&self, client: ClientId) -> Result<Vec<Changed>> {
        let believed = i16::from(Quality::Substituted.code());
        let rows = self.query_bound(client, sql!("outage_work/gaps"), &[&client.0, &believed]).await?;
        rows.iter()
            .map(|row| Ok(Changed { location: NodeId(row.try_get("location_id")?), since: micros(row, "since")?, recent: None, events: 0 }))
            .collect()
    }

    /// Returns the substations to which a feeder or the drawing was added after they were computed, and those that were computed with another momentary
    /// threshold, with the time of their first event.
    pub async fn outages_unlaid(&self, client: ClientId, momentary_ms: i64) -> Result<Vec<Changed>> {
        let rows = self.query_bound(client, sql!("outage_work/unlaid"), &[&client.0, &FEEDER, &momentary_ms]).await?;
        rows.iter()
            .map(|row| Ok(Changed { location: NodeId(row.try_get("location_id")?), since: micros(row, "since")?, recent: None, events: 0 }))
            .collect()
    }

    /// Returns the time from which outages must be recomputed after changes from `from` on, because earlier outages are affected; `None` if `from` itself is
    /// early enough.
    pub async fn outages_touching(
        &self,
        client: ClientId,
        locations: &[NodeId],
        from: Micros,
        momentary_ms: i64,
    ) -> Result<Option<Micros>> {
        let rows =
            self.query_bound(client, sql!("outage_work/touching"), &[&client.0, &numbers(locations), &Stamp(from), &momentary_ms]).await?;
        Ok(rows.first().map(|row| micros_or_null(row, "since")).transpose()?.flatten())
    }

    /// Returns the outages of some substations that began before a time and had not ended.
    pub async fn outages_open(&self, client: ClientId, locations: &[NodeId], from: Micros) -> Result<Vec<OutageRecord>> {
        let rows =
            self.query_bound(client, sql!("outage/rows", "outage_work/open"), &[&client.0, &numbers(locations), &Stamp(from)]).await?;
        rows.iter().map(outage).collect()
    }

    /// Returns the state of the switches of some substations before a time.
    pub async fn switches_before(&self, client: ClientId, locations: &[NodeId], from: Micros) -> Result<Vec<SwitchStateBefore>> {
        let believed = i16::from(Quality::Substituted.code());
        let rows = self.query_bound(client, sql!("outage_work/before"), &[&client.0, &numbers(locations), &Stamp(from), &believed]).await?;
        rows.iter().map(switch_state_before).collect()
    }

    /// Returns the changes of the switches of some substations after a position, in the order of source times.
    pub async fn switches_after(&self, client: ClientId, locations: &[NodeId], after: SourceOrder, limit: i64) -> Result<Vec<Position>> {
        let locations = numbers(locations);
        let SourceOrder { at, epoch, seq, index, point } = after;
        let params: crate::pool::Params<'_> = &[&client.0, &locations, &Stamp(at), &epoch, &seq, &index, &point, &limit.max(0)];
        self.query_bound(client, sql!("outage_work/events"), params).await?.iter().map(position).collect()
    }

    /// Replaces the computed outages of some substations from a time onwards. Corrections of users are kept. Returns false if another service has claimed the work.
    pub async fn enter_outages(&self, client: ClientId, worker: &str, rework: &RecomputedOutages<'_>) -> Result<bool> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("outage_work/lock")).await?;
        let works = transaction.query_opt(&statement, &[&client.0]).await?.map(|row| row.try_get::<_, String>("worker")).transpose()?;
        if works.as_deref() != Some(worker) {
            return Ok(false);
        }
        let from = Stamp(rework.from);
        let locations: Vec<i64> = rework.stations.iter().map(|station| station.location.0).collect();
        let statement = transaction.prepare_cached(sql!("outage/rows", "outage_work/held")).await?;
        let held = transaction.query(&statement, &[&client.0, &locations, &from]).await?;
        let held: Vec<OutageRecord> = held.iter().map(outage).collect::<Result<_>>()?;
        let actions = actions(&held, rework.outages, rework.from);
        let statement = transaction.prepare_cached(sql!("outage_work/drop")).await?;
        transaction.execute(&statement, &[&client.0, &actions.drop]).await?;
        let statement = transaction.prepare_cached(sql!("outage_work/keep")).await?;
        transaction.execute(&statement, &[&client.0, &actions.keep]).await?;
        let statement = transaction.prepare_cached(sql!("outage_work/move")).await?;
        for (id, started) in &actions.moved {
            transaction.execute(&statement, &[&client.0, id, &Stamp(*started)]).await?;
        }
        let statement = transaction.prepare_cached(sql!("outage_work/adopt")).await?;
        for (id, started) in &actions.adopted {
            transaction.execute(&statement, &[&client.0, id, &Stamp(*started)]).await?;
        }
        let statement = transaction.prepare_cached(sql!("outage_work/put")).await?;
        for part in rework.outages.chunks(ROWS) {
            let rows: Vec<Value> = part.iter().map(row_of).collect();
            transaction.execute(&statement, &[&client.0, &Value::from(rows)]).await?;
        }
        let has_reported = |station: &&RecomputedStation| station.silent.is_empty();
        let reported: Vec<i64> = rework.stations.iter().filter(has_reported).map(|station| station.location.0).collect();
        let statement = transaction.prepare_cached(sql!("outage_work/drop_gap")).await?;
        transaction.execute(&statement, &[&client.0, &reported, &from]).await?;
        let put_gap = transaction.prepare_cached(sql!("outage_work/put_gap")).await?;
        let put_layout = transaction.prepare_cached(sql!("outage_work/put_layout")).await?;
        for RecomputedStation { location, silent, layout } in rework.stations {
            if !silent.is_empty() {
                let silent: Vec<i64> = silent.iter().map(|point| point.0).collect();
                transaction.execute(&put_gap, &[&client.0, &location.0, &from, &silent]).await?;
            }
            if let Some((feeders, is_drawn, momentary_ms)) = layout {
                let feeders: Vec<i64> = feeders.iter().map(|feeder| feeder.0).collect();
                transaction.execute(&put_layout, &[&client.0, &location.0, &feeders, is_drawn, momentary_ms]).await?;
            }
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Returns the activations of network versions until a time, oldest first, and how many of them the outages of the utility have taken into account.
    pub async fn outage_activations(&self, client: ClientId, until: Micros) -> Result<(Vec<(Micros, VersionNumber)>, usize)> {
        let rows = self.query_bound(client, sql!("outage_work/activations"), &[&client.0, &Stamp(until)]).await?;
        let read = |row: &Row| Ok((micros(row, "since")?, VersionNumber(row.try_get("version")?)));
        let activations = rows.iter().map(read).collect::<Result<Vec<_>>>()?;
        let rows = self.query_bound(client, sql!("outage_work/activations_taken"), &[&client.0]).await?;
        let taken: i64 = rows.first().map(|row| row.try_get("activations")).transpose()?.unwrap_or(0);
        Ok((activations, usize::try_from(taken).unwrap_or(0)))
    }

    /// Stores how many activations of network versions the outages have taken into account. Changes nothing if another service has claimed the work.
    pub async fn take_activations(&self, client: ClientId, worker: &str, taken: usize) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("outage_work/take_activations")).await?;
        transaction.execute(&statement, &[&client.0, &worker, &(taken as i64)]).await?;
        Ok(transaction.commit().await?)
    }

    /// Stores the offset up to which all events have been processed. Returns false if another service has claimed the work.
    pub async fn advance_outages(&self, client: ClientId, worker: &str, cursor: &Cursor) -> Result<bool> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("outage_work/advance")).await?;
        let moved = transaction.execute(&statement, &[&client.0, &worker, &cursor.epoch, &cursor.through]).await?;
        transaction.commit().await?;
        Ok(moved == 1)
    }
}

/// Returns the ids of substations.
pub(super) fn numbers(locations: &[NodeId]) -> Vec<i64> {
    locations.iter().map(|location| location.0).collect()
}

/// What to do with stored outages that were computed earlier.
#[derive(Debug, Default, PartialEq, Eq)]
struct StoredOutageActions {
    /// To delete: not computed any more, without a correction.
    drop: Vec<i64>,
    /// To keep: not computed any more, but corrected by a user.
    keep: Vec<i64>,
    /// To move: corrected by a user, and now computed with another start.
    moved: Vec<(i64, Micros)>,
    /// To link again: they were kept by an earlier call, and are now computed again.
    adopted: Vec<(i64, Micros)>,
}

fn actions(held: &[OutageRecord], now: &[Outage], from: Micros) -> StoredOutageActions {
    let starts: HashSet<(AssetId, Micros)> = now.iter().map(|outage| (outage.feeder, outage.started)).collect();
    let same = |record: &OutageRecord| record.worked.map(|worked| (record.asset, worked.started)).filter(|key| starts.contains(key));
    // The new outages that correspond to a corrected one.
    let mut taken: HashSet<(AssetId, Micros)> = held.iter().filter(|record| record.correction.is_any()).filter_map(same).collect();
    let mut actions = StoredOutageActions::default();
    for record in held.iter().filter(|record| record.correction.is_any() && same(record).is_none()) {
        let (started, ended) = record.worked.map_or((record.started, record.ended), |worked| (worked.started, worked.ended));
        if record.worked.is_some() && started < from {
            continue;
        }
        let overlaps = |outage: &&Outage| {
            outage.feeder == record.asset
                && outage.ended.is_none_or(|at| at >= started)
                && ended.is_none_or(|ended| outage.started <= ended)
        };
        let again = now.iter().filter(overlaps).find(|outage| taken.insert((outage.feeder, outage.started)));
        match (again, record.worked.is_some()) {
            (Some(outage), true) => actions.moved.push((record.id, outage.started)),
            (Some(outage), false) => actions.adopted.push((record.id, outage.started)),
            (None, true) => actions.keep.push(record.id),
            (None, false) => {}
        }
    }
    // A corrected outage replaces an uncorrected one with the same start.
    let goes = |record: &&OutageRecord| match (same(record), record.worked) {
        (Some(key), _) => taken.contains(&key),
        (None, worked) => worked.is_none_or(|worked| worked.started >= from),
    };
    actions.drop = held.iter().filter(|record| !record.correction.is_any()).filter(goes).map(|record| record.id).collect();
    actions
}

fn row_of(outage: &Outage) -> Value {
    let Outage { feeder, incident, started, ended, cause, trips, from_unknown, provisional, evidence, customers } = outage;
    let steps = |customers: &CustomersLost| customers.steps().iter().map(|(at, number)| json!([at.0, number])).collect::<Vec<_>>();
    let minutes = customers.as_ref().zip(*ended).map(|(customers, ended)| customers.customer_minutes((*started, ended)));
    json!({
        "asset_id": feeder.0, "incident": incident, "started": started.0, "ended": ended.map(|ended| ended.0), "cause": cause.as_str(),
        "from_unknown": from_unknown, "provisional": provisional, "trips": trips, "evidence": evidence,
        "customers": customers.as_ref().map(CustomersLost::interrupted), "customer_minutes": minutes, "customer_steps": customers.as_ref().map(steps),
    })
}

fn switch_state_before(row: &Row) -> Result<SwitchStateBefore> {
    let believed = |value: &str, quality: &str, at: &str| -> Result<Option<(Option<f64>, Quality)>> {
        if micros_or_null(row, at)?.is_none() {
            return Ok(None);
        }
        let code: i16 = row.try_get(quality)?;
        let known = u8::try_from(code).ok().and_then(Quality::from_code).ok_or_else(|| Error::Unreadable(format!("quality {code}")))?;
        Ok(Some((row.try_get(value)?, known)))
    };
    let encoding = match kind(row)? {
        grid::point::PointKind::Status(encoding) => encoding,
        grid::point::PointKind::Measurand => return Err(Error::Unreadable("a switch without encoding".to_owned())),
    };
    Ok(SwitchStateBefore {
        point: PointId(row.try_get("id")?),
        encoding,
        was: believed("was_value", "was_quality", "was_at")?,
        was_at: micros_or_null(row, "was_at")?,
        became: row.try_get("became_value")?,
        latest: believed("latest_value", "latest_quality", "latest_at")?,
    })
}

fn position(row: &Row) -> Result<Position> {
    let (at, point) = (micros(row, "source_ts")?, row.try_get("point_id")?);
    Ok(Position {
        place: SourceOrder { at, epoch: row.try_get("epoch")?, seq: row.try_get("seq")?, index: row.try_get("idx")?, point },
        point: PointId(point),
        device: row.try_get("device")?,
        at,
        value: row.try_get("value")?,
        quality: quality(row)?,
        trigger: Trigger {
            offset: row.try_get("offset")?,
            by_protection: row.try_get("by_protection")?,
            under_frequency: row.try_get("under_frequency")?,
            ordered: row.try_get("ordered")?,
            tagged: row.try_get("tagged")?,
        },
    })
}
