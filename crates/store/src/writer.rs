//! The durable path: one batch, one transaction, on a connection of its own. Whatever is acknowledged to the field has passed through here.

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

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
mod rows;
mod salvage;
mod samples;
mod statements;
mod tenure;

use latest::Held;
pub use latest::PendingLatest;
pub use rows::{Batch, Committed, CommittedEvents, DeadLetter, DeviceMark, GatewayCount, GatewayMark, NewEvent, Sample};
pub use salvage::Salvage;
use statements::Statements;

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
