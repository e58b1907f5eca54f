//! The task that makes parcels durable: in the database, or in the spool while the database is unavailable. It drops
//! only rows that the database rejects permanently.
//!
//! Parcels are committed at once if the database is available and the spool is empty. Otherwise they are appended to
//! the spool, which is drained in order whenever the database is available, so the messages of a node keep their order.
//!
//! Each commit proves that this process is still the leader. After the end of its term a writer acknowledges nothing,
//! and stores the spool without that proof (see [`drain`]).

pub mod connection;
mod database;
pub(crate) mod drain;

use std::time::Duration;

use grid::Micros;
use store::lead::Tenure;
use store::writer::{Batch, Committed, CommittedEvents};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::IngestConfig;
use crate::ack::OutboxPosition;
use crate::clock::Timer;
use crate::node_index::NodeIndex;
use crate::parcel::{Parcel, merge};
use crate::spool::Backlog;
pub use database::{Database, Failure};

/// Maximum number of batches of the spool in one COMMIT. New parcels wait for this COMMIT.
const DRAIN_BATCHES: usize = 2;

/// How long a writer waits for the database at its start before it uses the spool.
const FIRST_PATIENCE: Duration = Duration::from_secs(2);

/// Pause between two attempts when neither the database nor the spool accepts a batch.
const PAUSE: Duration = Duration::from_millis(500);

/// A report of a writer.
#[derive(Debug)]
pub enum Outcome {
    /// The writer can make parcels durable from now on, or can no longer do so.
    Able {
        /// Number of the writer.
        writer: usize,
        /// Whether it can make parcels durable.
        able: bool,
    },
    /// The database is available after a failure: a commit may have succeeded without an answer.
    Recovered,
    /// Parcels are durable.
    Stored(Stored),
    /// Another process is the leader, so the waiting parcels are neither stored nor acknowledged.
    Deposed,
}

/// The result of one COMMIT, or of one flush of the spool.
#[derive(Debug, Default)]
pub struct Stored {
    /// Positions in outboxes, which are acknowledged to the nodes.
    pub places: Vec<(NodeIndex, OutboxPosition)>,
    /// New events.
    pub events: Vec<CommittedEvents>,
    /// Bytes that are no longer held.
    pub freed: usize,
    /// When each parcel was passed to the writer.
    pub handed_on: Vec<Micros>,
}

/// Settings and channels of one writer.
#[derive(Debug)]
pub struct Setup<D, B, T> {
    /// Number of the writer.
    pub number: usize,
    /// The database.
    pub database: D,
    /// The term in which parcels are stored.
    pub tenure: Tenure,
    /// Batch sizes and time limits.
    pub config: IngestConfig,
    /// The spool; without one, batches wait in memory.
    pub spool: Option<B>,
    /// The timer.
    pub timer: T,
    /// Parcels to store. Bounded by the bytes that the sender may hold.
    pub parcels: mpsc::UnboundedReceiver<Parcel>,
    /// Reports. Bounded like the parcels.
    pub outcomes: mpsc::UnboundedSender<Outcome>,
    /// Cancelled when the process ends; then the writer stops retrying.
    pub give_up: CancellationToken,
}

struct Task<D, B, T> {
    number: usize,
    batch_rows: usize,
    batch_age: Duration,
    parcels: mpsc::UnboundedReceiver<Parcel>,
    outcomes: mpsc::UnboundedSender<Outcome>,
    give_up: CancellationToken,
    spool: Option<B>,
    connection: D,
    timer: T,
    /// `None` when the term is over.
    tenure: Option<Tenure>,
    able: bool,
}

/// Why a writer takes no more parcels.
enum Ended {
    /// All senders are dropped, or the process ends.
    Orderly,
    /// The term is over.
    Deposed,
}

/// Stores parcels until all senders are dropped and all parcels are durable, or until `give_up`. In the latter case the
/// spool remains for the next start.
pub async fn run<D: Database, B: Backlog, T: Timer>(setup: Setup<D, B, T>) {
    let Setup { number, database: connection, tenure, config, spool, timer, parcels, outcomes, give_up } = setup;
    let IngestConfig { batch_rows, batch_age, .. } = config;
    let tenure = Some(tenure);
    let mut task = Task { number, batch_rows, batch_age, parcels, outcomes, give_up, spool, connection, timer, tenure, able: false };
    let mut ended = task.begin().await;
    while ended.is_ok() {
        ended = task.step().await;
    }
    if matches!(ended, Err(Ended::Deposed)) {
        task.send_outcome(Outcome::Deposed);
        // None of these is acknowledged: the broker and the outboxes send them to the new leader.
        task.parcels.close();
        let _ = task.drain_to_end().await;
    }
    task.connection.flush().await;
    if let Some(spool) = task.spool.filter(|spool| !spool.is_empty()) {
        tracing::info!(bytes = spool.bytes(), writer = number, "the spool is kept; it is stored at the next start");
    }
}

