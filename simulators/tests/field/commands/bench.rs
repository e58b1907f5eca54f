//! The host of one simulated RTU, through a real broker.

use std::path::PathBuf;
use std::time::Duration;

use ed25519_dalek::SigningKey;
use field::client::{Event, Events, Publisher, Qos, Settings, connect};
use field::command::{Answer, COMMAND_EPOCH, Order};
use field::sparkplug::Payload;
use field::topic::{MessageKind, Topic};
use grid::control::{Action, AddCause, CommandId, GatewayAnswer, Throw};
use simulators::clock::Clock;
use simulators::physics::standalone::Standalone;
use simulators::rtu::link::{LinkConfig, now_ms};
use simulators::rtu::panel::Panel;
use simulators::rtu::shared::StationPhysics;
use simulators::rtu::station::{self, Config};
use simulators::utility;
use tokio_util::sync::{CancellationToken, DropGuard};

pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
pub(crate) const NODE: &str = "QUAYSIDE";

/// A message that the host received from the RTU.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Seen {
    Answer(CommandId, GatewayAnswer, Option<u8>),
    /// Metric, value, source time; from data messages.
    Value(String, f64, u64),
    /// Metric and value, from births.
    Born(String, f64),
    NodeBirth(Option<u64>),
    Death,
}

/// The host of one RTU, and the panel of the substation.
pub(crate) struct Field {
    pub(crate) group: String,
    pub(crate) publisher: Publisher,
    events: Events,
    seen: Vec<Seen>,
    /// Number of entries of `seen` that have been examined.
    pub(crate) place: usize,
    panel: Option<Panel>,
    _shutdown: DropGuard,
    shutdown: CancellationToken,
}

impl Field {
    /// Starts the host only; no RTU runs yet.
    pub(crate) async fn host() -> Self {
        let group = testkit::unique("G");
        let settings = Settings {
            subscriptions: vec![(format!("spBv1.0/{group}/#"), Qos::AtLeastOnce)],
            ..Settings::new(testkit::shared_mqtt_url(), format!("host-{group}"))
        };
        let (publisher, mut events) = connect(settings).expect("good settings");
        while !matches!(tokio::time::timeout(PATIENCE, events.next()).await, Ok(Some(Event::Up { .. }))) {}
        let shutdown = CancellationToken::new();
        Self { group, publisher, events, seen: Vec::new(), place: 0, panel: None, _shutdown: shutdown.clone().drop_guard(), shutdown }
    }

    /// Starts the RTU, with its journal and the key that it requires.
    pub(crate) async fn start(&mut self, journal: Option<PathBuf>, key: Option<&SigningKey>) {
        let substation =
            utility::demo(33).clients.remove(0).substations.into_iter().find(|substation| substation.code == NODE).expect("Quayside");
        let link = LinkConfig { mqtt_url: testkit::shared_mqtt_url(), group: self.group.clone(), node: NODE.into(), outboxes: None };
        let key = key.map(SigningKey::verifying_key);
        let clock = Clock::new(1.0);
        let physics = StationPhysics::share(Standalone::physics(&substation, 5, clock.now()), utility::Pace::Usual).remove(0);
        let config = Config { link, substation, physics, clock, journal, key };
        let (panel, rtu) = station::build(config).expect("a journal");
        self.panel = Some(panel);
        tokio::spawn(rtu.run(self.shutdown.clone()));
        self.until(|seen| matches!(seen, Seen::NodeBirth(_)).then_some(())).await;
    }

    pub(crate) async fn running() -> Self {
        let mut field = Self::host().await;
        field.start(None, None).await;
        field
    }

    pub(crate) fn panel(&self) -> &Panel {
        self.panel.as_ref().expect("a running RTU")
    }

