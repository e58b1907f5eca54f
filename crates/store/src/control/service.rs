//! What an api that minds commands asks: which are open, and which have nobody any more.

use std::time::Duration;

use grid::{ClientId, GatewayId, PointId};
use tokio_postgres::Row;

use crate::convert::sql;
use crate::{Result, Store};

/// A command that is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCommand {
    /// The utility.
    pub client: ClientId,
    /// Its UUID.
    pub id: String,
    /// The point that it has.
    pub point: PointId,
    /// The gateway that it went to.
    pub gateway: GatewayId,
    /// The Sparkplug device.
    pub device: String,
    /// The session that ordered it.
    pub session: i64,
    /// The word of its state.
    pub state: String,
    /// When the state ends by itself, from now; negative when it should have.
    pub left_ms: i64,
    /// The api that minded it is gone.
    pub orphan: bool,
    /// The session that ordered it is over.
    pub session_over: bool,
}

/// A status point, as far as commands care.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusPoint {
    /// The point.
    pub id: PointId,
    /// The gateway that reports it.
    pub gateway: GatewayId,
    /// The Sparkplug device.
    pub device: String,
    /// The last part of the metric name.
    pub code: String,
}

impl Store {
    /// Every status point of all utilities.
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

    /// Every command that is not over, of all utilities, oldest first. An api that was not there for `patience` is gone.
    pub async fn open_commands(&self, patience: Duration) -> Result<Vec<OpenCommand>> {
        let patience = i64::try_from(patience.as_millis()).unwrap_or(i64::MAX);
        self.query(sql!("control/open"), &[&patience]).await?.iter().map(open).collect()
    }

    /// Says that an api is there and minds its commands.
    pub async fn control_beat(&self, service: &str) -> Result<()> {
        self.execute(sql!("control/beat"), &[&service]).await?;
        Ok(())
    }

    /// Says that an api goes; forgets those that went without a word long ago, and the requests of yesterday.
    pub async fn control_leave(&self, service: &str) -> Result<()> {
        self.execute(sql!("control/leave"), &[&service]).await?;
        self.execute(sql!("control/sweep_requests"), &[]).await?;
        Ok(())
    }

    /// Forgets the requests of yesterday.
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
