//! Updates the latest reading of each point, in the transaction of the batch or, for large batches, within a second after it.
//!
//! Measured (`examples/copy_limit`, batches of 5,000 samples): upserting all 2,000 points of a batch in its transaction reduces the rate to 0.43 of a plain
//! COPY, 500 points to 0.85; deferring them leaves 0.95 and more. So the measurands of a batch with many points are passed to a task that writes the latest
//! reading of each point once a second on a separate connection. Small batches, which are all batches at normal load, and all points with an event are upserted
//! in the transaction.
//!
//! Deferred readings outlive the connection of their writer ([`PendingLatest`]). Readings that a crash loses are restored from the history by the next writer
//! (`heal_latest`).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use grid::{ClientId, PointId, Reading};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, GenericClient, Statement};

use super::rows::{NewEvent, Sample};
use crate::convert::{Stamp, sql};
use crate::{Result, pool};

/// Number of points in a batch above which its measurands are deferred to the task.
const AT_ONCE: usize = 500;

/// How long the task collects readings before it writes them.
const GATHER: Duration = Duration::from_secs(1);

/// Divides the latest sample of each point into those for the transaction and those to defer. `rows` are sorted by point and time.
pub(super) fn divide<'a>(rows: &[&'a Sample], events: &[NewEvent]) -> (Vec<&'a Sample>, Vec<&'a Sample>) {
    let mut newest: Vec<&Sample> = Vec::new();
    for &sample in rows.iter().filter(|sample| !sample.historical) {
        match newest.last_mut() {
            Some(last) if last.point == sample.point => {
                if sample.reading.supersedes(&last.reading) {
                    *last = sample;
                }
            }
            _ => newest.push(sample),
        }
    }
    if newest.len() <= AT_ONCE {
        return (newest, Vec::new());
    }
    let changed: HashSet<PointId> = events.iter().map(|new| new.point).collect();
    newest.into_iter().partition(|sample| changed.contains(&sample.point))
}

/// Upserts readings. They are sorted by point, so that two writers lock rows in the same order.
pub(super) async fn upsert<'a>(
    client: &impl GenericClient,
    statement: &Statement,
    readings: impl Iterator<Item = (PointId, ClientId, &'a Reading)> + Clone,
) -> Result<()> {
    if readings.clone().next().is_none() {
        return Ok(());
    }
    let points: Vec<i64> = readings.clone().map(|(point, _, _)| point.0).collect();
    let clients: Vec<i64> = readings.clone().map(|(_, client, _)| client.0).collect();
    let sources: Vec<Stamp> = readings.clone().map(|(_, _, reading)| Stamp(reading.source)).collect();
    let received: Vec<Stamp> = readings.clone().map(|(_, _, reading)| Stamp(reading.received)).collect();
    let epochs: Vec<i64> = readings.clone().map(|(_, _, reading)| reading.ordinal.epoch).collect();
    let seqs: Vec<i64> = readings.clone().map(|(_, _, reading)| reading.ordinal.seq).collect();
    let values: Vec<Option<f64>> = readings.clone().map(|(_, _, reading)| reading.value).collect();
    let qualities: Vec<i16> = readings.map(|(_, _, reading)| i16::from(reading.quality.code())).collect();
    client.execute(statement, &[&points, &clients, &sources, &received, &epochs, &seqs, &values, &qualities]).await?;
    Ok(())
}

type Readings = HashMap<PointId, (ClientId, Reading)>;

/// Deferred readings. The writer of the next connection continues with those of the previous one; clones share them.
///
/// Bounded by the number of points: a newer reading replaces an older one.
#[derive(Clone, Default)]
pub struct PendingLatest(Arc<Shared>);

/// The task that writes deferred readings.
pub(super) struct Held {
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    pending: Mutex<Readings>,
    /// Locked while writing, so that a flush returns only after a write in progress.
    writing: tokio::sync::Mutex<()>,
    wake: Notify,
}

impl Shared {
    fn pending(&self) -> MutexGuard<'_, Readings> {
        // A panic while the lock is held leaves no partial change, so a poisoned lock can be used.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, readings: impl IntoIterator<Item = (PointId, (ClientId, Reading))>) {
        let mut pending = self.pending();
        for (point, (client, reading)) in readings {
            let entry = pending.entry(point).or_insert((client, reading));
            if reading.supersedes(&entry.1) {
                *entry = (client, reading);
            }
        }
    }

    /// Writes the deferred readings. They are removed only after the write, so nothing is lost if the task ends in between.
    async fn write(&self, client: &Client, statement: &Statement) -> Result<()> {
        let _alone = self.writing.lock().await;
        let mut readings: Vec<_> = self.pending().iter().map(|(point, entry)| (*point, *entry)).collect();
        readings.sort_unstable_by_key(|(point, _)| *point);
        let written = upsert(client, statement, readings.iter().map(|(point, (client, reading))| (*point, *client, reading))).await;
        match written {
            Err(error) if error.is_permanent() => {
                tracing::error!(%error, points = readings.len(), "latest values cannot be written; the next ones of their points replace them");
            }
            written => written?,
        }
        self.forget(&readings);
        Ok(())
    }

    /// Removes written readings, except for points that have received a newer one meanwhile.
    fn forget(&self, written: &[(PointId, (ClientId, Reading))]) {
        let mut pending = self.pending();
        for (point, (_, reading)) in written {
            if pending.get(point).is_some_and(|(_, held)| !held.supersedes(reading)) {
                pending.remove(point);
            }
        }
    }
}

