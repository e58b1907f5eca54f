//! Stores the spool of a former leader while another process is the leader.
//!
//! These commits do not prove a term. Spooled rows are acknowledged, so they must be stored even if another process is
//! the leader. Rows of an earlier leader cannot damage data of a later one:
//!
//! - Samples and events have natural keys. Stored rows are not changed; rows that contradict them become dead letters.
//! - The SQL statement never replaces a reading in `latest` by an older one.
//! - Events get the next offsets, under the lock of their stream, as for every writer.
//! - States of gateways and devices are ordered by term and counter: an old one never replaces a later one.

use store::writer::CommittedEvents;
use tokio_util::sync::CancellationToken;

use super::{DRAIN_BATCHES, Database, PAUSE, measure};
use crate::IngestConfig;
use crate::clock::Timer;
use crate::spool::Backlog;

/// A spool and the connection to the database.
pub(crate) struct Drain<'a, D, B, T> {
    /// Number of the writer whose spool it is.
    pub(crate) number: usize,
    /// The spool.
    pub(crate) spool: B,
    /// The database.
    pub(crate) database: D,
    /// The timer.
    pub(crate) timer: &'a T,
    /// Batch sizes and time limits.
    pub(crate) config: &'a IngestConfig,
}

impl<D: Database, B: Backlog, T: Timer> Drain<'_, D, B, T> {
    /// Commits the spool in order, until it is empty or `stop` is cancelled. Calls `committed` for the new events of
    /// each commit.
    pub(crate) async fn run(mut self, stop: &CancellationToken, mut committed: impl FnMut(&CommittedEvents)) {
        let connection = &mut self.database;
        if !self.spool.is_empty() {
            tracing::info!(bytes = self.spool.bytes(), writer = self.number, "storing the spool while another ingest is the leader");
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
            // If cancelled during a commit, the batch is committed again later, which has no effect.
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
