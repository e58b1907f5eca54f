//! Stores the link states of devices, as their gateways report them.

use std::collections::BTreeMap;

use grid::GatewayId;
use tokio_postgres::Transaction;

use super::rows::DeviceMark;
use super::statements::Statements;
use crate::Result;
use crate::convert::Stamp;

pub(super) async fn mark(transaction: &Transaction<'_>, with: &Statements, marks: &[DeviceMark]) -> Result<()> {
    if marks.is_empty() {
        return Ok(());
    }
    // Only the last state of each device counts. They are sorted, so that two writers lock rows in the same order.
    let mut last: BTreeMap<(GatewayId, &str), &DeviceMark> = BTreeMap::new();
    for mark in marks {
        let entry = last.entry((mark.gateway, mark.device.as_str())).or_insert(mark);
        if mark.order >= entry.order {
            *entry = mark;
        }
    }
    let gateways: Vec<i64> = last.keys().map(|(gateway, _)| gateway.0).collect();
    let codes: Vec<&str> = last.keys().map(|(_, code)| *code).collect();
    let online: Vec<bool> = last.values().map(|mark| mark.online).collect();
    let since: Vec<Stamp> = last.values().map(|mark| Stamp(mark.at)).collect();
    let terms: Vec<i64> = last.values().map(|mark| mark.order.term.0).collect();
    let counts: Vec<i64> = last.values().map(|mark| mark.order.count).collect();
    transaction.execute(&with.mark_devices, &[&gateways, &codes, &online, &since, &terms, &counts]).await?;
    Ok(())
}
