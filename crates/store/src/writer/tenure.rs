//! Checks within a transaction that its writer still is the leader.

use grid::Term;
use tokio_postgres::Transaction;

use super::statements::Statements;
use crate::lead::Tenure;
use crate::{Error, Result};

/// Fails with [`Error::Deposed`] if the term has ended. If it succeeds, no later term can begin before the transaction
/// ends.
pub(super) async fn prove(transaction: &Transaction<'_>, with: &Statements, tenure: Option<&Tenure>) -> Result<()> {
    let Some(tenure) = tenure else { return Ok(()) };
    let parameters: [&(dyn postgres_types::ToSql + Sync); 1] = [&tenure.name];
    // Both are sent together and run in this order.
    let (fenced, stored) =
        tokio::join!(transaction.query_one(&with.fence_term, &parameters), transaction.query_opt(&with.stored_term, &parameters));
    fenced?;
    let stored = stored?.map(|row| row.try_get(0)).transpose()?.map(Term);
    if tenure.is_current(stored) { Ok(()) } else { Err(Error::Deposed { name: tenure.name.clone(), term: tenure.term }) }
}
