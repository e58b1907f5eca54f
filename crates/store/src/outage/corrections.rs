//! Corrections of outages and properties of feeders by users. Each change is audited in its own transaction.

use grid::outage::Cause;
use grid::{ClientId, Micros};
use serde_json::{Value, json};

use super::{FeederSupply, OutageRecord, outage};
use crate::audit::{Entry, Origin};
use crate::convert::{Stamp, sql, without_nul};
use crate::{Result, Store, audit, tenant};

/// A correction of an outage. Fields that are `None` have their computed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Correction {
    /// First opening.
    pub started: Option<Micros>,
    /// End of the outage.
    pub ended: Option<Micros>,
    /// Cause of the outage.
    pub cause: Option<Cause>,
    /// Whether the indices leave the outage out.
    pub excluded: bool,
}

impl Correction {
    /// Returns whether anything is corrected.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }

    /// Returns start and end of an outage with this correction. The start is `None` if neither the correction nor the events have a start.
    pub fn span(&self, outage: &OutageRecord) -> (Option<Micros>, Option<Micros>) {
        (self.started.or(outage.worked.map(|worked| worked.started)), self.ended.or(outage.worked.and_then(|worked| worked.ended)))
    }
}

impl Store {
    /// Replaces the correction of an outage and adds an audit entry. `may` gets the locked outage and another outage of the same feeder that overlaps its new
    /// times, and can refuse.
    ///
    /// The outer `None` means that there is no such outage. The inner `None` means that the outage was deleted, because it is no longer derived from the events
    /// and has no correction any more.
    pub async fn correct_outage<E>(
        &self,
        client: ClientId,
        id: i64,
        (correction, note, by): (&Correction, &str, &str),
        origin: &Origin,
        may: impl FnOnce(&OutageRecord, Option<&OutageRecord>) -> Result<(), E>,
    ) -> Result<Option<Result<Option<OutageRecord>, E>>> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        // The lock keeps the service and other users from changing outages at the same time.
        let statement = transaction.prepare_cached(sql!("outage_work/lock")).await?;
        transaction.query_opt(&statement, &[&client.0]).await?;
        let statement = transaction.prepare_cached(sql!("outage/rows", "outage/lock")).await?;
        let Some(row) = transaction.query_opt(&statement, &[&client.0, &id]).await? else { return Ok(None) };
        let before = outage(&row)?;
        let (started, ended) = correction.span(&before);
        let beside = match started.map(Stamp) {
            Some(started) => {
                let statement = transaction.prepare_cached(sql!("outage/rows", "outage/beside")).await?;
                transaction.query_opt(&statement, &[&client.0, &before.asset.0, &id, &started, &ended.map(Stamp)]).await?
            }
            None => None,
        };
        let beside = beside.as_ref().map(outage).transpose()?;
        if let Err(refused) = may(&before, beside.as_ref()) {
            return Ok(Some(Err(refused)));
        }
        let (note, by) = (without_nul(note), without_nul(by));
        let after = if before.worked.is_none() && !correction.is_any() {
            let statement = transaction.prepare_cached(sql!("outage_work/drop")).await?;
            transaction.execute(&statement, &[&client.0, &vec![id]]).await?;
            None
        } else {
            let statement = transaction.prepare_cached(sql!("outage/correct")).await?;
            let (started, ended) = (correction.started.map(Stamp), correction.ended.map(Stamp));
            let cause = correction.cause.map(Cause::as_str);
            let params: crate::pool::Params<'_> = &[&client.0, &id, &started, &ended, &cause, &correction.excluded, &note, &by];
            Some(outage(&transaction.query_one(&statement, params).await?)?)
        };
        tenant::release(&transaction).await?;
        let entered = after.as_ref().map_or_else(|| json!({ "removed": true, "note": note }), audit_value);
        let entry = Entry::new(origin, "outage_corrected", format!("outage {id}")).changing(Some(audit_value(&before)), Some(entered));
        audit::enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(Ok(after)))
    }

    /// Stores the properties of a feeder for reliability indices and adds an audit entry.
    pub async fn put_feeder_supply(&self, client: ClientId, supply: &FeederSupply, origin: &Origin) -> Result<()> {
        let before = self.feeder_supplies(client).await?.into_iter().find(|held| held.asset == supply.asset);
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("outage/put_supply")).await?;
        transaction.execute(&statement, &[&client.0, &supply.asset.0, &supply.connected_kva, &supply.agricultural]).await?;
        tenant::release(&transaction).await?;
        let audit_value = |supply: &FeederSupply| json!({ "connectedKva": supply.connected_kva, "agricultural": supply.agricultural });
        let entry = Entry::new(origin, "feeder_supply_changed", format!("asset {}", supply.asset));
        audit::enter(&transaction, &entry.changing(before.as_ref().map(audit_value), Some(audit_value(supply)))).await?;
        transaction.commit().await?;
        Ok(())
    }
}

fn audit_value(outage: &OutageRecord) -> Value {
    let Correction { started, ended, cause, excluded } = outage.correction;
    json!({
        "assetId": outage.asset.0, "started": started.map(Micros::millis), "ended": ended.map(Micros::millis), "cause": cause.map(Cause::as_str),
        "excluded": excluded, "note": outage.note,
    })
}
