//! Faults of feeders: the rows, and each change with its offset in the utility's stream. The alarm service stores them.

use std::collections::{BTreeMap, HashMap};

use deadpool_postgres::Transaction;
use grid::fault::{Fault, FaultRecord};
use grid::{AssetId, ClientId, Micros, NodeId, PointId, Scope};
use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::alarm::place;
use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::kept::Level;
use crate::{Error, Result, Store};

mod trend;

impl Store {
    /// Returns epoch and newest offset of a utility's stream of faults; offset 0 before the first fault.
    pub async fn fault_stream(&self, client: ClientId) -> Result<(String, i64)> {
        if let Some(row) = self.of(client).query_opt(sql!("fault/stream"), &[&client.0]).await? {
            return Ok((row.try_get("epoch")?, row.try_get("top")?));
        }
        self.execute(sql!("fault/create_stream"), &[&client.0]).await?;
        let row = self.of(client).query_opt(sql!("fault/stream"), &[&client.0]).await?;
        let row = row.ok_or_else(|| Error::Data(format!("there is no client {client}")))?;
        Ok((row.try_get("epoch")?, row.try_get("top")?))
    }

    /// Returns open faults, and kept faults that began since a time, newest first. If `scope` is `None`, the faults of the whole utility.
    pub async fn faults_since(&self, client: ClientId, scope: Option<Scope>, since: Micros, limit: i64) -> Result<Vec<FaultRecord>> {
        let since = since.max(self.kept().await?.floor(Level::Fault));
        let (node, asset) = place(scope);
        let rows = self
            .of(client)
            .query(sql!("hierarchy/below", "fault/rows", "fault/newest"), &[&client.0, &node, &asset, &Stamp(since), &limit.max(0)])
            .await?;
        rows.iter().map(fault).collect()
    }

    /// Returns changes of faults after an offset, in the order of the offsets. If `scope` is `None`, the changes of the whole utility.
    pub async fn faults_after(&self, client: ClientId, scope: Option<Scope>, after: i64, limit: i64) -> Result<Vec<FaultRecord>> {
        let (node, asset) = place(scope);
        let rows = self
            .of(client)
            .query(sql!("hierarchy/below", "alarm_work/faults_after"), &[&client.0, &node, &asset, &after, &limit.max(0)])
            .await?;
        rows.iter().map(fault).collect()
    }

    /// Returns the open faults, at most one for each breaker.
    pub async fn faults_open(&self, client: ClientId) -> Result<Vec<FaultRecord>> {
        let rows = self.of(client).query(sql!("alarm_work/faults_of"), &[&client.0, &None::<Vec<i64>>]).await?;
        rows.iter().map(fault).collect()
    }
}

/// Returns epoch and top of the utility's stream of faults, locked until the transaction ends. Callers hold the lock on the utility's alarms.
pub(crate) async fn lock(transaction: &Transaction<'_>, client: ClientId) -> Result<(String, i64)> {
    let create = transaction.prepare_cached(sql!("fault/create_stream")).await?;
    transaction.execute(&create, &[&client.0]).await?;
    let statement = transaction.prepare_cached(sql!("alarm_work/lock_faults")).await?;
    let row = transaction.query_one(&statement, &[&client.0]).await?;
    Ok((row.try_get("epoch")?, row.try_get("top")?))
}

/// Stores changes of faults in their order, each with its offset. Returns the rows of the changes.
pub(crate) async fn enter(
    transaction: &Transaction<'_>,
    client: ClientId,
    from: i64,
    mut changes: Vec<FaultRecord>,
) -> Result<Vec<FaultRecord>> {
    if changes.is_empty() {
        return Ok(changes);
    }
    let mut offset = from;
    let mut newest: BTreeMap<(PointId, Micros), Value> = BTreeMap::new();
    let mut all = Vec::with_capacity(changes.len());
    for change in &mut changes {
        offset += 1;
        change.offset = offset;
        let row = row_of(change);
        newest.insert((change.breaker, change.fault.start), row.clone());
        all.push(row);
    }
    let statement = transaction.prepare_cached(sql!("alarm_work/put_faults")).await?;
    let now: Vec<Value> = newest.into_values().collect();
    let stored = transaction.query(&statement, &[&client.0, &Value::from(now)]).await?;
    let ids: HashMap<(PointId, Micros), i64> = stored
        .iter()
        .map(|row| Ok(((PointId(row.try_get("point_id")?), micros(row, "started")?), row.try_get("id")?)))
        .collect::<Result<_>>()?;
    let statement = transaction.prepare_cached(sql!("alarm_work/enter_faults")).await?;
    let entered = transaction.execute(&statement, &[&client.0, &Value::from(all)]).await?;
    if entered != changes.len() as u64 {
        return Err(Error::Data(format!("{entered} of {} changes of faults were entered", changes.len())));
    }
    let statement = transaction.prepare_cached(sql!("alarm_work/advance_faults")).await?;
    transaction.execute(&statement, &[&client.0, &offset]).await?;
    for change in &mut changes {
        change.id = ids.get(&(change.breaker, change.fault.start)).copied().unwrap_or(change.id);
    }
    Ok(changes)
}

fn row_of(record: &FaultRecord) -> Value {
    let Fault { start, end, opened, trips, reclosed, lockout, currents: [r, y, b] } = record.fault;
    json!({
        "point_id": record.breaker.0, "asset_id": record.asset.0, "location_id": record.location.0, "customers": record.customers,
        "started": start.0, "ended": end.map(|end| end.0), "opened": opened.0, "trips": trips, "reclosed": reclosed, "lockout": lockout,
        "current_r": r, "current_y": y, "current_b": b, "offset": record.offset,
    })
}

/// Reads a fault from a row. All statements that return faults have the same columns.
pub(crate) fn fault(row: &Row) -> Result<FaultRecord> {
    Ok(FaultRecord {
        client: ClientId(row.try_get("client_id")?),
        id: row.try_get("id")?,
        breaker: PointId(row.try_get("point_id")?),
        asset: AssetId(row.try_get("asset_id")?),
        asset_name: row.try_get("asset_name")?,
        location: NodeId(row.try_get("location_id")?),
        location_name: row.try_get("location_name")?,
        customers: row.try_get("customers")?,
        fault: Fault {
            start: micros(row, "started")?,
            end: micros_or_null(row, "ended")?,
            opened: micros(row, "opened")?,
            trips: row.try_get("trips")?,
            reclosed: row.try_get("reclosed")?,
            lockout: row.try_get("lockout")?,
            currents: [row.try_get("current_r")?, row.try_get("current_y")?, row.try_get("current_b")?],
        },
        offset: row.try_get("offset")?,
    })
}
