//! Imported feeders that supply another substation.

use std::collections::HashMap;

use deadpool_postgres::Transaction;
use grid::{ClientId, Level};

use super::keys::{AssetKey, NodeKey, id_of};
use super::read::{AssetRow, FEEDER};
use crate::Result;
use crate::convert::sql;
use crate::registry::AssetRecord;

/// Returns the stored supplied substations, by the id of their feeder.
pub(super) async fn existing(transaction: &Transaction<'_>, client: ClientId) -> Result<HashMap<i64, i64>> {
    let rows = transaction.query(sql!("feeds/list"), &[&client.0]).await?;
    rows.iter().map(|row| Ok((row.try_get("asset_id")?, row.try_get("location_id")?))).collect()
}

/// Returns the substation that the feeder of a row supplies; `None` if it supplies no substation.
pub(super) fn to(row: &AssetRow, ids: &HashMap<NodeKey, i64>) -> Result<Option<i64>> {
    let code = row.feeds.as_ref().and_then(Option::as_ref);
    code.map(|code| id_of(ids, &(Level::Substation, code.clone()))).transpose()
}

/// Stores the substations that the feeders of the file supply. If the file does not have the column, only assets that are no longer feeders are changed: their
/// supplied substation is removed.
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
    let has_feed = |row: &&AssetRow| row.feeds.is_some() || row.type_id != FEEDER && led_before(row).is_some();
    let fed_rows: Vec<&AssetRow> = rows.iter().filter(has_feed).collect();
    if fed_rows.is_empty() {
        return Ok(());
    }
    let mut locations = Vec::with_capacity(fed_rows.len());
    for row in &fed_rows {
        locations.push(id_of(ids, &(Level::Substation, row.location.clone()))?);
    }
    let codes: Vec<&str> = fed_rows.iter().map(|row| row.code.as_str()).collect();
    let fed = fed_rows.iter().map(|row| to(row, ids)).collect::<Result<Vec<_>>>()?;
    transaction.execute(sql!("feeds/import"), &[&client.0, &locations, &codes, &fed]).await?;
    Ok(())
}