    /// Waits for the next message for which `pick` returns a value; earlier ones are skipped.
    pub(crate) async fn until<T>(&mut self, pick: impl Fn(&Seen) -> Option<T>) -> T {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            while let Some(seen) = self.seen.get(self.place) {
                self.place += 1;
                if let Some(found) = pick(seen) {
                    return found;
                }
            }
            let Ok(Some(event)) = tokio::time::timeout_at(deadline, self.events.next()).await else {
                panic!("not seen in time, only: {:?}", self.interesting());
            };
            if let Event::Message(message) = event {
                self.read(&message.topic, &message.payload);
                if let Some(ack) = message.ack {
                    ack.done();
                }
            }
        }
    }

    fn read(&mut self, topic: &str, payload: &[u8]) {
        let Ok(Topic::Edge { kind, .. }) = Topic::parse(topic) else { return };
        let Ok(mut payload) = Payload::decode(payload) else { return };
        // This host sends no acknowledgements, so the RTU sends everything again as historical.
        payload.metrics.retain(|metric| !metric.historical);
        let values = payload.metrics.iter().filter_map(|metric| Some((metric.name.clone()?, metric.value.as_number()?, metric.timestamp?)));
        match kind {
            MessageKind::DData => {
                let answers = Answer::decode(&payload).into_iter();
                self.seen.extend(answers.map(|answer| Seen::Answer(answer.id, answer.state, answer.cause.map(AddCause::code))));
                self.seen.extend(values.map(|(name, value, at)| Seen::Value(name, value, at)));
            }
            MessageKind::DBirth => self.seen.extend(values.map(|(name, value, _)| Seen::Born(name, value))),
            MessageKind::NBirth => self.seen.push(Seen::NodeBirth(payload.metric(COMMAND_EPOCH).and_then(|metric| metric.value.as_u64()))),
            MessageKind::NDeath => self.seen.push(Seen::Death),
            _ => {}
        }
    }

    /// Returns answers and positions, for test messages.
    pub(crate) fn interesting(&self) -> Vec<&Seen> {
        let fields = |seen: &&Seen| !matches!(seen, Seen::Value(name, ..) | Seen::Born(name, _) if !name.ends_with("/Pos"));
        self.seen.iter().filter(fields).collect()
    }

    /// Waits for the next answer to a command.
    pub(crate) async fn answer(&mut self, id: CommandId) -> (GatewayAnswer, Option<u8>) {
        self.until(|seen| if let Seen::Answer(of, state, cause) = seen { (*of == id).then_some((*state, *cause)) } else { None }).await
    }

    /// Waits for the next value of a metric. Returns value and source time.
    pub(crate) async fn value(&mut self, metric: &str) -> (f64, u64) {
        self.until(|seen| if let Seen::Value(name, value, at) = seen { (name == metric).then_some((*value, *at)) } else { None }).await
    }

    /// Waits for the next status of a metric. Returns the whole number and its source time.
    pub(crate) async fn status(&mut self, metric: &str) -> (i64, u64) {
        let (value, at) = self.value(metric).await;
        (value as i64, at)
    }

    /// Waits until the newest value of a metric fits.
    pub(crate) async fn settles(&mut self, metric: &str, fits: impl Fn(f64) -> bool) {
        let newest = |seen: &Seen| if let Seen::Value(name, value, _) = seen { (name == metric).then_some(*value) } else { None };
        while !self.seen.iter().rev().find_map(newest).is_some_and(&fits) {
            self.until(|_| Some(())).await;
        }
    }

    /// Returns every position of a switch received so far.
    pub(crate) fn positions(&self, asset: &str) -> Vec<i64> {
        let metric = format!("{asset}/Pos");
        self.seen
            .iter()
            .filter_map(|seen| if let Seen::Value(name, value, _) = seen { (*name == metric).then_some(*value as i64) } else { None })
            .collect()
    }

    pub(crate) fn answers(&self, id: CommandId) -> usize {
        self.seen.iter().filter(|seen| matches!(seen, Seen::Answer(of, ..) if *of == id)).count()
    }

    pub(crate) async fn publish(&self, device: &str, payload: Payload, retain: bool) {
        let topic = Topic::edge(&self.group, MessageKind::DCmd, NODE, device).to_string();
        self.publisher
            .publish(&topic, payload.encode(), if retain { Qos::AtLeastOnce } else { Qos::AtMostOnce }, retain)
            .await
            .expect("up");
    }

    pub(crate) async fn order(&self, order: &Order) {
        let device = order.asset.trim_end_matches("CB").trim_end_matches("IS");
        self.publish(device, order.encode(now_ms()), false).await;
    }

    /// Sends a command and waits for its termination.
    pub(crate) async fn carry_out(&mut self, order: &Order) {
        self.order(order).await;
        assert_eq!(self.answer(order.id).await, (GatewayAnswer::Accepted, None));
        assert_eq!(self.answer(order.id).await, (GatewayAnswer::Terminated, None));
    }
}

pub(crate) fn id() -> CommandId {
    CommandId(rand::random())
}

/// Returns a direct command with a new id.
pub(crate) fn order(asset: &str, target: Throw) -> Order {
    Order {
        asset: asset.into(),
        id: id(),
        action: Action::Direct,
        target,
        from: target.other(),
        operator: "A. Nair".into(),
        expires_at: now_ms() + 5_000,
        seal: None,
    }
}
