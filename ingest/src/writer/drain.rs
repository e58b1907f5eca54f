//! Stores what a former leader has spooled, while another process leads.
//!
//! These commits prove no term: what is spooled is acknowledged, so it has to be stored whoever leads. That is safe because a later leader cannot be harmed by
//! rows of an earlier one:
//!
//! - Samples and events have natural keys. What is stored already stays, and what contradicts it becomes a dead letter.
//! - `latest` only moves forward, in SQL.
//! - Events get their offsets behind all others, under the lock of their stream, as from every writer.
//! - States of gateways and devices are ordered by term and counter: an old one never replaces a later one.

use store::writer::CommittedEvents;
use tokio_util::sync::CancellationToken;

use super::{DRAIN_BATCHES, Database, PAUSE, measure};
use crate::IngestConfig;
use crate::clock::Timer;
use crate::spool::Backlog;

/// A spool and the way to the database.
pub(crate) struct Drain<'a, D, B, T> {
    /// The writer whose spool it is.
    pub(crate) number: usize,
    /// The spool.
    pub(crate) spool: B,
    /// The database.
    pub(crate) database: D,
    /// What waits for time to pass.
    pub(crate) timer: &'a T,
    /// Batch sizes and time limits.
    pub(crate) config: &'a IngestConfig,
}

impl<D: Database, B: Backlog, T: Timer> Drain<'_, D, B, T> {
    /// Takes the spool to the database in order, until it is empty or `stop` is cancelled. Calls `committed` for the new events of each commit.
    pub(crate) async fn run(mut self, stop: &CancellationToken, mut committed: impl FnMut(&CommittedEvents)) {
        let connection = &mut self.database;
        if !self.spool.is_empty() {
            tracing::info!(bytes = self.spool.bytes(), writer = self.number, "storing what is spooled while another ingest leads");
        }
        while !self.spool.is_empty() {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = connection.up() => {}
            }
            let front = match self.spool.front(self.config.batch_rows * DRAIN_BATCHES).await {
                Ok(Some(front)) => front,
                Ok(None) => break,
                Err(error) => {
                    tracing::error!(%error, "the spool is not read; tried again");
                    self.timer.within(PAUSE, stop.cancelled()).await;
                    continue;
                }
            };
            // Given up in the middle, it is committed again later, which doubles nothing.
            let stored = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                stored = connection.commit(&front.batch, None) => stored,
            };
            let Ok(stored) = stored else { continue };
            stored.events.iter().for_each(&mut committed);
            if let Err(error) = self.spool.remove(&front).await {
                tracing::error!(%error, "what is stored stays in the spool");
                self.timer.within(PAUSE, stop.cancelled()).await;
            }
            measure(self.number, Some(&self.spool));
        }
        connection.flush().await;
    }
}
