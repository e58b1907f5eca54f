//! Imports a history as buckets, such as that of the demo or of an earlier system.

use std::collections::BTreeMap;

use grid::downsample::{Bucket, Resolution};
use grid::{ClientId, Micros, PointId};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, sql};
use crate::{Error, Result, Store};

/// Progress of an imported history, from its newest day backwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Brought {
    /// End of the history.
    pub until: Micros,
    /// The history from here to its end is imported.
    pub done: Micros,
    /// Register readings at `done`, by names of the caller: a JSON object.
    pub registers: serde_json::Value,
}

impl Store {
    /// Stores buckets that were computed elsewhere. Buckets that exist already are kept. The points are not checked.
    pub async fn put_buckets(&self, of: Resolution, buckets: &[(PointId, Micros, Bucket)]) -> Result<u64> {
        fn column<T>(rows: &BTreeMap<(PointId, Micros), &Bucket>, value: impl Fn(&Bucket) -> T) -> Vec<T> {
            rows.values().map(|bucket| value(bucket)).collect()
        }
        let statement = match of {
            Resolution::Raw => return Err(Error::Data("single values go through the writer".to_owned())),
            Resolution::Minute => sql!("history/put_1m"),
            Resolution::TenMinutes => sql!("history/put_10m"),
            Resolution::Hour => sql!("history/put_1h"),
            Resolution::Day => sql!("history/put_1d"),
        };
        // A duplicate key would fail the statement. Sorted keys make neighbours land on the same page.
        let ordered: BTreeMap<(PointId, Micros), &Bucket> =
            buckets.iter().map(|(point, start, bucket)| ((*point, *start), bucket)).collect();
        let points: Vec<i64> = ordered.keys().map(|(point, _)| point.0).collect();
        let starts: Vec<Stamp> = ordered.keys().map(|(_, start)| Stamp(*start)).collect();
        let count = |n: i64| i32::try_from(n).unwrap_or(i32::MAX);
        self.execute(
            statement,
            &[
                &points,
                &starts,
                &column(&ordered, |bucket| bucket.first.map(|(at, _)| Stamp(at))),
                &column(&ordered, |bucket| bucket.last.map(|(at, _)| Stamp(at))),
                &column(&ordered, |bucket| bucket.min),
                &column(&ordered, |bucket| bucket.max),
                &column(&ordered, |bucket| bucket.sum),
                &column(&ordered, |bucket| bucket.first.map(|(_, value)| value)),
                &column(&ordered, |bucket| bucket.last.map(|(_, value)| value)),
                &column(&ordered, |bucket| count(bucket.n)),
                &column(&ordered, |bucket| count(bucket.n_good)),
                &column(&ordered, |bucket| i16::from(bucket.worst.code())),
                &column(&ordered, |bucket| {
                    bucket.held.map(|held| held.from).filter(|at| bucket.first.is_none_or(|first| first.0 != *at)).map(Stamp)
                }),
                &column(&ordered, |bucket| {
                    bucket.held.map(|held| held.to).filter(|at| bucket.last.is_none_or(|last| last.0 != *at)).map(Stamp)
                }),
                &column(&ordered, |bucket| bucket.held.map(|held| held.value_ms)),
                &column(&ordered, |bucket| bucket.held.map(|held| held.ms)),
            ],
        )
        .await
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
