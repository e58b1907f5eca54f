//! Links of gateways and of their devices, and what was counted of each gateway and day.

use grid::link::Change;
use grid::{ClientId, GatewayId, Micros};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::{Result, Store};

/// A change of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkRow {
    /// The gateway.
    pub gateway: GatewayId,
    /// The device; empty for the gateway itself.
    pub device: String,
    /// From when on it was so.
    pub change: Change,
}

/// What was counted of a gateway on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayDay {
    /// The gateway.
    pub gateway: GatewayId,
    /// The day in the utility's zone, `YYYY-MM-DD`.
    pub day: String,
    /// Values that were taken.
    pub taken: i64,
    /// Those of them that came more than a minute after their time.
    pub late: i64,
    /// Messages whose numbers never came.
    pub missing: i64,
    /// How far its clock was ahead of ours at the worst, ms.
    pub skew_ms: Option<i64>,
    /// When its last message came, to ten seconds.
    pub last_message: Option<Micros>,
}

impl Store {
    /// How the links of some gateways and of their devices changed from an instant to another, with the last change before of each, by link and then oldest
    /// first. `None` where there are more than `limit`.
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

    /// What was counted of some gateways on the days from one to another, both `YYYY-MM-DD` and both included, by gateway and day.
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
