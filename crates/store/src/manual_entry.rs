//! Values that users have entered for equipment of the network that nothing reports. Each change is audited in its own transaction.

use std::collections::BTreeMap;

use deadpool_postgres::Transaction;
use grid::area::Place;
use grid::{ClientId, MemberId, Micros};
use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::audit::{Entry, Origin, enter};
use crate::convert::{Stamp, micros, micros_or_null, sql, without_nul};
use crate::network::VersionNumber;
use crate::{Result, Store, areas, tenant};

/// Maximum number of characters of a reason.
pub const REASON_CHARACTERS_MAX: usize = 200;

/// A value that a user has entered.
#[derive(Debug, Clone, PartialEq)]
pub struct ManualEntry {
    /// Its number.
    pub id: i64,
    /// Id of the equipment in the network.
    pub equipment: String,
    /// What was entered, by the code of points, such as `Pos`.
    pub quantity: String,
    /// The value. A position is a double point: 1 open, 2 closed.
    pub value: f64,
    /// Reason that the user gave.
    pub reason: String,
    /// Version of the network that was active at the entry.
    pub version: VersionNumber,
    /// Name of the user.
    pub by: String,
    /// Time of the entry.
    pub entered: Micros,
}

/// A value to enter.
#[derive(Debug, Clone, PartialEq)]
pub struct NewManualEntry {
    /// Id of the equipment in the network.
    pub equipment: String,
    /// What is entered, by the code of points.
    pub quantity: &'static str,
    /// The value.
    pub value: f64,
    /// Reason that the user gives.
    pub reason: String,
    /// The active version of the network.
    pub version: VersionNumber,
    /// The user; `None` at the console.
    pub member: Option<MemberId>,
    /// Name of the user.
    pub by: String,
    /// Time of the entry.
    pub entered: Micros,
}

/// A position that a user had entered for a time.
#[derive(Debug, Clone, PartialEq)]
pub struct PastPosition {
    /// Id of the equipment in the network.
    pub equipment: String,
    /// The position as a double point: 1 open, 2 closed.
    pub value: f64,
    /// Time of the entry.
    pub entered: Micros,
    /// Time of the withdrawal; `None` while it is current.
    pub withdrawn: Option<Micros>,
}

/// Who withdraws an entry, and why.
#[derive(Debug, Clone, Copy)]
pub struct Withdrawal<'a> {
    /// Name of the user.
    pub by: &'a str,
    /// Reason that the user gives.
    pub reason: &'a str,
    /// Time of the withdrawal.
    pub at: Micros,
}

impl Store {
    /// Returns the current entries of a utility, ordered by equipment.
    pub async fn manual_entries(&self, client: ClientId) -> Result<Vec<ManualEntry>> {
        let rows = self.of(client).query(sql!("manual_entry/rows", "manual_entry/current"), &[&client.0]).await?;
        rows.iter().map(entry).collect()
    }

    /// Returns the current entries of all utilities.
    pub async fn manual_entries_of_all(&self) -> Result<BTreeMap<ClientId, Vec<ManualEntry>>> {
        let mut entries: BTreeMap<ClientId, Vec<ManualEntry>> = BTreeMap::new();
        for row in self.query(sql!("manual_entry/rows", "manual_entry/current_of_all"), &[]).await? {
            entries.entry(ClientId(row.try_get("client_id")?)).or_default().push(entry(&row)?);
        }
        Ok(entries)
    }

    /// Returns the positions that users had entered within a time, the newest first, at most `limit`.
    pub async fn manual_positions(&self, client: ClientId, (from, to): (Micros, Micros), limit: i64) -> Result<Vec<PastPosition>> {
        let statement = sql!("manual_entry/positions_within");
        let rows = self.of(client).query(statement, &[&client.0, &Stamp(from), &Stamp(to), &limit]).await?;
        let position = |row: &Row| {
            Ok(PastPosition {
                equipment: row.try_get("equipment")?,
                value: row.try_get("value")?,
                entered: micros(row, "entered")?,
                withdrawn: micros_or_null(row, "withdrawn")?,
            })
        };
        rows.iter().map(position).collect()
    }

