//! Temporary changes as they are stored, and whether they fit a version of the network.

use deadpool_postgres::Transaction;
use grid::{ClientId, Micros, NodeId};
use network::Description;
use network::temporary::{NamedTerminal, PlacedChange, TemporaryChange};
use serde_json::Value;
use tokio_postgres::Row;

use crate::convert::{micros, micros_or_null, sql};
use crate::network::VersionNumber;
use crate::{Error, Result};

/// A temporary change as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemporaryRecord {
    /// Its number.
    pub id: i64,
    /// The change.
    pub change: TemporaryChange,
    /// The terminals that the crew has named, in order.
    pub at: Vec<NamedTerminal>,
    /// Where it is, for display.
    pub place: String,
    /// The substation at which it is.
    pub location: Option<NodeId>,
    /// Reason that the user gave.
    pub reason: String,
    /// Whether the user stated that the place was proved dead on site.
    pub is_seen_dead: bool,
    /// Version of the network that was active when it was placed.
    pub version: VersionNumber,
    /// Name of the user who placed it.
    pub by: String,
    /// Time from which it is there.
    pub placed: Micros,
    /// How it was removed; `None` while it is there.
    pub removal: Option<RemovalRecord>,
}

impl TemporaryRecord {
    /// Returns it as it is applied to a network.
    pub fn placed_change(&self) -> PlacedChange<'_> {
        PlacedChange { number: self.id, change: &self.change, at: &self.at }
    }
}

/// A current change that does not fit a version of the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfitChange {
    /// The change.
    pub record: TemporaryRecord,
    /// Why it does not fit.
    pub reason: String,
}

impl std::fmt::Display for UnfitChange {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { record, reason } = self;
        write!(out, "{} {}, placed by {} at {}: {reason}", record.change.kind(), record.id, record.by, record.place)
    }
}

/// Returns those of the current changes of a utility that do not fit a network. May take as long as a check of the network.
pub fn unfit_changes(network: &Description, current: &[TemporaryRecord]) -> Vec<UnfitChange> {
    if current.is_empty() {
        return Vec::new();
    }
    let (_, misfits) = network.with_fitting(current.iter().map(TemporaryRecord::placed_change));
    let unfit = misfits.into_iter().filter_map(|misfit| {
        let record = current.iter().find(|record| record.id == misfit.number)?.clone();
        Some(UnfitChange { record, reason: misfit.reason.to_string() })
    });
    unfit.collect()
}

/// How a temporary change was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovalRecord {
    /// Name of the user.
    pub by: String,
    /// Reason that the user gave.
    pub reason: String,
    /// Time of the removal.
    pub at: Micros,
}

/// Returns the current changes of a utility within a transaction.
pub(crate) async fn current(transaction: &Transaction<'_>, client: ClientId) -> Result<Vec<TemporaryRecord>> {
    let statement = transaction.prepare_cached(sql!("temporary_change/rows", "temporary_change/current")).await?;
    transaction.query(&statement, &[&client.0]).await?.iter().map(record).collect()
}

/// Returns the numbers of the current changes of a utility within a transaction, in order.
pub(crate) async fn numbers(transaction: &Transaction<'_>, client: ClientId) -> Result<Vec<i64>> {
    let statement = transaction.prepare_cached(sql!("temporary_change/numbers", "temporary_change/current")).await?;
    transaction.query(&statement, &[&client.0]).await?.iter().map(|row| Ok(row.try_get("id")?)).collect()
}

pub(crate) fn record(row: &Row) -> Result<TemporaryRecord> {
    let id = row.try_get("id")?;
    let what: Value = row.try_get("what")?;
    let change = serde_json::from_value(what).map_err(|error| Error::Unreadable(format!("temporary change {id}: {error}")))?;
    let terminals: Value = row.try_get("terminals")?;
    let at = serde_json::from_value(terminals).map_err(|error| Error::Unreadable(format!("temporary change {id}: {error}")))?;
    let removal = match micros_or_null(row, "removed")? {
        Some(at) => Some(RemovalRecord { by: row.try_get("removed_by")?, reason: row.try_get("removed_reason")?, at }),
        None => None,
    };
    Ok(TemporaryRecord {
        id,
        change,
        at,
        place: row.try_get("place")?,
        location: row.try_get::<_, Option<i64>>("location_id")?.map(NodeId),
        reason: row.try_get("reason")?,
        is_seen_dead: row.try_get("seen_dead")?,
        version: VersionNumber(row.try_get("version")?),
        by: row.try_get("placed_by")?,
        placed: micros(row, "placed")?,
        removal,
    })
}
