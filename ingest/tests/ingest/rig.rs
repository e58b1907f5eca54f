//! Runs ingest with a real broker and a real database, and gateways that send to it.

use std::time::Duration;

use bus::{Bus, Received, Subscription};
use field::client::{Event, Events, Incoming, Publisher, Qos, Settings, connect};
use field::sparkplug::{ACK_SEQ, BD_SEQ, Metric, MetricValue, OUTBOX, OUTBOX_ACKED, OUTBOX_EPOCH, OUTBOX_SEQ, Payload, REBIRTH};
use field::topic::{MessageKind, Topic};
use grid::ClientId;
use ingest::readiness::State;
use ingest::{Deps, IngestConfig, Readiness};
use store::Store;
use store::seed::ClientSeed;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use wire::bus::BusMessage;

pub(crate) const PATIENCE: Duration = Duration::from_mins(1);
pub(crate) const GROUP: &str = "APDL";

/// A running ingest with its broker, database and bus.
pub(crate) struct Rig {
    pub(crate) broker_url: String,
    pub(crate) database_url: String,
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) client: ClientId,
    adapt: Box<dyn Fn(IngestConfig) -> IngestConfig>,
    running: Option<(JoinHandle<()>, CancellationToken)>,
}

impl Rig {
    /// Starts ingest on an empty, migrated database with one utility, and waits until it is online.
    pub(crate) async fn start(database_url: &str, broker_url: &str) -> Self {
        Self::start_with(database_url, broker_url, |config| config).await
    }

    /// Like [`Rig::start`], with adapted settings.
    pub(crate) async fn start_with(database_url: &str, broker_url: &str, adapt: impl Fn(IngestConfig) -> IngestConfig + 'static) -> Self {
        let mut rig = Self::prepare(database_url, broker_url, adapt).await;
        rig.start_ingest().await;
        rig
    }

    /// Like [`Rig::start_with`], without starting ingest.
    pub(crate) async fn prepare(database_url: &str, broker_url: &str, adapt: impl Fn(IngestConfig) -> IngestConfig + 'static) -> Self {
        let store = Store::connect(database_url, 4).await.expect("a database");
        let client =
            ClientSeed { code: GROUP.into(), name: "Test".into(), time_zone: "Asia/Kolkata".into(), config: serde_json::json!({}) };
        let client = store.put_client(&client).await.expect("a utility");
        let (broker_url, database_url) = (broker_url.to_owned(), database_url.to_owned());
        Self { broker_url, database_url, store, bus: Bus::local(10_000), client, adapt: Box::new(adapt), running: None }
    }

    /// Returns the default settings with shorter intervals. The time limit of discoveries is so long that a busy
    /// machine does not reach it: most tests send each message once.
    pub(crate) fn config(&self) -> IngestConfig {
        (self.adapt)(IngestConfig {
            url: self.broker_url.clone(),
            rebirth_cooldown: Duration::from_millis(500),
            birth_patience: Duration::from_millis(200),
            ack_interval: Duration::from_millis(50),
            hole_patience: Duration::from_millis(500),
            discovery_patience: PATIENCE,
            commit_timeout: Duration::from_secs(5),
            will_delay: Duration::ZERO,
            ..IngestConfig::default()
        })
    }

    pub(crate) async fn start_ingest(&mut self) {
        let mut watcher = Watcher::new(&self.broker_url, "spBv1.0/STATE/switchyard").await;
        let shutdown = CancellationToken::new();
        let readiness = Readiness::default();
        let deps = Deps {
            database_url: self.database_url.clone(),
            store: self.store.clone(),
            registry: followed(&self.store, &self.database_url, &shutdown).await,
            bus: self.bus.clone(),
            readiness: readiness.clone(),
        };
        let running = ingest::run(self.config(), deps, shutdown.clone());
        let task = tokio::spawn(async move { running.await.expect("good settings") });
        self.running = Some((task, shutdown));
        // The broker may still retain the STATE of an earlier ingest.
        tokio::time::timeout(PATIENCE, readiness.reached(State::Subscribed)).await.expect("subscriptions in time");
        watcher.until(|message| field::sparkplug::read_state(&message.payload).is_some_and(|(online, _)| online)).await;
    }

    pub(crate) async fn stop_ingest(&mut self) {
        let (task, shutdown) = self.running.take().expect("running");
        shutdown.cancel();
        task.await.expect("an orderly end");
    }

    /// Stops ingest like a crash: it finishes nothing and publishes no offline STATE. Its background tasks end when
    /// their connections end.
    pub(crate) async fn kill_ingest(&mut self) {
        let (task, _) = self.running.take().expect("running");
        task.abort();
        assert!(task.await.is_err());
    }

