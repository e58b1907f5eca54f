//! Single-line diagrams, one for each substation.

use grid::{ClientId, Micros, NodeId};
use serde_json::{Value, json};

use crate::audit::{Entry, Origin, enter};
use crate::convert::{micros, sql};
use crate::{Error, Result, Store};

/// A stored drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawingRecord {
    /// Id of the substation.
    pub location: NodeId,
    /// The drawing as stored.
    pub body: Value,
    /// When it was stored.
    pub updated: Micros,
}

impl Store {
    /// Returns the drawings of substations of any utility. Substations without a drawing are left out.
    pub async fn drawings_of(&self, locations: &[NodeId]) -> Result<Vec<DrawingRecord>> {
        let locations: Vec<i64> = locations.iter().map(|location| location.0).collect();
        let rows = self.query(sql!("drawing/of_nodes"), &[&locations]).await?;
        rows.iter().map(record).collect()
    }

    /// Returns the drawing of a substation and when it was stored.
    pub async fn drawing_record(&self, client: ClientId, location: NodeId) -> Result<Option<DrawingRecord>> {
        let row = self.of(client).query_opt(sql!("drawing/get"), &[&client.0, &location.0]).await?;
        row.as_ref().map(record).transpose()
    }

    /// Returns when each drawing of a utility was stored, to check cached drawings.
    pub async fn drawing_stamps(&self, client: ClientId) -> Result<Vec<(NodeId, Micros)>> {
        let rows = self.of(client).query(sql!("drawing/stamps"), &[&client.0]).await?;
        rows.iter().map(|row| Ok((NodeId(row.try_get("location_id")?), micros(row, "updated")?))).collect()
    }

    /// Returns the drawing of a substation.
    pub async fn drawing(&self, client: ClientId, location: NodeId) -> Result<Option<Value>> {
        Ok(self.drawing_record(client, location).await?.map(|record| record.body))
    }

    /// Stores or replaces the drawing of a substation.
    pub async fn put_drawing(&self, client: ClientId, location: NodeId, name: &str, body: &Value) -> Result<()> {
        let put = self.execute(sql!("drawing/put"), &[&client.0, &location.0, &name, body]).await?;
        if put == 0 { Err(Error::Data(format!("substation {location} is not of client {client}"))) } else { Ok(()) }
    }

    /// As [`Store::put_drawing`], but for a change by a user: adds an audit entry. The entry contains the number of elements before and after, because the
    /// drawings themselves are too large.
    pub async fn replace_drawing(&self, client: ClientId, location: NodeId, name: &str, body: &Value, origin: &Origin) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        let get = transaction.prepare_cached(sql!("drawing/get")).await?;
        let before = transaction.query_opt(&get, &[&client.0, &location.0]).await?;
        let before = before.map(|row| row.try_get::<_, Value>("body")).transpose()?;
        let put = transaction.prepare_cached(sql!("drawing/put")).await?;
        if transaction.execute(&put, &[&client.0, &location.0, &name, body]).await? == 0 {
            return Err(Error::Data(format!("substation {location} is not of client {client}")));
        }
        let audit_value = |drawing: &Value| json!({"name": drawing["name"], "elements": drawing["elements"].as_array().map(Vec::len)});
        let entry = Entry::new(origin, "drawing_replaced", format!("location {location}"))
            .changing(before.as_ref().map(audit_value), Some(audit_value(body)));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(())
    }
}

fn record(row: &tokio_postgres::Row) -> Result<DrawingRecord> {
    Ok(DrawingRecord { location: NodeId(row.try_get("location_id")?), body: row.try_get("body")?, updated: micros(row, "updated")? })
}
