//! Activates a version from a time on.

use grid::{ClientId, Micros};
use serde_json::json;
use tokio::task::JoinError;

use super::apply::lock;
use super::{ActiveVersion, NetworkError, VersionNumber};
use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, micros, sql};
use crate::temporary_record::unfit_changes;
use crate::tenant::{bind, release};
use crate::{Error, Store, temporary_record};

/// An activation that was entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activated {
    /// The version and the time from which it is active.
    pub active: ActiveVersion,
    /// Planned activations at or after that time. They were removed.
    pub replaced: Vec<ActiveVersion>,
}

impl Store {
    /// Activates a version from a time on, and adds an audit entry. Planned activations at or after that time are removed.
    ///
    /// The effective time is the later of `now` and the clock of the database, read under the lock of activations and that of commands, so no command is decided on the version before at or after that time. If `since` equals `now`, the version becomes
    /// active at the effective time.
    ///
    /// Refused if the network has errors, or if current temporary changes do not fit it: nobody would know where they are. Refused if another version is active and `since` is before the effective time, because past figures would no longer
    /// agree with those that were reported.
    pub async fn activate_network(
        &self,
        client: ClientId,
        version: VersionNumber,
        since: Micros,
        now: Micros,
        origin: &Origin,
    ) -> Result<Activated, NetworkError> {
        self.activate(client, version, [since, now], None, origin).await
    }

    /// The same, also if temporary changes do not fit the version. The reason is in the audit, with their numbers.
    pub async fn activate_network_despite_unfit(
        &self,
        client: ClientId,
        version: VersionNumber,
        since: Micros,
        now: Micros,
        reason: &str,
        origin: &Origin,
    ) -> Result<Activated, NetworkError> {
        self.activate(client, version, [since, now], Some(reason), origin).await
    }

    async fn activate(
        &self,
        client: ClientId,
        version: VersionNumber,
        [since, now]: [Micros; 2],
        reason: Option<&str>,
        origin: &Origin,
    ) -> Result<Activated, NetworkError> {
        // Versions do not change, so they need no lock.
        let description = self.network(client, version).await?.ok_or(NetworkError::NoVersion(version))?;
        let seen = self.temporary_changes(client).await?;
        let ended = |error: JoinError| Error::Data(format!("the check of the network ended: {error}"));
        let checked = tokio::task::spawn_blocking(move || {
            let (findings, unfit) = (description.check(), unfit_changes(&description, &seen));
            (description, findings, seen, unfit)
        });
        let (description, findings, seen, mut unfit) = checked.await.map_err(ended)?;
        if !findings.permit_activation() {
            return Err(NetworkError::Findings(Box::new(findings)));
        }
        let mut connection = self.pool.get().await.map_err(Error::from)?;
        let transaction = connection.transaction().await.map_err(Error::from)?;
        bind(&transaction, client).await?;
        lock(&transaction, client).await?;
        // A command is decided and stored under this lock: with the version before this activation, or with the one after it.
        transaction.execute(sql!("control/create_stream"), &[&client.0]).await.map_err(Error::from)?;
        transaction.query_opt(sql!("control/lock"), &[&client.0]).await.map_err(Error::from)?;
        // Changes are placed and removed under the lock of commands.
        let current = temporary_record::current(&transaction, client).await?;
        if current != seen {
            unfit = tokio::task::spawn_blocking(move || unfit_changes(&description, &current)).await.map_err(ended)?;
        }
        if reason.is_none() && !unfit.is_empty() {
            return Err(NetworkError::Unfit(unfit));
        }
        // The check and the locks take time, in which a planned version can become active. It must neither be removed nor preceded by another one.
        let time = transaction.query_one(sql!("network/time"), &[]).await.map_err(Error::from)?;
        let requested = now;
        let now = micros(&time, "now")?.max(requested);
        let since = if since == requested { now } else { since };
        let active = transaction.query_opt(sql!("network/active"), &[&client.0, &Stamp(now)]).await.map_err(Error::from)?;
        let before = active.as_ref().map(ActiveVersion::from_row).transpose()?;
        if let Some(before) = before.filter(|_| since < now) {
            return Err(NetworkError::Past { active: before.version });
        }
        let dropped = transaction.query(sql!("network/drop_planned"), &[&client.0, &Stamp(since), &Stamp(now)]).await;
        let replaced = dropped.map_err(Error::from)?.iter().map(ActiveVersion::from_row).collect::<Result<Vec<_>, _>>()?;
        let member = origin.actor.map(|actor| actor.0);
        let put = transaction.execute(sql!("network/put_activation"), &[&client.0, &Stamp(since), &version.0, &member, &Stamp(now)]).await;
        put.map_err(Error::from)?;
        release(&transaction).await?;
        let audit_value = |of: &ActiveVersion| json!({ "version": of.version.0, "sinceMicros": of.since.0 });
        let was = json!({ "active": before.as_ref().map(audit_value), "planned": replaced.iter().map(audit_value).collect::<Vec<_>>() });
        let active = ActiveVersion { version, since, until: None };
        let entry = Entry::new(origin, "network_activated", format!("network version {version}"));
        let mut is = audit_value(&active);
        if !unfit.is_empty() {
            is["unfit"] = unfit.iter().map(|of| of.record.id).collect();
            is["unfitReason"] = json!(reason);
        }
        enter(&transaction, &entry.changing(Some(was), Some(is))).await?;
        transaction.commit().await.map_err(Error::from)?;
        Ok(Activated { active, replaced })
    }
}
