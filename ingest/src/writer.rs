//! The task that commits: parcels into batches, one transaction each, until it has succeeded. It gives nothing up but what the database will never take.

use std::time::{Duration, Instant};

use store::Writer;
use store::writer::{Batch, Committed, CommittedEvents};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::IngestConfig;
use crate::ack::Place;
use crate::host::NodeIndex;
use crate::parcel::{Parcel, merge};

/// The first pause after a failure; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What a writer has to say.
#[derive(Debug)]
pub enum Outcome {
    /// It can write, or cannot. `after_failure` says that something may have been committed without our knowing.
    Able {
        /// Which writer.
        writer: usize,
        /// Whether it can.
        able: bool,
        /// A failure came before.
        after_failure: bool,
    },
    /// Parcels are durable.
    Stored(Stored),
}

/// What became durable by one COMMIT.
#[derive(Debug, Default)]
pub struct Stored {
    /// Places in outboxes, to be acknowledged to the nodes.
    pub places: Vec<(NodeIndex, Place)>,
    /// New events.
    pub events: Vec<CommittedEvents>,
    /// What is no longer held, bytes.
    pub freed: usize,
}

/// One writer's settings and ends.
#[derive(Debug)]
pub struct Setup {
    /// Which writer.
    pub number: usize,
    /// The database.
    pub database_url: String,
    /// Batch sizes and time limits.
    pub config: IngestConfig,
    /// What to store. Bounded by what the sender may hold, not by count.
    pub parcels: mpsc::UnboundedReceiver<Parcel>,
    /// What has been stored. Bounded by the same.
    pub outcomes: mpsc::UnboundedSender<Outcome>,
    /// Give up retrying: the process wants to end.
    pub give_up: CancellationToken,
}

struct Task {
    setup: Setup,
    writer: Option<Writer>,
    failed: bool,
}

/// The process wants to end.
struct GivenUp;

/// Writes until the senders of parcels are gone and all is stored, or until it is told to give up.
pub async fn run(setup: Setup) {
    let mut task = Task { setup, writer: None, failed: false };
    // Connected before there is anything to write: whether we can decides whether gateways are told that we are here.
    task.connect().await;
    while let Some(parcels) = task.collect().await {
        if task.store(parcels).await.is_err() {
            return;
        }
    }
    if let Some(mut writer) = task.writer.take()
        && let Err(error) = writer.flush().await
    {
        tracing::warn!(%error, "what is held back for the latest values is not written; the next start heals it");
    }
}

impl Task {
    /// The next batch: as many rows as allowed, or as many as come until the first has waited long enough. `None` when there will be no more.
    async fn collect(&mut self) -> Option<Vec<Parcel>> {
        let first = self.setup.parcels.recv().await?;
        let deadline = tokio::time::Instant::now() + self.setup.config.batch_age;
        let mut rows = first.row_count();
        let mut parcels = vec![first];
        while rows < self.setup.config.batch_rows {
            match tokio::time::timeout_at(deadline, self.setup.parcels.recv()).await {
                Ok(Some(parcel)) => {
                    rows += parcel.row_count();
                    parcels.push(parcel);
                }
                Ok(None) | Err(_) => break,
            }
        }
        Some(parcels)
    }

    /// Stores parcels, however long it takes. An error means that the process wants to end: nothing is acknowledged, so nothing is lost.
    async fn store(&mut self, parcels: Vec<Parcel>) -> Result<(), GivenUp> {
        let committed = self.commit(&merge(parcels.iter())).await?;
        self.report(parcels, committed);
        Ok(())
    }

    fn report(&self, parcels: Vec<Parcel>, committed: Committed) {
        metrics::counter!("ingest_duplicates_total").increment(committed.samples_duplicate);
        metrics::counter!("ingest_dead_letters_total", "reason" => "conflict").increment(committed.conflicts);
        let mut stored = Stored { events: committed.events, ..Stored::default() };
        for parcel in parcels {
            stored.freed += parcel.held;
            stored.places.extend(parcel.node.zip(parcel.place));
            if let Some(ack) = parcel.ack {
                ack.done();
            }
        }
        // Nobody listens any more: the process ends, and the nodes will send again what they hear no acknowledgement of.
        let _ = self.setup.outcomes.send(Outcome::Stored(stored));
    }

    /// Commits a batch, trying again for as long as the fault is not the batch's own.
    async fn commit(&mut self, batch: &Batch) -> Result<Committed, GivenUp> {
        let mut pause = FIRST_PAUSE;
        loop {
            self.connect().await;
            let Some(writer) = &mut self.writer else { return Err(GivenUp) };
            let began = Instant::now();
            let error = match tokio::time::timeout(self.setup.config.commit_timeout, commit_or_salvage(writer, batch)).await {
                Ok(Ok(committed)) => {
                    metrics::histogram!("ingest_commit_seconds").record(began.elapsed());
                    return Ok(committed);
                }
                Ok(Err(error)) => error.to_string(),
                Err(_) => "a commit takes too long".to_owned(),
            };
            tracing::warn!(error, writer = self.setup.number, "the database does not take a batch; it is held");
            self.lost();
            if self.sleep(&mut pause).await {
                return Err(GivenUp);
            }
        }
    }

    fn lost(&mut self) {
        self.writer = None;
        self.failed = true;
        let _ = self.setup.outcomes.send(Outcome::Able { writer: self.setup.number, able: false, after_failure: true });
    }

    /// Sees to it that there is a connection, however long it takes; none only when the process wants to end.
    async fn connect(&mut self) {
        let mut pause = FIRST_PAUSE;
        while self.writer.as_ref().is_none_or(Writer::is_closed) {
            let connecting = tokio::time::timeout(self.setup.config.commit_timeout, Writer::connect(&self.setup.database_url));
            let connected = tokio::select! {
                connected = connecting => connected,
                () = self.setup.give_up.cancelled() => return self.writer = None,
            };
            match connected {
                Ok(Ok(writer)) => {
                    self.writer = Some(writer);
                    let able = Outcome::Able { writer: self.setup.number, able: true, after_failure: self.failed };
                    let _ = self.setup.outcomes.send(able);
                    return;
                }
                Ok(Err(error)) => tracing::warn!(%error, writer = self.setup.number, "no connection to the database"),
                Err(_) => tracing::warn!(writer = self.setup.number, "no connection to the database in time"),
            }
            self.failed = true;
            if self.sleep(&mut pause).await {
                return self.writer = None;
            }
        }
    }

    /// Pauses, a little longer each time; true when the process wants to end.
    async fn sleep(&self, pause: &mut Duration) -> bool {
        let slept = tokio::time::timeout(*pause, self.setup.give_up.cancelled()).await;
        *pause = (*pause * 2).min(LONGEST_PAUSE);
        slept.is_ok()
    }
}

/// Stores a batch; one that will never be taken whole, row by row, what is bad becoming a dead letter.
async fn commit_or_salvage(writer: &mut Writer, batch: &Batch) -> store::Result<Committed> {
    match writer.commit(batch).await {
        Err(error) if error.is_permanent() => {
            tracing::warn!(%error, "the database refuses a batch for ever; taking it apart");
            writer.salvage(batch).await
        }
        done => done,
    }
}
