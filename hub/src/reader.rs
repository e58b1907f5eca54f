//! Database queries for the core. Each runs in its own task, and its result arrives as a command.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use grid::{AssetId, ClientId, Micros, PointId, Reading};
use registry::Registry;
use store::Store;
use store::day::DayExtremes;
use store::newest::RowStream;
use store::registry::Links;
use tokio::sync::{Notify, mpsc};
use wire::alarms::AlarmRow;
use wire::control::{CommandRow, TagRow};
use wire::faults::FaultRow;
use wire::rows::EventRow;

use crate::config::EVENTS_RING;
use crate::inbox::Command;
use crate::loaded::{AlarmTops, CommandsAndTags, Loaded, LogsOf, MissedAlarms};
use crate::log::EventLog;
use crate::placed::Placed;
use crate::recent::Recent;
use crate::tags::OfClient;

/// Delay before a failed query is repeated.
const RETRY: Duration = Duration::from_secs(1);
/// Rows read at a time when events were missed.
const PAGE: i64 = 5_000;
/// Maximum number of assets whose extremes of the day are read in one query, and maximum number of such queries at once. Each query reads all values of the
/// day, and other queries need connections too.
const DAYS_TOGETHER: usize = 16;
const DAY_READERS: usize = 2;
/// Every comparison with a multiple of this number reads all values; the others read only the last seconds.
const ALL_EVERY: u64 = 12;
/// How far a comparison overlaps the previous one, ms: longer than any commit takes.
const LOOK_BACK_MS: i64 = 15_000;

/// Queries the database for the core.
#[derive(Clone)]
pub(crate) struct Reader {
    store: Store,
    registry: Registry,
    /// Wakes the task that checks the registry for changes.
    look: Arc<Notify>,
    core: mpsc::Sender<Command>,
    loading: Arc<AtomicBool>,
    again: Arc<AtomicBool>,
    /// Whether the newest rows have been read. Later rows arrive from the bus.
    begun: Arc<AtomicBool>,
    reconciling: Arc<AtomicBool>,
    reconciled: Arc<AtomicI64>,
    rounds: Arc<AtomicU64>,
    /// One lock for the queue, its assets and the number of readers, so that they change in one step.
    days: Arc<Mutex<Days>>,
}

/// The reads of extremes that are waiting. Bounded by the number of assets.
#[derive(Default)]
struct Days {
    /// Assets with a read that is running or waiting.
    assets: HashSet<AssetId>,
    waiting: VecDeque<DayOf>,
    /// Tasks that read them.
    readers: usize,
}

/// An asset whose extremes of the day are to be read.
struct DayOf {
    client: ClientId,
    asset: AssetId,
    points: Vec<PointId>,
}

impl Reader {
    pub(crate) fn new(store: Store, registry: Registry, core: mpsc::Sender<Command>) -> Self {
        let look = Arc::new(Notify::new());
        tokio::spawn(look_when_notified(registry.clone(), look.clone(), core.clone()));
        Self {
            store,
            registry,
            look,
            core,
            loading: Arc::default(),
            again: Arc::default(),
            begun: Arc::default(),
            reconciling: Arc::default(),
            reconciled: Arc::default(),
            rounds: Arc::default(),
            days: Arc::default(),
        }
    }

    /// Checks the registry for changes at once, because a change was reported on the bus and the notice of the database may have been lost.
    pub(crate) fn look(&self) {
        self.look.notify_one();
    }

