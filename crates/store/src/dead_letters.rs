//! Queries of dead letters: input that could not be used.

use grid::ClientId;

use tokio_postgres::Row;

use crate::convert::{micros, sql};
use crate::writer::DeadLetter;
use crate::{Result, Store};

/// A stored dead letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetterRecord {
    /// Id, increasing.
    pub id: i64,
    /// The input and the reason.
    pub letter: DeadLetter,
}

impl Store {
    /// Returns the newest dead letters of one utility, newest first. With `None`, returns the dead letters of all utilities and those without a utility.
    pub async fn dead_letters(&self, client: Option<ClientId>, limit: i64) -> Result<Vec<DeadLetterRecord>> {
        let rows = self.query_of(client, sql!("dead_letters/list"), &[&client.map(|client| client.0), &limit.max(0)]).await?;
        rows.iter().map(record).collect()
    }
}

fn record(row: &Row) -> Result<DeadLetterRecord> {
    let letter = DeadLetter {
        client: row.try_get::<_, Option<i64>>("client_id")?.map(ClientId),
        topic: row.try_get("topic")?,
        reason: row.try_get("reason")?,
        detail: row.try_get("detail")?,
        payload: row.try_get("payload")?,
        received: micros(row, "received")?,
    };
    Ok(DeadLetterRecord { id: row.try_get("id")?, letter })
}
