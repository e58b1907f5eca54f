//! The durable path: one batch, one transaction, on a connection of its own. Whatever is acknowledged to the field has passed through here.

use grid::{ClientId, Event, GatewayId, LinkOrder, Micros, PointId, Reading};

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Statement};

use crate::convert::sql;
use crate::lead::Tenure;
use crate::{Error, Result, pool};

mod dead_letters;
mod devices;
mod events;
mod gateways;
mod latest;
mod links;
mod marks;
mod salvage;
mod samples;
mod tenure;

use latest::Held;
pub use latest::PendingLatest;
pub use salvage::Salvage;

/// One value for the history, and for `latest` unless it is historical. A status change is a sample as well as an event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The point.
    pub point: PointId,
    /// Its utility.
    pub client: ClientId,
    /// The value, after scaling.
    pub reading: Reading,
    /// Sent late by a gateway that had been cut off, or older than the present value when it arrived: to the history alone, never to `latest`.
    pub historical: bool,
    /// Came in a message that has come before: most likely it is stored. A hint for the way it is tried, never for what is stored.
    pub repeated: bool,
}

/// A change of a status point, for the sequence of events.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewEvent {
    /// The point.
    pub point: PointId,
    /// Its utility.
    pub client: ClientId,
    /// Its place within its message: a message may carry a point twice.
    pub index: i16,
    /// The change.
    pub reading: Reading,
}

/// Input that could not be taken, kept for people to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The utility, where it is known.
    pub client: Option<ClientId>,
    /// Where it came from.
    pub topic: String,
    /// Why, as a short code.
    pub reason: String,
    /// Why, as a sentence.
    pub detail: String,
    /// What arrived; the first 64 KiB are kept.
    pub payload: Vec<u8>,
    /// When.
    pub received: Micros,
}

/// Something heard of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayMark {
    /// The gateway.
    pub gateway: GatewayId,
    /// Born or dead; `None` when it was only heard.
    pub online: Option<bool>,
    /// When.
    pub at: Micros,
    /// The place of the state among the gateway's states, where it is one.
    pub order: LinkOrder,
    /// Whether the state is entered in the history of the link; not where it only confirms that the state before still holds.
    pub entered: bool,
}

/// A gateway has said that one of its devices has come or gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceMark {
    /// The gateway.
    pub gateway: GatewayId,
    /// The device.
    pub device: String,
    /// Come or gone.
    pub online: bool,
    /// When.
    pub at: Micros,
    /// The place of the state among the device's states.
    pub order: LinkOrder,
}

/// What was counted of a gateway's messages since the last time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayCount {
    /// The gateway.
    pub gateway: GatewayId,
    /// Until when; it counts for the day of this instant in the utility's zone.
    pub at: Micros,
    /// Values that were taken.
    pub taken: i64,
    /// Those of them that came more than a minute after their time.
    pub late: i64,
    /// Messages whose numbers never came.
    pub missing: i64,
    /// How far its clock was ahead of ours, ms; `None` when it sent no time of its own.
    pub skew_ms: Option<i64>,
    /// Whether anything was heard of it, or only missed.
    pub heard: bool,
}

/// What goes into one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Values.
    pub samples: Vec<Sample>,
    /// Status changes.
    pub events: Vec<NewEvent>,
    /// What was refused.
    pub dead: Vec<DeadLetter>,
    /// What was heard of gateways, in order of arrival.
    pub gateways: Vec<GatewayMark>,
    /// What was heard of devices, in order of arrival.
    pub devices: Vec<DeviceMark>,
    /// What was counted of gateways.
    pub counts: Vec<GatewayCount>,
}

/// What a transaction has stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Committed {
    /// Samples that were not there before.
    pub samples_new: u64,
    /// Samples that were there already, value for value.
    pub samples_duplicate: u64,
    /// Samples and events whose key was there with another value: what was stored stays, what came is in the dead letters.
    pub conflicts: u64,
    /// The new events, one entry a utility; after [`Writer::salvage`] possibly several, in order.
    pub events: Vec<CommittedEvents>,
}

/// The new events of one utility.
#[derive(Debug, Clone, PartialEq)]
pub struct CommittedEvents {
    /// The utility.
    pub client: ClientId,
    /// The epoch of its event stream.
    pub epoch: String,
    /// The offset before the first of these.
    pub from: i64,
    /// The offset of the last of these.
    pub offset: i64,
    /// The events, in offset order.
    pub rows: Vec<Event>,
}

