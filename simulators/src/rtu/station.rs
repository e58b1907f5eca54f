//! The RTU of a simulated substation: reads its physics every second and at each change, reports the values, and executes commands.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ed25519_dalek::VerifyingKey;
use field::command::{Answer, COMMAND_EPOCH, NoOrder, Order};
use field::sparkplug::{Metric, MetricValue};
use grid::control::{AddCause, CommandId, GatewayAnswer, Throw};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use super::journal::Journal;
use super::link::{self, Data, Link, LinkConfig, Ordered, now_ms};
use super::operate::{Control, Decision, Scene, SignatureCheck};
use super::panel::{Behaviour, Panel, Touch};
use super::report::{self, Report};
use super::shared::StationPhysics;
use crate::clock::Clock;
use crate::physics::substation::{Change, Station};
use crate::physics::switching::SwitchState;
use crate::utility::Substation;

/// Interval at which the physics are read.
const SCAN: Duration = Duration::from_secs(1);
/// Travel time of a breaker, and of a motor-driven isolator, ms.
const BREAKER_MS: i64 = 70;
const ISOLATOR_MS: i64 = 4_000;
/// Time without the new position after which the RTU reports a failure.
const SUPERVISION: Duration = Duration::from_secs(30);
/// Time for which an RTU can still send after its supply has failed. It is shorter than the travel time of a breaker.
const DYING: Duration = Duration::from_millis(30);
/// Time for the restart of an RTU.
const RESTART: Duration = Duration::from_secs(2);

/// Configuration of a substation with its RTU.
#[derive(Debug)]
pub struct Config {
    /// The broker, and the identity of the RTU.
    pub link: LinkConfig,
    /// The substation.
    pub substation: Substation,
    /// Its physics.
    pub physics: StationPhysics,
    /// Its clock.
    pub clock: Clock,
    /// The file of the journal; default: in memory, where it only survives simulated restarts of the RTU.
    pub journal: Option<PathBuf>,
    /// The public key for the signatures of commands; `None` accepts unsigned commands.
    pub key: Option<VerifyingKey>,
}

/// A command in execution.
struct Running {
    device: String,
    id: CommandId,
    target: Throw,
    until: Instant,
}

/// How a run of the RTU ended.
enum End {
    Shutdown,
    Died,
}

/// The RTU and its substation, ready to run.
pub struct StationRtu {
    config: Config,
    journal: Arc<Mutex<Journal>>,
    behaviours: BTreeMap<String, Behaviour>,
    touches: mpsc::Receiver<Touch>,
    born: Instant,
}

/// Creates the substation, and the panel for local actions in it.
pub fn build(config: Config) -> std::io::Result<(Panel, StationRtu)> {
    let journal = Journal::open(config.journal.as_deref(), now_ms())?;
    let (panel, touches) = Panel::new();
    let rtu = StationRtu { journal: Arc::new(Mutex::new(journal)), behaviours: BTreeMap::new(), touches, born: Instant::now(), config };
    Ok((panel, rtu))
}

impl StationRtu {
    /// Sets the behaviour of a switch from the start.
    #[must_use]
    pub fn behaving(mut self, asset: &str, behaviour: Behaviour) -> Self {
        self.behaviours.insert(asset.to_owned(), behaviour);
        self
    }

    /// Runs until `shutdown`, including restarts of the RTU.
    pub async fn run(mut self, shutdown: CancellationToken) {
        loop {
            match self.live(&shutdown).await {
                Ok(End::Shutdown) => return,
                Ok(End::Died) => tokio::select! {
                    () = shutdown.cancelled() => return,
                    () = sleep(RESTART) => {}
                },
                Err(error) => return tracing::error!(%error, rtu = self.config.substation.code, "the RTU cannot be started"),
            }
        }
    }

    /// Runs from the start of the link to its end.
    async fn live(&mut self, shutdown: &CancellationToken) -> Result<End, field::client::Error> {
        let Config { link, substation, physics, clock, key, .. } = &self.config;
        let gate = key.map(|key| SignatureCheck { key, epoch: rand::random() });
        let own = gate.iter().map(|gate| Metric::new(COMMAND_EPOCH, MetricValue::UInt64(gate.epoch)).at(now_ms())).collect();
        // Changes while the RTU was down are reported by the birth, not as events.
        physics.skip(clock.now());
        self.journal.lock().unwrap_or_else(PoisonError::into_inner).boot();
        let link = link::start(link, report::births(substation, physics.clone(), *clock, own), shutdown.clone())?;
        let control = Control::new(&self.config.link.group, substation, gate);
        let reports = Report::all(substation);
        Ok(Life { rtu: self, link, control, reports, running: BTreeMap::new(), dead: false }.run(shutdown).await)
    }
}

struct Life<'a> {
    rtu: &'a mut StationRtu,
    link: Link,
    control: Control,
    reports: Vec<Report>,
    /// Commands in execution, by asset.
    running: BTreeMap<String, Running>,
    dead: bool,
}

