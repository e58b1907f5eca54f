//! The lock of a utility's commands: its stream of commands. Everything that a decision about a command depends on changes under it.

use deadpool_postgres::Transaction;
use grid::ClientId;

use crate::Result;
use crate::convert::sql;

/// Returns epoch and top of the utility's stream of commands, locked until the transaction ends; `None` if there is no such utility.
pub(crate) async fn lock(transaction: &Transaction<'_>, client: ClientId) -> Result<Option<(String, i64)>> {
    let statement = transaction.prepare_cached(sql!("control/lock")).await?;
    let mut row = transaction.query_opt(&statement, &[&client.0]).await?;
    if row.is_none() {
        let create = transaction.prepare_cached(sql!("control/create_stream")).await?;
        transaction.execute(&create, &[&client.0]).await?;
        row = transaction.query_opt(&statement, &[&client.0]).await?;
    }
    row.map(|row| Ok((row.try_get("epoch")?, row.try_get("top")?))).transpose()
}
