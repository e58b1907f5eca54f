//! Updates the latest reading of each point, in the transaction of the batch or, for large batches, within a second after it.
//!
//! Measured (`examples/copy_limit`, batches of 5,000 samples): if all 2,000 points of a batch are upserted in its transaction, the rate is 0.43 of the rate of
//! a plain COPY; with 500 points it is 0.85. If the points are deferred, it is at least 0.95. So the measurands of a batch with many points are passed to a
//! task that writes the latest reading of each point once a second on a separate connection. Small batches, which are all batches at normal load, and all
//! points with an event are upserted in the transaction.
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

use super::rows::{Doubt, NewEvent, Sample};
use crate::convert::{Stamp, sql};
use crate::{Result, pool};

/// If a batch has values of more points than this, the task of [`DeferredLatest`] writes the values of its measurands later.
const AT_ONCE: usize = 500;

/// How long the task of [`DeferredLatest`] collects readings before it writes them.
const GATHER: Duration = Duration::from_secs(1);

/// A reading for `latest`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Present {
    point: PointId,
    client: ClientId,
    reading: Reading,
}

/// Divides the latest reading of each point into those for the transaction and those to defer. `rows` are sorted by point and time.
///
/// A doubt is stored in the transaction, like its dead letter. It only replaces the reading that is in doubt, never a newer one.
pub(super) fn divide(rows: &[&Sample], events: &[NewEvent], doubts: &[Doubt]) -> (Vec<Present>, Vec<Present>) {
    let mut newest: Vec<Present> = Vec::new();
    for &&Sample { point, client, reading, .. } in rows.iter().filter(|sample| !sample.historical) {
        match newest.last_mut() {
            Some(last) if last.point == point => {
                if reading.supersedes(&last.reading) {
                    *last = Present { point, client, reading };
                }
            }
            _ => newest.push(Present { point, client, reading }),
        }
    }
    for &Doubt { point, client, reading } in doubts {
        match newest.binary_search_by_key(&point, |present| present.point) {
            Ok(at) if newest[at].reading.supersedes(&reading) => {}
            Ok(at) => newest[at] = Present { point, client, reading },
            Err(at) => newest.insert(at, Present { point, client, reading }),
        }
    }
    if newest.len() <= AT_ONCE {
        return (newest, Vec::new());
    }
    let changed: HashSet<PointId> = events.iter().map(|new| new.point).chain(doubts.iter().map(|doubt| doubt.point)).collect();
    newest.into_iter().partition(|present| changed.contains(&present.point))
}

/// Upserts readings. They are sorted by point, so that two writers lock rows in the same order.
pub(super) async fn upsert(client: &impl GenericClient, statement: &Statement, present: &[Present]) -> Result<()> {
    if present.is_empty() {
        return Ok(());
    }
    let readings = present.iter().map(|present| &present.reading);
    let points: Vec<i64> = present.iter().map(|present| present.point.0).collect();
    let clients: Vec<i64> = present.iter().map(|present| present.client.0).collect();
    let sources: Vec<Stamp> = readings.clone().map(|reading| Stamp(reading.source)).collect();
    let received: Vec<Stamp> = readings.clone().map(|reading| Stamp(reading.received)).collect();
    let epochs: Vec<i64> = readings.clone().map(|reading| reading.ordinal.epoch).collect();
    let seqs: Vec<i64> = readings.clone().map(|reading| reading.ordinal.seq).collect();
    let values: Vec<Option<f64>> = readings.clone().map(|reading| reading.value).collect();
    let qualities: Vec<i16> = readings.map(|reading| i16::from(reading.quality.code())).collect();
    client.execute(statement, &[&points, &clients, &sources, &received, &epochs, &seqs, &values, &qualities]).await?;
    Ok(())
}

type Readings = HashMap<PointId, (ClientId, Reading)>;

/// Readings that are not yet written to the table `latest`. Clones share them. After a lost connection, the next writer continues with them.
///
/// Bounded by the number of points: a newer reading replaces an older one.
#[derive(Clone, Default)]
pub struct PendingLatest(Arc<Shared>);

/// The task that writes deferred readings.
pub(super) struct DeferredLatest {
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

    fn put(&self, readings: &[Present]) {
        let mut pending = self.pending();
        for &Present { point, client, reading } in readings {
            let entry = pending.entry(point).or_insert((client, reading));
            if reading.supersedes(&entry.1) {
                *entry = (client, reading);
            }
        }
    }

