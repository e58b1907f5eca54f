//! The simulated gateways with outboxes on disk, and the history of everything they generated.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use field::sparkplug::{Metric, MetricValue};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use simulators::rtu::link::{self, Data, LinkConfig, now_ms};
use simulators::rtu::outbox::Outboxes;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

/// The utility that the gateways belong to.
pub const GROUP: &str = "SAGAR";
/// The only device of each gateway.
const DEVICE: &str = "B1";
/// The switch of each gateway.
pub const SWITCH: &str = "CB1/Pos";

/// The load.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Number of gateways, each with its own connection.
    pub gateways: u32,
    /// Values per second of all gateways together.
    pub values_per_s: u32,
    /// Switch operations per second of all gateways together.
    pub events_per_s: f64,
    /// Seed of the switch operations.
    pub seed: u64,
}

impl Load {
    /// The usual load of a utility of 300 gateways: 3,000 values/s and 20 events/s.
    pub const L1: Self = Self { gateways: 300, values_per_s: 3_000, events_per_s: 20.0, seed: 1 };

    fn points(self) -> usize {
        (self.values_per_s / self.gateways.max(1)).max(1) as usize
    }
}

/// Everything that one gateway generated, by metric: source time in ms and value.
pub type Generated = HashMap<String, Vec<(i64, f64)>>;

/// What all gateways generated, by name.
#[derive(Debug, Default, Clone)]
pub struct History {
    /// One lock, because it is compared with the database as a whole.
    all: Arc<Mutex<HashMap<String, Generated>>>,
}

impl History {
    /// Returns everything generated so far.
    pub fn lock(&self) -> MutexGuard<'_, HashMap<String, Generated>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, gateway: &str, at: u64, values: &[(String, MetricValue)]) -> anyhow::Result<()> {
        let mut all = self.lock();
        let generated = all.entry(gateway.to_owned()).or_default();
        for (name, value) in values {
            generated.entry(name.clone()).or_default().push((at.cast_signed(), value.as_number().context("a number")?));
        }
        Ok(())
    }

    /// Returns the numbers of values and of switch operations.
    pub fn counts(&self) -> (usize, usize) {
        let all = self.lock();
        let values = all.values().flat_map(Generated::values).map(Vec::len).sum();
        let events = all.values().filter_map(|generated| generated.get(SWITCH)).map(Vec::len).sum();
        (values, events)
    }
}

/// The running gateways.
#[derive(Debug)]
pub struct Fleet {
    /// The generated values.
    pub history: History,
    tasks: JoinSet<anyhow::Result<()>>,
    waiting: Vec<watch::Receiver<usize>>,
    stop: CancellationToken,
    /// The number of the latest burst, and the switch operations that each gateway performs in it, without pauses.
    burst: watch::Sender<(u64, u32)>,
    hands: Vec<Hand>,
}

/// Instructions for a running gateway.
#[derive(Debug)]
struct Hand {
    /// How far its clock is ahead, ms.
    skew: Arc<AtomicI64>,
    late: Arc<watch::Sender<Option<Late>>>,
}

/// Values of the past, as sent by a gateway that continued to measure without a link.
#[derive(Debug, Clone, Copy)]
pub struct Late {
    /// Age of the first value at the start of the gateway. The last value is from that start.
    pub since: Duration,
    /// Time between two values.
    pub step: Duration,
    /// Number of values sent per second.
    pub per_s: u64,
}

