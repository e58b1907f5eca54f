//! Alarms: the rows that stand for them, each change of them with its place in the utility's stream, and the rules by which points raise them.
//!
//! Whoever changes an alarm, the service or a person, does so behind one lock a utility: what is read there stays so until it is written.

mod forget;
mod people;
mod rules;
mod service;

use deadpool_postgres::Transaction;
use grid::alarm::{AlarmRecord, Kind, Life, State};
use grid::{AssetId, ClientId, Micros, NodeId, PointId, Scope};
use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, micros_or_null, sql, without_nul};
use crate::{Error, Result, Store};

pub use forget::FORGET_MAX;
pub use people::Acted;
pub use service::{Cursor, Entered, FieldCommand, FieldEvent, Ledger, Progress};

/// Standing alarms, or faults, that are told at once: the most urgent, by whatever way they are asked for.
pub const STANDING_MAX: i64 = 10_000;

/// Rows that were committed together: they go from `from + 1` to the offset of the last one without a gap.
#[derive(Debug, Clone, PartialEq)]
pub struct Committed<R> {
    /// Continuity of the utility's stream.
    pub epoch: String,
    /// The offset before the first row.
    pub from: i64,
    /// In offset order.
    pub rows: Vec<R>,
}

/// That somebody has acknowledged an alarm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The point that it is about.
    pub point: PointId,
    /// What of the point.
    pub kind: Kind,
    /// When it was raised first since it was normal, by the device's clock.
    pub raised: Micros,
    /// When it was acknowledged, by the server's clock.
    pub at: Micros,
    /// By whom.
    pub by: Option<String>,
}

/// A scope as the statements take it: a node, an asset, or neither for the whole utility.
pub(crate) fn place(scope: Option<Scope>) -> (Option<i64>, Option<i64>) {
    match scope {
        None => (None, None),
        Some(Scope::Node(node)) => (Some(node.0), None),
        Some(Scope::Asset(asset)) => (None, Some(asset.0)),
    }
}

impl Store {
    /// Epoch and newest offset of a utility's stream of alarms; 0 before the first one.
    pub async fn alarm_stream(&self, client: ClientId) -> Result<(String, i64)> {
        if let Some(row) = self.of(client).query_opt(sql!("alarm/stream"), &[&client.0]).await? {
            return Ok((row.try_get("epoch")?, row.try_get("top")?));
        }
        // Begun before the first alarm, so that what is answered now is still true after it.
        self.execute(sql!("alarm/create_stream"), &[&client.0]).await?;
        let row = self.of(client).query_opt(sql!("alarm/stream"), &[&client.0]).await?;
        let row = row.ok_or_else(|| Error::Data(format!("there is no client {client}")))?;
        Ok((row.try_get("epoch")?, row.try_get("top")?))
    }

    /// Alarms that are not normal: first what holds and nobody has acknowledged, then what else holds, then what is over; each by priority, newest first. Of the
    /// whole utility with `None`.
    pub async fn alarms_standing(&self, client: ClientId, scope: Option<Scope>, limit: i64) -> Result<Vec<AlarmRecord>> {
        let (node, asset) = place(scope);
        let rows = self.of(client).query(sql!("alarm/standing"), &[&client.0, &node, &asset, &limit.max(0)]).await?;
        rows.iter().map(alarm).collect()
    }

    /// The changes of a period, newest first, each with its alarm as it was then.
    pub async fn alarm_history(
        &self,
        client: ClientId,
        scope: Option<Scope>,
        (from, to): (Micros, Micros),
        limit: i64,
    ) -> Result<Vec<AlarmRecord>> {
        let (node, asset) = place(scope);
        let params: crate::pool::Params<'_> = &[&client.0, &node, &asset, &Stamp(from), &Stamp(to), &limit.max(0)];
        self.of(client).query(sql!("alarm/history"), params).await?.iter().map(alarm).collect()
    }

    /// What people have acknowledged of the alarms of some points since an instant, of those raised before another; the first [`STANDING_MAX`], oldest first.
    pub async fn alarms_acknowledged(
        &self,
        client: ClientId,
        points: &[PointId],
        since: Micros,
        raised_before: Micros,
    ) -> Result<Vec<Seen>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let params: crate::pool::Params<'_> = &[&client.0, &points, &Stamp(since), &Stamp(raised_before), &STANDING_MAX];
        self.of(client).query(sql!("alarm/acknowledged"), params).await?.iter().map(seen).collect()
    }

    /// Changes of alarms after an offset, in offset order; of the whole utility with `None`.
    pub async fn alarms_after(&self, client: ClientId, scope: Option<Scope>, after: i64, limit: i64) -> Result<Vec<AlarmRecord>> {
        let (node, asset) = place(scope);
        let rows = self.of(client).query(sql!("alarm_work/after"), &[&client.0, &node, &asset, &after, &limit.max(0)]).await?;
        rows.iter().map(alarm).collect()
    }
}

fn seen(row: &Row) -> Result<Seen> {
    Ok(Seen {
        point: PointId(row.try_get("point_id")?),
        kind: kind(row)?,
        raised: micros(row, "raised")?,
        at: micros(row, "acknowledged")?,
        by: row.try_get("acknowledged_by")?,
    })
}

fn kind(row: &Row) -> Result<Kind> {
    let word: &str = row.try_get("kind")?;
    Kind::from_word(word).ok_or_else(|| Error::Unreadable(format!("kind of alarm {word}")))
}

