//! Queries of the api that supervises commands: unfinished commands, and those without a supervising api.

use std::time::Duration;

use grid::{ClientId, GatewayId, PointId};
use tokio_postgres::Row;

use crate::convert::sql;
use crate::{Result, Store};

/// An unfinished command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCommand {
    /// Id of the utility.
    pub client: ClientId,
    /// UUID of the command.
    pub id: String,
    /// Id of its point.
    pub point: PointId,
    /// Id of the gateway to which it was sent.
    pub gateway: GatewayId,
    /// Name of the Sparkplug device.
    pub device: String,
    /// Id of the session that gave it.
    pub session: i64,
    /// Name of its state.
    pub state: String,
    /// Time until the state expires, ms; negative if it has expired.
    pub left_ms: i64,
    /// Whether the api that supervised it has ended.
    pub orphan: bool,
    /// Whether the session that gave it has ended.
    pub session_over: bool,
}

/// A status point, with the data that commands need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusPoint {
    /// Id of the point.
    pub id: PointId,
    /// Id of the gateway that reports the point.
    pub gateway: GatewayId,
    /// Name of the Sparkplug device.
    pub device: String,
    /// The last part of the metric name.
    pub code: String,
}

impl Store {
    /// Returns every status point of all utilities.
    pub async fn status_points(&self) -> Result<Vec<StatusPoint>> {
        let rows = self.query(sql!("control/watched"), &[]).await?;
        let point = |row: &Row| {
            Ok(StatusPoint {
                id: PointId(row.try_get("id")?),
                gateway: GatewayId(row.try_get("gateway_id")?),
                device: row.try_get("device")?,
                code: row.try_get("code")?,
            })
        };
        rows.iter().map(point).collect()
    }

    /// Returns every unfinished command of all utilities, oldest first. An api without a heartbeat for `patience` has ended.
    pub async fn open_commands(&self, patience: Duration) -> Result<Vec<OpenCommand>> {
        let patience = i64::try_from(patience.as_millis()).unwrap_or(i64::MAX);
        self.query(sql!("control/open"), &[&patience]).await?.iter().map(open).collect()
    }

    /// Stores the heartbeat of an api that supervises commands.
    pub async fn control_beat(&self, service: &str) -> Result<()> {
        self.execute(sql!("control/beat"), &[&service]).await?;
        Ok(())
    }

    /// Records that an api ends. Also deletes apis that were last seen more than a day ago, and requests older than a day.
    pub async fn control_leave(&self, service: &str) -> Result<()> {
        self.execute(sql!("control/leave"), &[&service]).await?;
        self.execute(sql!("control/sweep_requests"), &[]).await?;
        Ok(())
    }

    /// Deletes requests older than a day.
    pub async fn sweep_requests(&self) -> Result<u64> {
        self.execute(sql!("control/sweep_requests"), &[]).await
    }
}

fn open(row: &Row) -> Result<OpenCommand> {
    Ok(OpenCommand {
        client: ClientId(row.try_get("client_id")?),
        id: row.try_get("id")?,
        point: PointId(row.try_get("point_id")?),
        gateway: GatewayId(row.try_get("gateway_id")?),
        device: row.try_get("device")?,
        session: row.try_get("session_id")?,
        state: row.try_get("state")?,
        left_ms: row.try_get("left_ms")?,
        orphan: row.try_get("orphan")?,
        session_over: row.try_get("session_over")?,
    })
}
