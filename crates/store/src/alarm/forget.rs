//! What is too old goes: changes of alarms and faults, from the oldest on, and faults that are over. Alarms themselves stay, one for each thing that can be one.

use grid::{ClientId, Micros};

use crate::convert::{Stamp, sql};
use crate::{Result, Store};

/// Rows of a table that go in one statement.
pub const FORGET_MAX: i64 = 5_000;

impl Store {
    /// Lets go what a utility's alarms and faults were before an instant, at most [`FORGET_MAX`] rows of each table; how many rows went, and whether there may be
    /// more. Streams lose their beginning: who asks from there is told so by [`Store::alarms_reach`] and [`Store::faults_reach`].
    pub async fn forget_alarms(&self, client: ClientId, before: Micros) -> Result<(u64, bool)> {
        const STATEMENTS: [&str; 3] =
            [sql!("alarm_work/forget_alarms"), sql!("alarm_work/forget_fault_events"), sql!("alarm_work/forget_faults")];
        let (mut gone, mut more) = (0, false);
        for statement in STATEMENTS {
            let rows = self.execute(statement, &[&client.0, &Stamp(before), &FORGET_MAX]).await?;
            (gone, more) = (gone + rows, more || rows >= FORGET_MAX as u64);
        }
        Ok((gone, more))
    }

    /// Whether every change of a utility's alarms after an offset is kept. Ask it behind the question for them: what is kept then was in the answer.
    pub async fn alarms_reach(&self, client: ClientId, offset: i64) -> Result<bool> {
        self.reach(client, sql!("alarm_work/alarms_reach"), offset).await
    }

    /// The same of its faults.
    pub async fn faults_reach(&self, client: ClientId, offset: i64) -> Result<bool> {
        self.reach(client, sql!("alarm_work/faults_reach"), offset).await
    }

    async fn reach(&self, client: ClientId, statement: &str, offset: i64) -> Result<bool> {
        let rows = self.query_bound(client, statement, &[&client.0, &offset]).await?;
        // Of a stream that was never begun nothing is missing.
        rows.first().map_or(Ok(true), |row| Ok(row.try_get("reach")?))
    }
}
