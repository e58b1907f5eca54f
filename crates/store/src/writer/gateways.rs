//! Stores the link states of gateways and the time of their last messages.

use std::collections::BTreeMap;

use grid::{GatewayId, LinkOrder, Micros};
use tokio_postgres::Transaction;

use super::rows::GatewayMark;
use super::statements::Statements;
use crate::Result;
use crate::convert::Stamp;

/// The combination of all marks of one gateway in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fold {
    /// The last reported state; `None` if the batch has no state.
    online: Option<bool>,
    /// When that state began.
    changed: Micros,
    /// Position of the last state.
    order: LinkOrder,
    /// Whether the batch contains a different state before the last one.
    flipped: bool,
    /// Receive time of the last message of the gateway. A death does not count: the broker sends it.
    seen: Option<Micros>,
}

/// Combines the marks of each gateway. They are ordered by gateway, so that two writers lock rows in the same order.
fn fold(marks: &[GatewayMark]) -> BTreeMap<GatewayId, Fold> {
    let mut folds: BTreeMap<GatewayId, Fold> = BTreeMap::new();
    for mark in marks {
        let entry = folds.entry(mark.gateway).or_insert(Fold {
            online: None,
            changed: mark.at,
            order: LinkOrder::default(),
            flipped: false,
            seen: None,
        });
        if mark.online.is_some() && mark.order >= entry.order {
            entry.order = mark.order;
            if mark.online != entry.online {
                entry.flipped = entry.online.is_some();
                entry.online = mark.online;
                entry.changed = mark.at;
            }
        }
        if mark.online != Some(false) {
            entry.seen = entry.seen.max(Some(mark.at));
        }
    }
    folds
}

pub(super) async fn mark(transaction: &Transaction<'_>, with: &Statements, marks: &[GatewayMark]) -> Result<()> {
    if marks.is_empty() {
        return Ok(());
    }
    let folds = fold(marks);
    let ids: Vec<i64> = folds.keys().map(|gateway| gateway.0).collect();
    let online: Vec<Option<bool>> = folds.values().map(|fold| fold.online).collect();
    let changed: Vec<Stamp> = folds.values().map(|fold| Stamp(fold.changed)).collect();
    let flipped: Vec<bool> = folds.values().map(|fold| fold.flipped).collect();
    let seen: Vec<Option<Stamp>> = folds.values().map(|fold| fold.seen.map(Stamp)).collect();
    let terms: Vec<i64> = folds.values().map(|fold| fold.order.term.0).collect();
    let counts: Vec<i64> = folds.values().map(|fold| fold.order.count).collect();
    transaction.execute(&with.mark_gateways, &[&ids, &online, &changed, &flipped, &seen, &terms, &counts]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(marks: &[(Option<bool>, i64)]) -> (Option<bool>, i64, bool, Option<i64>) {
        let marks: Vec<GatewayMark> = marks
            .iter()
            .map(|&(online, at)| GatewayMark { gateway: GatewayId(1), online, at: Micros(at), order: LinkOrder::default(), entered: true })
            .collect();
        let fold = fold(&marks)[&GatewayId(1)];
        (fold.online, fold.changed.0, fold.flipped, fold.seen.map(|seen| seen.0))
    }

    #[test]
    fn marks_fold_to_the_last_state_and_when_it_began() {
        assert_eq!(after(&[(None, 5)]), (None, 5, false, Some(5)));
        assert_eq!(after(&[(Some(true), 1), (None, 2), (Some(true), 3)]), (Some(true), 1, false, Some(3)));
        assert_eq!(after(&[(Some(false), 4)]), (Some(false), 4, false, None));
        assert_eq!(after(&[(Some(false), 4), (Some(true), 6)]), (Some(true), 6, true, Some(6)));
        assert_eq!(after(&[(None, 1), (Some(true), 2), (Some(false), 3)]), (Some(false), 3, true, Some(2)));
    }
}
