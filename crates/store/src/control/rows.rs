//! Reads of a decision.

use deadpool_postgres::Transaction;
use grid::{Micros, PointId};
use tokio_postgres::Row;

use crate::Result;
use crate::convert::micros;
use crate::pool::Params;

pub(super) async fn rows(transaction: &Transaction<'_>, statement: &'static str, params: Params<'_>) -> Result<Vec<Row>> {
    let statement = transaction.prepare_cached(statement).await?;
    Ok(transaction.query(&statement, params).await?)
}

pub(super) fn doubts(rows: &[Row]) -> Result<Vec<(PointId, Micros)>> {
    rows.iter().map(|row| Ok((PointId(row.try_get("point_id")?), micros(row, "changed_at")?))).collect()
}