    /// Returns the number of rows of a table; `what` may have a `WHERE`.
    pub(crate) async fn count(&self, what: &str) -> i64 {
        let sql = format!("SELECT count(*) FROM {what}");
        database_client(&self.database_url).await.query_one(&sql, &[]).await.expect("a number").get(0)
    }

    pub(crate) async fn until_count(&self, what: &str, expected: i64) {
        let reached = async {
            loop {
                let count = self.count(what).await;
                if count == expected {
                    return;
                }
                assert!(count < expected, "{count} in {what}, {expected} expected");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, reached).await.is_ok();
        assert!(in_time, "{} in {what}, {expected} expected", self.count(what).await);
    }

    /// Returns the reasons of all dead letters, sorted.
    pub(crate) async fn dead_letters(&self) -> Vec<String> {
        let letters = self.store.dead_letters(None, 1_000).await.expect("dead letters");
        let mut reasons: Vec<String> = letters.into_iter().map(|record| record.letter.reason).collect();
        reasons.sort();
        reasons
    }
}

pub(crate) async fn database_client(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.expect("a database");
    tokio::spawn(connection);
    client
}

/// Returns the registry, followed until `shutdown`.
pub(crate) async fn followed(store: &Store, database_url: &str, shutdown: &CancellationToken) -> registry::Registry {
    let settings = registry::FollowSettings::new(database_url);
    registry::follow(store.clone(), settings, shutdown.clone()).await.expect("followed")
}

/// Subscribes to a topic and waits for messages.
pub(crate) struct Watcher {
    _publisher: Publisher,
    events: Events,
}

impl Watcher {
    pub(crate) async fn new(url: &str, filter: &str) -> Self {
        let settings =
            Settings { subscriptions: vec![(filter.into(), Qos::AtLeastOnce)], ..Settings::new(url, testkit::unique("watcher")) };
        let (publisher, mut events) = connect(settings).expect("a good address");
        up(&mut events).await;
        Self { _publisher: publisher, events }
    }

    pub(crate) async fn until(&mut self, is_expected: impl Fn(&Incoming) -> bool) -> Incoming {
        let found = async {
            loop {
                match self.events.next().await.expect("a connection") {
                    Event::Message(message) if is_expected(&message) => return message,
                    _ => {}
                }
            }
        };
        tokio::time::timeout(PATIENCE, found).await.expect("the message in time")
    }
}

async fn up(events: &mut Events) {
    let up = async { while !matches!(events.next().await.expect("a connection"), Event::Up { .. }) {} };
    tokio::time::timeout(PATIENCE, up).await.expect("a broker in time");
}

/// An edge node that sends the messages of a test.
pub(crate) struct Rtu {
    pub(crate) publisher: Publisher,
    events: Events,
    node: String,
    seq: u64,
    pub(crate) epoch: u64,
    pub(crate) acked: u64,
}

impl Rtu {
    pub(crate) async fn connect(url: &str, node: &str) -> Self {
        let commands = Topic::edge(GROUP, MessageKind::NCmd, node, "").to_string();
        let settings = Settings { subscriptions: vec![(commands, Qos::AtLeastOnce)], ..Settings::new(url, testkit::unique(node)) };
        let (publisher, mut events) = connect(settings).expect("a good address");
        up(&mut events).await;
        Self { publisher, events, node: node.into(), seq: 0, epoch: 1_700, acked: 0 }
    }

    /// Waits until the client is connected again.
    pub(crate) async fn up(&mut self) {
        up(&mut self.events).await;
    }

    pub(crate) async fn send(&mut self, kind: MessageKind, device: &str, metrics: Vec<Metric>) {
        let (topic, payload) = self.message(kind, device, metrics);
        self.raw(&topic, payload).await;
    }

    /// Sends a message as a standard client does: at QoS 0, which the broker does not keep for disconnected clients.
    pub(crate) async fn send_once(&mut self, kind: MessageKind, device: &str, metrics: Vec<Metric>) {
        let (topic, payload) = self.message(kind, device, metrics);
        self.publisher.publish(&topic, payload, Qos::AtMostOnce, false).await.expect("up");
    }

    /// The next message, for [`Rtu::raw`].
    fn message(&mut self, kind: MessageKind, device: &str, metrics: Vec<Metric>) -> (String, Vec<u8>) {
        self.seq = if kind == MessageKind::NBirth { 0 } else { (self.seq + 1) % 256 };
        let seq = (kind != MessageKind::NDeath).then_some(self.seq);
        let payload = Payload { timestamp: Some(now_ms()), seq, metrics };
        (Topic::edge(GROUP, kind, &self.node, device).to_string(), payload.encode())
    }

    pub(crate) async fn raw(&self, topic: &str, payload: Vec<u8>) {
        self.publisher.publish(topic, payload, Qos::AtLeastOnce, false).await.expect("up");
    }

