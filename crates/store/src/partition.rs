//! Partitions by time on plain PostgreSQL: they are created ahead of time, and dropped when all of their rows have expired. TimescaleDB creates
//! its chunks itself.

use std::time::Duration;

use grid::Micros;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::{Error, Result};

mod plan;

use plan::{Partition, Step, Width};

/// Advisory lock that is held while the partitions are changed. The number must differ from the other locks of the product.
const LOCK: i64 = 0x0073_7769_7463_6870;
/// Longest wait for the lock of a table, which holds up its readers and writers.
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

/// Creates the partitions that a table needs around `now`, and drops those in which all rows are older than `kept_since`.
///
/// A partition that cannot be dropped within [`LOCK_MAX`], because a long query reads the table, stays until the next call. Several processes can
/// call it at the same time; one works, the others wait.
pub(crate) async fn maintain(client: &mut Client, table: Table, now: Micros, kept_since: Option<Micros>) -> Result<Maintained> {
    client.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await?;
    let done = work(client, table, now, kept_since).await;
    client.execute("SELECT pg_advisory_unlock($1)", &[&LOCK]).await?;
    done
}

async fn work(client: &mut Client, table: Table, now: Micros, kept_since: Option<Micros>) -> Result<Maintained> {
    let mut done = Maintained::default();
    for step in plan::plan(&existing(client, table).await?, table.width(), now, kept_since)? {
        match step {
            Step::Create { from, to } => {
                create(client, table, from, to).await?;
                done.created += 1;
            }
            Step::Replace { dropped, to } => match replace(client, table, &dropped, to).await {
                Ok(()) => done.dropped += dropped.len() as u64,
                Err(Error::Database(error)) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                    tracing::info!(table = table.name(), partitions = ?dropped, "expired partitions are in use; they are dropped later");
                }
                Err(error) => return Err(error),
            },
        }
    }
    Ok(done)
}

/// Returns whether a row was refused because no partition of the table contains its time.
pub(crate) fn is_missing(error: &Error, table: Table) -> bool {
    let Error::Database(error) = error else { return false };
    // A violated constraint would be named.
    let refused = error.as_db_error().filter(|refused| *refused.code() == SqlState::CHECK_VIOLATION && refused.constraint().is_none());
    refused.and_then(|refused| refused.table()).is_some_and(|name| name == table.name())
}

async fn existing(client: &Client, table: Table) -> Result<Vec<Partition>> {
    let rows = client.query(sql!("partition/existing"), &[&table.name()]).await?;
    let read = |row: &tokio_postgres::Row| {
        Ok(Partition { name: row.try_get("name")?, from: micros_or_null(row, "begins")?, to: micros(row, "ends")? })
    };
    rows.iter().map(read).collect()
}

/// Creates a table beside the partitioned one and attaches it: that stops neither reads nor writes.
async fn create(client: &mut Client, table: Table, from: Option<Micros>, to: Micros) -> Result<()> {
    let (table, partition) = (table.name(), plan::name(table.name(), from, to)?);
    let transaction = client.transaction().await?;
    transaction.batch_execute(&format!("CREATE TABLE {partition} (LIKE {table} INCLUDING ALL)")).await?;
    let begin = bound(&transaction, from).await?;
    let end = bound(&transaction, Some(to)).await?;
    transaction.batch_execute(&format!("ALTER TABLE {table} ATTACH PARTITION {partition} FOR VALUES FROM ({begin}) TO ({end})")).await?;
    Ok(transaction.commit().await?)
}

async fn replace(client: &mut Client, table: Table, dropped: &[String], to: Micros) -> Result<()> {
    let (table, partition) = (table.name(), plan::name(table.name(), None, to)?);
    let transaction = client.transaction().await?;
    transaction.batch_execute(&format!("SET LOCAL lock_timeout = {}", LOCK_MAX.as_millis())).await?;
    // The names come from the catalog.
    let dropped: Vec<String> = dropped.iter().map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
    transaction.batch_execute(&format!("DROP TABLE {}", dropped.join(", "))).await?;
    let end = bound(&transaction, Some(to)).await?;
    transaction.batch_execute(&format!("CREATE TABLE {partition} PARTITION OF {table} FOR VALUES FROM (MINVALUE) TO ({end})")).await?;
    Ok(transaction.commit().await?)
}

/// Returns a bound as SQL. Statements that create tables take no parameters.
async fn bound(transaction: &tokio_postgres::Transaction<'_>, at: Option<Micros>) -> Result<String> {
    let Some(at) = at else { return Ok("MINVALUE".to_owned()) };
    Ok(transaction.query_one(sql!("partition/bound"), &[&Stamp(at)]).await?.try_get(0)?)
}
