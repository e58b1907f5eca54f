//! Jumpers, cuts and portable earths that crews have placed. Each change is audited in its own transaction, under the lock of the utility's commands: a decision
//! about a command sees either all of it or nothing.

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use grid::area::Place;
use grid::{ClientId, MemberId, Micros, NodeId, PointId};
use network::temporary::{NamedTerminal, TEMPORARY_MAX, TemporaryChange};
use serde_json::{Value, json};

use crate::audit::{Entry, Origin, enter};
use crate::control::stream_lock::lock;
use crate::control::{Locked, NetworkFacts, network_facts};
use crate::convert::{Stamp, micros, sql, without_nul};
use crate::network::{ActiveVersion, VersionNumber};
use crate::temporary_record::{current, numbers, record};
use crate::{Error, Result, Store, areas, tenant};

pub use crate::temporary_record::{RemovalRecord, TemporaryRecord, UnfitChange, unfit_changes};

/// The decision whether a change is dangerous, within the transaction that places or removes it.
#[derive(Clone)]
pub struct SafetyCheck<'a> {
    /// The points of the network.
    pub points: Vec<PointId>,
    /// Decides with what the database has under the lock of commands. Returns why it is refused.
    pub permit: &'a (dyn Fn(&NetworkFacts) -> std::result::Result<(), String> + Send + Sync),
}

impl std::fmt::Debug for SafetyCheck<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SafetyCheck").field("points", &self.points).finish_non_exhaustive()
    }
}

impl SafetyCheck<'_> {
    async fn decide(
        &self,
        transaction: &Transaction<'_>,
        client: ClientId,
        locked: Option<Locked<'_>>,
    ) -> Result<std::result::Result<(), String>> {
        Ok((self.permit)(&network_facts(transaction, client, &self.points, locked).await?))
    }
}

/// With what a removal is checked.
#[derive(Debug, Clone)]
pub struct CheckedWith<'a> {
    /// The version of the network.
    pub version: VersionNumber,
    /// The time from which it was active.
    pub since: Micros,
    /// The numbers of the temporary changes, in order.
    pub temporary: Vec<i64>,
    /// The decision.
    pub safety: SafetyCheck<'a>,
}

/// By what a repeated request is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestKey {
    /// SHA-256 of the user and the idempotency key.
    pub hash: [u8; 32],
    /// SHA-256 of the content of the request.
    pub body: [u8; 32],
}

/// What an earlier request with the same key has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Earlier {
    /// It was the same request, about this change.
    Same(Box<TemporaryRecord>),
    /// It had another content, and was about this change.
    Other(Box<TemporaryRecord>),
}

/// A removal to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRemoval {
    /// Who removes it, why, and when.
    pub removal: RemovalRecord,
    /// By what a repeated request is recognised.
    pub key: Option<RequestKey>,
}

/// A temporary change to place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTemporaryChange {
    /// The change.
    pub change: TemporaryChange,
    /// The terminals that the crew has named, in order.
    pub at: Vec<NamedTerminal>,
    /// Where it is, for display.
    pub place: String,
    /// The substation at which it is.
    pub location: Option<NodeId>,
    /// Reason that the user gives.
    pub reason: String,
    /// Whether the user states that the place was proved dead on site.
    pub is_seen_dead: bool,
    /// The active version of the network.
    pub version: VersionNumber,
    /// The time from which it is active.
    pub since: Micros,
    /// The numbers of the changes with which the new one was checked, in order.
    pub checked_with: Vec<i64>,
    /// The user; `None` at the console.
    pub member: Option<MemberId>,
    /// Name of the user.
    pub by: String,
    /// Time from which it is there.
    pub placed: Micros,
    /// By what a repeated request is recognised.
    pub key: Option<RequestKey>,
}

/// What has become of a change to place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placing {
    /// It is stored.
    Placed(Box<TemporaryRecord>),
    /// An earlier request had the same key.
    Earlier(Earlier),
    /// The utility has as many as are allowed.
    TooMany,
    /// Others were placed or removed since it was checked, or another version of the network is active.
    Outdated,
    /// A command is on its way to a device, which could change what was checked.
    CommandUnderWay,
    /// It would be dangerous, for this reason.
    Dangerous(String),
}

/// What has become of a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removing {
    /// It is stored.
    Removed(Box<TemporaryRecord>),
    /// An earlier request had the same key.
    Earlier(Earlier),
    /// There is no such current change.
    NotCurrent,
    /// Others were placed or removed since it was checked, or another version of the network is active.
    Outdated,
    /// A command is on its way to a device, which could change what was checked.
    CommandUnderWay,
    /// It would be dangerous, for this reason.
    Dangerous(String),
    /// The change with this number is at the free end of the cut.
    Needed(i64),
}

impl Store {
    /// Returns the current changes of a utility, ordered by their numbers.
    pub async fn temporary_changes(&self, client: ClientId) -> Result<Vec<TemporaryRecord>> {
        let rows = self.of(client).query(sql!("temporary_change/rows", "temporary_change/current"), &[&client.0]).await?;
        rows.iter().map(record).collect()
    }

