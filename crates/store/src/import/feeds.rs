//! Which of the imported feeders lead to another substation.

use std::collections::HashMap;

use deadpool_postgres::Transaction;
use grid::{ClientId, Level};

use super::keys::{AssetKey, NodeKey, id_of};
use super::read::{AssetRow, FEEDER};
use crate::Result;
use crate::convert::sql;
use crate::registry::AssetRecord;

/// Substations by the feeders that lead to them, as they are stored.
pub(super) async fn existing(transaction: &Transaction<'_>, client: ClientId) -> Result<HashMap<i64, i64>> {
    let rows = transaction.query(sql!("feeds/list"), &[&client.0]).await?;
    rows.iter().map(|row| Ok((row.try_get("asset_id")?, row.try_get("location_id")?))).collect()
}

/// The substation that a row's feeder leads to, if it does.
pub(super) fn to(row: &AssetRow, ids: &HashMap<NodeKey, i64>) -> Result<Option<i64>> {
    let code = row.feeds.as_ref().and_then(Option::as_ref);
    code.map(|code| id_of(ids, &(Level::Substation, code.clone()))).transpose()
}

/// Puts what the file says of its feeders; without the column nothing changes, but that what is no feeder any more leads nowhere.
pub(super) async fn put(
    transaction: &Transaction<'_>,
    client: ClientId,
    rows: &[AssetRow],
    ids: &HashMap<NodeKey, i64>,
    (stored, led): (&HashMap<AssetKey, AssetRecord>, &HashMap<i64, i64>),
) -> Result<()> {
    let led_before = |row: &AssetRow| {
        let location = ids.get(&(Level::Substation, row.location.clone()))?;
        led.get(&stored.get(&(*location, row.code.clone()))?.id.0)
    };
    let is_told = |row: &&AssetRow| row.feeds.is_some() || row.type_id != FEEDER && led_before(row).is_some();
    let told: Vec<&AssetRow> = rows.iter().filter(is_told).collect();
    if told.is_empty() {
        return Ok(());
    }
    let mut locations = Vec::with_capacity(told.len());
    for row in &told {
        locations.push(id_of(ids, &(Level::Substation, row.location.clone()))?);
    }
    let codes: Vec<&str> = told.iter().map(|row| row.code.as_str()).collect();
    let fed = told.iter().map(|row| to(row, ids)).collect::<Result<Vec<_>>>()?;
    transaction.execute(sql!("feeds/import"), &[&client.0, &locations, &codes, &fed]).await?;
    Ok(())
}
