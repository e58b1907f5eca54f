//! Tags on devices. Each change is audited in its own transaction and increases a version, so that an older list cannot replace a newer one.

use std::collections::HashMap;

use deadpool_postgres::Transaction;
use grid::area::Place;
use grid::command::TagRecord;
use grid::control::machine::Step;
use grid::control::tag::{TagKind, TagScope};
use grid::{AssetId, ClientId, MemberId, Micros, NodeId, PointId};
use serde_json::json;

use super::stream_lock::lock;
use super::tag_row::tag;
use super::write::{Writing, enter_states};
use super::{Committed, Moment, Site, facts};
use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, sql, without_nul};
use crate::{Result, Store, areas, tenant};

/// A tag to place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTag {
    /// What the tag covers.
    pub scope: TagScope,
    /// Id of the asset; `None` for a substation.
    pub asset: Option<AssetId>,
    /// Id of the substation.
    pub location: NodeId,
    /// `caution` or `inhibit`.
    pub kind: &'static str,
    /// Name of the user who places it.
    pub holder: String,
    /// Id of the user who places it.
    pub holder_id: MemberId,
    /// Reason for the tag.
    pub reason: String,
    /// When a caution expires.
    pub expires: Option<Micros>,
    /// Duration by the database's clock, minutes, if `expires` is absent.
    pub for_minutes: Option<i64>,
    /// The places of what the tag covers in the areas of responsibility.
    pub places: Vec<Place>,
}

/// A change of a utility's tags.
#[derive(Debug, Clone, PartialEq)]
pub struct TagChange {
    /// The tag that was placed or removed.
    pub tag: TagRecord,
    /// Version of the tags after the change.
    pub version: i64,
    /// All tags of the substation after the change.
    pub tags: Vec<TagRecord>,
    /// Selections that an inhibit has ended.
    pub dropped: Vec<Committed>,
    /// Whether an earlier command is on its way to the device. It cannot be cancelled.
    pub under_way: bool,
}

impl Store {
    /// Returns the tags of a utility, or of one of its substations, and their version.
    pub async fn tags(&self, client: ClientId, location: Option<NodeId>) -> Result<(i64, Vec<TagRecord>)> {
        // The version is read first: after a change between the two queries the list is newer than its version, and the change is published again.
        let version = self.of(client).query(sql!("control/tag_version"), &[&client.0]).await?;
        let version = version.first().map(|row| row.try_get("top")).transpose()?.unwrap_or_default();
        let rows = self.of(client).query(sql!("control/tag_rows", "control/tags"), &[&client.0, &location.map(|node| node.0)]).await?;
        Ok((version, rows.iter().map(tag).collect::<Result<_>>()?))
    }

    /// Returns the tags of all utilities, by utility.
    pub async fn tags_of_all(&self) -> Result<HashMap<ClientId, Vec<TagRecord>>> {
        let mut tags: HashMap<ClientId, Vec<TagRecord>> = HashMap::new();
        for row in self.query(sql!("control/tag_rows", "control/tags_of_all"), &[]).await? {
            tags.entry(ClientId(row.try_get("client_id")?)).or_default().push(tag(&row)?);
        }
        Ok(tags)
    }

    /// Places a tag; `None` if there is no such asset. If the same user has placed an equal tag a moment ago, it is that tag, and nothing changes. It holds the
    /// lock of the commands, so a later decision about a command sees the tag. `block` returns how an inhibit ends a selection.
    pub async fn place_tag(
        &self,
        client: ClientId,
        new: &NewTag,
        origin: &Origin,
        block: impl Fn(&Site, &TagRecord) -> Step,
    ) -> Result<Option<TagChange>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let Some(stream) = lock(&transaction, client).await? else { return Ok(None) };
        if let Some(placed) = repeated(&transaction, client, new).await? {
            areas::permit(&transaction, client, origin, &new.places).await?;
            let statement = transaction.prepare_cached(sql!("control/tag_version")).await?;
            let version = transaction.query_one(&statement, &[&client.0]).await?.try_get("top")?;
            let tags = of_location(&transaction, client, placed.location).await?;
            // The answer to the first request was lost, and with it the warning.
            let under_way = placed.kind == TagKind::Inhibit.as_str() && is_under_way(&transaction, client, &placed).await?;
            return Ok(Some(TagChange { tag: placed, version, tags, dropped: Vec::new(), under_way }));
        }
        let version = advance(&transaction, client).await?;
        areas::permit(&transaction, client, origin, &new.places).await?;
        let statement = transaction.prepare_cached(sql!("control/place_tag")).await?;
        let placed = transaction
            .query_opt(
                &statement,
                &[
                    &client.0,
                    &new.asset.map(|asset| asset.0),
                    &new.kind,
                    &new.holder,
                    &new.holder_id.0,
                    &without_nul(&new.reason),
                    &new.expires.map(Stamp),
                    &new.for_minutes,
                    &new.location.0,
                    &new.scope.as_str(),
                ],
            )
            .await?;
        let Some(placed) = placed.as_ref().map(tag).transpose()? else { return Ok(None) };
        let tags = of_location(&transaction, client, placed.location).await?;
        let (mut dropped, mut under_way) = (Vec::new(), false);
        if placed.kind == TagKind::Inhibit.as_str() {
            let points = points_of(&transaction, client, &placed).await?;
            let block = |site: &Site| Some(block(site, &placed));
            (dropped, under_way) = drop_selections(&transaction, client, points, origin, stream, block).await?;
        }
        tenant::release(&transaction).await?;
        for ended in &dropped {
            enter_states(&transaction, origin, ended.site.held.as_ref().map(|held| held.command.state), &ended.rows).await?;
        }
        let entry = Entry::new(origin, "tag_placed", subject(&placed)).changing(None, Some(audit_value(&placed)));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(TagChange { tag: placed, version, tags, dropped, under_way }))
    }

    /// Removes a tag if `may` permits it, which returns the places of what the tag covers. `None` if there is no such tag, `Some(Err)` if it was refused.
    pub async fn remove_tag<E>(
        &self,
        client: ClientId,
        id: i64,
        by: MemberId,
        reason: &str,
        origin: &Origin,
        may: impl FnOnce(&TagRecord) -> Result<Vec<Place>, E>,
    ) -> Result<Option<Result<TagChange, E>>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let version = advance(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("control/tag_rows", "control/lock_tag")).await?;
        let found = transaction.query_opt(&statement, &[&client.0, &id]).await?;
        let Some(found) = found.as_ref().map(tag).transpose()? else { return Ok(None) };
        let places = match may(&found) {
            Ok(places) => places,
            Err(refusal) => return Ok(Some(Err(refusal))),
        };
        areas::permit(&transaction, client, origin, &places).await?;
        let statement = transaction.prepare_cached(sql!("control/remove_tag")).await?;
        transaction.execute(&statement, &[&client.0, &id, &by.0, &without_nul(reason)]).await?;
        let tags = of_location(&transaction, client, found.location).await?;
        tenant::release(&transaction).await?;
        let after = json!({ "removed": reason });
        let entry = Entry::new(origin, "tag_removed", subject(&found)).changing(Some(audit_value(&found)), Some(after));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(Ok(TagChange { tag: found, version, tags, dropped: Vec::new(), under_way: false })))
    }
}

