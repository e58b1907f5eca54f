//! Tests two ingests of one shard: only one takes telemetry at a time, and no acknowledged value is lost.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bus::Bus;
use field::client::{Event, Qos, Settings, connect};
use field::sparkplug::{Metric, read_state, state};
use ingest::readiness::State;
use ingest::{Deps, Error, IngestConfig, Readiness};
use store::Store;
use testkit::{Flavour, TestPostgres};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::link::Link;
use crate::rig::{PATIENCE, Rig, Rtu, current, database_client, followed, now_ms, switch};

/// One ingest process.
struct Process {
    task: JoinHandle<Result<(), Error>>,
    shutdown: CancellationToken,
    readiness: Readiness,
    bus: Bus,
}

impl Process {
    async fn start(config: IngestConfig, database_url: &str) -> Self {
        let (shutdown, readiness, bus) = (CancellationToken::new(), Readiness::default(), Bus::local(10_000));
        let store = Store::connect(database_url, 4).await.expect("a database");
        let registry = followed(&store, database_url, &shutdown).await;
        let deps = Deps { database_url: database_url.to_owned(), store, registry, bus: bus.clone(), readiness: readiness.clone() };
        let task = tokio::spawn(ingest::run(config, deps, shutdown.clone()));
        Self { task, shutdown, readiness, bus }
    }

    async fn reached(&self, state: State) {
        tokio::time::timeout(PATIENCE, self.readiness.reached(state)).await.unwrap_or_else(|_| panic!("not {state:?} in time"));
    }

    async fn ended(self) -> Result<(), Error> {
        tokio::time::timeout(PATIENCE, self.task).await.expect("it ends in time").expect("no panic")
    }

    async fn stop(self) {
        self.shutdown.cancel();
        self.ended().await.expect("an orderly end");
    }

    async fn crash(self) {
        self.task.abort();
        assert!(self.task.await.is_err());
    }
}

/// Records the STATE messages from now on, without the retained one.
async fn states(broker_url: &str) -> Arc<Mutex<Vec<bool>>> {
    let settings = Settings {
        subscriptions: vec![("spBv1.0/STATE/+".into(), Qos::AtLeastOnce)],
        ..Settings::new(broker_url, testkit::unique("states"))
    };
    let (publisher, mut events) = connect(settings).expect("a good address");
    while !matches!(events.next().await, Some(Event::Up { .. })) {}
    let seen = Arc::new(Mutex::new(Vec::new()));
    let collected = Arc::clone(&seen);
    tokio::spawn(async move {
        let _publisher = publisher;
        while let Some(event) = events.next().await {
            if let Event::Message(message) = event
                && !message.retain
                && let Some((online, _)) = read_state(&message.payload)
            {
                collected.lock().expect("no panic").push(online);
            }
        }
    });
    seen
}

async fn prepare(adapt: impl Fn(IngestConfig) -> IngestConfig + 'static) -> (TestPostgres, testkit::TestBroker, Rig) {
    let (postgres, broker) = (testkit::postgres_server(Flavour::Timescale).await, testkit::broker().await);
    store::migrate(&postgres.url()).await.expect("a schema");
    let default_delay = IngestConfig::default().will_delay;
    let rig = Rig::prepare(&postgres.url(), &broker.url(), move |config| adapt(IngestConfig { will_delay: default_delay, ..config })).await;
    (postgres, broker, rig)
}

fn values(seq: u64, start: u64) -> Vec<Metric> {
    vec![current(seq as f64, start + seq), switch(if seq.is_multiple_of(2) { 2 } else { 1 }, start + seq)]
}

async fn terms_begun(database_url: &str) -> i64 {
    database_client(database_url).await.query_one("SELECT begun FROM leadership", &[]).await.expect("a term").get(0)
}

fn folder() -> PathBuf {
    std::env::temp_dir().join(testkit::unique("ingest_leadership"))
}

fn spooling(rig: &Rig, folder: &Path) -> IngestConfig {
    IngestConfig { spool_dir: Some(folder.to_owned()), commit_timeout: Duration::from_millis(500), ..rig.config() }
}

