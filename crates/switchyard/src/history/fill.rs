//! Generates the demo's history up to its first start: past events at once, then the measurands, day by day into the past.
//!
//! It runs the same simulation as the simulated field, with the same seed: one step per minute for the last day, per five minutes for two weeks, and per
//! quarter of an hour before that. Each step is a load flow of the whole network (docs/decisions/0030). It writes rollup buckets, because single values of half
//! a year would be ten times as many rows. It does not change the latest values and publishes nothing. If the generation of a week is interrupted, the whole
//! week is generated again; existing buckets are kept.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use grid::downsample::packed::Layout;
use grid::downsample::{Bucket, Resolution};
use grid::{ClientId, GatewayId, Micros, PointId};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use simulators::physics::utility::UtilityPhysics;
use simulators::physics::utility_network::UtilityNetwork;
use simulators::utility::Substation;
use store::alarm::{Cursor, Progress};
use store::rollup::Brought;
use store::{Registry, Store, Writer};
use tokio_util::sync::CancellationToken;

use super::day::{self, Course, Measurand, Windows};
use super::events::{self, Points};
use crate::clock::now;
use crate::console::say;

/// Number of buckets after which a transaction ends.
const BUCKETS: usize = 5_000;
/// How often the storage of buckets waits for the rollups, each time up to the time limit of a statement. After that the import fails and continues at the next
/// start.
const WAITS_MAX: u32 = 30;
const DAY_MS: i64 = 86_400_000;
/// No faults are generated in the last 25 hours before the start. A fault that is less than a day old would raise an alarm, although no operator could have
/// handled it.
const QUIET_MS: i64 = DAY_MS + 3_600_000;

/// The share of the machine that the generation uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Half of one core, so that live data are not delayed.
    Modest,
    /// Without pauses.
    Full,
}

impl Pace {
    /// Pauses after work that began at an instant. Returns [`ControlFlow::Break`] if a shutdown begins.
    async fn pause(self, started: Instant, shutdown: &CancellationToken) -> ControlFlow<()> {
        let pause = if self == Self::Modest { started.elapsed() } else { Duration::ZERO };
        tokio::select! {
            () = shutdown.cancelled() => ControlFlow::Break(()),
            () = tokio::time::sleep(pause) => ControlFlow::Continue(()),
        }
    }
}

/// Buckets of some days of a substation, by resolution.
type Week = BTreeMap<Resolution, day::Buckets>;

/// A substation with its points in the database.
struct Site {
    substation: Substation,
    measurands: Vec<Measurand>,
    points: Points,
    /// Seed of the simulated field.
    seed: u64,
}

/// The history of the demo's first utility. The other utilities have none.
pub(crate) struct Demo {
    store: Store,
    client: ClientId,
    zone: TimeZone,
    network: Arc<UtilityNetwork>,
    sites: Vec<Site>,
    brought: Brought,
    /// The midnight at which the history begins.
    target: Micros,
}

impl Demo {
    /// Enters the past events on the first call; afterwards [`Demo::fill`] generates the rest. Call it before other services follow the event stream.
    pub(crate) async fn begin(store: &Store, url: &str, seed: u64, days: u32) -> anyhow::Result<Self> {
        if let Some(demo) = Self::find(store, seed, days).await? {
            return Ok(demo);
        }
        let Utility { client, zone, network, sites } = utility(store, seed).await?;
        let until = now();
        let target = midnight(until.plus_millis(-i64::from(days) * DAY_MS), &zone)?;
        let registers = registers(&start(&network, &sites, until), &sites);
        let demo = Self {
            store: store.clone(),
            client,
            zone,
            network,
            sites,
            brought: Brought { until, done: until, registers: serde_json::to_value(registers)? },
            target,
        };
        store.prepare_import(target).await?;
        demo.enter_events(url).await?;
        store.put_brought(client, &demo.brought).await?;
        Ok(demo)
    }

