//! Alarms: their rows, each change with its offset in the utility's stream, and the alarm rules of points.
//!
//! The alarm service and users change alarms under one lock for each utility. Rows that they read under the lock cannot change until they write.

mod forget;
mod rules;
mod service;
mod user_actions;

use deadpool_postgres::Transaction;
use grid::alarm::{AlarmKind, AlarmRecord, Change, Life, State};
use grid::{AssetId, ClientId, Micros, NodeId, PointId, Scope};
use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, micros_or_null, sql, without_nul};
use crate::{Error, Result, Store};

pub use forget::FORGET_MAX;
pub use service::{Cursor, FieldCommand, FieldEvent, Ledger, Progress, StepResult};
pub use user_actions::ActionResult;

/// Maximum number of alarms that are not normal, or of open faults, in one answer; the most urgent come first.
pub const OPEN_ALARMS_MAX: i64 = 10_000;

/// Rows that were committed together, with offsets from `from + 1` to that of the last row without a gap.
#[derive(Debug, Clone, PartialEq)]
pub struct Committed<R> {
    /// Epoch of the utility's stream.
    pub epoch: String,
    /// The offset before the first row.
    pub from: i64,
    /// Rows in the order of the offsets.
    pub rows: Vec<R>,
}

/// An acknowledgement of an alarm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Id of the point.
    pub point: PointId,
    /// Kind of the alarm.
    pub kind: AlarmKind,
    /// When the alarm was first raised after its last normal state, by the device's clock.
    pub raised: Micros,
    /// When it was acknowledged, by the server's clock.
    pub at: Micros,
    /// Name of the user.
    pub by: Option<String>,
}

/// Returns a scope as parameters of statements: a node, an asset, or neither for the whole utility.
pub(crate) fn place(scope: Option<Scope>) -> (Option<i64>, Option<i64>) {
    match scope {
        None => (None, None),
        Some(Scope::Node(node)) => (Some(node.0), None),
        Some(Scope::Asset(asset)) => (None, Some(asset.0)),
    }
}

impl Store {
    /// Returns epoch and newest offset of a utility's stream of alarms; offset 0 before the first alarm.
    pub async fn alarm_stream(&self, client: ClientId) -> Result<(String, i64)> {
        if let Some(row) = self.of(client).query_opt(sql!("alarm/stream"), &[&client.0]).await? {
            return Ok((row.try_get("epoch")?, row.try_get("top")?));
        }
        // The stream is created before the first alarm, so that the returned epoch remains valid.
        self.execute(sql!("alarm/create_stream"), &[&client.0]).await?;
        let row = self.of(client).query_opt(sql!("alarm/stream"), &[&client.0]).await?;
        let row = row.ok_or_else(|| Error::Data(format!("there is no client {client}")))?;
        Ok((row.try_get("epoch")?, row.try_get("top")?))
    }

    /// Returns the alarms that are not normal: first active unacknowledged, then active acknowledged, cleared, and suppressed ones; each group by priority,
    /// newest first. If `scope` is `None`, the alarms of the whole utility.
    pub async fn open_alarms(&self, client: ClientId, scope: Option<Scope>, limit: i64) -> Result<Vec<AlarmRecord>> {
        let (node, asset) = place(scope);
        let rows = self
            .of(client)
            .query(sql!("hierarchy/below", "alarm/rows", "alarm/standing"), &[&client.0, &node, &asset, &limit.max(0)])
            .await?;
        rows.iter().map(alarm).collect()
    }

    /// Returns the changes of a period, newest first, each with the state of its alarm after it.
    pub async fn alarm_history(
        &self,
        client: ClientId,
        scope: Option<Scope>,
        (from, to): (Micros, Micros),
        limit: i64,
    ) -> Result<Vec<AlarmRecord>> {
        let (node, asset) = place(scope);
        let params: crate::pool::Params<'_> = &[&client.0, &node, &asset, &Stamp(from), &Stamp(to), &limit.max(0)];
        self.of(client).query(sql!("hierarchy/below", "alarm/changes", "alarm/history"), params).await?.iter().map(alarm).collect()
    }

