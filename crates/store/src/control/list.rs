//! Queries of commands: by offset for streams, newest first for lists.

use grid::command::CommandRecord;
use grid::{AssetId, ClientId, MemberId, Micros, NodeId, PointId};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::{Error, Result, Store};

impl Store {
    /// Returns epoch and newest offset of a utility's stream of commands; offset 0 before the first command.
    pub async fn command_stream(&self, client: ClientId) -> Result<(String, i64)> {
        if let Some(row) = self.of(client).query_opt(sql!("control/stream"), &[&client.0]).await? {
            return Ok((row.try_get("epoch")?, row.try_get("top")?));
        }
        // The stream is created before the first command, so that the returned epoch remains valid.
        self.execute(sql!("control/create_stream"), &[&client.0]).await?;
        let row = self.of(client).query_opt(sql!("control/stream"), &[&client.0]).await?;
        let row = row.ok_or_else(|| Error::Data(format!("there is no client {client}")))?;
        Ok((row.try_get("epoch")?, row.try_get("top")?))
    }

    /// Returns states of commands after an offset, in the order of the offsets; of the whole utility if `location` is `None`.
    pub async fn commands_after(&self, client: ClientId, location: Option<NodeId>, after: i64, limit: i64) -> Result<Vec<CommandRecord>> {
        let location = location.map(|node| node.0);
        let rows = self.of(client).query(sql!("control/after"), &[&client.0, &location, &after, &limit.max(0)]).await?;
        rows.iter().map(command).collect()
    }

    /// Returns the newest state of each command of a substation that was requested after a time, newest first.
    pub async fn commands_newest(&self, client: ClientId, location: NodeId, after: Micros, limit: i64) -> Result<Vec<CommandRecord>> {
        let rows = self
            .of(client)
            .query(sql!("control/commands", "control/newest"), &[&client.0, &location.0, &Stamp(after), &limit.max(0)])
            .await?;
        rows.iter().map(command).collect()
    }

    /// Returns the newest offset of a substation's commands; 0 if it has none.
    pub async fn commands_top(&self, client: ClientId, location: NodeId) -> Result<i64> {
        let row = self.of(client).query_opt(sql!("control/top"), &[&client.0, &location.0]).await?;
        Ok(row.map(|row| row.try_get("top")).transpose()?.unwrap_or_default())
    }

    /// Returns a command in its newest state.
    pub async fn command(&self, client: ClientId, id: &str) -> Result<Option<CommandRecord>> {
        let row = self.of(client).query_opt(sql!("control/commands", "control/get"), &[&client.0, &id]).await?;
        row.as_ref().map(command).transpose()
    }
}

pub(crate) fn command(row: &Row) -> Result<CommandRecord> {
    Ok(CommandRecord {
        client: ClientId(row.try_get("client_id")?),
        offset: row.try_get("offset")?,
        id: row.try_get("id")?,
        location: NodeId(row.try_get("location_id")?),
        asset: AssetId(row.try_get("asset_id")?),
        asset_name: row.try_get("asset_name")?,
        point: PointId(row.try_get("point_id")?),
        mode: row.try_get("mode")?,
        state: row.try_get("state")?,
        from: row.try_get("from_status")?,
        to: row.try_get("to_status")?,
        operator: row.try_get("operator")?,
        member: MemberId(row.try_get("member_id")?),
        session: row.try_get("session_id")?,
        requested: micros(row, "requested_at")?,
        changed: micros(row, "at")?,
        select_until: micros_or_null(row, "select_until")?,
        deadline: micros_or_null(row, "deadline")?,
        add_cause: row.try_get("add_cause")?,
        message: row.try_get("message")?,
        simulated: row.try_get("simulated")?,
    })
}
