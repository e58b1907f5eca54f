//! The lock of the rollups.

use tokio_postgres::Transaction;

use crate::Result;
use crate::convert::sql;

/// Advisory lock. The number must differ from the other locks of the product.
const LOCK: i64 = 0x0073_7769_7463_6872;

/// Waits until no other transaction writes rollups. Other transactions then wait until this one ends.
pub(super) async fn lock(transaction: &Transaction<'_>) -> Result<()> {
    transaction.query_one(sql!("history/lock"), &[&LOCK]).await?;
    Ok(())
}
