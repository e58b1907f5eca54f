//! Reads a tag from a row.

use grid::command::TagRecord;
use grid::control::tag::TagScope;
use grid::{AssetId, MemberId, NodeId};
use tokio_postgres::Row;

use crate::convert::{micros, micros_or_null};
use crate::{Error, Result};

pub(super) fn tag(row: &Row) -> Result<TagRecord> {
    let scope: &str = row.try_get("scope")?;
    Ok(TagRecord {
        id: row.try_get("id")?,
        scope: TagScope::parse(scope).ok_or_else(|| Error::Unreadable(format!("scope of a tag {scope}")))?,
        asset: row.try_get::<_, Option<i64>>("asset_id")?.map(AssetId),
        asset_name: row.try_get("asset_name")?,
        bay: row.try_get("bay")?,
        location: NodeId(row.try_get("location_id")?),
        kind: row.try_get("kind")?,
        holder: row.try_get("holder")?,
        holder_id: MemberId(row.try_get("holder_id")?),
        reason: row.try_get("reason")?,
        placed: micros(row, "placed_at")?,
        expires: micros_or_null(row, "expires_at")?,
    })
}
