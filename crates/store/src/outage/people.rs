//! What people put right about outages and feeders: each act is entered in the audit in its own transaction.

use grid::outage::Cause;
use grid::{ClientId, Micros};
use serde_json::{Value, json};

use super::{FeederSupply, OutageRecord, outage};
use crate::audit::{Entry, Origin};
use crate::convert::{Stamp, sql, without_nul};
use crate::{Result, Store, audit, tenant};

/// What somebody has decided about an outage; what is `None` is as it was worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Correction {
    /// The first opening.
    pub started: Option<Micros>,
    /// The end.
    pub ended: Option<Micros>,
    /// Why.
    pub cause: Option<Cause>,
    /// It counts in no figure.
    pub excluded: bool,
}

impl Correction {
    /// Whether anything has been decided.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }

    /// From when to when an outage would count with it; no start where neither this nor the events give one.
    pub fn span(&self, outage: &OutageRecord) -> (Option<Micros>, Option<Micros>) {
        (self.started.or(outage.worked.map(|worked| worked.started)), self.ended.or(outage.worked.and_then(|worked| worked.ended)))
    }
}

impl Store {
    /// Replaces what somebody has decided about an outage, and enters that into the audit. `may` sees it as it is, locked, and another one that counts of the
    /// same feeder within its new time, and can refuse. One of which the events tell no more and about which nothing is decided any more goes: the inner
    /// `None`. The outer one when there is no such outage.
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
        // Neither the service nor another person changes an outage beside it meanwhile.
        let statement = transaction.prepare_cached(sql!("outage_work/lock")).await?;
        transaction.query_opt(&statement, &[&client.0]).await?;
        let statement = transaction.prepare_cached(sql!("outage/lock")).await?;
        let Some(row) = transaction.query_opt(&statement, &[&client.0, &id]).await? else { return Ok(None) };
        let before = outage(&row)?;
        let (started, ended) = correction.span(&before);
        let beside = match started.map(Stamp) {
            Some(started) => {
                let statement = transaction.prepare_cached(sql!("outage/beside")).await?;
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
            let cause = correction.cause.map(Cause::word);
            let params: crate::pool::Params<'_> = &[&client.0, &id, &started, &ended, &cause, &correction.excluded, &note, &by];
            Some(outage(&transaction.query_one(&statement, params).await?)?)
        };
        tenant::release(&transaction).await?;
        let entered = after.as_ref().map_or_else(|| json!({ "removed": true, "note": note }), told);
        let entry = Entry::new(origin, "outage_corrected", format!("outage {id}")).changing(Some(told(&before)), Some(entered));
        audit::enter(&transaction, &entry).await?;
        transaction.commit().await?;
        Ok(Some(Ok(after)))
    }

    /// Says what a feeder is in figures of reliability, and enters that into the audit.
    pub async fn put_feeder_supply(&self, client: ClientId, supply: &FeederSupply, origin: &Origin) -> Result<()> {
        let before = self.feeder_supplies(client).await?.into_iter().find(|held| held.asset == supply.asset);
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let statement = transaction.prepare_cached(sql!("outage/put_supply")).await?;
        transaction.execute(&statement, &[&client.0, &supply.asset.0, &supply.connected_kva, &supply.agricultural]).await?;
        tenant::release(&transaction).await?;
        let told = |supply: &FeederSupply| json!({ "connectedKva": supply.connected_kva, "agricultural": supply.agricultural });
        let entry = Entry::new(origin, "feeder_supply_changed", format!("asset {}", supply.asset));
        audit::enter(&transaction, &entry.changing(before.as_ref().map(told), Some(told(supply)))).await?;
        transaction.commit().await?;
        Ok(())
    }
}

fn told(outage: &OutageRecord) -> Value {
    let Correction { started, ended, cause, excluded } = outage.correction;
    json!({
        "assetId": outage.asset.0, "started": started.map(Micros::millis), "ended": ended.map(Micros::millis), "cause": cause.map(Cause::word),
        "excluded": excluded, "note": outage.note,
    })
}
