//! Partitions by time on plain PostgreSQL: they are created ahead of time, and dropped when all of their rows have expired. TimescaleDB creates
//! its chunks itself.

use std::time::Duration;

use grid::Micros;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient, Transaction};

use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::{Error, Result};

mod plan;

use plan::{Partition, Step, Width};

/// Advisory lock that is held while the partitions are changed. The number must differ from the other locks of the product.
const LOCK: i64 = 0x0073_7769_7463_6870;
/// Largest number of steps in a call.
const STEPS_MAX: usize = 16;
/// Longest wait for another process that changes partitions.
const TURN_MAX: Duration = Duration::from_secs(2);
/// Longest wait for the lock of a table that is to be dropped, which holds up its readers and writers.
const LOCK_MAX: Duration = Duration::from_millis(200);

/// A table in partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// Values, by source time.
    Sample,
}

impl Table {
    /// All of them.
    pub(crate) const ALL: [Self; 1] = [Self::Sample];

    fn name(self) -> &'static str {
        match self {
            Self::Sample => "sample",
        }
    }

    fn width(self) -> Width {
        match self {
            Self::Sample => Width::Week,
        }
    }
}

/// What [`maintain`] has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Maintained {
    /// Number of created partitions.
    pub created: u64,
    /// Number of dropped partitions.
    pub dropped: u64,
}

/// Creates the partitions that a table needs around `now`, and drops the oldest ones in which all rows are older than `kept_since`, up to eight in a
/// call.
///
/// A partition that cannot be dropped within [`LOCK_MAX`], because a long query reads the table, stays until the next call. Several processes can
/// call it at the same time; each step is a transaction.
pub(crate) async fn maintain(client: &mut Client, table: Table, now: Micros, kept_since: Option<Micros>) -> Result<Maintained> {
    let mut done = Maintained::default();
    // One for the past, those around the present, and one drop.
    for _ in 0..STEPS_MAX {
        let since = kept_since.filter(|_| done.dropped == 0);
        let plan = |existing: &[Partition]| plan::plan(existing, table.width(), now, since);
        match step(client, table, plan).await {
            Ok(None) => break,
            Ok(Some(Step::Create { .. })) => done.created += 1,
            Ok(Some(Step::Replace { dropped, .. })) => done.dropped += dropped.len() as u64,
            Err(Error::Database(error)) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                tracing::info!(table = table.name(), "partitions are in use; they are changed later");
                break;
            }
            Err(error) => return Err(Error::Partitions(Box::new(error))),
        }
    }
    Ok(done)
}

/// Creates the missing partitions for the times of some rows.
pub(crate) async fn ensure(client: &mut Client, table: Table, times: &[Micros]) -> Result<()> {
    let created = async {
        let mut present = existing(client, table).await?;
        for at in times {
            if plan::containing(&present, table.width(), *at)?.is_some() {
                step(client, table, |existing| plan::containing(existing, table.width(), *at)).await?;
                present = existing(client, table).await?;
            }
        }
        Ok(())
    };
    created.await.map_err(|error| Error::Partitions(Box::new(error)))
}

/// Carries out the step that `plan` returns for the present partitions, in a transaction. Returns the step.
async fn step(client: &mut Client, table: Table, plan: impl Fn(&[Partition]) -> Result<Option<Step>>) -> Result<Option<Step>> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(&format!("SET LOCAL lock_timeout = {}", TURN_MAX.as_millis())).await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    let step = plan(&existing(&transaction, table).await?)?;
    match &step {
        None => {}
        Some(Step::Create { from, to }) => create(&transaction, table, *from, *to).await?,
        Some(Step::Replace { dropped, to }) => replace(&transaction, table, dropped, *to).await?,
    }
    transaction.commit().await?;
    Ok(step)
}

/// Returns whether a row was refused because no partition of the table contains its time.
pub(crate) fn is_missing(error: &Error, table: Table) -> bool {
    let Error::Database(error) = error else { return false };
    // A violated constraint would be named.
    let refused = error.as_db_error().filter(|refused| *refused.code() == SqlState::CHECK_VIOLATION && refused.constraint().is_none());
    refused.and_then(|refused| refused.table()).is_some_and(|name| name == table.name())
}

async fn existing(client: &impl GenericClient, table: Table) -> Result<Vec<Partition>> {
    let rows = client.query(sql!("partition/existing"), &[&table.name()]).await?;
    let read = |row: &tokio_postgres::Row| {
        Ok(Partition { name: row.try_get("name")?, from: micros_or_null(row, "begins")?, to: micros(row, "ends")? })
    };
    rows.iter().map(read).collect()
}

/// Creates a table beside the partitioned one and attaches it: that stops neither reads nor writes.
async fn create(transaction: &Transaction<'_>, table: Table, from: Option<Micros>, to: Micros) -> Result<()> {
    let (table, partition) = (table.name(), free_name(transaction, table, from, to).await?);
    transaction.batch_execute(&format!("CREATE TABLE {partition} (LIKE {table} INCLUDING ALL)")).await?;
    let begin = bound(transaction, from).await?;
    let end = bound(transaction, Some(to)).await?;
    let attach = format!("ALTER TABLE {table} ATTACH PARTITION {partition} FOR VALUES FROM ({begin}) TO ({end})");
    Ok(transaction.batch_execute(&attach).await?)
}

async fn replace(transaction: &Transaction<'_>, table: Table, dropped: &[String], to: Micros) -> Result<()> {
    let (table, partition) = (table.name(), free_name(transaction, table, None, to).await?);
    transaction.batch_execute(&format!("SET LOCAL lock_timeout = {}", LOCK_MAX.as_millis())).await?;
    // The names come from the catalog.
    let dropped: Vec<String> = dropped.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    transaction.batch_execute(&format!("DROP TABLE {}", dropped.join(", "))).await?;
    let end = bound(transaction, Some(to)).await?;
    let create = format!("CREATE TABLE {partition} PARTITION OF {table} FOR VALUES FROM (MINVALUE) TO ({end})");
    Ok(transaction.batch_execute(&create).await?)
}

/// Returns the name of a partition, with a number after it if that table exists: an administrator may have detached it.
async fn free_name(transaction: &Transaction<'_>, table: Table, from: Option<Micros>, to: Micros) -> Result<String> {
    let name = plan::name(table.name(), from, to)?;
    Ok(transaction.query_one(sql!("partition/free_name"), &[&name]).await?.try_get(0)?)
}

/// Returns a bound as SQL. Statements that create tables take no parameters.
async fn bound(transaction: &Transaction<'_>, at: Option<Micros>) -> Result<String> {
    let Some(at) = at else { return Ok("MINVALUE".to_owned()) };
    Ok(transaction.query_one(sql!("partition/bound"), &[&Stamp(at)]).await?.try_get(0)?)
}
