//! Stores events. Each new event gets the next offset of its utility.

use std::collections::BTreeMap;

use grid::ClientId;
use tokio_postgres::Transaction;

use super::rows::{CommittedEvents, DeadLetter, NewEvent};
use super::statements::Statements;
use crate::convert::Stamp;
use crate::events::event;
use crate::{Error, Result};

/// Stores new events and returns them, with dead letters for those that contradict a stored event. Utilities are processed in the order of their ids, so that
/// two writers cannot deadlock on the stream rows.
pub(super) async fn insert(
    transaction: &Transaction<'_>,
    with: &Statements,
    batch: &[NewEvent],
) -> Result<(Vec<CommittedEvents>, Vec<DeadLetter>)> {
    let mut by_client: BTreeMap<ClientId, Vec<&NewEvent>> = BTreeMap::new();
    for new in batch {
        by_client.entry(new.client).or_default().push(new);
    }
    let (mut committed, mut refused) = (Vec::new(), Vec::new());
    for (client, rows) in by_client {
        let entered = insert_of(transaction, with, client, &rows, &mut refused).await?;
        committed.extend(entered);
    }
    Ok((committed, refused))
}

async fn insert_of(
    transaction: &Transaction<'_>,
    with: &Statements,
    client: ClientId,
    rows: &[&NewEvent],
    refused: &mut Vec<DeadLetter>,
) -> Result<Option<CommittedEvents>> {
    fn column<T>(rows: &[&NewEvent], value: impl Fn(&NewEvent) -> T) -> Vec<T> {
        rows.iter().map(|new| value(new)).collect()
    }
    let (epoch, from) = lock_stream(transaction, with, client).await?;
    let points = column(rows, |new| new.point.0);
    let sources = column(rows, |new| Stamp(new.reading.source));
    let epochs = column(rows, |new| new.reading.ordinal.epoch);
    let seqs = column(rows, |new| new.reading.ordinal.seq);
    let indexes = column(rows, |new| new.index);
    let received = column(rows, |new| Stamp(new.reading.received));
    let values = column(rows, |new| new.reading.value);
    let qualities = column(rows, |new| i16::from(new.reading.quality.code()));
    let first = Stamp(rows.iter().map(|new| new.reading.source).min().unwrap_or_default());
    let last = Stamp(rows.iter().map(|new| new.reading.source).max().unwrap_or_default());
    let stored = transaction
        .query(
            &with.insert_events,
            &[&client.0, &from, &points, &sources, &epochs, &seqs, &indexes, &received, &values, &qualities, &first, &last],
        )
        .await?;
    if stored.len() < rows.len() {
        let found = transaction
            .query(&with.event_conflicts, &[&points, &sources, &epochs, &seqs, &indexes, &values, &qualities, &first, &last])
            .await?;
        for row in &found {
            let number: i64 = row.try_get("n")?;
            // The statement numbers its input rows from 1, so the index is valid.
            let Some(new) = rows.get(number as usize - 1) else { continue };
            refused.push(DeadLetter::conflict(client, new.point, new.reading.received, row.try_get("detail")?));
        }
    }
    if stored.is_empty() {
        return Ok(None);
    }
    let offset = from + stored.len() as i64;
    transaction.execute(&with.advance_stream, &[&client.0, &offset]).await?;
    let rows = stored.iter().map(event).collect::<Result<_>>()?;
    Ok(Some(CommittedEvents { client, epoch, from, offset, rows }))
}

/// Returns epoch and offset of a utility's stream, whose row is locked until the transaction ends.
async fn lock_stream(transaction: &Transaction<'_>, with: &Statements, client: ClientId) -> Result<(String, i64)> {
    let mut row = transaction.query_opt(&with.lock_stream, &[&client.0]).await?;
    if row.is_none() {
        transaction.execute(&with.create_stream, &[&client.0]).await?;
        row = transaction.query_opt(&with.lock_stream, &[&client.0]).await?;
    }
    let row = row.ok_or_else(|| Error::Data(format!("there is no client {client}")))?;
    Ok((row.try_get("epoch")?, row.try_get("top")?))
}
