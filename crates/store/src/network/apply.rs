//! Stores a planned change set as a new version, completely or not at all.

use deadpool_postgres::Transaction;
use grid::{ClientId, Micros};
use network::changes::{Difference, Part, PartDifference};
use serde_json::{Value, json};

use super::{NOTE_CHARACTERS_MAX, NetworkError, Plan, StoredPart, VersionNumber};
use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, sql};
use crate::tenant::{bind, release};
use crate::{Result, Store};

/// Number of rows of one statement.
const BATCH: usize = 10_000;

/// Maximum number of ids in the audit entry, for each kind of change. The rows of the version contain all of them.
const AUDIT_IDS_MAX: usize = 20;

impl Store {
    /// Stores a planned change as the next version and adds an audit entry, in one transaction. Returns the number of the version; `None` if the
    /// plan changes nothing. Refused if findings prevent storing, or if another version was stored since the plan was made.
    pub async fn apply_network(
        &self,
        client: ClientId,
        plan: &Plan,
        note: &str,
        now: Micros,
        origin: &Origin,
    ) -> Result<Option<VersionNumber>, NetworkError> {
        let characters = note.chars().count();
        if characters > NOTE_CHARACTERS_MAX {
            return Err(NetworkError::LongNote(characters));
        }
        if !plan.findings().permit_storing() {
            return Err(NetworkError::Findings(Box::new(plan.findings().clone())));
        }
        let difference = plan.difference();
        if difference.is_empty() {
            return Ok(None);
        }
        let mut connection = self.pool.get().await.map_err(crate::Error::from)?;
        let transaction = connection.transaction().await.map_err(crate::Error::from)?;
        bind(&transaction, client).await?;
        let newest = lock(&transaction, client).await?;
        if newest != plan.based_on {
            return Err(NetworkError::Outdated { based_on: plan.based_on, newest });
        }
        let version = VersionNumber(newest + 1);
        put_version(&transaction, client, version, plan, (note, now, origin)).await?;
        put(&transaction, client, version, &difference.containers).await?;
        put(&transaction, client, version, &difference.nodes).await?;
        put(&transaction, client, version, &difference.equipment).await?;
        put(&transaction, client, version, &difference.measurements).await?;
        release(&transaction).await?;
        let before = (newest > 0).then(|| json!({ "version": newest }));
        let entry = Entry::new(origin, "network_version_stored", format!("network version {version}"));
        enter(&transaction, &entry.changing(before, Some(audit_value(version, note, &difference)))).await?;
        transaction.commit().await.map_err(crate::Error::from)?;
        Ok(Some(version))
    }
}

/// Locks the versions of a utility. Returns the newest; 0 if there is none.
pub(super) async fn lock(transaction: &Transaction<'_>, client: ClientId) -> Result<i32> {
    transaction.execute(sql!("network/lock"), &[&client.0]).await?;
    let newest: Option<i32> = transaction.query_one(sql!("network/newest"), &[&client.0]).await?.try_get("number")?;
    Ok(newest.unwrap_or(0))
}

async fn put_version(
    transaction: &Transaction<'_>,
    client: ClientId,
    version: VersionNumber,
    plan: &Plan,
    (note, now, origin): (&str, Micros, &Origin),
) -> Result<()> {
    // The numbers are limited.
    let count = |length: usize| i32::try_from(length).unwrap_or(i32::MAX);
    let new = plan.network();
    let (containers, nodes) = (count(new.containers.len()), count(new.nodes.len()));
    let (equipment, measurements) = (count(new.equipment.len()), count(new.measurements.len()));
    let (note, member, now) = (crate::convert::without_nul(note), origin.actor.map(|actor| actor.0), Stamp(now));
    let put = sql!("network/put_version");
    transaction.execute(put, &[&client.0, &version.0, &note, &member, &now, &containers, &nodes, &equipment, &measurements]).await?;
    Ok(())
}

async fn put<T: StoredPart>(
    transaction: &Transaction<'_>,
    client: ClientId,
    version: VersionNumber,
    difference: &PartDifference<'_, T>,
) -> Result<()> {
    let PartDifference { added, changed, removed } = difference;
    let ended: Vec<&str> = changed.iter().map(|part| part.id()).chain(removed.iter().copied()).collect();
    for ids in ended.chunks(BATCH) {
        transaction.execute(T::END, &[&client.0, &version.0, &ids]).await?;
    }
    let started: Vec<&T> = added.iter().chain(changed).copied().collect();
    for parts in started.chunks(BATCH) {
        T::insert(transaction, client, version, parts).await?;
    }
    Ok(())
}

fn audit_value(version: VersionNumber, note: &str, difference: &Difference<'_>) -> Value {
    fn of<T: Part>(difference: &PartDifference<'_, T>) -> Value {
        let PartDifference { added, changed, removed } = difference;
        let first = |ids: &mut dyn Iterator<Item = &str>| ids.take(AUDIT_IDS_MAX).map(str::to_owned).collect::<Vec<_>>();
        json!({
            "added": { "count": added.len(), "first": first(&mut added.iter().map(|part| part.id())) },
            "changed": { "count": changed.len(), "first": first(&mut changed.iter().map(|part| part.id())) },
            "removed": { "count": removed.len(), "first": first(&mut removed.iter().copied()) },
        })
    }
    let Difference { containers, nodes, equipment, measurements } = difference;
    json!({
        "version": version.0, "note": crate::convert::without_nul(note), "containers": of(containers), "nodes": of(nodes),
        "equipment": of(equipment), "measurements": of(measurements),
    })
}
