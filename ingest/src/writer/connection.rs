//! A writer's connection to the database. It reconnects in the background whenever it is lost.

use std::time::{Duration, Instant};

use store::Writer;
use store::lead::Tenure;
use store::writer::{Batch, Committed, PendingLatest, Salvage};
use tokio::task::JoinHandle;
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use super::database::{Database, Failure};
use crate::failpoint;

/// The first pause after a failure; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The connection, or a running attempt to connect.
pub struct Connection {
    url: String,
    /// Time limit for connecting and for each transaction.
    limit: Duration,
    writer: Option<Writer>,
    attempt: Option<JoinHandle<Option<Writer>>>,
    pause: Duration,
    failed: bool,
    /// Latest values that are not written yet. They are kept when the connection is lost.
    pending: PendingLatest,
}

impl Connection {
    /// Creates a connection that connects when it is first needed. `limit` applies to connecting and to each
    /// transaction.
    pub fn new(url: String, limit: Duration) -> Self {
        Self { url, limit, writer: None, attempt: None, pause: Duration::ZERO, failed: false, pending: PendingLatest::default() }
    }

    fn fail(&mut self) {
        self.writer = None;
        self.failed = true;
        self.pause = (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
    }
}

impl Database for Connection {
    fn is_up(&self) -> bool {
        self.writer.as_ref().is_some_and(|writer| !writer.is_closed())
    }

    async fn up(&mut self) {
        while !self.is_up() {
            let (url, pending, limit, pause) = (self.url.clone(), self.pending.clone(), self.limit, self.pause);
            let attempt = self.attempt.get_or_insert_with(|| tokio::spawn(connect(url, pending, limit, pause)));
            let outcome = attempt.await;
            self.attempt = None;
            self.writer = outcome.ok().flatten();
            if self.writer.is_none() {
                self.fail();
            }
        }
    }

    fn take_recovered(&mut self) -> bool {
        self.is_up() && std::mem::take(&mut self.failed)
    }

    async fn commit(&mut self, batch: &Batch, tenure: Option<&Tenure>) -> Result<Committed, Failure> {
        let Some(writer) = self.writer.as_mut().filter(|writer| !writer.is_closed()) else { return Err(Failure::Unavailable) };
        writer.set_tenure(tenure);
        let began = Instant::now();
        failpoint::reach(failpoint::BEFORE_COMMIT);
        let error = match commit_or_salvage(writer, batch, self.limit).await {
            Ok(Ok(committed)) => {
                failpoint::reach(failpoint::AFTER_COMMIT);
                // Reset only after a commit: a database that accepts connections but stores nothing, because its disk
                // is full, must not be tried continuously.
                self.pause = Duration::ZERO;
                metrics::histogram!("ingest_commit_seconds").record(began.elapsed());
                return Ok(committed);
            }
            Ok(Err(error @ store::Error::Deposed { .. })) => {
                tracing::warn!(%error, rows = batch.row_count(), "a batch is not stored");
                return Err(Failure::Deposed);
            }
            Ok(Err(error)) => error.to_string(),
            Err(Elapsed { .. }) => format!("a commit exceeds its limit of {:?}", self.limit),
        };
        tracing::warn!(error, rows = batch.row_count(), "the database does not take a batch");
        metrics::counter!("ingest_commit_failures_total").increment(1);
        self.fail();
        Err(Failure::Unavailable)
    }

    async fn flush(&mut self) {
        let Some(writer) = self.writer.as_mut().filter(|writer| !writer.is_closed()) else { return };
        if !matches!(timeout(self.limit, writer.flush()).await, Ok(Ok(()))) {
            tracing::warn!("deferred latest values are not written; the next start restores them from the history");
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(attempt) = &self.attempt {
            attempt.abort();
        }
    }
}

async fn connect(url: String, pending: PendingLatest, limit: Duration, pause: Duration) -> Option<Writer> {
    tokio::time::sleep(pause).await;
    match timeout(limit, Writer::connect_with(&url, &pending)).await {
        Ok(Ok(writer)) => return Some(writer),
        Ok(Err(error)) => tracing::warn!(%error, "no connection to the database"),
        Err(_) => tracing::warn!("no connection to the database in time"),
    }
    None
}

/// Stores a batch. If the database rejects it permanently, splits it until each bad row is a dead letter.
///
/// The limit applies to each transaction. A batch with thousands of bad rows needs thousands of transactions, so with
/// one limit for all of them, every attempt would fail.
async fn commit_or_salvage(writer: &mut Writer, batch: &Batch, limit: Duration) -> Result<store::Result<Committed>, Elapsed> {
    match timeout(limit, writer.commit(batch)).await? {
        Err(error) if error.is_permanent() => {
            tracing::warn!(%error, rows = batch.row_count(), "the database rejects a batch permanently; splitting it to find the bad rows");
            let mut salvage = Salvage::new(batch);
            loop {
                match timeout(limit, writer.salvage_step(&mut salvage)).await? {
                    Ok(true) => {}
                    Ok(false) => return Ok(Ok(salvage.into_committed())),
                    Err(error) => return Ok(Err(error)),
                }
            }
        }
        done => Ok(done),
    }
}