/// The connection that telemetry is written through. After an error of connection make a new one.
pub struct Writer {
    client: Client,
    statements: Statements,
    held: Held,
    tenure: Option<Tenure>,
}

/// How often a transaction is tried again that lost to another one (deadlock, serialisation) before its error goes to the caller.
const CONTENTION_RETRIES: u32 = 3;

impl Writer {
    /// Connects, prepares its statements and heals `latest`. Says so in the log when the server does not flush commits to disk.
    pub async fn connect(url: &str) -> Result<Self> {
        Self::connect_with(url, &PendingLatest::default()).await
    }

    /// Connects as [`Writer::connect`] does, and goes on with the latest values that a writer before it has held back.
    pub async fn connect_with(url: &str, pending: &PendingLatest) -> Result<Self> {
        let client = pool::connect(url).await?;
        insist_on_durability(&client).await?;
        client.query_one(sql!("lead/detect_lost_client"), &[]).await?;
        client.query_one(sql!("writer/limits"), &[]).await?;
        let statements = Statements::prepare(&client).await?;
        client.execute(sql!("writer/heal_latest"), &[]).await?;
        client.execute(sql!("writer/forget_links"), &[]).await?;
        Ok(Self { client, statements, held: Held::start(url, pending), tenure: None })
    }

    /// Sets the term that later commits prove: a commit in a term that is over stores nothing and fails with [`Error::Deposed`]. Default: no check.
    ///
    /// What is written beside commits (values held back for `latest`) is not checked: whichever process writes it, it only moves forward.
    pub fn set_tenure(&mut self, tenure: Option<&Tenure>) {
        self.tenure = tenure.cloned();
    }

    /// Stores a batch in one transaction: all of it or, on an error, nothing. Resending a batch doubles nothing.
    ///
    /// The samples are tried by COPY, which costs half of INSERT ... ON CONFLICT and fails on a known key; only then is the same batch
    /// inserted the careful way. A batch without resent values never pays for the possibility of them. Those that are known to be resent are looked
    /// up first, beside the COPY of the others: most often all of them are stored.
    pub async fn commit(&mut self, batch: &Batch) -> Result<Committed> {
        let mut rows: Vec<&Sample> = batch.samples.iter().collect();
        // The order of the index: neighbours land on the same page, and two writers with common keys meet in the same order. Stable, so
        // that of two samples with one key the first in the batch is the one stored. What is repeated goes in a second run behind the rest; should
        // two writers cross there, the server lets one of them lose, and it tries again.
        rows.sort_by_key(|sample| (sample.point, sample.reading.source));
        let (now, later) = latest::divide(&rows, &batch.events);
        let (mut optimistic, mut retries) = (true, 0);
        let committed = loop {
            match self.attempt(batch, &rows, &now, optimistic).await {
                Err(error) if optimistic && has_code(&error, &SqlState::UNIQUE_VIOLATION) => optimistic = false,
                Err(error) if retries < CONTENTION_RETRIES && is_contention(&error) => retries += 1,
                done => break done?,
            }
        };
        self.held.add(&later);
        Ok(committed)
    }

    async fn attempt(&mut self, batch: &Batch, rows: &[&Sample], now: &[&Sample], optimistic: bool) -> Result<Committed> {
        let transaction = self.client.transaction().await?;
        let with = &self.statements;
        let (repeated, new): (Vec<&Sample>, Vec<&Sample>) = rows.iter().copied().partition(|sample| sample.repeated || !optimistic);
        let mut stored = samples::copy(&transaction, with, &new).await?;
        // What was announced as repeated is most often there already, and all of it: then one look settles it.
        let unknown = if optimistic { samples::unknown(&transaction, with, &repeated).await? } else { repeated };
        stored.add(samples::insert(&transaction, with, &unknown).await?);
        // The utility's stream row is locked from here to the commit, so all that needs no lock comes before it and little after it.
        let latest =
            latest::upsert(&transaction, &with.upsert_latest, now.iter().map(|sample| (sample.point, sample.client, &sample.reading)));
        let marked = marks::put(&transaction, with, if stored.new > 0 { rows } else { &[] });
        // Late, so that a new leader waits for the end of a transaction and never for a COPY.
        let proven = tenure::prove(&transaction, with, self.tenure.as_ref());
        // Sent together, done in this order; the first refusal says what is wrong. What is nothing new has its marks.
        let (latest, marked, proven) = tokio::join!(latest, marked, proven);
        latest.and(marked).and(proven)?;
        let (events, refused) = events::insert(&transaction, with, &batch.events).await?;
        let conflicts = (stored.conflicts.len() + refused.len()) as u64;
        dead_letters::insert(&transaction, with, batch.dead.iter().chain(&stored.conflicts).chain(&refused)).await?;
        gateways::mark(&transaction, with, &batch.gateways).await?;
        devices::mark(&transaction, with, &batch.devices).await?;
        links::enter(&transaction, with, batch).await?;
        transaction.commit().await?;
        let samples_duplicate = rows.len() as u64 - stored.new - stored.conflicts.len() as u64;
        Ok(Committed { samples_new: stored.new, samples_duplicate, conflicts, events })
    }