impl<D: Database, B: Backlog, T: Timer> Task<D, B, T> {
    /// Finds out before the first parcel whether this writer can make parcels durable, because the STATE of this host
    /// depends on it.
    async fn begin(&mut self) -> Result<(), Ended> {
        self.measure_spool();
        if self.spool.is_none() {
            self.up().await?;
        } else {
            let Self { timer, connection, give_up, .. } = self;
            let up = async {
                tokio::select! {
                    biased;
                    () = connection.up() => Ok(()),
                    () = give_up.cancelled() => Err(Ended::Orderly),
                }
            };
            if let Some(up) = timer.within(FIRST_PATIENCE, up).await {
                up?;
                self.recovered();
            }
        }
        self.report_able(true);
        Ok(())
    }

    /// Commits one batch; or, if the spool is not empty, appends one batch to it and commits its front.
    async fn step(&mut self) -> Result<(), Ended> {
        if self.is_spool_empty() {
            let first = loop {
                tokio::select! {
                    biased;
                    first = self.parcels.recv() => break first.ok_or(Ended::Orderly)?,
                    () = self.connection.up(), if !self.connection.is_up() => self.recovered(),
                }
            };
            let parcels = self.collect(first).await;
            return self.place(parcels).await;
        }
        match self.parcels.try_recv() {
            Ok(first) => {
                let parcels = self.available(first);
                self.place(parcels).await?;
            }
            Err(mpsc::error::TryRecvError::Disconnected) => return self.drain_to_end().await,
            Err(mpsc::error::TryRecvError::Empty) => {}
        }
        if self.connection.is_up() {
            return if self.drain().await? || !self.connection.is_up() { Ok(()) } else { self.rest().await };
        }
        tokio::select! {
            biased;
            () = self.give_up.cancelled() => Err(Ended::Orderly),
            () = self.connection.up() => { self.recovered(); Ok(()) }
            first = self.parcels.recv() => match first {
                Some(first) => { let parcels = self.collect(first).await; self.place(parcels).await }
                None => Err(Ended::Orderly),
            },
        }
    }

    /// Collects a batch: up to the row limit, or until the first parcel has waited long enough.
    async fn collect(&mut self, first: Parcel) -> Vec<Parcel> {
        let deadline = self.timer.sleep(self.batch_age);
        tokio::pin!(deadline);
        let mut rows = first.row_count();
        let mut parcels = vec![first];
        while rows < self.batch_rows {
            let next = tokio::select! {
                biased;
                next = self.parcels.recv() => next,
                () = &mut deadline => None,
            };
            let Some(parcel) = next else { break };
            rows += parcel.row_count();
            parcels.push(parcel);
        }
        parcels
    }

    /// Collects a batch of the parcels that are waiting, without waiting for more.
    fn available(&mut self, first: Parcel) -> Vec<Parcel> {
        let mut rows = first.row_count();
        let mut parcels = vec![first];
        while rows < self.batch_rows {
            let Ok(parcel) = self.parcels.try_recv() else { break };
            rows += parcel.row_count();
            parcels.push(parcel);
        }
        parcels
    }

    /// Makes parcels durable, repeating until it succeeds. `Ended` means that the process ends. Then the parcels are
    /// not acknowledged, so nothing is lost.
    async fn place(&mut self, parcels: Vec<Parcel>) -> Result<(), Ended> {
        let batch = merge(parcels.iter());
        loop {
            if self.is_spool_empty() && self.connection.is_up() {
                match self.connection.commit(&batch, self.tenure.as_ref()).await {
                    Ok(committed) => {
                        self.report(parcels, committed);
                        break;
                    }
                    Err(Failure::Unavailable) => {}
                    Err(Failure::Deposed) => return Err(self.deposed()),
                }
            }
            if self.is_spooled(&batch).await {
                self.report(parcels, Committed::default());
                break;
            }
            // Neither the database nor the spool accepts it: it is held, and all later parcels wait.
            self.report_able(false);
            tokio::select! {
                biased;
                () = self.give_up.cancelled() => return Err(Ended::Orderly),
                () = self.connection.up() => {}
                // The disk of the spool may have room before the database is available.
                () = self.timer.sleep(PAUSE) => continue,
            }
            self.recovered();
            if !self.drain().await? {
                self.rest().await?;
            }
        }
        self.report_able(true);
        Ok(())
    }

