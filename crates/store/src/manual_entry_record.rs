//! Manual entries as they are stored.

use deadpool_postgres::Transaction;
use grid::manual_entry::{EntryRule, EntryTerms};
use grid::{ClientId, Ordinal, PointId};
use network::Phases;
use tokio_postgres::Row;

use crate::convert::{micros, micros_or_null, sql};
use crate::network::VersionNumber;
use crate::{Error, Result};

/// What a value was entered for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntrySubject {
    /// Equipment of the network, by its id.
    Equipment {
        /// Id of the equipment.
        id: String,
        /// Version of the network that was active at the entry.
        version: VersionNumber,
    },
    /// A point.
    Point(PointId),
}

impl EntrySubject {
    /// Returns the id of the equipment; `None` for a point.
    pub fn equipment(&self) -> Option<&str> {
        if let Self::Equipment { id, .. } = self { Some(id) } else { None }
    }

    /// Returns the point; `None` for equipment.
    pub fn point(&self) -> Option<PointId> {
        if let Self::Point(point) = self { Some(*point) } else { None }
    }

    pub(crate) fn version(&self) -> Option<i32> {
        if let Self::Equipment { version, .. } = self { Some(version.0) } else { None }
    }
}

/// A value that a user has entered.
#[derive(Debug, Clone, PartialEq)]
pub struct ManualEntry {
    /// Its number.
    pub id: i64,
    /// What it was entered for.
    pub subject: EntrySubject,
    /// What was entered, by the code of points, such as `Pos`.
    pub quantity: String,
    /// The phases of a position; none for all phases.
    pub phases: Phases,
    /// The value. A position is a double point: 1 open, 2 closed.
    pub value: f64,
    /// Reason that the user gave.
    pub reason: String,
    /// Name of the user.
    pub by: String,
    /// Until when it counts, with the times of the observation and the entry.
    pub terms: EntryTerms,
}

/// Returns the number of a reading; `None` if it is not stored.
pub(crate) fn ordinal(row: &Row, epoch: &str, seq: &str) -> Result<Option<Ordinal>> {
    let (epoch, seq): (Option<i64>, Option<i64>) = (row.try_get(epoch)?, row.try_get(seq)?);
    Ok(epoch.zip(seq).map(|(epoch, seq)| Ordinal { epoch, seq }))
}

/// Returns the current entries of a utility within a transaction.
pub(crate) async fn current(transaction: &Transaction<'_>, client: ClientId) -> Result<Vec<ManualEntry>> {
    let statement = transaction.prepare_cached(sql!("manual_entry/rows", "manual_entry/current")).await?;
    transaction.query(&statement, &[&client.0]).await?.iter().map(entry).collect()
}

pub(crate) fn entry(row: &Row) -> Result<ManualEntry> {
    let (equipment, version, point): (Option<String>, Option<i32>, Option<i64>) =
        (row.try_get("equipment")?, row.try_get("version")?, row.try_get("point_id")?);
    let subject = match (equipment, version, point) {
        (Some(id), Some(version), None) => EntrySubject::Equipment { id, version: VersionNumber(version) },
        (None, None, Some(point)) => EntrySubject::Point(PointId(point)),
        _ => return Err(Error::Data("a manual entry is neither for equipment nor for a point".to_owned())),
    };
    let (phases, rule): (&str, &str) = (row.try_get("phases")?, row.try_get("rule")?);
    let unknown = |what: &str| Error::Data(format!("a manual entry has an unknown {what}"));
    let entered = micros(row, "entered")?;
    Ok(ManualEntry {
        id: row.try_get("id")?,
        subject,
        quantity: row.try_get("quantity")?,
        phases: Phases::parse(phases).ok_or_else(|| unknown("phase"))?,
        value: row.try_get("value")?,
        reason: row.try_get("reason")?,
        by: row.try_get("entered_by")?,
        terms: EntryTerms {
            rule: EntryRule::parse(rule).ok_or_else(|| unknown("rule"))?,
            observed: micros_or_null(row, "observed")?.unwrap_or(entered),
            entered,
            seen: ordinal(row, "seen_epoch", "seen_seq")?,
        },
    })
}