    /// Returns the current changes of all utilities, each ordered by their numbers.
    pub async fn temporary_changes_of_all(&self) -> Result<BTreeMap<ClientId, Vec<TemporaryRecord>>> {
        let mut changes: BTreeMap<ClientId, Vec<TemporaryRecord>> = BTreeMap::new();
        for row in self.query(sql!("temporary_change/rows", "temporary_change/current_of_all"), &[]).await? {
            changes.entry(ClientId(row.try_get("client_id")?)).or_default().push(record(&row)?);
        }
        Ok(changes)
    }

    /// Returns from when on current changes will not fit the network, because a planned version has a terminal of theirs at another node, or not at all.
    pub async fn unfit_when_planned(&self, client: ClientId) -> Result<BTreeMap<i64, Micros>> {
        let rows = self.of(client).query(sql!("temporary_change/unfit_planned"), &[&client.0]).await?;
        rows.iter().map(|row| Ok((row.try_get("id")?, micros(row, "since")?))).collect()
    }

    /// Returns removed changes with numbers below `before`, newest first.
    pub async fn removed_temporary_changes(&self, client: ClientId, before: Option<i64>, limit: i64) -> Result<Vec<TemporaryRecord>> {
        let rows = self.of(client).query(sql!("temporary_change/rows", "temporary_change/removed"), &[&client.0, &before, &limit]).await?;
        rows.iter().map(record).collect()
    }

    /// Returns what an earlier request to place a change with this key has done.
    pub async fn earlier_placing(&self, client: ClientId, key: &RequestKey) -> Result<Option<Earlier>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        earlier(&transaction, client, Some(key), sql!("temporary_change/of_request")).await
    }

    /// Returns what an earlier request to remove a change with this key has done.
    pub async fn earlier_removal(&self, client: ClientId, key: &RequestKey) -> Result<Option<Earlier>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        earlier(&transaction, client, Some(key), sql!("temporary_change/of_removal")).await
    }

    /// Places a change, unless `safety` refuses it. `places` are those of the equipment in the areas of responsibility.
    pub async fn place_temporary_change(
        &self,
        client: ClientId,
        new: &NewTemporaryChange,
        safety: &SafetyCheck<'_>,
        places: &[Place],
        origin: &Origin,
    ) -> Result<Placing> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let stream = lock(&transaction, client).await?;
        let locked = stream.as_ref().map(|(epoch, top)| Locked { known: &self.known, epoch, top: *top });
        if let Some(earlier) = earlier(&transaction, client, new.key.as_ref(), sql!("temporary_change/of_request")).await? {
            return Ok(Placing::Earlier(earlier));
        }
        let current = numbers(&transaction, client).await?;
        if current.len() >= TEMPORARY_MAX {
            return Ok(Placing::TooMany);
        }
        if current != new.checked_with || !is_active(&transaction, client, new.version, new.since).await? {
            return Ok(Placing::Outdated);
        }
        if is_command_under_way(&transaction, client).await? {
            return Ok(Placing::CommandUnderWay);
        }
        areas::permit(&transaction, client, origin, places).await?;
        if let Err(danger) = safety.decide(&transaction, client, locked).await? {
            return Ok(Placing::Dangerous(danger));
        }
        let what = serde_json::to_value(&new.change).map_err(|error| Error::Data(format!("a temporary change: {error}")))?;
        let terminals = serde_json::to_value(&new.at).map_err(|error| Error::Data(format!("a temporary change: {error}")))?;
        let (place, reason, by) = (without_nul(&new.place), without_nul(&new.reason), without_nul(&new.by));
        let (location, member) = (new.location.map(|node| node.0), new.member.map(|member| member.0));
        let statement = transaction.prepare_cached(sql!("temporary_change/put")).await?;
        let row = transaction
            .query_one(
                &statement,
                &[
                    &client.0,
                    &what,
                    &terminals,
                    &place,
                    &location,
                    &reason,
                    &new.is_seen_dead,
                    &new.version.0,
                    &member,
                    &by,
                    &Stamp(new.placed),
                    &new.key.as_ref().map(|key| key.hash.as_slice()),
                    &new.key.as_ref().map(|key| key.body.as_slice()),
                ],
            )
            .await?;
        let placed = record(&row)?;
        tenant::release(&transaction).await?;
        let entry = Entry::new(origin, "temporary_change_placed", subject(&placed)).changing(None, Some(audit_value(&placed, &what)));
        enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Placing::Placed(Box::new(placed)))
    }

    /// Removes a current change. What is at the free end of a cut has to be removed before the cut. `checked`: with what the removal was checked; without it, the
    /// removal of a cut or a jumper is an error, also if it does not fit the version. `places` are those of the equipment in the areas of responsibility.
    pub async fn remove_temporary_change(
        &self,
        client: ClientId,
        id: i64,
        NewRemoval { removal, key }: &NewRemoval,
        checked: Option<&CheckedWith<'_>>,
        places: &[Place],
        origin: &Origin,
    ) -> Result<Removing> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let stream = lock(&transaction, client).await?;
        let locked = stream.as_ref().map(|(epoch, top)| Locked { known: &self.known, epoch, top: *top });
        if let Some(earlier) = earlier(&transaction, client, key.as_ref(), sql!("temporary_change/of_removal")).await? {
            return Ok(Removing::Earlier(earlier));
        }
        let current = current(&transaction, client).await?;
        if let Some(needed) = current.iter().find(|other| other.change.is_at_end_of(id)) {
            return Ok(Removing::Needed(needed.id));
        }
        areas::permit(&transaction, client, origin, places).await?;
        let is_judged = |record: &TemporaryRecord| {
            record.id == id && matches!(record.change, TemporaryChange::Cut { .. } | TemporaryChange::Jumper { .. })
        };
        if checked.is_none() && current.iter().any(is_judged) {
            return Err(Error::Data(format!("the removal of change {id} was not checked, but it joins or separates two places")));
        }
        if let Some(CheckedWith { version, since, temporary, safety }) = checked {
            let is_same = current.iter().map(|record| record.id).eq(temporary.iter().copied());
            if !is_same || !is_active(&transaction, client, *version, *since).await? {
                return Ok(Removing::Outdated);
            }
            if is_command_under_way(&transaction, client).await? {
                return Ok(Removing::CommandUnderWay);
            }
            if let Err(danger) = safety.decide(&transaction, client, locked).await? {
                return Ok(Removing::Dangerous(danger));
            }
        }
        let (by, reason) = (without_nul(&removal.by), without_nul(&removal.reason));
        let statement = transaction.prepare_cached(sql!("temporary_change/remove")).await?;
        let (hash, body) = (key.as_ref().map(|key| key.hash.as_slice()), key.as_ref().map(|key| key.body.as_slice()));
        let Some(row) = transaction.query_opt(&statement, &[&client.0, &id, &Stamp(removal.at), &by, &reason, &hash, &body]).await? else {
            return Ok(Removing::NotCurrent);
        };
        tenant::release(&transaction).await?;
        let removed = record(&row)?;
        let entry = Entry::new(origin, "temporary_change_removed", subject(&removed));
        let before = audit_value(&removed, &row.try_get("what")?);
        enter(&transaction, &entry.changing(Some(before), Some(json!({ "reason": removal.reason })))).await?;
        transaction.commit().await?;
        Ok(Removing::Removed(Box::new(removed)))
    }
}

