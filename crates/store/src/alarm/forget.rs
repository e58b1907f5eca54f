//! Deletes old changes of alarms and faults, oldest first, and expired faults. Alarms themselves are kept: there is one row for each possible alarm.

use grid::{ClientId, Micros};

use crate::convert::{Stamp, sql};
use crate::kept::Level;
use crate::{Result, Store};

/// Maximum number of rows of a table that one statement deletes.
pub const FORGET_MAX: i64 = 5_000;

impl Store {
    /// Deletes changes of a utility's alarms and faults from before a time; with `None`, such changes are kept for ever. Also deletes ended faults that are
    /// older than the retention of faults, with all their changes. At most [`FORGET_MAX`] rows of each table are deleted. Returns the number of deleted rows,
    /// and whether there may be more.
    ///
    /// A client that continues a stream from a deleted offset gets false from [`Store::alarms_reach`] or [`Store::faults_reach`].
    pub async fn forget_alarms(&self, client: ClientId, changes_before: Option<Micros>) -> Result<(u64, bool)> {
        let faults_before = self.kept().await?.of(Level::Fault);
        // A fault is deleted after its changes, and changes oldest first, so that only the start of the stream is deleted.
        let statements = [
            (sql!("alarm_work/forget_alarms"), changes_before),
            (sql!("alarm_work/forget_fault_events"), changes_before.max(faults_before)),
            (sql!("alarm_work/forget_faults"), faults_before),
        ];
        let (mut gone, mut more) = (0, false);
        for (statement, before) in statements {
            let Some(before) = before else { continue };
            let rows = self.execute(statement, &[&client.0, &Stamp(before), &FORGET_MAX]).await?;
            (gone, more) = (gone + rows, more || rows >= FORGET_MAX as u64);
        }
        Ok((gone, more))
    }

    /// Returns whether every change of a utility's alarms after an offset is still stored. Call it after the query of the changes: if the answer is true then,
    /// all changes were stored during the query.
    pub async fn alarms_reach(&self, client: ClientId, offset: i64) -> Result<bool> {
        self.reach(client, sql!("alarm_work/alarms_reach"), offset).await
    }

    /// As [`Store::alarms_reach`], for faults.
    pub async fn faults_reach(&self, client: ClientId, offset: i64) -> Result<bool> {
        self.reach(client, sql!("alarm_work/faults_reach"), offset).await
    }

    async fn reach(&self, client: ClientId, statement: &str, offset: i64) -> Result<bool> {
        let rows = self.query_bound(client, statement, &[&client.0, &offset]).await?;
        // A utility without a stream has no deleted changes.
        rows.first().map_or(Ok(true), |row| Ok(row.try_get("reach")?))
    }
}