    /// Sends the birth of a node with one device; `outbox` declares an outbox.
    pub(crate) async fn birth(&mut self, outbox: bool) {
        let metrics = vec![Metric::new(BD_SEQ, MetricValue::UInt64(0)), Metric::new(OUTBOX, MetricValue::Boolean(outbox))];
        self.send(MessageKind::NBirth, "", metrics).await;
        self.send(MessageKind::DBirth, "F3", vec![]).await;
    }

    /// Sends data from the outbox.
    pub(crate) async fn boxed(&mut self, seq: u64, historical: bool, metrics: Vec<Metric>) {
        let (topic, payload) = self.boxed_message(seq, historical, metrics);
        self.raw(&topic, payload).await;
    }

    /// Returns the next message with data from the outbox, for [`Rtu::raw`].
    pub(crate) fn boxed_message(&mut self, seq: u64, historical: bool, metrics: Vec<Metric>) -> (String, Vec<u8>) {
        let number = |name: &str, value| Metric::new(name, MetricValue::UInt64(value));
        let mut all = vec![number(OUTBOX_EPOCH, self.epoch), number(OUTBOX_SEQ, seq), number(OUTBOX_ACKED, self.acked)];
        all.extend(metrics.into_iter().map(|metric| Metric { historical, ..metric }));
        self.message(MessageKind::DData, "F3", all)
    }

    /// Waits for the next command with one of the metrics.
    async fn command_with(&mut self, metrics: &[&str]) -> Payload {
        let found = async {
            loop {
                if let Event::Message(message) = self.events.next().await.expect("a connection") {
                    let payload = Payload::decode(&message.payload).expect("a payload");
                    if metrics.iter().any(|metric| payload.metric(metric).is_some()) {
                        return payload;
                    }
                }
            }
        };
        tokio::time::timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("no command with {metrics:?}"))
    }

    /// Waits for the next command with the metric.
    pub(crate) async fn command(&mut self, metric: &str) -> Payload {
        self.command_with(&[metric]).await
    }

    /// Waits until everything up to `seq` is acknowledged.
    pub(crate) async fn acknowledged(&mut self, seq: u64) {
        while self.acked < seq {
            let command = self.command(ACK_SEQ).await;
            self.acked = command.metric(ACK_SEQ).and_then(|metric| metric.value.as_u64()).expect("a number");
        }
        assert_eq!(self.acked, seq);
    }

    /// Like [`Rtu::acknowledged`], if acknowledgements may be repeated: the highest number counts.
    pub(crate) async fn acknowledged_at_least(&mut self, seq: u64) {
        while self.acked < seq {
            let command = self.command(ACK_SEQ).await;
            self.acked = self.acked.max(command.metric(ACK_SEQ).and_then(|metric| metric.value.as_u64()).expect("a number"));
        }
    }

    /// Waits until everything up to `seq` is acknowledged. Answers each rebirth request with a birth and the
    /// unacknowledged messages, as an outbox does.
    pub(crate) async fn acknowledged_after_resends(&mut self, seq: u64, metrics_of: impl Fn(u64) -> Vec<Metric>) {
        while self.acked < seq {
            let command = self.command_with(&[ACK_SEQ, REBIRTH]).await;
            if let Some(metric) = command.metric(ACK_SEQ) {
                self.acked = self.acked.max(metric.value.as_u64().expect("a number"));
                continue;
            }
            self.birth(true).await;
            for seq in self.acked + 1..=seq {
                self.boxed(seq, true, metrics_of(seq)).await;
            }
        }
    }

    /// Returns whether one of the unread commands has the metric.
    pub(crate) fn has_command(&mut self, metric: &str) -> bool {
        std::iter::from_fn(|| self.events.try_next()).any(|event| match event {
            Event::Message(message) => Payload::decode(&message.payload).is_ok_and(|payload| payload.metric(metric).is_some()),
            _ => false,
        })
    }
}

pub(crate) fn now_ms() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_millis() as u64
}

pub(crate) fn current(ampere: f64, at: u64) -> Metric {
    Metric::new("F3/Ir", MetricValue::Double(ampere)).at(at)
}

pub(crate) fn switch(position: i32, at: u64) -> Metric {
    Metric::new("F3CB/Pos", MetricValue::Int32(position)).at(at)
}

/// Waits for the first message on the bus for which the function returns a value. Returns that value.
pub(crate) async fn on_bus<T>(subscription: &mut Subscription, mut is_expected: impl FnMut(&BusMessage) -> Option<T>) -> T {
    let found = async {
        loop {
            match subscription.next().await.expect("a bus") {
                Received::Message(message) => {
                    if let Some(found) = is_expected(&message) {
                        return found;
                    }
                }
                Received::Lagged => panic!("the test's bus is too small"),
            }
        }
    };
    tokio::time::timeout(PATIENCE, found).await.expect("the bus message in time")
}