    /// Writes out what is held back for `latest`. For an orderly stop; a crash is healed at the next [`Writer::connect`].
    pub async fn flush(&mut self) -> Result<()> {
        self.held.flush(&self.client, &self.statements.upsert_latest).await
    }

    /// Whether the connection is gone, or the task that writes latest values.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed() || self.held.has_ended()
    }
}

/// Everything the writer says, prepared once: parsing and planning would be a third of a small commit.
struct Statements {
    copy_samples: Statement,
    known_samples: Statement,
    insert_samples: Statement,
    sample_conflicts: Statement,
    mark_rollups: Statement,
    upsert_latest: Statement,
    create_stream: Statement,
    lock_stream: Statement,
    advance_stream: Statement,
    insert_events: Statement,
    event_conflicts: Statement,
    insert_dead_letters: Statement,
    mark_gateways: Statement,
    mark_devices: Statement,
    insert_links: Statement,
    add_counts: Statement,
    fence_term: Statement,
    stored_term: Statement,
}

impl Statements {
    async fn prepare(client: &Client) -> Result<Self> {
        Ok(Self {
            copy_samples: client.prepare(sql!("writer/copy_samples")).await?,
            known_samples: client.prepare(sql!("writer/known_samples")).await?,
            insert_samples: client.prepare(sql!("writer/insert_samples")).await?,
            sample_conflicts: client.prepare(sql!("writer/sample_conflicts")).await?,
            mark_rollups: client.prepare(sql!("history/mark")).await?,
            upsert_latest: client.prepare(sql!("writer/upsert_latest")).await?,
            create_stream: client.prepare(sql!("writer/create_stream")).await?,
            lock_stream: client.prepare(sql!("writer/lock_stream")).await?,
            advance_stream: client.prepare(sql!("writer/advance_stream")).await?,
            insert_events: client.prepare(sql!("writer/insert_events")).await?,
            event_conflicts: client.prepare(sql!("writer/event_conflicts")).await?,
            insert_dead_letters: client.prepare(sql!("writer/insert_dead_letters")).await?,
            mark_gateways: client.prepare(sql!("writer/mark_gateways")).await?,
            mark_devices: client.prepare(sql!("writer/mark_devices")).await?,
            insert_links: client.prepare(sql!("writer/insert_links")).await?,
            add_counts: client.prepare(sql!("writer/add_counts")).await?,
            fence_term: client.prepare(sql!("lead/fence_term")).await?,
            stored_term: client.prepare(sql!("lead/term")).await?,
        })
    }
}

/// An acknowledgement is worth what COMMIT is worth. What can be set for this connection is set; what only the server's owner can set is
/// said loudly, and not refused: it may be a throw-away database.
async fn insist_on_durability(client: &Client) -> Result<()> {
    let row = client.query_one(sql!("writer/durability"), &[]).await?;
    let (fsync, pages, commit): (&str, &str, &str) =
        (row.try_get("fsync")?, row.try_get("full_page_writes")?, row.try_get("synchronous_commit")?);
    if fsync != "on" || pages != "on" {
        tracing::error!(
            fsync,
            full_page_writes = pages,
            "the database does not flush to disk: what is acknowledged may be lost in a crash"
        );
    }
    if commit == "off" {
        tracing::warn!("synchronous_commit is off on this database; the writer turns it on for itself");
        client.batch_execute("SET synchronous_commit TO on").await?;
    }
    Ok(())
}

fn has_code(error: &Error, code: &SqlState) -> bool {
    matches!(error, Error::Database(error) if error.code() == Some(code))
}

fn is_contention(error: &Error) -> bool {
    has_code(error, &SqlState::T_R_DEADLOCK_DETECTED) || has_code(error, &SqlState::T_R_SERIALIZATION_FAILURE)
}
