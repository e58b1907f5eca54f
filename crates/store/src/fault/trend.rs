//! Faults of a period, for charts.

use std::collections::HashMap;

use grid::fault::FaultRecord;
use grid::{ClientId, Micros, Scope};

use super::fault;
use crate::alarm::place;
use crate::convert::{Stamp, micros, sql};
use crate::kept::Level;
use crate::{Result, Store};

impl Store {
    /// Returns the faults that began from `from` (inclusive) to `to` (exclusive), as far as they are kept, newest first. With `None`, returns the faults of the
    /// whole utility.
    pub async fn faults_between(
        &self,
        client: ClientId,
        scope: Option<Scope>,
        (from, to): (Micros, Micros),
        limit: i64,
    ) -> Result<Vec<FaultRecord>> {
        let from = from.max(self.kept().await?.floor(Level::Fault));
        let (node, asset) = place(scope);
        let rows = self
            .of(client)
            .query(
                sql!("hierarchy/below", "fault/rows", "fault/between"),
                &[&client.0, &node, &asset, &Stamp(from), &Stamp(to), &limit.max(0)],
            )
            .await?;
        rows.iter().map(fault).collect()
    }

    /// Returns when the first kept fault of a scope began within a span (inclusive start, exclusive end).
    pub async fn next_fault(&self, client: ClientId, scope: Option<Scope>, (from, to): (Micros, Micros)) -> Result<Option<Micros>> {
        let from = from.max(self.kept().await?.floor(Level::Fault));
        let (node, asset) = place(scope);
        let row =
            self.of(client).query_opt(sql!("hierarchy/below", "fault/next"), &[&client.0, &node, &asset, &Stamp(from), &Stamp(to)]).await?;
        row.map(|row| micros(&row, "started")).transpose()
    }

    /// Returns, by fault id, when a relay of the bay operated before the first opening. Faults without such an event are left out.
    pub async fn relays_operated(&self, client: ClientId, faults: &[i64]) -> Result<HashMap<i64, Micros>> {
        let floor = Stamp(self.kept().await?.floor(Level::Event));
        let rows = self.of(client).query(sql!("fault/operated"), &[&client.0, &faults, &floor]).await?;
        rows.iter().map(|row| Ok((row.try_get("id")?, micros(row, "operated")?))).collect()
    }
}
