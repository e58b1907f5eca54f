//! Link states of gateways and devices over time, and daily counts of gateways.

use grid::link::Change;
use grid::{ClientId, GatewayId, Micros};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::{Result, Store};

/// A change of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRow {
    /// Id of the gateway.
    pub gateway: GatewayId,
    /// Name of the device; empty for the gateway itself.
    pub device: String,
    /// The new state and when it began.
    pub change: Change,
}

/// The counts of a gateway on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayDay {
    /// Id of the gateway.
    pub gateway: GatewayId,
    /// The day in the utility's time zone, `YYYY-MM-DD`.
    pub day: String,
    /// Number of accepted values.
    pub taken: i64,
    /// Number of accepted values that were received more than a minute after their source time.
    pub late: i64,
    /// Number of messages missing by their sequence numbers.
    pub missing: i64,
    /// Largest deviation of its clock from ours, ms; negative if it was behind.
    pub skew_ms: Option<i64>,
    /// Receive time of its last message, with a resolution of ten seconds.
    pub last_message: Option<Micros>,
}

impl Store {
    /// Returns the link changes of some gateways and their devices within a period, and for each link the last change before it, ordered by link, oldest first.
    /// `None` if there are more than `limit`.
    pub async fn link_changes(
        &self,
        client: ClientId,
        gateways: &[GatewayId],
        (from, to): (Micros, Micros),
        limit: usize,
    ) -> Result<Option<Vec<LinkRow>>> {
        let gateways: Vec<i64> = gateways.iter().map(|gateway| gateway.0).collect();
        let beyond = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let rows = self.of(client).query(sql!("comms/links"), &[&client.0, &gateways, &Stamp(from), &Stamp(to), &beyond]).await?;
        if rows.len() > limit {
            return Ok(None);
        }
        rows.iter().map(link).collect::<Result<_>>().map(Some)
    }

    /// Returns the daily counts of some gateways from one day to another (both included, `YYYY-MM-DD`), ordered by gateway and day.
    pub async fn gateway_days(&self, client: ClientId, gateways: &[GatewayId], from: &str, to: &str) -> Result<Vec<GatewayDay>> {
        let gateways: Vec<i64> = gateways.iter().map(|gateway| gateway.0).collect();
        let rows = self.of(client).query(sql!("comms/days"), &[&client.0, &gateways, &from, &to]).await?;
        rows.iter().map(day).collect()
    }
}

fn link(row: &Row) -> Result<LinkRow> {
    let change = Change { at: micros(row, "at")?, holds: Some(row.try_get("online")?) };
    Ok(LinkRow { gateway: GatewayId(row.try_get("gateway_id")?), device: row.try_get("device")?, change })
}

fn day(row: &Row) -> Result<GatewayDay> {
    Ok(GatewayDay {
        gateway: GatewayId(row.try_get("gateway_id")?),
        day: row.try_get("day")?,
        taken: row.try_get("taken")?,
        late: row.try_get("late")?,
        missing: row.try_get("missing")?,
        skew_ms: row.try_get("skew_ms")?,
        last_message: micros_or_null(row, "last_message")?,
    })
}
