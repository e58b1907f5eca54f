//! Tags on devices: each change is entered in the audit in its own transaction, and numbered, so that an older list never passes for a newer one.

use deadpool_postgres::Transaction;
use grid::command::TagRecord;
use grid::{AssetId, ClientId, MemberId, Micros, NodeId};
use serde_json::json;
use tokio_postgres::Row;

use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, micros, micros_or_null, sql, without_nul};
use crate::{Result, Store, tenant};

/// A tag to be hung.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTag {
    /// On what.
    pub asset: AssetId,
    /// `caution` or `inhibit`.
    pub kind: &'static str,
    /// By whom, by name.
    pub holder: String,
    /// By whom.
    pub holder_id: MemberId,
    /// Why.
    pub reason: String,
    /// Until when.
    pub expires: Option<Micros>,
}

/// A change of a utility's tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagChange {
    /// The tag that was hung or taken off.
    pub tag: TagRecord,
    /// Counts the changes.
    pub version: i64,
    /// All tags of its substation afterwards.
    pub tags: Vec<TagRecord>,
}

impl Store {
    /// The tags that hang in a utility, or at one of its substations, and the number of their newest change.
    pub async fn tags(&self, client: ClientId, location: Option<NodeId>) -> Result<(i64, Vec<TagRecord>)> {
        // The number first: a change in between makes the list newer than it says, and comes again.
        let version = self.of(client).query(sql!("control/tag_version"), &[&client.0]).await?;
        let version = version.first().map(|row| row.try_get("top")).transpose()?.unwrap_or_default();
        let rows = self.of(client).query(sql!("control/tags"), &[&client.0, &location.map(|node| node.0)]).await?;
        Ok((version, rows.iter().map(tag).collect::<Result<_>>()?))
    }

    /// Hangs a tag; `None` when there is no such asset.
    pub async fn place_tag(&self, client: ClientId, new: &NewTag, origin: &Origin) -> Result<Option<TagChange>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let version = advance(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("control/place_tag")).await?;
        let placed = transaction
            .query_opt(
                &statement,
                &[&client.0, &new.asset.0, &new.kind, &new.holder, &new.holder_id.0, &without_nul(&new.reason), &new.expires.map(Stamp)],
            )
            .await?;
        let Some(placed) = placed.as_ref().map(tag).transpose()? else { return Ok(None) };
        let tags = of_location(&transaction, client, placed.location).await?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "tag_placed", format!("asset {}", placed.asset)).changing(None, Some(told(&placed)));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(TagChange { tag: placed, version, tags }))
    }

    /// Takes a tag off if `may` says so of it. `None` when there is no such tag, `Some(Err)` when it may not be.
    pub async fn remove_tag<E>(
        &self,
        client: ClientId,
        id: i64,
        by: MemberId,
        reason: &str,
        origin: &Origin,
        may: impl FnOnce(&TagRecord) -> Result<(), E>,
    ) -> Result<Option<Result<TagChange, E>>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let version = advance(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("control/lock_tag")).await?;
        let found = transaction.query_opt(&statement, &[&client.0, &id]).await?;
        let Some(found) = found.as_ref().map(tag).transpose()? else { return Ok(None) };
        if let Err(refusal) = may(&found) {
            return Ok(Some(Err(refusal)));
        }
        let statement = transaction.prepare_cached(sql!("control/remove_tag")).await?;
        transaction.execute(&statement, &[&client.0, &id, &by.0, &without_nul(reason)]).await?;
        let tags = of_location(&transaction, client, found.location).await?;
        tenant::release(&transaction).await?;
        let after = json!({ "removed": reason });
        let entry = Entry::new(origin, "tag_removed", format!("asset {}", found.asset)).changing(Some(told(&found)), Some(after));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(Ok(TagChange { tag: found, version, tags })))
    }
}

async fn advance(transaction: &Transaction<'_>, client: ClientId) -> Result<i64> {
    let statement = transaction.prepare_cached(sql!("control/advance_tags")).await?;
    Ok(transaction.query_one(&statement, &[&client.0]).await?.try_get("top")?)
}

async fn of_location(transaction: &Transaction<'_>, client: ClientId, location: NodeId) -> Result<Vec<TagRecord>> {
    let statement = transaction.prepare_cached(sql!("control/tags")).await?;
    transaction.query(&statement, &[&client.0, &Some(location.0)]).await?.iter().map(tag).collect()
}

fn told(tag: &TagRecord) -> serde_json::Value {
    json!({ "tag": tag.id, "kind": tag.kind, "holder": tag.holder, "reason": tag.reason, "expires": tag.expires.map(Micros::millis) })
}

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