    /// Returns the unfinished part of a history; `None` if it is complete or was not started.
    pub(crate) async fn resume(store: &Store, seed: u64, days: u32) -> anyhow::Result<Option<Self>> {
        Ok(Self::find(store, seed, days).await?.filter(|demo| demo.brought.done > demo.target))
    }

    async fn find(store: &Store, seed: u64, days: u32) -> anyhow::Result<Option<Self>> {
        let Utility { client, zone, network, sites } = utility(store, seed).await?;
        let Some(brought) = store.brought(client).await? else { return Ok(None) };
        let target = midnight(brought.until.plus_millis(-i64::from(days) * DAY_MS), &zone)?;
        Ok(Some(Self { store: store.clone(), client, zone, network, sites, brought, target }))
    }

    async fn enter_events(&self, url: &str) -> anyhow::Result<()> {
        // The alarms service processes events from its first start on. This cursor makes it process the past events too, so that it derives faults
        // from them.
        if self.store.alarm_cursor(self.client).await?.is_none() {
            let (epoch, _) = self.store.event_stream(self.client).await?;
            let begin = Progress { events: Cursor { epoch, through: 0 }, commands: None };
            self.store.enter_alarms(self.client, Some((None, &begin)), (&[], &[]), |_| ()).await?;
        }
        let mut writer = Writer::connect(url).await?;
        let (mut entered, last) = (0, self.brought.until.plus_millis(-QUIET_MS));
        let start = start(&self.network, &self.sites, self.brought.until);
        for (index, site) in self.sites.iter().enumerate() {
            let mut days = Vec::new();
            let mut day = self.target;
            while day < last {
                let next = midnight(day.plus_millis(DAY_MS * 3 / 2), &self.zone)?;
                let changes = events::of_day(&self.network, (index, &site.substation), site.seed, (day, next.min(last)));
                days.push((day, changes));
                day = next;
            }
            let mut operations = operations(&start, index, days.iter().flat_map(|(_, changes)| changes));
            for (day, changes) in &days {
                let batch = events::batch(self.client, &site.points, changes, *day, self.brought.until, &mut operations);
                if !batch.is_empty() {
                    entered += writer.commit(&batch).await?.events.iter().map(|part| part.rows.len()).sum::<usize>();
                }
            }
        }
        say(&format!("  the demo's past: {entered} events"));
        Ok(())
    }

    /// Generates one week of days after the other, the newest first, until the history is complete or the process ends.
    pub(crate) async fn fill(mut self, pace: Pace, shutdown: &CancellationToken) -> anyhow::Result<()> {
        let windows = Windows::before(self.brought.until);
        let mut registers: BTreeMap<String, f64> = serde_json::from_value(self.brought.registers.clone()).context("registers")?;
        let (began, mut told, mut rows) = (Instant::now(), Instant::now(), 0);
        while self.brought.done > self.target {
            let spans = self.days_of_week()?;
            let from = spans.last().map_or(self.target, |(from, _)| *from);
            let Some(courses) = self.simulate(&spans, windows, pace, shutdown).await? else { return Ok(()) };
            for (index, site) in self.sites.iter().enumerate() {
                let (mut week, mut quarters) = (Week::default(), Vec::new());
                for course in &courses {
                    let started = Instant::now();
                    let own = |metric: &String| metric.strip_prefix(&site.substation.code)?.strip_prefix('/').map(str::to_owned);
                    let ends = registers.iter().filter_map(|(metric, value)| Some((own(metric)?, *value))).collect();
                    let (course, measurands) = (course.clone(), site.measurands.clone());
                    let day = tokio::task::spawn_blocking(move || day::make(&course, index, &measurands, &windows, &ends)).await?;
                    for (of, buckets) in day.buckets {
                        week.entry(of).or_default().extend(buckets);
                    }
                    quarters.extend(day.quarters);
                    let metrics = day.registers.into_iter();
                    registers.extend(metrics.map(|(metric, value)| (format!("{}/{metric}", site.substation.code), value)));
                    if pace.pause(started, shutdown).await.is_break() {
                        return Ok(());
                    }
                }
                rows += self.put(week).await?;
                when_free(|| self.store.put_quarters(&quarters)).await?;
            }
            self.brought.done = from;
            self.brought.registers = serde_json::to_value(&registers)?;
            self.store.put_brought(self.client, &self.brought).await?;
            if told.elapsed() > Duration::from_secs(20) {
                told = Instant::now();
                say(&format!("  the demo's history: {} of {} days", days(self.brought.until, from), days(self.brought.until, self.target)));
            }
        }
        let (took, days) = (began.elapsed().as_secs_f64(), days(self.brought.until, self.target));
        tracing::info!(rows, took, days, "the demo's history is complete");
        say(&format!("  the demo's history is complete: {days} days, {rows} buckets in {took:.0} s"));
        Ok(())
    }