/// Epoch and top of the utility's stream of alarms and the database's time, locked until the transaction ends; `None` when there is no such utility.
async fn lock(transaction: &Transaction<'_>, client: ClientId) -> Result<Option<(String, i64, Micros)>> {
    let statement = transaction.prepare_cached(sql!("alarm/lock")).await?;
    let mut row = transaction.query_opt(&statement, &[&client.0]).await?;
    if row.is_none() {
        let create = transaction.prepare_cached(sql!("alarm/create_stream")).await?;
        transaction.execute(&create, &[&client.0]).await?;
        row = transaction.query_opt(&statement, &[&client.0]).await?;
    }
    row.map(|row| Ok((row.try_get("epoch")?, row.try_get("top")?, micros(&row, "now")?))).transpose()
}

/// Enters changes of alarms behind the lock, in their order, and gives each its offset. Answers the rows as they are told; several changes of one alarm are
/// several rows.
async fn enter(
    transaction: &Transaction<'_>,
    client: ClientId,
    from: i64,
    mut changes: Vec<(AlarmRecord, &'static str)>,
) -> Result<Vec<AlarmRecord>> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let mut offset = from;
    let mut newest: std::collections::BTreeMap<String, Value> = std::collections::BTreeMap::new();
    let mut raised: std::collections::BTreeMap<String, i64> = std::collections::BTreeMap::new();
    let mut all = Vec::with_capacity(changes.len());
    for (alarm, change) in &mut changes {
        offset += 1;
        alarm.offset = offset;
        if *change == "raised" {
            raised.insert(alarm.source.clone(), offset);
        }
        // Changes of one alarm follow one another: a later one has been raised where an earlier one was.
        alarm.raised_offset = raised.get(&alarm.source).copied().unwrap_or(alarm.raised_offset);
        let row = row_of(alarm, change);
        newest.insert(alarm.source.clone(), row.clone());
        all.push(row);
    }
    let statement = transaction.prepare_cached(sql!("alarm/put")).await?;
    let now: Vec<Value> = newest.into_values().collect();
    let ids = transaction.query(&statement, &[&client.0, &Value::from(now)]).await?;
    let ids: std::collections::HashMap<String, i64> =
        ids.iter().map(|row| Ok((row.try_get("source")?, row.try_get("id")?))).collect::<Result<_>>()?;
    let statement = transaction.prepare_cached(sql!("alarm/enter")).await?;
    let entered = transaction.execute(&statement, &[&client.0, &Value::from(all)]).await?;
    if entered != changes.len() as u64 {
        return Err(Error::Data(format!("{entered} of {} changes of alarms were entered", changes.len())));
    }
    let statement = transaction.prepare_cached(sql!("alarm/advance")).await?;
    transaction.execute(&statement, &[&client.0, &offset]).await?;
    Ok(changes
        .into_iter()
        .map(|(mut alarm, _)| {
            alarm.id = ids.get(&alarm.source).copied().unwrap_or(alarm.id);
            alarm
        })
        .collect())
}

/// A change as `alarm/put` and `alarm/enter` take it; instants are microseconds.
fn row_of(alarm: &AlarmRecord, change: &str) -> Value {
    let at = |instant: Option<Micros>| instant.map(|instant| instant.0);
    let text = |text: &Option<String>| text.as_deref().map(without_nul);
    json!({
        "source": alarm.source, "change": change, "kind": alarm.kind.word(), "priority": alarm.priority, "point_id": alarm.point.map(|id| id.0),
        "asset_id": alarm.asset.map(|id| id.0), "location_id": alarm.location.0, "text": without_nul(&alarm.text), "value": alarm.value,
        "limit_value": alarm.limit, "unit": alarm.unit, "customers": alarm.customers, "state": alarm.life.state.word(), "count": alarm.life.count,
        "raised": at(alarm.life.raised), "cleared": at(alarm.life.cleared), "acknowledged": at(alarm.life.acknowledged),
        "acknowledged_by": text(&alarm.acknowledged_by), "shelved_until": at(alarm.life.shelved_until), "shelved_by": text(&alarm.shelved_by),
        "shelved_reason": text(&alarm.shelved_reason), "owner": text(&alarm.owner), "note": text(&alarm.note), "offset": alarm.offset,
        "raised_offset": alarm.raised_offset,
    })
}

/// Reads an alarm as all statements that give alarms give it.
fn alarm(row: &Row) -> Result<AlarmRecord> {
    let state: &str = row.try_get("state")?;
    Ok(AlarmRecord {
        client: ClientId(row.try_get("client_id")?),
        id: row.try_get("id")?,
        source: row.try_get("source")?,
        kind: kind(row)?,
        priority: row.try_get("priority")?,
        point: row.try_get::<_, Option<i64>>("point_id")?.map(PointId),
        asset: row.try_get::<_, Option<i64>>("asset_id")?.map(AssetId),
        asset_name: row.try_get("asset_name")?,
        location: NodeId(row.try_get("location_id")?),
        location_name: row.try_get("location_name")?,
        text: row.try_get("text")?,
        value: row.try_get("value")?,
        limit: row.try_get("limit_value")?,
        unit: row.try_get("unit")?,
        customers: row.try_get("customers")?,
        life: Life {
            state: State::from_word(state).ok_or_else(|| Error::Unreadable(format!("state of an alarm {state}")))?,
            count: row.try_get("count")?,
            raised: micros_or_null(row, "raised")?,
            cleared: micros_or_null(row, "cleared")?,
            acknowledged: micros_or_null(row, "acknowledged")?,
            shelved_until: micros_or_null(row, "shelved_until")?,
        },
        acknowledged_by: row.try_get("acknowledged_by")?,
        shelved_by: row.try_get("shelved_by")?,
        shelved_reason: row.try_get("shelved_reason")?,
        owner: row.try_get("owner")?,
        note: row.try_get("note")?,
        offset: row.try_get("offset")?,
        raised_offset: row.try_get("raised_offset")?,
    })
}
