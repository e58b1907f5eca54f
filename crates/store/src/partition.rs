//! Partitions by time on plain PostgreSQL: they are created ahead of time, and dropped when all of their rows have expired. TimescaleDB creates
//! its chunks itself.

use std::time::Duration;

use grid::Micros;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient, Transaction};

use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::kept::Level;
use crate::{Error, Result};

mod plan;

use plan::{Partition, Step, Width};

/// Advisory lock that is held while the partitions are changed. The number must differ from the other locks of the product.
const LOCK: i64 = 0x0073_7769_7463_6870;
/// Largest number of partitions that one call creates for a table.
const CREATED_MAX: usize = 1_000;
/// Longest wait for another process that changes partitions.
const TURN_MAX: Duration = Duration::from_secs(2);
/// Longest wait for the lock of a table that is to be dropped. During the wait, other readers and writers of the table wait too.
pub(crate) const LOCK_MAX: Duration = Duration::from_millis(200);

/// A table in partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// Values, by source time.
    Sample,
    /// Buckets of one minute, by start of the row.
    RollupMinute,
    /// Buckets of ten minutes.
    RollupTenMinutes,
    /// Buckets of one hour.
    RollupHour,
    /// Events, by source time.
    Event,
}

impl Table {
    /// All of them.
    pub(crate) const ALL: [Self; 5] = [Self::Sample, Self::RollupMinute, Self::RollupTenMinutes, Self::RollupHour, Self::Event];

    /// Returns the table of a level of the history; `None` for days and faults, which have no partitions.
    pub(crate) fn of(level: Level) -> Option<Self> {
        match level {
            Level::Raw => Some(Self::Sample),
            Level::Minute => Some(Self::RollupMinute),
            Level::TenMinutes => Some(Self::RollupTenMinutes),
            Level::Hour => Some(Self::RollupHour),
            Level::Event => Some(Self::Event),
            Level::Day | Level::Fault => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sample => "sample",
            Self::RollupMinute => "rollup_1m",
            Self::RollupTenMinutes => "rollup_10m",
            Self::RollupHour => "rollup_1h",
            Self::Event => "event",
        }
    }

    /// Returns the column by which it is partitioned.
    pub(crate) fn column(self) -> &'static str {
        match self {
            Self::Sample => "ts",
            Self::RollupMinute | Self::RollupTenMinutes | Self::RollupHour => "start",
            Self::Event => "source_ts",
        }
    }

    fn width(self) -> Width {
        match self {
            Self::Sample | Self::RollupMinute | Self::RollupTenMinutes | Self::Event => Width::Month,
            Self::RollupHour => Width::Year,
        }
    }

    /// Returns the width of its chunks on TimescaleDB, days.
    pub(crate) fn chunk_days(self) -> u16 {
        match self {
            Self::Sample => 7,
            Self::RollupMinute | Self::RollupTenMinutes | Self::Event => 30,
            Self::RollupHour => 360,
        }
    }

    /// Returns the storage parameters of the partitions of this table. Packed rows are often rewritten. Their partitions are vacuumed after a fixed number of
    /// changed rows, because in a large partition a number that is proportional to its size would be reached too late.
    pub(crate) fn storage(self) -> Option<&'static str> {
        match self {
            Self::Sample | Self::Event => None,
            Self::RollupMinute | Self::RollupTenMinutes | Self::RollupHour => {
                Some("autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000")
            }
        }
    }
}

/// Creates the partitions that a table needs around `now`. Returns their number. Several processes can call it at the same time; each step is a transaction.
pub(crate) async fn create_ahead(client: &mut Client, table: Table, now: Micros) -> Result<u64> {
    let times = plan::ahead(table.width(), now).map_err(partitions)?;
    ensure(client, table, &times).await
}