impl Life<'_> {
    async fn run(mut self, shutdown: &CancellationToken) -> End {
        let mut scan = interval(SCAN);
        scan.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_reported = false;
        let mut switched = self.rtu.config.physics.switched();
        while !self.dead {
            let due = self.until_next_change();
            tokio::select! {
                // Local actions take precedence over remote commands. Nothing starves, because every iteration ends with a scan.
                biased;
                () = shutdown.cancelled() => {
                    self.link.ended().await;
                    return End::Shutdown;
                }
                Some(touch) = self.rtu.touches.recv() => {
                    self.scan();
                    self.touched(touch);
                }
                Some(ordered) = self.link.orders.recv() => {
                    self.scan();
                    self.handle_order(ordered).await;
                }
                Ok(()) = self.link.up.changed() => {}
                // A switch of any substation can change what this one measures.
                Ok(()) = switched.changed() => {}
                _ = scan.tick() => {}
                () = sleep(due.unwrap_or(SCAN)), if due.is_some() => {}
            }
            self.scan();
            if *self.link.up.borrow() && !std::mem::replace(&mut is_reported, true) {
                self.report_unfinished().await;
            }
            self.supervise().await;
        }
        sleep(DYING).await;
        self.link.kill.cancel();
        End::Died
    }

    /// Returns the real time until the next change without a command.
    fn until_next_change(&self) -> Option<Duration> {
        let clock = self.rtu.config.clock;
        let next = self.rtu.config.physics.with_station(Station::next_change)?;
        let wait = clock.stamp(next).millis_since(clock.stamp(clock.now()));
        // One more, so that the millisecond has passed completely.
        Some(Duration::from_millis(u64::try_from(wait).unwrap_or(0) + 1))
    }

    /// Advances the physics to now and sends the reports that are due.
    fn scan(&mut self) {
        let clock = self.rtu.config.clock;
        let now = clock.now();
        let (changes, values) = self.rtu.config.physics.scan(now);
        for data in report::due(&mut self.reports, &changes, &values, now, clock) {
            self.send(data);
        }
    }

    /// Reports a change immediately.
    fn report(&mut self, change: Option<Change>) {
        let Some(change) = change else { return };
        let (_, values) = self.rtu.config.physics.values();
        let (at, clock) = (change.at, self.rtu.config.clock);
        for data in report::due(&mut self.reports, &[change], &values, at, clock) {
            self.send(data);
        }
    }

    /// Sends messages to the link. The link is full if no message is acknowledged for a long time. Then new values are dropped, and the host detects this by
    /// the age of the values.
    fn send(&self, data: Data) {
        if self.link.data.try_send(data).is_err() {
            tracing::debug!(rtu = self.rtu.config.substation.code, "the outbox is full");
        }
    }

    fn say(&self, device: &str, asset: &str, id: CommandId, answered: GatewayAnswer, cause: Option<AddCause>) {
        let answer = Answer { asset: asset.to_owned(), id, state: answered, cause };
        tracing::info!(rtu = self.rtu.config.substation.code, asset, command = %id, answer = answered.as_str(), cause = cause.map(AddCause::name), "an order is answered");
        self.send(Data { device: device.to_owned(), metrics: answer.encode(now_ms()) });
    }

    async fn handle_order(&mut self, ordered: Ordered) {
        let Ordered { device, payload, retained } = ordered;
        let order = match Order::decode(&payload) {
            None => return,
            Some(Ok(order)) => order,
            Some(Err(NoOrder { asset, id, reason })) => {
                tracing::warn!(rtu = self.rtu.config.substation.code, asset, reason, "not an order");
                if let Some(id) = id {
                    self.say(&device, &asset, id, GatewayAnswer::Refused, Some(AddCause::InconsistentParameters));
                }
                return;
            }
        };
        let behaviour = self.rtu.behaviours.get(&order.asset).copied().unwrap_or_default();
        if behaviour == Behaviour::Silent {
            return;
        }
        let decision = self.with_scene(|control, scene| control.decide(&device, &order, retained, scene));
        match decision {
            Decision::Say(answered, cause) => self.say(&device, &order.asset, order.id, answered, cause),
            Decision::Act => self.act(&device, &order, behaviour).await,
        }
    }

    /// Calls the command handling with the present facts.
    fn with_scene<T>(&mut self, look: impl FnOnce(&mut Control, &Scene<'_>) -> T) -> T {
        let Life { rtu, control, .. } = self;
        rtu.config.physics.with_station(|station| {
            let journal = rtu.journal.lock().unwrap_or_else(PoisonError::into_inner);
            let scene = Scene {
                journal: &journal,
                switch_state: &|code| station.switch_state(code),
                local: station.is_local(),
                now: now_ms(),
                uptime: u64::try_from(rtu.born.elapsed().as_millis()).unwrap_or(u64::MAX),
            };
            look(control, &scene)
        })
    }

    /// Writes the journal first, then operates the switch: a command that cannot be written to disk is not executed.
    async fn act(&mut self, device: &str, order: &Order, behaviour: Behaviour) {
        let (id, owner, asset) = (order.id, device.to_owned(), order.asset.clone());
        let lag = if let Behaviour::SlowDisk(lag) = behaviour { lag } else { Duration::ZERO };
        let begin = move |journal: &mut Journal| {
            std::thread::sleep(lag);
            journal.begin(id, &owner, &asset, now_ms())
        };
        if !self.journal(begin).await {
            return self.say(device, &order.asset, id, GatewayAnswer::Refused, Some(AddCause::BlockedByHealth));
        }
        // Process local actions that arrived in the meantime: they take precedence over remote commands.
        while let Ok(touch) = self.rtu.touches.try_recv() {
            self.touched(touch);
        }
        if self.dead {
            return;
        }
        self.scan();
        let cause = self.with_scene(|control, scene| control.second_look(order, scene));
        if let Some(cause) = cause {
            self.journal(move |journal| journal.finish(id)).await;
            return self.say(device, &order.asset, id, GatewayAnswer::Refused, Some(cause));
        }
        self.say(device, &order.asset, id, GatewayAnswer::Accepted, None);
        let running = Running { device: device.to_owned(), id, target: order.target, until: Instant::now() + SUPERVISION };
        self.running.insert(order.asset.clone(), running);
        let usual = if order.asset.ends_with("CB") || order.asset == "BC" { BREAKER_MS } else { ISOLATOR_MS };
        let travel = match behaviour {
            Behaviour::Stuck => return,
            Behaviour::Slow(travel) => i64::try_from(travel.as_millis()).unwrap_or(i64::MAX),
            Behaviour::Normal | Behaviour::Silent | Behaviour::DiesHalfWay | Behaviour::SlowDisk(_) => usual,
        };
        let Config { physics, clock, .. } = &self.rtu.config;
        let change = physics.throw(clock.now(), &order.asset, order.target, travel);
        self.report(change);
        if behaviour == Behaviour::DiesHalfWay {
            // Only once: after the restart the switch behaves normally.
            self.rtu.behaviours.remove(&order.asset);
            self.dead = true;
        }
    }

    /// Writes to the journal outside of the async threads. Returns whether it is on disk.
    async fn journal(&self, write: impl FnOnce(&mut Journal) -> std::io::Result<()> + Send + 'static) -> bool {
        let journal = self.rtu.journal.clone();
        let written = tokio::task::spawn_blocking(move || write(&mut journal.lock().unwrap_or_else(PoisonError::into_inner))).await;
        match written {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::error!(%error, rtu = self.rtu.config.substation.code, "the journal of commands cannot be written");
                false
            }
            Err(_) => false,
        }
    }

    /// After a restart, reports unfinished commands as unknown, once. They are never started again.
    async fn report_unfinished(&mut self) {
        let unfinished = self.rtu.journal.lock().unwrap_or_else(PoisonError::into_inner).unfinished();
        for (id, (device, asset)) in unfinished {
            self.say(&device, &asset, id, GatewayAnswer::Unknown, None);
            self.journal(move |journal| journal.finish(id)).await;
        }
    }

    /// Ends the commands whose switch has arrived, or has not arrived in time.
    async fn supervise(&mut self) {
        let arrived = |(asset, running): (&String, &Running)| {
            let state = self.rtu.config.physics.with_station(|station| station.switch_state(asset));
            let there = state == Some(SwitchState::At(running.target));
            (there || Instant::now() >= running.until).then(|| (asset.clone(), there))
        };
        let over: Vec<(String, bool)> = self.running.iter().filter_map(arrived).collect();
        for (asset, there) in over {
            let Some(Running { device, id, .. }) = self.running.remove(&asset) else { continue };
            self.journal(move |journal| journal.finish(id)).await;
            self.say(&device, &asset, id, GatewayAnswer::Terminated, (!there).then_some(AddCause::TimeLimitOver));
        }
    }

    fn touched(&mut self, touch: Touch) {
        let (physics, now) = (self.rtu.config.physics.clone(), self.rtu.config.clock.now());
        match touch {
            Touch::Behave(asset, behaviour) => {
                self.rtu.behaviours.insert(asset, behaviour);
            }
            Touch::Throw(asset, to) => {
                let usual = if asset.ends_with("CB") || asset == "BC" { BREAKER_MS } else { ISOLATOR_MS };
                let change = physics.throw(now, &asset, to, usual);
                self.report(change);
            }
            Touch::Local(local) => {
                let change = physics.set_local(now, local);
                self.report(change);
            }
            Touch::Fault(feeder) => physics.fault(now, feeder),
            Touch::Die => self.dead = true,
        }
    }
}
