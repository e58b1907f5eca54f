//! The writer of telemetry: one transaction for each batch, on a separate connection. Data acknowledged to gateways are durable after its commit.

use grid::Micros;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::convert::sql;
use crate::lead::Tenure;
use crate::partition::{self, Table};
use crate::{Error, Result, pool};

mod dead_letters;
mod devices;
mod events;
mod gateways;
mod latest;
mod links;
mod marks;
mod rows;
mod salvage;
mod samples;
mod statements;
mod tenure;

pub use latest::PendingLatest;
use latest::{DeferredLatest, Present};
pub use rows::{Batch, Committed, CommittedEvents, DeadLetter, DeviceMark, Doubt, GatewayCount, GatewayMark, NewEvent, Sample};
pub use salvage::Salvage;
use statements::Statements;

/// A connection for writing telemetry. After a connection error create a new writer.
pub struct Writer {
    client: Client,
    statements: Statements,
    held: DeferredLatest,
    tenure: Option<Tenure>,
}

/// How often a transaction is repeated after a deadlock or serialisation failure, before its error is returned.
const CONTENTION_RETRIES: u32 = 3;

impl Writer {
    /// Connects, prepares the statements and restores `latest` from the history. Logs an error if the server does not flush commits to disk.
    pub async fn connect(url: &str) -> Result<Self> {
        Self::connect_with(url, &PendingLatest::default()).await
    }

    /// Connects as [`Writer::connect`] does, and continues with the deferred latest readings of the previous writer.
    pub async fn connect_with(url: &str, pending: &PendingLatest) -> Result<Self> {
        let client = pool::connect(url).await?;
        insist_on_durability(&client).await?;
        client.query_one(sql!("lead/detect_lost_client"), &[]).await?;
        client.query_one(sql!("writer/limits"), &[]).await?;
        let statements = Statements::prepare(&client).await?;
        client.execute(sql!("writer/heal_latest"), &[]).await?;
        client.execute(sql!("writer/forget_links"), &[]).await?;
        Ok(Self { client, statements, held: DeferredLatest::start(url, pending), tenure: None })
    }

    /// Sets the term that later commits check: a commit in a term that has ended stores nothing and fails with [`Error::Deposed`]. Default: no check.
    ///
    /// Deferred readings for `latest` are written without a check. Any process can write them, because only newer readings replace a reading.
    pub fn set_tenure(&mut self, tenure: Option<&Tenure>) {
        self.tenure = tenure.cloned();
    }

    /// Stores a batch in one transaction; on an error nothing is stored. Storing a batch again adds nothing.
    ///
    /// The samples are first stored with COPY, which takes half the time of INSERT ... ON CONFLICT. COPY fails if a key is stored already; then the batch is
    /// inserted row by row. So a batch without repeated values takes no additional time. Samples that are marked as repeated are not part of the COPY. They are
    /// looked up separately, because most of them are stored already.
    pub async fn commit(&mut self, batch: &Batch) -> Result<Committed> {
        let mut rows: Vec<&Sample> = batch.samples.iter().collect();
        // The order of the index: neighbours land on the same page, and two writers with common keys lock them in the same order. The sort is stable, so of two
        // samples with one key the first one is stored. Repeated samples follow in a second pass; if two writers deadlock there, the server aborts one, which
        // tries again.
        rows.sort_by_key(|sample| (sample.point, sample.reading.source));
        let (now, later) = latest::divide(&rows, &batch.events, &batch.doubts);
        let (mut optimistic, mut retries, mut partitioned) = (true, 0, Vec::new());
        let committed = loop {
            match self.attempt(batch, &rows, &now, optimistic).await {
                // The clock has jumped, or nothing has maintained the partitions for weeks.
                Err(error) if partition::missing(&error).is_some_and(|table| !partitioned.contains(&table)) => {
                    partitioned.extend(self.ensure_partitions(&error, batch).await?);
                }
                Err(error) if optimistic && has_code(&error, &SqlState::UNIQUE_VIOLATION) => optimistic = false,
                Err(error) if retries < CONTENTION_RETRIES && is_contention(&error) => retries += 1,
                done => break done?,
            }
        };
        self.held.add(&later);
        Ok(committed)
    }

    /// Creates the partitions for the rows of a batch, of the table that has refused a row. Returns the table.
    async fn ensure_partitions(&mut self, refusal: &Error, batch: &Batch) -> Result<Option<Table>> {
        let table = partition::missing(refusal);
        let times: Vec<Micros> = match table {
            Some(Table::Event) => batch.events.iter().map(|event| event.reading.source).collect(),
            Some(_) => batch.samples.iter().map(|sample| sample.reading.source).collect(),
            None => Vec::new(),
        };
        if let Some(table) = table {
            partition::ensure(&mut self.client, table, &times).await?;
        }
        Ok(table)
    }

    async fn attempt(&mut self, batch: &Batch, rows: &[&Sample], now: &[Present], optimistic: bool) -> Result<Committed> {
        let transaction = self.client.transaction().await?;
        let with = &self.statements;
        let (repeated, new): (Vec<&Sample>, Vec<&Sample>) = rows.iter().copied().partition(|sample| sample.repeated || !optimistic);
        let mut stored = samples::copy(&transaction, with, &new).await?;
        // Samples marked as repeated are usually all stored already. Then one look-up is enough.
        let unknown = if optimistic { samples::unknown(&transaction, with, &repeated).await? } else { repeated };
        stored.add(samples::insert(&transaction, with, &unknown).await?);
        // This locks the utility's stream row until the commit. Work that needs no lock is therefore done before it.
        let latest = latest::upsert(&transaction, &with.upsert_latest, now);
        let marked = marks::put(&transaction, with, if stored.new > 0 { rows } else { &[] });
        // Late, so that a new leader waits only for the end of a transaction and not for a COPY.
        let proven = tenure::prove(&transaction, with, self.tenure.as_ref());
        // All are sent together and run in this order; the first error is the cause. Samples that were stored already have their dirty ranges.
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

    /// Writes the deferred readings to `latest`, for an orderly stop. After a crash the next [`Writer::connect`] restores them.
    pub async fn flush(&mut self) -> Result<()> {
        self.held.flush(&self.client, &self.statements.upsert_latest).await
    }

    /// Returns whether the connection is lost, or the task that writes deferred readings has ended.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed() || self.held.has_ended()
    }
}

/// Ensures that a COMMIT is durable. Session settings are changed. Wrong settings that only the owner of the server can change are logged as errors. They are
/// not refused, because the database may be temporary.
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