    /// Writes the deferred readings. They are removed only after the write, so nothing is lost if the task ends in between.
    async fn write(&self, client: &Client, statement: &Statement) -> Result<()> {
        let _alone = self.writing.lock().await;
        let present =
            |(point, (client, reading)): (&PointId, &(ClientId, Reading))| Present { point: *point, client: *client, reading: *reading };
        let mut readings: Vec<Present> = self.pending().iter().map(present).collect();
        readings.sort_unstable_by_key(|present| present.point);
        let written = upsert(client, statement, &readings).await;
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
    fn forget(&self, written: &[Present]) {
        let mut pending = self.pending();
        for Present { point, reading, .. } in written {
            if pending.get(point).is_some_and(|(_, held)| !held.supersedes(reading)) {
                pending.remove(point);
            }
        }
    }
}

impl DeferredLatest {
    /// Starts the task with the readings that an earlier task has not written.
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

    pub(super) fn add(&self, later: &[Present]) {
        if later.is_empty() {
            return;
        }
        self.shared.put(later);
        self.shared.wake.notify_one();
    }

    pub(super) async fn flush(&self, client: &Client, statement: &Statement) -> Result<()> {
        self.shared.write(client, statement).await
    }
}

impl Drop for DeferredLatest {
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

    fn present(sample: &Sample) -> Present {
        Present { point: sample.point, client: sample.client, reading: sample.reading }
    }

    #[tokio::test]
    async fn panicked_task_is_noticed_and_leaves_its_readings() {
        let pending = PendingLatest::default();
        let held = DeferredLatest { shared: Arc::clone(&pending.0), task: tokio::spawn(async { panic!("a fault of the task") }) };
        held.add(&[present(&sample(1, 10, 1, false))]);
        while !held.has_ended() {
            tokio::task::yield_now().await;
        }
        drop(held);
        // There is no server at this address; the task keeps running.
        let next = DeferredLatest::start("postgres://nobody@127.0.0.1:1/none", &pending);
        assert!(!next.has_ended());
        assert_eq!(next.shared.pending().keys().copied().collect::<Vec<_>>(), [PointId(1)]);
    }

    #[test]
    fn written_readings_are_forgotten_but_for_newer_ones() {
        let pending = PendingLatest::default();
        let readings = |samples: &[Sample]| samples.iter().map(present).collect::<Vec<_>>();
        let written = readings(&[sample(1, 10, 1, false), sample(2, 10, 2, false)]);
        pending.0.put(&written);
        pending.0.put(&readings(&[sample(2, 11, 3, false)]));
        pending.0.forget(&written);
        assert_eq!(pending.0.pending().iter().map(|(point, (_, reading))| (point.0, reading.ordinal.seq)).collect::<Vec<_>>(), [(2, 3)]);
    }

    fn newest(samples: &[Sample]) -> Vec<(i64, i64, i64)> {
        let mut rows: Vec<&Sample> = samples.iter().collect();
        rows.sort_by_key(|sample| (sample.point, sample.reading.source));
        let (now, later) = divide(&rows, &[], &[]);
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
        let (now, later) = divide(&rows, &[event], &[]);
        assert_eq!(now.iter().map(|sample| sample.point.0).collect::<Vec<_>>(), [7]);
        assert_eq!(later.len(), AT_ONCE);
    }

    #[test]
    fn doubt_replaces_the_value_that_it_is_about_and_never_a_newer_one() {
        let doubt = |point, source, seq| {
            let Sample { point, client, reading, .. } = sample(point, source, seq, false);
            let ordinal = Ordinal::of_term(grid::Term(1), seq);
            Doubt { point, client, reading: Reading { quality: Quality::Questionable, ordinal, ..reading } }
        };
        let numbered = |point, source, seq| {
            let sample = sample(point, source, seq, false);
            Sample { reading: Reading { ordinal: Ordinal::of_term(grid::Term(1), seq), ..sample.reading }, ..sample }
        };
        let shown = |samples: &[Sample], doubts: &[Doubt]| -> Vec<(i64, Quality)> {
            let rows: Vec<&Sample> = samples.iter().collect();
            divide(&rows, &[], doubts).0.iter().map(|present| (present.point.0, present.reading.quality)).collect()
        };
        let (good, questionable) = (Quality::Good, Quality::Questionable);
        assert_eq!(shown(&[numbered(2, 10, 1)], &[doubt(1, 10, 2)]), [(1, questionable), (2, good)], "of another point");
        assert_eq!(shown(&[numbered(1, 10, 1)], &[doubt(1, 10, 2)]), [(1, questionable)], "of a later message");
        assert_eq!(shown(&[numbered(1, 10, 2)], &[doubt(1, 10, 2)]), [(1, questionable)], "of the same message");
        assert_eq!(shown(&[numbered(1, 11, 2)], &[doubt(1, 10, 2)]), [(1, good)], "of the same message, before a newer value");
        assert_eq!(shown(&[numbered(1, 9, 3)], &[doubt(1, 10, 2)]), [(1, good)], "before the value of a later message");
        let many: Vec<Sample> = (0..=AT_ONCE as i64).map(|point| numbered(point, 10, 1)).collect();
        assert_eq!(shown(&many, &[doubt(7, 10, 2)]), [(7, questionable)], "with the transaction");
    }
}