#[tokio::test]
async fn standby_takes_over_after_a_database_restart_and_the_former_leader_ends() {
    let (mut postgres, broker, rig) = prepare(|config| config).await;
    // The former leader does not check its leadership by itself during the test.
    let former = Process::start(IngestConfig { lead_pause: Duration::from_hours(1), ..rig.config() }, &postgres.url()).await;
    former.reached(State::Subscribed).await;
    let standby = Process::start(IngestConfig { lead_pause: Duration::from_millis(50), ..rig.config() }, &postgres.url()).await;
    standby.reached(State::Standby).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 60_000;
    rtu.birth(true).await;
    rtu.boxed(1, false, values(1, start)).await;
    rtu.acknowledged_after_resends(1, |seq| values(seq, start)).await;
    let states = states(&broker.url()).await;

    postgres.restart().await;
    standby.reached(State::Subscribed).await;
    for seq in 2..=60 {
        rtu.boxed(seq, false, values(seq, start)).await;
    }
    assert!(matches!(former.ended().await, Err(Error::Deposed(_))));
    rtu.acknowledged_after_resends(60, |seq| values(seq, start)).await;
    assert_eq!((rig.count("sample").await, rig.count("event").await), (2 * 60, 60));
    assert_eq!(terms_begun(&postgres.url()).await, 2);
    let seen = states.lock().expect("no panic").clone();
    assert_eq!(seen, [true], "one connection of the new leader, and nobody is declared offline");
    standby.stop().await;
}

/// Cuts a leader off from the database until it spools. Returns this leader, the new leader, and their spool folders.
/// 20 messages are spooled and 20 are stored.
async fn cut_off(postgres: &TestPostgres, rig: &Rig, link: &Link, rtu: &mut Rtu, start: u64) -> (Process, Process, [PathBuf; 2]) {
    let folders = [folder(), folder()];
    let through_link = format!("postgres://postgres@127.0.0.1:{}/postgres", link.port());
    let former = Process::start(IngestConfig { lead_pause: Duration::from_millis(250), ..spooling(rig, &folders[0]) }, &through_link).await;
    former.reached(State::Subscribed).await;
    rtu.birth(true).await;
    rtu.boxed(1, false, values(1, start)).await;
    rtu.acknowledged_after_resends(1, |seq| values(seq, start)).await;
    link.cut();
    for seq in 2..=21 {
        rtu.boxed(seq, false, values(seq, start)).await;
    }
    rtu.acknowledged_at_least(21).await;
    let next = Process::start(IngestConfig { lead_pause: Duration::from_millis(50), ..spooling(rig, &folders[1]) }, &postgres.url()).await;
    next.reached(State::Subscribed).await;
    for seq in 22..=40 {
        rtu.boxed(seq, false, values(seq, start)).await;
    }
    rtu.acknowledged_after_resends(40, |seq| values(seq, start)).await;
    (former, next, folders)
}