/// Creates the missing partitions for the times of some rows. Returns their number.
pub(crate) async fn ensure(client: &mut Client, table: Table, times: &[Micros]) -> Result<u64> {
    let created = async {
        let (mut present, mut created) = (existing(client, table).await?, 0);
        for at in times {
            if plan::containing(&present, table.width(), *at)?.is_some() {
                if created == CREATED_MAX as u64 {
                    return Err(Error::Data(format!("more than {CREATED_MAX} partitions of {} are missing", table.name())));
                }
                step(client, table, TURN_MAX, |existing| plan::containing(existing, table.width(), *at)).await?;
                present = existing(client, table).await?;
                created += 1;
            }
        }
        Ok(created)
    };
    created.await.map_err(partitions)
}

/// Creates the missing partitions for all times of some ranges, the ends exclusive.
pub(crate) async fn ensure_ranges(client: &mut Client, table: Table, ranges: &[(Micros, Micros)]) -> Result<u64> {
    let mut times = Vec::new();
    for (from, to) in ranges {
        times.extend(plan::starts(table.width(), *from, *to, CREATED_MAX).map_err(partitions)?);
    }
    ensure(client, table, &times).await
}

/// Drops the oldest partitions whose rows are all older than `since`, a few in each call. Returns their number.
///
/// A partition that cannot be dropped within [`LOCK_MAX`], because a long query reads the table, stays until the next call.
pub(crate) async fn expire(client: &mut Client, table: Table, since: Micros) -> Result<u64> {
    match step(client, table, LOCK_MAX, |existing| Ok(plan::expired(existing, table.width(), since))).await {
        Ok(Some(Step::Replace { dropped, .. })) => Ok(dropped.len() as u64),
        Ok(_) => Ok(0),
        Err(error) if is_in_use(&error) => {
            tracing::info!(table = table.name(), "expired partitions are in use; they are dropped later");
            Ok(0)
        }
        Err(error) => Err(partitions(error)),
    }
}

/// Returns whether a lock could not be taken in time.
pub(crate) fn is_in_use(error: &Error) -> bool {
    matches!(error, Error::Database(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE))
}

/// Divides the first partition, which has no lower bound, so that rows from `from` on are stored in partitions of the usual width. Its present rows are not
/// moved: their partition then begins with the oldest of them.
pub(crate) async fn open_past(client: &mut Client, table: Table, from: Micros) -> Result<()> {
    divide_first(client, table, from).await.map_err(partitions)
}

async fn divide_first(client: &mut Client, table: Table, from: Micros) -> Result<()> {
    let transaction = begin(client, TURN_MAX).await?;
    let present = existing(&transaction, table).await?;
    let Some(first) = present.first().filter(|first| first.from.is_none()) else { return Ok(()) };
    let (name, column) = (quoted(&first.name), table.column());
    // No writer may add a row between this look and the division.
    transaction.batch_execute(&format!("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE", table.name())).await?;
    let oldest = transaction.query_one(&format!("SELECT min({column}) AS oldest FROM {name}"), &[]).await?;
    let oldest = micros_or_null(&oldest, "oldest")?;
    let Some(plan::Past { rest, created }) = plan::past(first, table.width(), from, oldest)? else { return Ok(()) };
    transaction.batch_execute(&format!("ALTER TABLE {} DETACH PARTITION {name}", table.name())).await?;
    match rest {
        None => transaction.batch_execute(&format!("DROP TABLE {name}")).await?,
        Some(from) => {
            let renamed = free_name(&transaction, table, Some(from), first.to).await?;
            transaction.batch_execute(&format!("ALTER TABLE {name} RENAME TO {renamed}")).await?;
            attach(&transaction, table, &renamed, Some(from), first.to).await?;
        }
    }
    for (from, to) in created {
        create(&transaction, table, from, to).await?;
    }
    Ok(transaction.commit().await?)
}

/// Starts a transaction during which no other process changes partitions, with a limit for its waits.
async fn begin(client: &mut Client, wait_max: Duration) -> Result<Transaction<'_>> {
    let transaction = client.transaction().await?;
    transaction.batch_execute(&format!("SET LOCAL lock_timeout = {}", TURN_MAX.as_millis())).await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    transaction.batch_execute(&format!("SET LOCAL lock_timeout = {}", wait_max.as_millis())).await?;
    Ok(transaction)
}