/// Returns the tag that an equal request of the same user has placed a moment ago: the answer to that request was lost.
async fn repeated(transaction: &Transaction<'_>, client: ClientId, new: &NewTag) -> Result<Option<TagRecord>> {
    let statement = transaction.prepare_cached(sql!("control/tag_rows", "control/repeated_tag")).await?;
    let row = transaction
        .query_opt(
            &statement,
            &[
                &client.0,
                &new.asset.map(|asset| asset.0),
                &new.kind,
                &new.holder_id.0,
                &without_nul(&new.reason),
                &new.expires.map(Stamp),
                &new.for_minutes,
                &new.location.0,
                &new.scope.as_str(),
            ],
        )
        .await?;
    row.as_ref().map(tag).transpose()
}

/// Returns the points of what a tag covers that have an unfinished command.
async fn points_of(transaction: &Transaction<'_>, client: ClientId, placed: &TagRecord) -> Result<Vec<PointId>> {
    let statement = transaction.prepare_cached(sql!("control/held_of_tag")).await?;
    let asset = placed.asset.map(|asset| asset.0);
    let rows = transaction.query(&statement, &[&client.0, &placed.location.0, &placed.scope.as_str(), &asset, &placed.bay]).await?;
    rows.iter().map(|row| Ok(PointId(row.try_get("point_id")?))).collect()
}

/// Returns whether a command is on its way to a device that a tag covers.
async fn is_under_way(transaction: &Transaction<'_>, client: ClientId, placed: &TagRecord) -> Result<bool> {
    for point in points_of(transaction, client, placed).await? {
        let site = facts::site(transaction, client, point).await?;
        if site.and_then(|site| site.held).is_some_and(|held| held.command.state.is_executing()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Ends the selections of some points; `block` returns how, or `None` to leave one. Returns them, and whether a command is on its way.
pub(super) async fn drop_selections(
    transaction: &Transaction<'_>,
    client: ClientId,
    points: Vec<PointId>,
    origin: &Origin,
    (epoch, mut from): (String, i64),
    block: impl Fn(&Site) -> Option<Step>,
) -> Result<(Vec<Committed>, bool)> {
    let (mut dropped, mut under_way) = (Vec::new(), false);
    for point in points {
        let decided = Moment::now();
        let Some(site) = facts::site(transaction, client, point).await? else { continue };
        if site.held.as_ref().is_some_and(|held| held.command.state.is_executing()) {
            under_way = true;
            continue;
        }
        let Some(step) = block(&site) else { continue };
        let rows = Writing { transaction, client, site: &site, owner: None, origin }.enter(from, &step, None).await?;
        let before = from;
        from = rows.last().map_or(from, |row| row.offset);
        dropped.push(Committed::new(client, site, decided, (epoch.clone(), before), rows, step));
    }
    Ok((dropped, under_way))
}

async fn advance(transaction: &Transaction<'_>, client: ClientId) -> Result<i64> {
    let statement = transaction.prepare_cached(sql!("control/advance_tags")).await?;
    Ok(transaction.query_one(&statement, &[&client.0]).await?.try_get("top")?)
}

async fn of_location(transaction: &Transaction<'_>, client: ClientId, location: NodeId) -> Result<Vec<TagRecord>> {
    let statement = transaction.prepare_cached(sql!("control/tag_rows", "control/tags")).await?;
    transaction.query(&statement, &[&client.0, &Some(location.0)]).await?.iter().map(tag).collect()
}

/// Returns the subject of the audit entry.
fn subject(tag: &TagRecord) -> String {
    tag.asset.map_or_else(|| format!("location {}", tag.location), |asset| format!("asset {asset}"))
}

fn audit_value(tag: &TagRecord) -> serde_json::Value {
    json!({ "tag": tag.id, "scope": tag.scope.as_str(), "kind": tag.kind, "holder": tag.holder, "reason": tag.reason, "expires": tag.expires.map(Micros::millis) })
}