impl Held {
    /// Starts the task with the readings that an earlier task has left.
    pub(super) fn start(url: &str, pending: &PendingLatest) -> Self {
        let shared = Arc::clone(&pending.0);
        if !shared.pending().is_empty() {
            shared.wake.notify_one();
        }
        let task = tokio::spawn(run(Arc::clone(&shared), url.to_owned()));
        Self { shared, task }
    }

    /// Returns whether the task has ended. It ends only by a panic.
    pub(super) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }

    pub(super) fn add(&self, samples: &[&Sample]) {
        if samples.is_empty() {
            return;
        }
        self.shared.put(samples.iter().map(|sample| (sample.point, (sample.client, sample.reading))));
        self.shared.wake.notify_one();
    }

    pub(super) async fn flush(&self, client: &Client, statement: &Statement) -> Result<()> {
        self.shared.write(client, statement).await
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn run(shared: Arc<Shared>, url: String) {
    let mut connection: Option<(Client, Statement)> = None;
    loop {
        shared.wake.notified().await;
        tokio::time::sleep(GATHER).await;
        if let Err(error) = write_out(&shared, &url, &mut connection).await {
            tracing::warn!(%error, "latest values wait for the database");
            connection = None;
            shared.wake.notify_one();
        }
    }
}

async fn write_out(shared: &Shared, url: &str, connection: &mut Option<(Client, Statement)>) -> Result<()> {
    if connection.is_none() {
        let client = pool::connect(url).await?;
        let statement = client.prepare(sql!("writer/upsert_latest")).await?;
        *connection = Some((client, statement));
    }
    match connection {
        Some((client, statement)) => shared.write(client, statement).await,
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use grid::{Micros, Ordinal, Quality};

    use super::*;

    fn sample(point: i64, source: i64, seq: i64, historical: bool) -> Sample {
        let reading = Reading {
            value: Some(1.0),
            quality: Quality::Good,
            source: Micros(source),
            received: Micros(source),
            ordinal: Ordinal { epoch: 1, seq },
        };
        Sample { point: PointId(point), client: ClientId(1), reading, historical, repeated: false }
    }

    #[tokio::test]
    async fn panicked_task_is_noticed_and_leaves_its_readings() {
        let pending = PendingLatest::default();
        let held = Held { shared: Arc::clone(&pending.0), task: tokio::spawn(async { panic!("a fault of the task") }) };
        held.add(&[&sample(1, 10, 1, false)]);
        while !held.has_ended() {
            tokio::task::yield_now().await;
        }
        drop(held);
        // There is no server at this address; the task keeps running.
        let next = Held::start("postgres://nobody@127.0.0.1:1/none", &pending);
        assert!(!next.has_ended());
        assert_eq!(next.shared.pending().keys().copied().collect::<Vec<_>>(), [PointId(1)]);
    }

    #[test]
    fn written_readings_are_forgotten_but_for_newer_ones() {
        let pending = PendingLatest::default();
        let readings =
            |samples: &[Sample]| samples.iter().map(|sample| (sample.point, (sample.client, sample.reading))).collect::<Vec<_>>();
        let written = readings(&[sample(1, 10, 1, false), sample(2, 10, 2, false)]);
        pending.0.put(written.clone());
        pending.0.put(readings(&[sample(2, 11, 3, false)]));
        pending.0.forget(&written);
        assert_eq!(pending.0.pending().iter().map(|(point, (_, reading))| (point.0, reading.ordinal.seq)).collect::<Vec<_>>(), [(2, 3)]);
    }

    fn newest(samples: &[Sample]) -> Vec<(i64, i64, i64)> {
        let mut rows: Vec<&Sample> = samples.iter().collect();
        rows.sort_by_key(|sample| (sample.point, sample.reading.source));
        let (now, later) = divide(&rows, &[]);
        assert!(later.is_empty());
        now.iter().map(|sample| (sample.point.0, sample.reading.source.0, sample.reading.ordinal.seq)).collect()
    }

    #[test]
    fn the_newest_of_each_point_is_taken_and_historical_ones_never() {
        assert_eq!(newest(&[sample(2, 10, 1, false), sample(1, 20, 2, false), sample(1, 15, 3, false)]), [(1, 20, 2), (2, 10, 1)]);
        assert_eq!(newest(&[sample(1, 10, 5, false), sample(1, 10, 4, false)]), [(1, 10, 5)]);
        assert_eq!(newest(&[sample(1, 10, 1, false), sample(1, 20, 2, true)]), [(1, 10, 1)]);
        assert_eq!(newest(&[sample(1, 20, 2, true)]), []);
    }

    #[test]
    fn a_large_batch_keeps_back_all_but_the_points_with_events() {
        let samples: Vec<Sample> = (0..=AT_ONCE as i64).map(|point| sample(point, 10, 1, false)).collect();
        let rows: Vec<&Sample> = samples.iter().collect();
        let event = NewEvent { point: PointId(7), client: ClientId(1), index: 0, reading: samples[7].reading };
        let (now, later) = divide(&rows, &[event]);
        assert_eq!(now.iter().map(|sample| sample.point.0).collect::<Vec<_>>(), [7]);
        assert_eq!(later.len(), AT_ONCE);
    }
}