    /// Enters a value. The current entry for the same quantity of the equipment is withdrawn. `places` are those of the equipment in the areas of responsibility.
    pub async fn enter_manually(&self, client: ClientId, new: &NewManualEntry, places: &[Place], origin: &Origin) -> Result<ManualEntry> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let (at, by, reason) = (Stamp(new.entered), without_nul(&new.by), without_nul(&new.reason));
        let replace = transaction.prepare_cached(sql!("manual_entry/replace")).await?;
        let before = transaction.query_opt(&replace, &[&client.0, &new.equipment, &new.quantity, &at, &by, &reason]).await?;
        areas::permit(&transaction, client, origin, places).await?;
        let put = transaction.prepare_cached(sql!("manual_entry/put")).await?;
        let (version, member) = (new.version.0, new.member.map(|member| member.0));
        let row = transaction
            .query_one(&put, &[&client.0, &new.equipment, &new.quantity, &new.value, &reason, &version, &member, &by, &at])
            .await?;
        tenant::release(&transaction).await?;
        let (before, entered) = (before.as_ref().map(entry).transpose()?, entry(&row)?);
        let audited = Entry::new(origin, "manual_entry_made", subject(&entered));
        enter(&transaction, &audited.changing(before.as_ref().map(audit_value), Some(audit_value(&entered)))).await?;
        transaction.commit().await?;
        Ok(entered)
    }

    /// Withdraws a current entry; `None` if there is no such entry. `places` are those of the equipment in the areas of responsibility.
    pub async fn withdraw_manual_entry(
        &self,
        client: ClientId,
        id: i64,
        withdrawal: Withdrawal<'_>,
        places: &[Place],
        origin: &Origin,
    ) -> Result<Option<ManualEntry>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("manual_entry/withdraw")).await?;
        let (by, reason) = (without_nul(withdrawal.by), without_nul(withdrawal.reason));
        let Some(row) = transaction.query_opt(&statement, &[&client.0, &id, &Stamp(withdrawal.at), &by, &reason]).await? else {
            return Ok(None);
        };
        areas::permit(&transaction, client, origin, places).await?;
        tenant::release(&transaction).await?;
        let withdrawn = entry(&row)?;
        let audited = Entry::new(origin, "manual_entry_withdrawn", subject(&withdrawn));
        let after = json!({ "reason": withdrawal.reason });
        enter(&transaction, &audited.changing(Some(audit_value(&withdrawn)), Some(after))).await?;
        transaction.commit().await?;
        Ok(Some(withdrawn))
    }
}

/// Returns the current entries of a utility within a transaction.
pub(crate) async fn current(transaction: &Transaction<'_>, client: ClientId) -> Result<Vec<ManualEntry>> {
    let statement = transaction.prepare_cached(sql!("manual_entry/rows", "manual_entry/current")).await?;
    transaction.query(&statement, &[&client.0]).await?.iter().map(entry).collect()
}

fn entry(row: &Row) -> Result<ManualEntry> {
    Ok(ManualEntry {
        id: row.try_get("id")?,
        equipment: row.try_get("equipment")?,
        quantity: row.try_get("quantity")?,
        value: row.try_get("value")?,
        reason: row.try_get("reason")?,
        version: VersionNumber(row.try_get("version")?),
        by: row.try_get("entered_by")?,
        entered: micros(row, "entered")?,
    })
}

fn subject(entry: &ManualEntry) -> String {
    format!("{} of {}", entry.quantity, entry.equipment)
}

fn audit_value(entry: &ManualEntry) -> Value {
    json!({ "id": entry.id, "value": entry.value, "reason": entry.reason, "by": entry.by, "entered": entry.entered.millis(), "version": entry.version.0 })
}