/// Carries out the step that `plan` returns for the present partitions, in a transaction. Returns the step.
async fn step(
    client: &mut Client,
    table: Table,
    wait_max: Duration,
    plan: impl Fn(&[Partition]) -> Result<Option<Step>>,
) -> Result<Option<Step>> {
    let transaction = begin(client, wait_max).await?;
    let step = plan(&existing(&transaction, table).await?)?;
    match &step {
        None => {}
        Some(Step::Create { from, to }) => create(&transaction, table, *from, *to).await?,
        Some(Step::Replace { dropped, to }) => replace(&transaction, table, dropped, *to).await?,
    }
    transaction.commit().await?;
    Ok(step)
}

/// Returns the table of which a row was refused because no partition contains its time; `None` for any other error.
pub(crate) fn missing(error: &Error) -> Option<Table> {
    let Error::Database(error) = error else { return None };
    // A violated constraint would be named.
    let refused = error.as_db_error().filter(|refused| *refused.code() == SqlState::CHECK_VIOLATION && refused.constraint().is_none())?;
    Table::ALL.into_iter().find(|table| refused.table() == Some(table.name()))
}

fn partitions(error: Error) -> Error {
    Error::Partitions(Box::new(error))
}

async fn existing(client: &impl GenericClient, table: Table) -> Result<Vec<Partition>> {
    let rows = client.query(sql!("partition/existing"), &[&table.name()]).await?;
    let read = |row: &tokio_postgres::Row| {
        Ok(Partition { name: row.try_get("name")?, from: micros_or_null(row, "begins")?, to: micros(row, "ends")? })
    };
    rows.iter().map(read).collect()
}

/// Creates a separate table and attaches it to the partitioned table. This blocks neither reads nor writes.
async fn create(transaction: &Transaction<'_>, table: Table, from: Option<Micros>, to: Micros) -> Result<()> {
    let partition = free_name(transaction, table, from, to).await?;
    let (name, storage) = (table.name(), with_storage(table));
    transaction.batch_execute(&format!("CREATE TABLE {partition} (LIKE {name} INCLUDING ALL){storage}")).await?;
    attach(transaction, table, &partition, from, to).await
}

async fn attach(transaction: &Transaction<'_>, table: Table, partition: &str, from: Option<Micros>, to: Micros) -> Result<()> {
    let (name, begin, end) = (table.name(), bound(transaction, from).await?, bound(transaction, Some(to)).await?);
    Ok(transaction.batch_execute(&format!("ALTER TABLE {name} ATTACH PARTITION {partition} FOR VALUES FROM ({begin}) TO ({end})")).await?)
}

async fn replace(transaction: &Transaction<'_>, table: Table, dropped: &[String], to: Micros) -> Result<()> {
    let (name, partition) = (table.name(), free_name(transaction, table, None, to).await?);
    let dropped: Vec<String> = dropped.iter().map(|name| quoted(name)).collect();
    transaction.batch_execute(&format!("DROP TABLE {}", dropped.join(", "))).await?;
    let (end, storage) = (bound(transaction, Some(to)).await?, with_storage(table));
    let create = format!("CREATE TABLE {partition} PARTITION OF {name} FOR VALUES FROM (MINVALUE) TO ({end}){storage}");
    Ok(transaction.batch_execute(&create).await?)
}

fn with_storage(table: Table) -> String {
    table.storage().map(|parameters| format!(" WITH ({parameters})")).unwrap_or_default()
}

/// Returns a name of the catalog as SQL.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns an unused name for a partition. If a table with the usual name exists, because an administrator has detached it, a number is appended.
async fn free_name(transaction: &Transaction<'_>, table: Table, from: Option<Micros>, to: Micros) -> Result<String> {
    let name = plan::name(table.name(), from, to)?;
    Ok(transaction.query_one(sql!("partition/free_name"), &[&name]).await?.try_get(0)?)
}

/// Returns a bound as SQL. Statements that create tables take no parameters.
async fn bound(transaction: &Transaction<'_>, at: Option<Micros>) -> Result<String> {
    let Some(at) = at else { return Ok("MINVALUE".to_owned()) };
    Ok(transaction.query_one(sql!("partition/bound"), &[&Stamp(at)]).await?.try_get(0)?)
}