    /// Commits the front of the spool. Returns whether that succeeded.
    ///
    /// A leader proves its term here too, so that it notices the end of the term before it spools more rows.
    async fn drain(&mut self) -> Result<bool, Ended> {
        let Some(spool) = &mut self.spool else { return Ok(true) };
        let front = match spool.front(self.batch_rows * DRAIN_BATCHES).await {
            Ok(Some(front)) => front,
            Ok(None) => return Ok(true),
            Err(error) => {
                tracing::error!(%error, "the spool is not read; tried again");
                return Ok(false);
            }
        };
        let committed = match self.connection.commit(&front.batch, self.tenure.as_ref()).await {
            Ok(committed) => committed,
            Err(Failure::Unavailable) => return Ok(false),
            Err(Failure::Deposed) => return Err(self.deposed()),
        };
        // If the removal fails, the batches are committed again later, which has no effect.
        let removed = spool.remove(&front).await;
        self.report(Vec::new(), committed);
        self.measure_spool();
        if let Err(error) = &removed {
            tracing::error!(%error, "what is stored stays in the spool");
        }
        Ok(removed.is_ok())
    }

    /// Called at the end of the process: commits as much of the spool as the database accepts now.
    async fn drain_to_end(&mut self) -> Result<(), Ended> {
        while !self.is_spool_empty() && self.connection.is_up() && !self.give_up.is_cancelled() {
            if !self.drain().await? {
                break;
            }
        }
        Err(Ended::Orderly)
    }

    /// Ends the term: from now on only the spool is committed, without proof.
    fn deposed(&mut self) -> Ended {
        self.tenure = None;
        Ended::Deposed
    }

    fn is_spool_empty(&self) -> bool {
        self.spool.as_ref().is_none_or(Backlog::is_empty)
    }

    /// Appends a batch to the spool. Returns false if there is no spool or it refuses.
    async fn is_spooled(&mut self, batch: &Batch) -> bool {
        let Some(spool) = &mut self.spool else { return false };
        let appended = spool.append(batch).await;
        self.measure_spool();
        if let Err(error) = &appended {
            metrics::counter!("ingest_spool_refusals_total").increment(1);
            tracing::error!(%error, writer = self.number, "a batch is not spooled; it is held in memory and not acknowledged");
        }
        appended.is_ok()
    }

    fn measure_spool(&self) {
        measure(self.number, self.spool.as_ref());
    }

    fn report(&self, parcels: Vec<Parcel>, committed: Committed) {
        metrics::counter!("ingest_duplicates_total").increment(committed.samples_duplicate);
        metrics::counter!("ingest_dead_letters_total", "reason" => "conflict").increment(committed.conflicts);
        let mut stored = Stored { events: committed.events, ..Stored::default() };
        for parcel in parcels {
            stored.freed += parcel.held;
            stored.handed_on.push(parcel.handed_on);
            stored.places.extend(parcel.node.zip(parcel.place));
            if let Some(ack) = parcel.ack {
                ack.done();
            }
        }
        self.send_outcome(Outcome::Stored(stored));
    }

    fn report_able(&mut self, able: bool) {
        if std::mem::replace(&mut self.able, able) != able {
            self.send_outcome(Outcome::Able { writer: self.number, able });
        }
    }

    fn recovered(&mut self) {
        if self.connection.take_recovered() {
            self.send_outcome(Outcome::Recovered);
        }
    }

    fn send_outcome(&self, outcome: Outcome) {
        // A closed channel means that the process ends. Nodes send messages without acknowledgement again.
        let _ = self.outcomes.send(outcome);
    }

    /// Waits until the database is available.
    async fn up(&mut self) -> Result<(), Ended> {
        tokio::select! {
            biased;
            () = self.connection.up() => { self.recovered(); Ok(()) }
            () = self.give_up.cancelled() => Err(Ended::Orderly),
        }
    }

    async fn rest(&self) -> Result<(), Ended> {
        if self.timer.within(PAUSE, self.give_up.cancelled()).await.is_some() { Err(Ended::Orderly) } else { Ok(()) }
    }
}

fn measure(writer: usize, spool: Option<&impl Backlog>) {
    let bytes = spool.map_or(0, Backlog::bytes);
    metrics::gauge!("ingest_spool_bytes", "writer" => writer.to_string()).set(bytes as f64);
}