    /// Simulates some days. Returns `None` at a shutdown.
    async fn simulate(
        &self,
        spans: &[(Micros, Micros)],
        windows: Windows,
        pace: Pace,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<Option<Vec<Arc<Course>>>> {
        let measurands: Arc<[Vec<Measurand>]> = self.sites.iter().map(|site| site.measurands.clone()).collect();
        let seeds: Arc<[u64]> = self.sites.iter().map(|site| site.seed).collect();
        let mut courses = Vec::new();
        for (from, to) in spans.iter().copied() {
            let started = Instant::now();
            let (network, measurands, seeds) = (self.network.clone(), measurands.clone(), seeds.clone());
            let seed_of = move |index: usize| seeds[index] ^ from.millis().unsigned_abs();
            let simulated = move || day::simulate(&network, seed_of, &measurands, (from, to), &windows);
            courses.push(Arc::new(tokio::task::spawn_blocking(simulated).await?));
            if pace.pause(started, shutdown).await.is_break() {
                return Ok(None);
            }
        }
        Ok(Some(courses))
    }

    /// Returns the next days to generate, the newest first, up to the one in which a packed row of hours begins (seven days, UTC). So nearly all rows are
    /// written once.
    fn days_of_week(&self) -> anyhow::Result<Vec<(Micros, Micros)>> {
        let layout = Layout::of(Resolution::Hour).context("hours are packed")?;
        let (mut days, mut to) = (Vec::new(), self.brought.done);
        while to > self.target {
            let from = midnight(Micros(to.0 - 1), &self.zone)?;
            days.push((from, to));
            if layout.block(Micros(to.0 - 1)) >= from {
                break;
            }
            to = from;
        }
        Ok(days)
    }

    /// Stores the buckets of some days of a substation. All buckets of a point are stored in one call. Returns the number of new buckets.
    async fn put(&self, week: Week) -> anyhow::Result<u64> {
        let mut rows = 0;
        for (of, mut buckets) in week {
            buckets.sort_by_key(|(point, start, _)| (*point, *start));
            // Two days have parts of the bucket in which the midnight lies.
            buckets.dedup_by(|other, kept| {
                let is_same = (other.0, other.1) == (kept.0, kept.1);
                if is_same {
                    kept.2.merge(&other.2);
                }
                is_same
            });
            let mut some = Vec::new();
            for point in buckets.chunk_by(|a, b| a.0 == b.0) {
                some.extend_from_slice(point);
                if some.len() >= BUCKETS {
                    rows += self.put_some(of, &some).await?;
                    some.clear();
                }
            }
            rows += self.put_some(of, &some).await?;
        }
        Ok(rows)
    }

    /// Stores some buckets.
    async fn put_some(&self, of: Resolution, some: &[(PointId, Micros, Bucket)]) -> store::Result<u64> {
        when_free(|| self.store.put_buckets(of, some)).await
    }
}

/// Runs a write to the history. While the rollups of live values are computed, it waits.
async fn when_free<F: Future<Output = store::Result<u64>>>(put: impl Fn() -> F) -> store::Result<u64> {
    let mut waited = 0;
    loop {
        match put().await {
            Err(error) if error.is_overdue() && waited < WAITS_MAX => {
                waited += 1;
                tracing::debug!(%error, waited, "the history waits for the rollups");
            }
            done => return done,
        }
    }
}

fn days(until: Micros, from: Micros) -> i64 {
    until.millis_since(from) / DAY_MS
}

/// Returns the last midnight at or before a time.
fn midnight(at: Micros, zone: &TimeZone) -> anyhow::Result<Micros> {
    let day = Timestamp::from_microsecond(at.0)?.to_zoned(zone.clone()).start_of_day()?;
    Ok(Micros(day.timestamp().as_microsecond()))
}

/// The demo's first utility with its ids in the database.
struct Utility {
    client: ClientId,
    zone: TimeZone,
    network: Arc<UtilityNetwork>,
    sites: Vec<Site>,
}

async fn utility(store: &Store, seed: u64) -> anyhow::Result<Utility> {
    let utility = simulators::utility::demo(seed).clients.swap_remove(0);
    let clients = store.registry(None).await?.clients;
    let client = clients.iter().find(|client| client.code == utility.code).with_context(|| format!("{} is not seeded", utility.code))?.id;
    let registry = store.registry(Some(client)).await?;
    let zone = TimeZone::get(&utility.time_zone).with_context(|| utility.time_zone.clone())?;
    let network = Arc::new(UtilityNetwork::new(&utility));
    let sites = utility.substations.into_iter().enumerate().map(|(index, substation)| {
        let gateway = registry.gateways.iter().find(|gateway| gateway.code == substation.code);
        let gateway = gateway.with_context(|| format!("{} has no gateway", substation.code))?.id;
        // The same seed as in `simulators::run`, so that registers end at the values with which the field starts.
        Ok(site(&registry, gateway, substation, simulators::station_seed(seed, index)))
    });
    Ok(Utility { client, zone, network, sites: sites.collect::<anyhow::Result<_>>()? })
}

fn site(registry: &Registry, gateway: GatewayId, substation: Substation, seed: u64) -> Site {
    let own = || registry.points.iter().filter(|point| point.gateway == gateway);
    let measured = own().filter(|point| point.encoding().is_none());
    Site {
        measurands: measured.filter_map(|point| Some(Measurand::new(point.id, &point.metric, &point.code, point.expected_ms?))).collect(),
        points: own().map(|point| (point.metric.clone(), (point.id, point.kind))).collect(),
        substation,
        seed,
    }
}

/// Returns the utility in the state in which the simulated field starts it, with the same registers and counters.
fn start(network: &Arc<UtilityNetwork>, sites: &[Site], at: Micros) -> UtilityPhysics {
    UtilityPhysics::new(network.clone(), |index| sites[index].seed, at)
}

/// Returns the register values with which the simulated field starts, by substation and metric.
fn registers(start: &UtilityPhysics, sites: &[Site]) -> BTreeMap<String, f64> {
    let mut registers = BTreeMap::new();
    for (index, site) in sites.iter().enumerate() {
        let own = start.station(index).values().iter().filter(|(metric, _)| day::is_register(metric));
        registers.extend(own.map(|(metric, value)| (format!("{}/{metric}", site.substation.code), *value)));
    }
    registers
}

/// Returns the values of the operation counters before the first of the changes. With the last change they reach the values with which the simulated
/// field starts.
fn operations<'a>(
    start: &UtilityPhysics,
    station: usize,
    changes: impl Iterator<Item = &'a simulators::physics::substation::Change>,
) -> BTreeMap<String, f64> {
    let counters = start.station(station).values().iter().filter(|(metric, _)| metric.ends_with("/Ops"));
    let mut operations: BTreeMap<String, f64> = counters.map(|(metric, value)| (metric.clone(), *value)).collect();
    for change in changes {
        if let Some(count) = operations.get_mut(&change.metric) {
            *count -= 1.0;
        }
    }
    operations
}
