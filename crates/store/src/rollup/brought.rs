//! Imports a history as buckets, such as that of the demo or of an earlier system.

use std::collections::BTreeMap;

use deadpool_postgres::{Object, Transaction};
use grid::downsample::{Bucket, Resolution};
use grid::{ClientId, Micros, PointId};
use tokio_postgres::Row;

use super::days::{self, Days};
use super::lock::lock;
use super::rows;
use crate::cancel::CancelOnDrop;
use crate::convert::{Stamp, micros, sql};
use crate::partition::{self, Table};
use crate::{Engine, Error, Result, Store};

/// Progress of an imported history, from its newest day backwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Brought {
    /// End of the history.
    pub until: Micros,
    /// The history from this time to its end is imported.
    pub done: Micros,
    /// Register readings at `done`, by names of the caller: a JSON object.
    pub registers: serde_json::Value,
}

impl Store {
    /// Stores buckets that the caller has computed. Buckets that exist already are kept. It is not checked whether the points exist. Returns the number of new
    /// buckets.
    ///
    /// Buckets of one block share a row, so pass them in one call if possible.
    pub async fn put_buckets(&self, of: Resolution, buckets: &[(PointId, Micros, Bucket)]) -> Result<u64> {
        if of == Resolution::Raw {
            return Err(Error::Data("single values go through the writer".to_owned()));
        }
        let mut connection = CancelOnDrop::new(self.pool.get().await?);
        let mut put = put_once(&mut connection, of, buckets).await;
        if let Err(error) = &put
            && let Some(table) = partition::missing(error)
        {
            let layout = rows::layout(of)?;
            let mut times: Vec<Micros> = buckets.iter().map(|(_, start, _)| layout.block(*start)).collect();
            times.sort_unstable();
            times.dedup();
            put = match partition::ensure(&mut connection, table, &times).await {
                Ok(_) => put_once(&mut connection, of, buckets).await,
                Err(error) => Err(error),
            };
        }
        connection.finish();
        put
    }

    /// Creates a partition for each month of a history that will be imported, on plain PostgreSQL. Call it before the import.
    pub async fn prepare_import(&self, from: Micros) -> Result<()> {
        if self.engine().await? != Engine::Plain {
            return Ok(());
        }
        let mut connection = CancelOnDrop::new(self.pool.get().await?);
        let opened = async {
            for table in Table::ALL {
                partition::open_past(&mut connection, table, from).await?;
            }
            Ok(())
        };
        let opened = opened.await;
        connection.finish();
        opened
    }

    /// Returns the progress of a utility's import; `None` if none was started.
    pub async fn brought(&self, client: ClientId) -> Result<Option<Brought>> {
        let row = self.query_opt(sql!("seed/brought"), &[&client.0]).await?;
        let read =
            |row: &Row| Ok(Brought { until: micros(row, "until")?, done: micros(row, "done")?, registers: row.try_get("registers")? });
        row.as_ref().map(read).transpose()
    }

    /// Stores the progress. Call it after the buckets are stored: an interrupted step is repeated and changes nothing.
    pub async fn put_brought(&self, client: ClientId, brought: &Brought) -> Result<()> {
        let Brought { until, done, registers } = brought;
        self.execute(sql!("seed/put_brought"), &[&client.0, &Stamp(*until), &Stamp(*done), registers]).await?;
        Ok(())
    }
}

async fn put_once(connection: &mut Object, of: Resolution, buckets: &[(PointId, Micros, Bucket)]) -> Result<u64> {
    let transaction = connection.transaction().await?;
    lock(&transaction).await?;
    let added = if of == Resolution::Day {
        let days: Days = buckets.iter().map(|(point, start, bucket)| ((*point, *start), *bucket)).collect();
        days::put(&transaction, sql!("history/put_1d"), &days).await?
    } else {
        put_packed(&transaction, of, buckets).await?
    };
    transaction.commit().await?;
    Ok(added)
}

async fn put_packed(transaction: &Transaction<'_>, of: Resolution, buckets: &[(PointId, Micros, Bucket)]) -> Result<u64> {
    let layout = rows::layout(of)?;
    let mut blocks: BTreeMap<(PointId, Micros), BTreeMap<Micros, Bucket>> = BTreeMap::new();
    for (point, start, bucket) in buckets {
        blocks.entry((*point, layout.block(*start))).or_default().insert(*start, *bucket);
    }
    let mut added = blocks.values().map(|buckets| buckets.len() as u64).sum();
    let keys: Vec<(PointId, Micros)> = blocks.keys().copied().collect();
    for (key, stored) in keys.iter().zip(rows::stored(transaction, of, &keys).await?) {
        let Some(block) = blocks.get_mut(key) else { continue };
        for (start, bucket) in stored {
            added -= u64::from(block.insert(start, bucket).is_some());
        }
    }
    let packed: Vec<(PointId, Vec<(Micros, Bucket)>)> =
        blocks.into_iter().map(|((point, _), buckets)| (point, buckets.into_iter().collect())).collect();
    let packed: Vec<(PointId, &[(Micros, Bucket)])> = packed.iter().map(|(point, buckets)| (*point, &buckets[..])).collect();
    rows::put(transaction, of, &packed).await?;
    Ok(added)
}
