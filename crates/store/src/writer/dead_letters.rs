//! Stores dead letters in the table that administrators read.

use grid::{ClientId, Micros, PointId};
use tokio_postgres::Transaction;

use super::rows::DeadLetter;
use super::statements::Statements;
use crate::Result;
use crate::convert::{Stamp, is_storable, without_nul};

/// Stored part of a payload, bytes. A dead letter is for reading, not for processing it again.
const PAYLOAD_LIMIT: usize = 64 * 1024;

impl DeadLetter {
    /// Creates the dead letter for a value whose key is stored with another value. A stored value is never overwritten.
    pub(super) fn conflict(client: ClientId, point: PointId, received: Micros, detail: String) -> Self {
        Self { client: Some(client), topic: format!("point/{point}"), reason: "conflict".to_owned(), detail, payload: Vec::new(), received }
    }
}

pub(super) async fn insert<'a>(
    transaction: &Transaction<'_>,
    with: &Statements,
    letters: impl Iterator<Item = &'a DeadLetter> + Clone,
) -> Result<()> {
    if letters.clone().next().is_none() {
        return Ok(());
    }
    let clients: Vec<Option<i64>> = letters.clone().map(|letter| letter.client.map(|client| client.0)).collect();
    let topics: Vec<String> = letters.clone().map(|letter| without_nul(&letter.topic)).collect();
    let reasons: Vec<String> = letters.clone().map(|letter| without_nul(&letter.reason)).collect();
    let details: Vec<String> = letters.clone().map(|letter| without_nul(&letter.detail)).collect();
    let payloads: Vec<&[u8]> = letters.clone().map(|letter| &letter.payload[..letter.payload.len().min(PAYLOAD_LIMIT)]).collect();
    // Dead letters must not be the reason that a batch fails, so a time that cannot be stored becomes null.
    let received: Vec<Option<Stamp>> = letters.map(|letter| Some(letter.received).filter(|&at| is_storable(at)).map(Stamp)).collect();
    transaction.execute(&with.insert_dead_letters, &[&clients, &topics, &reasons, &details, &payloads, &received]).await?;
    Ok(())
}