/// Returns what an earlier request with a key has done. `found` selects the change that it is about.
async fn earlier(transaction: &Transaction<'_>, client: ClientId, key: Option<&RequestKey>, found: &str) -> Result<Option<Earlier>> {
    let Some(RequestKey { hash, body }) = key else { return Ok(None) };
    let statement = transaction.prepare_cached(found).await?;
    let Some(row) = transaction.query_opt(&statement, &[&client.0, &hash.as_slice(), &body.as_slice()]).await? else { return Ok(None) };
    let is_same = row.try_get::<_, bool>("is_same")?;
    let statement = transaction.prepare_cached(sql!("temporary_change/rows", "temporary_change/one")).await?;
    let row = transaction.query_one(&statement, &[&client.0, &row.try_get::<_, i64>("id")?]).await?;
    let record = Box::new(record(&row)?);
    Ok(Some(if is_same { Earlier::Same(record) } else { Earlier::Other(record) }))
}

/// Returns whether a version of the network that was active from a time on still is, within a transaction and by the clock of the database. It is not if another
/// version was active meanwhile: manual entries have lapsed by that one.
async fn is_active(transaction: &Transaction<'_>, client: ClientId, version: VersionNumber, since: Micros) -> Result<bool> {
    let statement = transaction.prepare_cached(sql!("network/time")).await?;
    let now = micros(&transaction.query_one(&statement, &[]).await?, "now")?;
    let statement = transaction.prepare_cached(sql!("network/active")).await?;
    let row = transaction.query_opt(&statement, &[&client.0, &Stamp(now)]).await?;
    let active = row.as_ref().map(ActiveVersion::from_row).transpose()?;
    Ok(active.is_some_and(|active| (active.version, active.since) == (version, since)))
}

/// Returns whether a command is on its way to any device of a utility.
async fn is_command_under_way(transaction: &Transaction<'_>, client: ClientId) -> Result<bool> {
    let statement = transaction.prepare_cached(sql!("control/moving")).await?;
    Ok(!transaction.query(&statement, &[&client.0]).await?.is_empty())
}

fn subject(record: &TemporaryRecord) -> String {
    format!("{} {} at {}", record.change.kind(), record.id, record.place)
}

fn audit_value(record: &TemporaryRecord, what: &Value) -> Value {
    json!({
        "id": record.id,
        "what": what,
        "terminals": record.at,
        "place": record.place,
        "reason": record.reason,
        "seenDead": record.is_seen_dead,
        "by": record.by,
        "placed": record.placed.millis(),
        "version": record.version.0,
    })
}