    /// Returns acknowledgements since a time, for alarms of some points that were raised before another time. At most [`OPEN_ALARMS_MAX`], oldest first.
    pub async fn alarms_acknowledged(
        &self,
        client: ClientId,
        points: &[PointId],
        since: Micros,
        raised_before: Micros,
    ) -> Result<Vec<Seen>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let params: crate::pool::Params<'_> = &[&client.0, &points, &Stamp(since), &Stamp(raised_before), &OPEN_ALARMS_MAX];
        self.of(client).query(sql!("alarm/acknowledged"), params).await?.iter().map(seen).collect()
    }

    /// Returns changes of alarms after an offset, in the order of the offsets. If `scope` is `None`, the changes of the whole utility.
    pub async fn alarms_after(&self, client: ClientId, scope: Option<Scope>, after: i64, limit: i64) -> Result<Vec<AlarmRecord>> {
        let (node, asset) = place(scope);
        let rows = self
            .of(client)
            .query(sql!("hierarchy/below", "alarm/changes", "alarm_work/after"), &[&client.0, &node, &asset, &after, &limit.max(0)])
            .await?;
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

fn kind(row: &Row) -> Result<AlarmKind> {
    let word: &str = row.try_get("kind")?;
    AlarmKind::parse(word).ok_or_else(|| Error::Unreadable(format!("kind of alarm {word}")))
}

/// Returns epoch and top of the utility's stream of alarms and the database's time. The stream is locked until the transaction ends. `None` if there is no such
/// utility.
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

/// Stores changes of alarms under the lock, in their order, and assigns offsets. Returns the rows of the changes; an alarm with several changes has several
/// rows.
async fn enter(
    transaction: &Transaction<'_>,
    client: ClientId,
    from: i64,
    mut changes: Vec<(AlarmRecord, Change)>,
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
        if *change == Change::Raised {
            raised.insert(alarm.source.clone(), offset);
        }
        // Several changes of one alarm are consecutive: a later one has the raised offset of an earlier one.
        alarm.raised_offset = raised.get(&alarm.source).copied().unwrap_or(alarm.raised_offset);
        let row = row_of(alarm, *change);
        newest.insert(alarm.source.clone(), row.clone());
        all.push(row);
    }
    let statement = transaction.prepare_cached(sql!("alarm/put")).await?;
    let now: Vec<Value> = newest.into_values().collect();
    let ids = transaction.query(&statement, &[&client.0, &Value::from(now)]).await?;
    let mut ids: std::collections::HashMap<String, i64> =
        ids.iter().map(|row| Ok((row.try_get("source")?, row.try_get("id")?))).collect::<Result<_>>()?;
    let statement = transaction.prepare_cached(sql!("alarm/enter")).await?;
    let entered = transaction.execute(&statement, &[&client.0, &Value::from(all)]).await?;
    if entered != changes.len() as u64 {
        return Err(Error::Data(format!("{entered} of {} changes of alarms were entered", changes.len())));
    }
    let causes: Vec<&str> =
        changes.iter().filter_map(|(alarm, _)| alarm.cause.as_deref()).filter(|cause| !ids.contains_key(*cause)).collect();
    if !causes.is_empty() {
        let statement = transaction.prepare_cached(sql!("alarm/rows", "alarm_work/by_sources")).await?;
        let found = transaction.query(&statement, &[&client.0, &causes]).await?;
        let found = found.iter().map(|row| Ok((row.try_get("source")?, row.try_get("id")?))).collect::<Result<Vec<(String, i64)>>>()?;
        ids.extend(found);
    }
    let statement = transaction.prepare_cached(sql!("alarm/advance")).await?;
    transaction.execute(&statement, &[&client.0, &offset]).await?;
    Ok(changes
        .into_iter()
        .map(|(mut alarm, _)| {
            alarm.id = ids.get(&alarm.source).copied().unwrap_or(alarm.id);
            alarm.cause_id = alarm.cause.as_ref().and_then(|cause| ids.get(cause).copied());
            alarm
        })
        .collect())
}

/// Returns a change as JSON for `alarm/put` and `alarm/enter`; times are in microseconds.
fn row_of(alarm: &AlarmRecord, change: Change) -> Value {
    let at = |instant: Option<Micros>| instant.map(|instant| instant.0);
    let text = |text: &Option<String>| text.as_deref().map(without_nul);
    json!({
        "source": alarm.source, "change": change.as_str(), "kind": alarm.kind.as_str(), "priority": alarm.priority, "point_id": alarm.point.map(|id| id.0),
        "asset_id": alarm.asset.map(|id| id.0), "location_id": alarm.location.0, "text": without_nul(&alarm.text), "value": alarm.value,
        "limit_value": alarm.limit, "unit": alarm.unit, "customers": alarm.customers, "state": alarm.life.state.as_str(), "count": alarm.life.count,
        "raised": at(alarm.life.raised), "first_raised": at(alarm.life.first_raised), "cleared": at(alarm.life.cleared), "acknowledged": at(alarm.life.acknowledged),
        "acknowledged_by": text(&alarm.acknowledged_by), "shelved_until": at(alarm.life.shelved_until), "shelved_by": text(&alarm.shelved_by),
        "shelved_reason": text(&alarm.shelved_reason), "owner": text(&alarm.owner), "note": text(&alarm.note), "offset": alarm.offset,
        "raised_offset": alarm.raised_offset, "cause": alarm.cause,
    })
}

/// Reads an alarm from a row. All statements that return alarms have the same columns.
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
            state: State::parse(state).ok_or_else(|| Error::Unreadable(format!("state of an alarm {state}")))?,
            count: row.try_get("count")?,
            raised: micros_or_null(row, "raised")?,
            first_raised: micros_or_null(row, "first_raised")?,
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
        cause: row.try_get("cause")?,
        cause_id: row.try_get("cause_id")?,
    })
}
