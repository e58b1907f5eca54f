//! The task that makes parcels durable: in the database, or in the spool while the database is away. It gives nothing up but what the database will never take.
//!
//! What comes is committed at once while the database takes it and nothing is spooled. Otherwise it goes behind what is spooled, and the spool is drained
//! in order whenever the database is there, so a node's messages keep their order on both ways.
//!
//! Each commit proves that this process still leads. A writer whose term is over acknowledges nothing more, and stores what is spooled without that proof
//! (see [`drain`]).

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
use crate::ack::Place;
use crate::clock::Timer;
use crate::host::NodeIndex;
use crate::parcel::{Parcel, merge};
use crate::spool::Backlog;
pub use database::{Database, Failure};

/// Batches taken from the spool into one COMMIT: what comes meanwhile has to wait for it.
const DRAIN_BATCHES: usize = 2;

/// How long a start waits for the database before the spool has to do.
const FIRST_PATIENCE: Duration = Duration::from_secs(2);

/// Between two attempts at what neither the database nor the spool takes.
const PAUSE: Duration = Duration::from_millis(500);

/// What a writer has to say.
#[derive(Debug)]
pub enum Outcome {
    /// What it is given can be made durable, or cannot.
    Able {
        /// Which writer.
        writer: usize,
        /// Whether it can.
        able: bool,
    },
    /// The database is back after a failure: something may have been committed without our knowing.
    Recovered,
    /// Parcels are durable.
    Stored(Stored),
    /// Another process leads: what was to be stored is not, and is not acknowledged.
    Deposed,
}

/// What became durable by one COMMIT, or by one flush of the spool.
#[derive(Debug, Default)]
pub struct Stored {
    /// Places in outboxes, to be acknowledged to the nodes.
    pub places: Vec<(NodeIndex, Place)>,
    /// New events.
    pub events: Vec<CommittedEvents>,
    /// What is no longer held, bytes.
    pub freed: usize,
    /// When each parcel was handed on.
    pub handed_on: Vec<Micros>,
}

/// One writer's settings and ends.
#[derive(Debug)]
pub struct Setup<D, B, T> {
    /// Which writer.
    pub number: usize,
    /// The database.
    pub database: D,
    /// The term in which parcels are stored.
    pub tenure: Tenure,
    /// Batch sizes and time limits.
    pub config: IngestConfig,
    /// Where batches wait while the database is away; without it they wait in memory.
    pub spool: Option<B>,
    /// What waits for time to pass.
    pub timer: T,
    /// What to store. Bounded by what the sender may hold, not by count.
    pub parcels: mpsc::UnboundedReceiver<Parcel>,
    /// What has been stored. Bounded by the same.
    pub outcomes: mpsc::UnboundedSender<Outcome>,
    /// Give up retrying: the process wants to end.
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
    /// There are no more, or the process does not want to wait any longer.
    Orderly,
    /// The term is over.
    Deposed,
}

/// Writes until the senders of parcels are gone and all is durable, or until it is told to give up. What is spooled then waits for the next start.
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
        task.tell(Outcome::Deposed);
        // Nothing of these is acknowledged: the broker and the outboxes send them to the new leader.
        task.parcels.close();
        let _ = task.drain_to_end().await;
    }
    task.connection.flush().await;
    if let Some(spool) = task.spool.filter(|spool| !spool.is_empty()) {
        tracing::info!(bytes = spool.bytes(), writer = number, "what is spooled waits for the next start");
    }
}

impl<D: Database, B: Backlog, T: Timer> Task<D, B, T> {
    /// Whether we can make anything durable decides whether gateways are told that we are here: so that is found out before anything comes.
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
        self.tell_able(true);
        Ok(())
    }

    /// One batch into the database; or, behind what is spooled, one batch into the spool and one out of it.
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

    /// A batch: as many rows as allowed, or as many as come until the first has waited long enough.
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

    /// A batch of what is there already.
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

    /// Makes parcels durable, however long it takes. Ended means that the process wants to end: nothing is acknowledged, so nothing is lost.
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
            // Neither takes it: it is held, and with it everything behind it.
            self.tell_able(false);
            tokio::select! {
                biased;
                () = self.give_up.cancelled() => return Err(Ended::Orderly),
                () = self.connection.up() => {}
                // The spool's disk may have room again before the database is back.
                () = self.timer.sleep(PAUSE) => continue,
            }
            self.recovered();
            if !self.drain().await? {
                self.rest().await?;
            }
        }
        self.tell_able(true);
        Ok(())
    }

    /// Takes the oldest of the spool to the database; true unless something is in the way.
    ///
    /// A leader proves its term here too, so that one that is deposed learns it before it spools more.
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
        // What cannot be taken out is committed again later, which doubles nothing.
        let removed = spool.remove(&front).await;
        self.report(Vec::new(), committed);
        self.measure_spool();
        if let Err(error) = &removed {
            tracing::error!(%error, "what is stored stays in the spool");
        }
        Ok(removed.is_ok())
    }

    /// At the end: as much as the database takes now.
    async fn drain_to_end(&mut self) -> Result<(), Ended> {
        while !self.is_spool_empty() && self.connection.is_up() && !self.give_up.is_cancelled() {
            if !self.drain().await? {
                break;
            }
        }
        Err(Ended::Orderly)
    }

    /// From now on commits prove nothing, and there are none but those of what is spooled.
    fn deposed(&mut self) -> Ended {
        self.tenure = None;
        Ended::Deposed
    }

    fn is_spool_empty(&self) -> bool {
        self.spool.as_ref().is_none_or(Backlog::is_empty)
    }

    /// Puts a batch into the spool; false when there is none or it refuses.
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
        self.tell(Outcome::Stored(stored));
    }

    fn tell_able(&mut self, able: bool) {
        if std::mem::replace(&mut self.able, able) != able {
            self.tell(Outcome::Able { writer: self.number, able });
        }
    }

    fn recovered(&mut self) {
        if self.connection.take_recovered() {
            self.tell(Outcome::Recovered);
        }
    }

    fn tell(&self, outcome: Outcome) {
        // Nobody listens any more: the process ends, and the nodes will send again what they hear no acknowledgement of.
        let _ = self.outcomes.send(outcome);
    }

    /// Waits for the database.
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
