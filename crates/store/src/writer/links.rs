//! Stores the history of links: each change of a gateway and of a device, and the daily counts of gateways.

use std::collections::BTreeMap;

use grid::{GatewayId, Micros};
use tokio_postgres::Transaction;

use super::rows::{Batch, GatewayCount};
use super::statements::Statements;
use crate::Result;
use crate::convert::Stamp;

/// The largest stored clock deviation, ms: ten years. A clock with a larger deviation was never set.
const SKEW_MAX_MS: i64 = 315_360_000_000;

pub(super) async fn enter(transaction: &Transaction<'_>, with: &Statements, batch: &Batch) -> Result<()> {
    let changes = changes(batch);
    if !changes.is_empty() {
        let gateways: Vec<i64> = changes.keys().map(|(gateway, ..)| gateway.0).collect();
        let devices: Vec<&str> = changes.keys().map(|(_, device, _)| *device).collect();
        let at: Vec<Stamp> = changes.keys().map(|(.., at)| Stamp(*at)).collect();
        let online: Vec<bool> = changes.values().copied().collect();
        transaction.execute(&with.insert_links, &[&gateways, &devices, &at, &online]).await?;
    }
    if batch.counts.is_empty() {
        return Ok(());
    }
    let folds = fold(&batch.counts);
    let column = |of: fn(&GatewayCount) -> i64| -> Vec<i64> { folds.values().map(of).collect() };
    let at: Vec<Stamp> = folds.values().map(|count| Stamp(count.at)).collect();
    let skew: Vec<Option<i64>> = folds.values().map(|count| count.skew_ms).collect();
    let heard: Vec<bool> = folds.values().map(|count| count.heard).collect();
    let (gateways, taken) = (column(|count| count.gateway.0), column(|count| count.taken));
    let (late, missing) = (column(|count| count.late), column(|count| count.missing));
    transaction.execute(&with.add_counts, &[&gateways, &at, &taken, &late, &missing, &skew, &heard]).await?;
    Ok(())
}

/// Returns the changes in a batch. If several changes have the same time, the last one is used.
fn changes(batch: &Batch) -> BTreeMap<(GatewayId, &str, Micros), bool> {
    let entered = batch.gateways.iter().filter(|mark| mark.entered);
    let gateways = entered.filter_map(|mark| Some(((mark.gateway, "", mark.at), mark.online?)));
    let devices = batch.devices.iter().map(|mark| ((mark.gateway, mark.device.as_str(), mark.at), mark.online));
    gateways.chain(devices).collect()
}

/// Combines all counts of each gateway in a batch. The result is ordered, so that two writers lock rows in the same
/// order.
fn fold(counts: &[GatewayCount]) -> BTreeMap<GatewayId, GatewayCount> {
    let mut folds: BTreeMap<GatewayId, GatewayCount> = BTreeMap::new();
    for count in counts {
        let none = GatewayCount { taken: 0, late: 0, missing: 0, skew_ms: None, heard: false, ..*count };
        let fold = folds.entry(count.gateway).or_insert(none);
        fold.at = fold.at.max(count.at);
        fold.taken = fold.taken.saturating_add(count.taken.max(0));
        fold.late = fold.late.saturating_add(count.late.max(0));
        fold.missing = fold.missing.saturating_add(count.missing.max(0));
        let skew = count.skew_ms.map(|skew| skew.clamp(-SKEW_MAX_MS, SKEW_MAX_MS));
        fold.skew_ms = [fold.skew_ms, skew].into_iter().flatten().max_by_key(|skew| skew.abs());
        fold.heard |= count.heard;
    }
    folds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_gateway_add_up_and_the_worst_clock_stays() {
        let count = |gateway, at, skew_ms, heard| GatewayCount {
            gateway: GatewayId(gateway),
            at: Micros(at),
            taken: 5,
            late: 1,
            missing: 2,
            skew_ms,
            heard,
        };
        let folds = fold(&[
            count(2, 9, None, false),
            count(1, 5, Some(30), true),
            count(1, 7, Some(-400), false),
            count(1, 6, Some(i64::MIN), true),
        ]);
        let folded: Vec<_> =
            folds.values().map(|fold| (fold.gateway.0, fold.at.0, fold.taken, fold.late, fold.missing, fold.heard)).collect();
        assert_eq!(folded, [(1, 7, 15, 3, 6, true), (2, 9, 5, 1, 2, false)]);
        assert_eq!(folds.values().map(|fold| fold.skew_ms).collect::<Vec<_>>(), [Some(-SKEW_MAX_MS), None]);
    }
}