#[tokio::test]
async fn leader_cut_off_from_the_database_stays_off_the_broker_and_loses_nothing() {
    let (postgres, broker, rig) = prepare(|config| config).await;
    let link = Link::to(postgres.port()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let states = states(&broker.url()).await;
    let start = now_ms() - 60_000;
    let (former, next, folders) = cut_off(&postgres, &rig, &link, &mut rtu, start).await;
    assert_eq!(terms_begun(&postgres.url()).await, 2);
    // The new leader can have spooled its own values. More values would come from the spool of the former leader.
    rig.until_count("sample", 2 * 20).await;
    // Longer than any pause between two attempts to connect.
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert!(!former.task.is_finished() && !former.readiness.is_ready(), "it cannot know who leads, and keeps off the broker");
    assert_eq!(*states.lock().expect("no panic"), [true, true], "one connection each, and nobody is declared offline");

    link.heal();
    assert!(matches!(former.ended().await, Err(Error::Deposed(_))));
    let restarted =
        Process::start(IngestConfig { lead_pause: Duration::from_millis(250), ..spooling(&rig, &folders[0]) }, &postgres.url()).await;
    rig.until_count("sample", 2 * 40).await;
    assert_eq!(rig.count("event").await, 40);
    assert!(next.readiness.is_ready() && !next.task.is_finished());
    for process in [restarted, next] {
        process.stop().await;
    }
    for folder in folders {
        std::fs::remove_dir_all(folder).expect("removable");
    }
}

#[tokio::test]
async fn spool_of_a_former_leader_reaches_the_database_while_another_leads() {
    let (postgres, broker, rig) = prepare(|config| config).await;
    let link = Link::to(postgres.port()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 60_000;
    let (former, next, folders) = cut_off(&postgres, &rig, &link, &mut rtu, start).await;
    former.crash().await;
    rig.until_count("sample", 2 * 20).await;
    let restarted =
        Process::start(IngestConfig { lead_pause: Duration::from_millis(250), ..spooling(&rig, &folders[0]) }, &postgres.url()).await;
    let mut events = restarted.bus.subscribe();
    restarted.reached(State::Standby).await;
    rig.until_count("sample", 2 * 40).await;
    assert_eq!(rig.count("event").await, 40);
    let rows = crate::rig::on_bus(&mut events, |message| match message {
        wire::bus::BusMessage::Events { from, offset, .. } => Some(offset - from),
        _ => None,
    });
    assert_eq!(rows.await, 20, "hubs are told of the late events");
    let latest = rig.store.latest_of(rig.client, None).await.expect("values");
    assert!(latest.iter().any(|(_, reading)| reading.value == Some(40.0)), "no latest value goes back: {latest:?}");
    assert_eq!(terms_begun(&postgres.url()).await, 2);
    // The new leader works on. When it ends, the former one takes over.
    rtu.boxed(41, false, values(41, start)).await;
    rtu.acknowledged_at_least(41).await;
    next.stop().await;
    restarted.reached(State::Subscribed).await;
    rtu.boxed(42, false, values(42, start)).await;
    rtu.acknowledged_after_resends(42, |seq| values(seq, start)).await;
    restarted.stop().await;
    for folder in folders {
        std::fs::remove_dir_all(folder).expect("removable");
    }
}

#[tokio::test]
async fn orderly_end_writes_its_last_acknowledgements() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let slow = |config| IngestConfig { ack_interval: Duration::from_hours(1), ..config };
    let mut rig = Rig::start_with(database.url(), &broker.url(), slow).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 60_000;
    rtu.birth(true).await;
    rtu.boxed(1, false, values(1, start)).await;
    rtu.acknowledged(1).await;
    for seq in 2..=20 {
        rtu.boxed(seq, false, values(seq, start)).await;
    }
    rig.until_count("sample", 2 * 20).await;
    rig.stop_ingest().await;
    rtu.acknowledged(20).await;
}

#[tokio::test]
async fn foreign_state_of_this_host_is_corrected() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let topic = "spBv1.0/STATE/switchyard";
    let foreign = Rtu::connect(&broker.url(), "FOREIGN").await;
    // With the time of a clock that is ahead: gateways ignore an older STATE.
    let ahead = now_ms() as i64 + 600_000;
    foreign.publisher.publish(topic, state(false, ahead), Qos::AtLeastOnce, true).await.expect("up");
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let mut watcher = crate::rig::Watcher::new(&broker.url(), topic).await;
    let online_after = |payload: &[u8], after: i64| read_state(payload).is_some_and(|(online, at)| online && at >= Some(after));
    watcher.until(|message| online_after(&message.payload, ahead + 1)).await;
    foreign.publisher.publish(topic, state(false, 1), Qos::AtLeastOnce, true).await.expect("up");
    watcher.until(|message| read_state(&message.payload) == Some((false, Some(1)))).await;
    watcher.until(|message| online_after(&message.payload, ahead + 1)).await;
    rig.stop_ingest().await;
    watcher.until(|message| read_state(&message.payload).is_some_and(|(online, at)| !online && at > Some(ahead))).await;
}
