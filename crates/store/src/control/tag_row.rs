//! Reads a tag from a row.

use grid::command::TagRecord;
use grid::{AssetId, MemberId, NodeId};
use tokio_postgres::Row;

use crate::Result;
use crate::convert::{micros, micros_or_null};

pub(super) fn tag(row: &Row) -> Result<TagRecord> {
    Ok(TagRecord {
        id: row.try_get("id")?,
        asset: AssetId(row.try_get("asset_id")?),
        asset_name: row.try_get("asset_name")?,
        location: NodeId(row.try_get("location_id")?),
        kind: row.try_get("kind")?,
        holder: row.try_get("holder")?,
        holder_id: MemberId(row.try_get("holder_id")?),
        reason: row.try_get("reason")?,
        placed: micros(row, "placed_at")?,
        expires: micros_or_null(row, "expires_at")?,
    })
}
