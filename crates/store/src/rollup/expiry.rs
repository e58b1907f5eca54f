//! Creates the partitions of the history ahead of time, and drops expired history.

use grid::Micros;
use grid::downsample::Resolution;

use super::{Rollups, layout};
use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::kept::Level;
use crate::partition::{self, Table};
use crate::{Engine, Result, engine};

/// Maximum number of rows of days that are deleted in one transaction.
const DAYS_MAX: i64 = 10_000;

/// Returns the levels of `rollup_dirty` whose ranges are computed from the rows of a level of the history.
fn needed_for(level: Level) -> &'static [i16] {
    match level {
        Level::Raw => &[1],
        Level::Minute => &[1, 2],
        Level::TenMinutes => &[1, 2, 3, 4],
        Level::Hour | Level::Day | Level::Event | Level::Fault => &[],
    }
}

impl Rollups {
    /// Creates the partitions that plain PostgreSQL needs around `now`. In most calls all of them exist. TimescaleDB creates its chunks itself.
    pub async fn create_partitions(&mut self, now: Micros) -> Result<()> {
        if engine::engine(&self.client).await? != Engine::Plain {
            return Ok(());
        }
        for table in Table::ALL {
            let created = partition::create_ahead(&mut self.client, table, now).await?;
            if created > 0 {
                tracing::info!(table = table.name(), created, "partitions are created");
            }
        }
        Ok(())
    }

    /// Returns the time of the database server.
    pub async fn server_time(&self) -> Result<Micros> {
        micros(&self.client.query_one("SELECT now() AS now", &[]).await?, "now")
    }

    /// Drops history that is older than `since`: whole partitions on plain PostgreSQL, a few in each call, or whole chunks on TimescaleDB. Days are in one
    /// table, from which rows are deleted. Returns the number of partitions, chunks or rows.
    ///
    /// Faults have rows in several tables; the alarm service deletes them.
    ///
    /// Values and buckets from which coarser buckets must still be computed are kept. A partition that a long query reads is kept until the next call.
    pub async fn expire(&mut self, level: Level, since: Micros) -> Result<u64> {
        let row = self.client.query_one(sql!("history/oldest_dirty"), &[&needed_for(level)]).await?;
        let since = micros_or_null(&row, "lo")?.map_or(since, |dirty| dirty.min(since));
        let (table, since) = match Table::of(level) {
            Some(table) => (table, since),
            None if level == Level::Day => return self.delete_rows(sql!("history/expire_1d"), since).await,
            None => return Ok(0),
        };
        // A packed row expires with its last bucket.
        let since = match level {
            Level::Minute => since.plus_millis(-layout(Resolution::Minute)?.block_ms()),
            Level::TenMinutes => since.plus_millis(-layout(Resolution::TenMinutes)?.block_ms()),
            Level::Hour => since.plus_millis(-layout(Resolution::Hour)?.block_ms()),
            Level::Raw | Level::Day | Level::Event | Level::Fault => since,
        };
        let dropped = if engine::engine(&self.client).await? == Engine::Plain {
            partition::expire(&mut self.client, table, since).await?
        } else {
            self.drop_chunks(table, since).await?
        };
        if level == Level::Hour {
            self.delete_rows(sql!("history/expire_demand"), since).await?;
        }
        if dropped > 0 {
            tracing::info!(table = table.name(), dropped, "expired history is dropped");
        }
        Ok(dropped)
    }

    async fn drop_chunks(&mut self, table: Table, since: Micros) -> Result<u64> {
        let transaction = self.client.transaction().await?;
        transaction.batch_execute(&format!("SET LOCAL lock_timeout = {}", partition::LOCK_MAX.as_millis())).await?;
        let dropped = transaction.query(sql!("engine/drop_chunks"), &[&table.name(), &Stamp(since)]).await.map_err(crate::Error::from);
        match dropped {
            Ok(chunks) => {
                transaction.commit().await?;
                Ok(chunks.len() as u64)
            }
            Err(error) if partition::is_in_use(&error) => {
                tracing::info!(table = table.name(), "expired chunks are in use; they are dropped later");
                Ok(0)
            }
            Err(error) => Err(error),
        }
    }

    /// Deletes the rows of each point before a time, by a statement that deletes a limited number of them.
    async fn delete_rows(&self, statement: &str, since: Micros) -> Result<u64> {
        let points = self.client.query(sql!("history/points"), &[]).await?;
        let statement = self.client.prepare(statement).await?;
        let mut deleted = 0;
        for point in &points {
            let point: i64 = point.try_get(0)?;
            loop {
                let rows = self.client.execute(&statement, &[&point, &Stamp(since), &DAYS_MAX]).await?;
                deleted += rows;
                if rows < DAYS_MAX as u64 {
                    break;
                }
            }
        }
        Ok(deleted)
    }
}