impl Fleet {
    /// Starts the gateways; their outboxes are kept in `folder`.
    pub fn start(mqtt_url: &str, folder: &Path, load: Load) -> anyhow::Result<Self> {
        let outboxes = Outboxes::open(&folder.join("outbox.redb"))?;
        let (burst, bursts) = watch::channel((0, 0));
        let mut fleet = Self {
            history: History::default(),
            tasks: JoinSet::new(),
            waiting: Vec::new(),
            stop: CancellationToken::new(),
            burst,
            hands: Vec::new(),
        };
        for number in 0..load.gateways {
            let name = format!("RIG{number:03}");
            let config =
                LinkConfig { mqtt_url: mqtt_url.to_owned(), group: GROUP.into(), node: name.clone(), outboxes: Some(outboxes.clone()) };
            let now = Arc::new(Mutex::new(Vec::new()));
            let reported = now.clone();
            let births = Box::new(move || vec![(DEVICE.to_owned(), reported.lock().unwrap_or_else(PoisonError::into_inner).clone())]);
            let link = link::start(&config, births, CancellationToken::new()).context("an address")?;
            fleet.waiting.push(link.waiting);
            let late = Arc::new(watch::Sender::new(None));
            let skew = Arc::new(AtomicI64::new(0));
            let gateway = Gateway {
                name,
                now,
                data: link.data,
                history: fleet.history.clone(),
                began: now_ms(),
                last: (0, 0),
                switched: false,
                skew: skew.clone(),
            };
            fleet.tasks.spawn(gateway.run(number, load, fleet.stop.clone(), bursts.clone(), late.clone()));
            fleet.hands.push(Hand { skew, late });
        }
        Ok(fleet)
    }

    /// Returns the number of messages without acknowledgement.
    pub fn waiting(&self) -> usize {
        self.waiting.iter().map(|waiting| *waiting.borrow()).sum()
    }

    /// Makes each gateway operate its switch `operations` times without pauses.
    pub fn burst(&self, operations: u32) {
        self.burst.send_modify(|(number, times)| (*number, *times) = (*number + 1, operations));
    }

    /// Sets the clocks of some gateways `ahead_ms` ahead; negative: back.
    pub fn set_clocks(&self, gateways: Range<usize>, ahead_ms: i64) {
        for hand in &self.hands[gateways] {
            hand.skew.store(ahead_ms, Ordering::Relaxed);
        }
    }

    /// Makes some gateways send values of the past between current ones.
    pub fn bring_late(&self, gateways: Range<usize>, late: Late) {
        for hand in &self.hands[gateways] {
            hand.late.send_replace(Some(late));
        }
    }

    /// Returns the number of gateways that still send values of the past.
    pub fn behind(&self) -> usize {
        self.hands.iter().filter(|hand| hand.late.borrow().is_some()).count()
    }

    /// Stops generating values.
    pub fn stop_generating(&self) {
        self.stop.cancel();
    }

    /// Stops generating values and waits until everything is acknowledged.
    pub async fn finish(mut self, patience: Duration) -> anyhow::Result<History> {
        self.stop.cancel();
        let done = async {
            while let Some(done) = self.tasks.join_next().await {
                done??;
            }
            for waiting in &mut self.waiting {
                while waiting.changed().await.is_ok() {}
                anyhow::ensure!(*waiting.borrow() == 0, "a gateway stopped with {} messages unacknowledged", *waiting.borrow());
            }
            Ok(())
        };
        let finished = tokio::time::timeout(patience, done).await;
        finished.with_context(|| format!("{} messages are not acknowledged after {patience:?}", self.waiting()))??;
        Ok(self.history)
    }
}

struct Gateway {
    name: String,
    /// The newest values, for a birth.
    now: Arc<Mutex<Vec<Metric>>>,
    data: tokio::sync::mpsc::Sender<Data>,
    history: History,
    /// When it was started, by its clock at that time, ms.
    began: u64,
    /// The source time of its latest values, ms, and how far its clock was ahead then, ms.
    last: (u64, i64),
    switched: bool,
    skew: Arc<AtomicI64>,
}