    /// Reads everything again, and once more if requested meanwhile. Waits for the first read of the registry, and repeats until it
    /// succeeds.
    pub(crate) fn load(&self) {
        self.again.store(true, Ordering::SeqCst);
        if self.loading.swap(true, Ordering::SeqCst) {
            return;
        }
        let reader = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = reader.core.closed() => return,
                // Without the registry the process ends.
                loaded = reader.registry.loaded() => if !loaded { return },
            }
            loop {
                while reader.again.swap(false, Ordering::SeqCst) {
                    match reader.read_all().await {
                        Ok(loaded) => {
                            reader.begun.store(true, Ordering::SeqCst);
                            drop(reader.core.send(Command::Loaded(Box::new(loaded))).await);
                        }
                        Err(error) => {
                            tracing::warn!(%error, "the field cannot be read from the database; trying again");
                            reader.again.store(true, Ordering::SeqCst);
                            tokio::time::sleep(RETRY).await;
                        }
                    }
                    if reader.core.is_closed() {
                        return;
                    }
                }
                reader.loading.store(false, Ordering::SeqCst);
                // A request between the two checks found `loading` still set.
                if !reader.again.load(Ordering::SeqCst) || reader.loading.swap(true, Ordering::SeqCst) {
                    return;
                }
            }
        });
    }

    async fn read_all(&self) -> store::Result<Loaded> {
        let began = tokio::time::Instant::now();
        let clients: Vec<ClientId> = self.registry.image().clients().collect();
        // Read the streams first: events committed during the other reads are then seen as a gap and recovered.
        let mut streams = Vec::new();
        for client in &clients {
            let (epoch, top) = self.store.event_stream(*client).await?;
            streams.push((*client, epoch, top));
        }
        let control = self.read_control(&clients).await?;
        // Read links before values, so that the values include those from before each link state.
        let (links, last_seen) = tokio::try_join!(self.store.links(None), self.store.gateways_last_seen(None))?;
        let latest = async {
            let mut latest = Vec::new();
            for client in &clients {
                latest.extend(self.store.latest_of(*client, None).await?);
            }
            Ok(latest)
        };
        let logs = async {
            let mut logs = Vec::new();
            if !self.begun.load(Ordering::SeqCst) {
                for client in &clients {
                    logs.extend(self.read_logs(*client, &streams, &control).await?);
                }
            }
            Ok::<_, store::Error>(logs)
        };
        let (latest, logs) = tokio::try_join!(latest, logs)?;
        Ok(Loaded { began, links, last_seen, latest, streams, control, logs })
    }

    /// Reads the newest rows of a utility, up to the last offsets that were read.
    async fn read_logs(
        &self,
        client: ClientId,
        events: &[(ClientId, String, i64)],
        control: &CommandsAndTags,
    ) -> store::Result<Option<LogsOf>> {
        let of = |streams: &[(ClientId, String, i64)]| streams.iter().find(|stream| stream.0 == client).cloned();
        let tops = (of(events), of(&control.streams), of(&control.alarms.alarms), of(&control.alarms.faults));
        let (Some(events), Some(commands), Some(alarms), Some(faults)) = tops else { return Ok(None) };
        let (store, limit, now) = (&self.store, EVENTS_RING as i64, crate::clock::now());
        let (events, commands, alarms, faults) = tokio::try_join!(
            self.read_log(RowStream::Events, events, async |after| {
                let rows = store.events_after(client, None, after, limit).await?;
                Ok(rows.iter().map(|event| Arc::new(EventRow::from(event))).collect())
            }),
            self.read_log(RowStream::Commands, commands, async |after| {
                let rows = store.commands_after(client, None, after, limit).await?;
                Ok(rows.iter().map(|record| Arc::new(CommandRow::from(record))).collect())
            }),
            self.read_log(RowStream::Alarms, alarms, async |after| {
                let rows = store.alarms_after(client, None, after, limit).await?;
                Ok(rows.iter().map(|record| Arc::new(AlarmRow::from(record))).collect())
            }),
            self.read_log(RowStream::Faults, faults, async |after| {
                let rows = store.faults_after(client, None, after, limit).await?;
                Ok(rows.iter().map(|record| Arc::new(FaultRow::from((record, now)))).collect())
            }),
        )?;
        Ok(Some(LogsOf { client, events, commands, alarms, faults }))
    }

    async fn read_log<R: Placed>(
        &self,
        stream: RowStream,
        (client, epoch, top): (ClientId, String, i64),
        read: impl AsyncFnOnce(i64) -> store::Result<Vec<Arc<R>>>,
    ) -> store::Result<EventLog<R>> {
        let mut rows = read((top - EVENTS_RING as i64).max(0)).await?;
        // Drop rows after `top`: they arrive from the bus.
        rows.retain(|row| row.offset() <= top);
        let before = rows.first().map_or(top, |first| first.offset() - 1);
        let newest = self.store.newest_of_stations(client, stream, before).await?;
        Ok(EventLog::read(epoch, top, Recent::read(rows, &newest)))
    }

    /// Reads the values that the database has received since the last comparison, to add values that were lost on the bus. Skipped while the previous
    /// comparison runs.
    pub(crate) fn reconcile(&self, clients: Vec<ClientId>) {
        if self.reconciling.swap(true, Ordering::SeqCst) {
            return;
        }
        let reader = self.clone();
        tokio::spawn(async move {
            let held = reader.reconciled.load(Ordering::SeqCst);
            // The first comparison and every [`ALL_EVERY`]th read everything: values from a spool are stored long after
            // their receive time.
            let round = reader.rounds.fetch_add(1, Ordering::SeqCst);
            let after = if held == 0 || round.is_multiple_of(ALL_EVERY) { 0 } else { held - LOOK_BACK_MS * 1_000 };
            match reader.read_lately(after, &clients).await {
                Ok((latest, links, streams, control)) => {
                    let newest = latest.iter().map(|(_, reading)| reading.received).max();
                    reader.reconciled.store(reconciled_up_to(Micros(held), newest, crate::clock::now()).0, Ordering::SeqCst);
                    drop(reader.core.send(Command::Reconciled { latest, links, streams, control }).await);
                }
                Err(error) => tracing::debug!(%error, "the picture could not be compared with the database"),
            }
            reader.reconciling.store(false, Ordering::SeqCst);
        });
    }

    async fn read_lately(
        &self,
        after: i64,
        clients: &[ClientId],
    ) -> store::Result<(Vec<(PointId, Reading)>, Links, Vec<(ClientId, String, i64)>, CommandsAndTags)> {
        // Read the versions of the tag lists first: a change in between makes a list newer than its version, and
        // arrives again.
        let tops = self.store.stream_tops().await?;
        let mut hanging = self.store.tags_of_all().await?;
        let tags = clients.iter().map(|client| {
            let tags = hanging.remove(client).unwrap_or_default().iter().map(TagRow::from).collect();
            OfClient { client: *client, version: tops.tags.get(client).copied().unwrap_or_default(), tags }
        });
        let tags = tags.collect();
        let areas = tops.areas.into_iter().collect();
        let control =
            CommandsAndTags { streams: tops.commands, tags, areas, alarms: AlarmTops { alarms: tops.alarms, faults: tops.faults } };
        let streams = tops.events;
        // Read links before values, so that the values include those from before each link state.
        let links = self.store.links(None).await?;
        Ok((self.store.latest_since(None, Micros(after)).await?, links, streams, control))
    }

    /// Reads the last offsets of the command streams, and the tags.
    async fn read_control(&self, clients: &[ClientId]) -> store::Result<CommandsAndTags> {
        let (mut streams, mut tags) = (Vec::with_capacity(clients.len()), Vec::with_capacity(clients.len()));
        let areas = self.store.stream_tops().await?.areas.into_iter().collect();
        for client in clients {
            let (epoch, top) = self.store.command_stream(*client).await?;
            streams.push((*client, epoch, top));
            let (version, rows) = self.store.tags(*client, None).await?;
            tags.push(OfClient { client: *client, version, tags: rows.iter().map(TagRow::from).collect() });
        }
        Ok(CommandsAndTags { streams, tags, areas, alarms: self.read_tops(clients).await? })
    }

    /// Reads the extremes of an asset's points of today. Repeats until it succeeds.
    ///
    /// At most one read runs for each asset; a later subscriber gets its result. Assets that wait at the same time are
    /// read together.
    pub(crate) fn day(&self, client: ClientId, asset: AssetId, points: Vec<PointId>) {
        let mut days = self.days();
        if !days.assets.insert(asset) {
            return;
        }
        days.waiting.push_back(DayOf { client, asset, points });
        if days.readers >= DAY_READERS {
            return;
        }
        days.readers += 1;
        drop(days);
        let reader = self.clone();
        tokio::spawn(async move {
            while let Some(together) = reader.next_days() {
                if reader.core.is_closed() {
                    return;
                }
                reader.read_days(together).await;
            }
        });
    }

    fn days(&self) -> MutexGuard<'_, Days> {
        self.days.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next assets to read together, all of one utility. If there are none, this reader ends.
    fn next_days(&self) -> Option<Vec<DayOf>> {
        let mut days = self.days();
        let Some(client) = days.waiting.front().map(|day| day.client) else {
            days.readers -= 1;
            return None;
        };
        let together = days.waiting.iter().take(DAYS_TOGETHER).take_while(|day| day.client == client).count();
        Some(days.waiting.drain(..together).collect())
    }

    async fn read_days(&self, together: Vec<DayOf>) {
        let Some(client) = together.first().map(|day| day.client) else { return };
        let points: Vec<PointId> = together.iter().flat_map(|day| day.points.iter().copied()).collect();
        while !self.core.is_closed() {
            match self.store.day_extremes(client, &points, crate::clock::now()).await {
                Ok(read) => {
                    for DayOf { asset, points, .. } in together {
                        self.days().assets.remove(&asset);
                        let of_asset = |day: &DayExtremes| {
                            let of = points.iter().filter_map(|point| Some((*point, *day.of.get(point)?))).collect();
                            DayExtremes { from: day.from, until: day.until, of }
                        };
                        drop(self.core.send(Command::Day(asset, read.as_ref().map(of_asset))).await);
                    }
                    return;
                }
                Err(error) => {
                    tracing::warn!(%error, "extremes of the day cannot be read from the database; trying again");
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
    }

    /// Reads the states of a utility's commands after `top`, like [`Reader::recover`] for events.
    pub(crate) fn recover_commands(&self, client: ClientId, epoch: String, top: i64) {
        let reader = self.clone();
        tokio::spawn(async move {
            while !reader.core.is_closed() {
                match reader.read_commands(client, &epoch, top).await {
                    Ok((epoch, rows)) => {
                        drop(reader.core.send(Command::RecoveredCommands { client, epoch, rows }).await);
                        return;
                    }
                    Err(error) => {
                        tracing::warn!(%error, %client, "missed states of commands cannot be read; trying again");
                        tokio::time::sleep(RETRY).await;
                    }
                }
            }
        });
    }

    async fn read_commands(&self, client: ClientId, held: &str, mut top: i64) -> store::Result<(String, Vec<Arc<CommandRow>>)> {
        let (epoch, stored_top) = self.store.command_stream(client).await?;
        top = if epoch == held { top.max(stored_top - EVENTS_RING as i64) } else { stored_top.saturating_sub(1) };
        let mut rows = Vec::new();
        loop {
            let page = self.store.commands_after(client, None, top, PAGE).await?;
            rows.extend(page.iter().map(|record| Arc::new(CommandRow::from(record))));
            top = page.last().map_or(top, |record| record.offset);
            if (page.len() as i64) < PAGE {
                return Ok((epoch, rows));
            }
        }
    }

    /// Reads the last offsets of the streams of alarms and faults.
    async fn read_tops(&self, clients: &[ClientId]) -> store::Result<AlarmTops> {
        let mut tops = AlarmTops::default();
        for client in clients {
            let (epoch, top) = self.store.alarm_stream(*client).await?;
            tops.alarms.push((*client, epoch, top));
            let (epoch, top) = self.store.fault_stream(*client).await?;
            tops.faults.push((*client, epoch, top));
        }
        Ok(tops)
    }

    /// Reads the changes of a utility's alarms after `top`, like [`Reader::recover`] for events.
    pub(crate) fn recover_alarms(&self, client: ClientId, epoch: String, top: i64) {
        let reader = self.clone();
        let read = async move |reader: Self| -> store::Result<MissedAlarms> {
            let (stored, stored_top) = reader.store.alarm_stream(client).await?;
            let mut top = begin(&stored, &epoch, top, stored_top);
            let mut rows = Vec::new();
            loop {
                let page = reader.store.alarms_after(client, None, top, PAGE).await?;
                rows.extend(page.iter().map(|record| Arc::new(AlarmRow::from(record))));
                top = page.last().map_or(top, |record| record.offset);
                if (page.len() as i64) < PAGE {
                    return Ok(MissedAlarms::Alarms { client, epoch: stored, rows });
                }
            }
        };
        tokio::spawn(async move { reader.clone().until_read(client, || read(reader.clone())).await });
    }

    /// Reads the changes of a utility's faults after `top`, like [`Reader::recover`] for events.
    pub(crate) fn recover_faults(&self, client: ClientId, epoch: String, top: i64) {
        let reader = self.clone();
        let read = async move |reader: Self| -> store::Result<MissedAlarms> {
            let (stored, stored_top) = reader.store.fault_stream(client).await?;
            let mut top = begin(&stored, &epoch, top, stored_top);
            let (mut rows, now) = (Vec::new(), crate::clock::now());
            loop {
                let page = reader.store.faults_after(client, None, top, PAGE).await?;
                rows.extend(page.iter().map(|record| Arc::new(FaultRow::from((record, now)))));
                top = page.last().map_or(top, |record| record.offset);
                if (page.len() as i64) < PAGE {
                    return Ok(MissedAlarms::Faults { client, epoch: stored, rows });
                }
            }
        };
        tokio::spawn(async move { reader.clone().until_read(client, || read(reader.clone())).await });
    }

    /// Repeats a read until it succeeds, and sends the result to the core.
    async fn until_read<F: Future<Output = store::Result<MissedAlarms>>>(self, client: ClientId, read: impl Fn() -> F) {
        while !self.core.is_closed() {
            match read().await {
                Ok(news) => return drop(self.core.send(Command::RecoveredAlarms(news)).await),
                Err(error) => {
                    tracing::warn!(%error, %client, "missed alarms or faults cannot be read; trying again");
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
    }

    /// Reads the events of a utility after `top`; if there are more events than the memory can hold, only the newest. Repeats until it succeeds. If the epoch
    /// has changed, only the new epoch and its last row are used.
    pub(crate) fn recover(&self, client: ClientId, epoch: String, top: i64) {
        let reader = self.clone();
        tokio::spawn(async move {
            while !reader.core.is_closed() {
                match reader.read_events(client, &epoch, top).await {
                    Ok((epoch, rows)) => {
                        drop(reader.core.send(Command::Recovered { client, epoch, rows }).await);
                        return;
                    }
                    Err(error) => {
                        tracing::warn!(%error, %client, "missed events cannot be read; trying again");
                        tokio::time::sleep(RETRY).await;
                    }
                }
            }
        });
    }

    async fn read_events(&self, client: ClientId, held: &str, mut top: i64) -> store::Result<(String, Vec<Arc<EventRow>>)> {
        let (epoch, stored_top) = self.store.event_stream(client).await?;
        top = if epoch == held { top.max(stored_top - EVENTS_RING as i64) } else { stored_top.saturating_sub(1) };
        let mut rows = Vec::new();
        loop {
            let page = self.store.events_after(client, None, top, PAGE).await?;
            rows.extend(page.iter().map(|event| Arc::new(EventRow::from(event))));
            top = page.last().map_or(top, |event| event.offset);
            if (page.len() as i64) < PAGE {
                return Ok((epoch, rows));
            }
        }
    }
}

/// Checks the registry, one check at a time. Requests during a check are combined.
async fn look_when_notified(registry: Registry, look: Arc<Notify>, core: mpsc::Sender<Command>) {
    let looking = async {
        loop {
            look.notified().await;
            registry.refresh().await;
        }
    };
    tokio::select! {
        () = core.closed() => {}
        () = looking => {}
    }
}

/// Returns the receive time up to which the comparison is complete. Receive times are from the clocks of several ingests: a clock that is fast must not hide
/// the values of the other ingests.
fn reconciled_up_to(held: Micros, newest: Option<Micros>, now: Micros) -> Micros {
    newest.map_or(held, |newest| newest.max(held)).min(now)
}

/// Returns the offset after which to read, such that at most as many rows are read as the memory can hold; for a different epoch only the last row.
fn begin(stored: &str, held: &str, top: i64, stored_top: i64) -> i64 {
    if stored == held { top.max(stored_top - EVENTS_RING as i64) } else { stored_top.saturating_sub(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ingest_with_a_fast_clock_does_not_hide_later_receipts() {
        let cases = [
            (100, Some(150), 200, 150, "the newest receipt"),
            (100, None, 200, 100, "nothing was received"),
            (100, Some(3_600), 200, 200, "an ingest is an hour ahead"),
            (100, Some(90), 200, 100, "only what is known"),
            (100, Some(150), 50, 50, "the clock of this machine was put right"),
        ];
        for (held, newest, now, expected, why) in cases {
            assert_eq!(reconciled_up_to(Micros(held), newest.map(Micros), Micros(now)), Micros(expected), "{why}");
        }
    }
}