impl Gateway {
    async fn run(
        mut self,
        number: u32,
        load: Load,
        stop: CancellationToken,
        mut bursts: watch::Receiver<(u64, u32)>,
        late: Arc<watch::Sender<Option<Late>>>,
    ) -> anyhow::Result<()> {
        let mut random = StdRng::seed_from_u64(load.seed.wrapping_mul(10_007).wrapping_add(u64::from(number)));
        // The gateways start at different times within a second.
        tokio::time::sleep(Duration::from_millis(random.random_range(0..1_000))).await;
        let mut tick = interval(Duration::from_secs(1));
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let chance = (load.events_per_s / f64::from(load.gateways)).min(1.0);
        let mut count = 0.0;
        let mut bringing = std::pin::pin!(bring(self.name.clone(), self.began, self.data.clone(), self.history.clone(), load, late));
        while !stop.is_cancelled() {
            tokio::select! {
                _ = tick.tick() => {
                    count += 1.0;
                    let mut values = measured(load, count);
                    if random.random_bool(chance) {
                        values.push(self.switch());
                    }
                    self.send(values).await?;
                }
                Ok(()) = bursts.changed() => {
                    let operations = bursts.borrow_and_update().1;
                    for _ in 0..operations {
                        let operation = self.switch();
                        self.send(vec![operation]).await?;
                    }
                }
                brought = &mut bringing => return brought,
            }
        }
        Ok(())
    }

    fn switch(&mut self) -> (String, MetricValue) {
        self.switched = !self.switched;
        (SWITCH.to_owned(), MetricValue::Int32(if self.switched { 2 } else { 1 }))
    }

    /// Returns the time of its clock, ms. It increases with each call, except when the clock was set in between.
    fn next_time(&mut self) -> u64 {
        let skew = self.skew.load(Ordering::Relaxed);
        let now = now_ms().saturating_add_signed(skew);
        let now = if self.last.1 == skew { now.max(self.last.0 + 1) } else { now };
        self.last = (now, skew);
        now
    }

    async fn send(&mut self, values: Vec<(String, MetricValue)>) -> anyhow::Result<()> {
        let at = self.next_time();
        self.history.add(&self.name, at, &values)?;
        let metrics: Vec<Metric> = values.into_iter().map(|(name, value)| Metric::new(name, value).at(at)).collect();
        {
            let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
            for metric in &metrics {
                match now.iter_mut().find(|held| held.name == metric.name) {
                    Some(held) => held.clone_from(metric),
                    None => now.push(metric.clone()),
                }
            }
        }
        self.data.send(Data { device: DEVICE.to_owned(), metrics }).await.context("the link runs")
    }
}

/// Returns the values of all measurands at the `count`th second.
fn measured(load: Load, count: f64) -> Vec<(String, MetricValue)> {
    (0..load.points()).map(|point| (format!("X{point}/P"), MetricValue::Double(count + point as f64 / 1_000.0))).collect()
}

/// Sends values of the past whenever [`Fleet::bring_late`] requests them. Every other one is flagged as historical. Returns only after an error.
async fn bring(
    name: String,
    began: u64,
    data: tokio::sync::mpsc::Sender<Data>,
    history: History,
    load: Load,
    late_orders: Arc<watch::Sender<Option<Late>>>,
) -> anyhow::Result<()> {
    let mut orders = late_orders.subscribe();
    loop {
        let late = orders.wait_for(Option::is_some).await?.context("an order")?;
        let mut pace = interval(Duration::from_secs(1) / u32::try_from(late.per_s)?);
        let (since, step) = (late.since.as_millis() as u64, late.step.as_millis() as u64);
        for turn in 0..since / step {
            pace.tick().await;
            let at = began - since + turn * step;
            let values = measured(load, -1.0 - turn as f64);
            history.add(&name, at, &values)?;
            let metric = |(name, value)| Metric { historical: turn % 2 == 0, ..Metric::new(name, value).at(at) };
            data.send(Data { device: DEVICE.to_owned(), metrics: values.into_iter().map(metric).collect() })
                .await
                .context("the link runs")?;
        }
        late_orders.send_replace(None);
    }
}
