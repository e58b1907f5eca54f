//! A gateway that sends aliases instead of names, assigns other aliases during a trial, and delays its answer to a
//! rebirth request. It has no outbox.

use std::ops::RangeInclusive;
use std::time::Duration;

use anyhow::Context;
use field::client::{self, Event, Events, Publisher, Qos, Settings};
use field::sparkplug::{BD_SEQ, Metric, MetricValue, Payload, REBIRTH};
use field::topic::{MessageKind, Topic};
use simulators::rtu::link::now_ms;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::gateways::GROUP;

/// The only device of each gateway.
const DEVICE: &str = "B1";
/// Time between two data messages.
const PACE: Duration = Duration::from_millis(100);

/// Its metrics. The value ranges of different metrics do not overlap. The metrics of one kind exchange their aliases, so a value under a wrong alias
/// would pass for a value of another metric of this kind.
const MEASURED: [&str; 3] = ["X1/P", "X2/P", "X3/P"];
const SWITCHES: [(&str, i32); 2] = [("CB1/Pos", 2), ("CB2/Pos", 1)];

/// Returns the values that a metric can have.
pub fn values_of(metric: &str) -> Option<RangeInclusive<f64>> {
    let measured = MEASURED.iter().position(|name| *name == metric).map(|place| (place + 1) as f64 * 1_000.0);
    let position = || SWITCHES.iter().find(|(name, _)| *name == metric).map(|(_, position)| f64::from(*position));
    measured.map(|least| least..=least + 999.0).or_else(|| position().map(|position| position..=position))
}

/// A running gateway; dropping it ends it.
#[derive(Debug)]
pub struct Aliased {
    behaviour: watch::Sender<Behaviour>,
    sent: watch::Receiver<u64>,
    task: tokio::task::JoinHandle<anyhow::Result<()>>,
}

/// Instructions of the trial.
#[derive(Debug, Clone, Copy)]
struct Behaviour {
    /// Number of the alias assignment: each assignment gives every metric another alias than the previous one.
    assignment: usize,
    /// Whether it answers rebirth requests.
    answers: bool,
}

impl Drop for Aliased {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Aliased {
    /// Starts a gateway. Its data has the given QoS; at QoS 1 the broker keeps data for ingests that are not connected. Births are at QoS 0
    /// (Sparkplug 3.0).
    pub async fn start(url: &str, name: &str, qos: Qos) -> anyhow::Result<Self> {
        let mut settings = Settings::new(url.to_owned(), format!("rig-{name}"));
        settings.subscriptions = vec![(Topic::edge(GROUP, MessageKind::NCmd, name, "").to_string(), Qos::AtLeastOnce)];
        let (publisher, mut events) = client::connect(settings)?;
        while !matches!(events.next().await.context("a connection")?, Event::Up { .. }) {}
        let (behaviour, changes) = watch::channel(Behaviour { assignment: 0, answers: true });
        let (sending, sent) = watch::channel(0);
        let gateway = Gateway { name: name.to_owned(), publisher, qos, assignment: 0, seq: 0, turn: 0, sent: sending };
        let task = tokio::spawn(gateway.run(events, changes));
        Ok(Self { behaviour, sent, task })
    }

    /// Assigns other aliases, like after a change of the gateway's configuration. The gateway publishes its birth with these at once, and answers no
    /// rebirth request before [`Self::answer`].
    pub fn assign_others(&self) {
        self.behaviour.send_modify(|behaviour| *behaviour = Behaviour { assignment: behaviour.assignment + 1, answers: false });
    }

    /// Answers rebirth requests from now on, including one that has already arrived.
    pub fn answer(&self) {
        self.behaviour.send_modify(|behaviour| behaviour.answers = true);
    }

    /// Waits until it has sent `count` more data messages.
    pub async fn send(&mut self, count: u64) -> anyhow::Result<()> {
        let expected = *self.sent.borrow() + count;
        self.sent.wait_for(|sent| *sent >= expected).await.context("the gateway runs")?;
        Ok(())
    }
}

struct Gateway {
    name: String,
    publisher: Publisher,
    qos: Qos,
    assignment: usize,
    seq: u64,
    turn: u64,
    sent: watch::Sender<u64>,
}

impl Gateway {
    async fn run(mut self, mut events: Events, mut changes: watch::Receiver<Behaviour>) -> anyhow::Result<()> {
        let mut tick = interval(PACE);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut rebirth_requested = false;
        self.birth().await?;
        loop {
            tokio::select! {
                event = events.next() => if let Event::Message(message) = event.context("a connection")? {
                    rebirth_requested |= Payload::decode(&message.payload).is_ok_and(|payload| payload.metric(REBIRTH).is_some());
                },
                _ = changes.changed() => {
                    let behaviour = *changes.borrow_and_update();
                    if std::mem::replace(&mut self.assignment, behaviour.assignment) != behaviour.assignment {
                        self.birth().await?;
                    }
                },
                _ = tick.tick() => {
                    self.turn += 1;
                    let metrics = self.metrics().map(|metric| Metric { name: None, ..metric }).collect();
                    self.publish(MessageKind::DData, DEVICE, metrics, self.qos).await?;
                    self.sent.send_modify(|sent| *sent += 1);
                }
            }
            if rebirth_requested && changes.borrow().answers {
                rebirth_requested = false;
                self.birth().await?;
            }
        }
    }

    /// Returns the metrics with their names, current aliases and current values.
    fn metrics(&self) -> impl Iterator<Item = Metric> + use<> {
        let (assignment, turn, now) = (self.assignment, self.turn % 1_000, now_ms());
        let measured = MEASURED.iter().enumerate().map(move |(place, name)| {
            let alias = 1 + (place + assignment) % MEASURED.len();
            (alias, *name, MetricValue::Double((place + 1) as f64 * 1_000.0 + turn as f64))
        });
        let switches = SWITCHES.iter().enumerate().map(move |(place, (name, position))| {
            let alias = 1 + MEASURED.len() + (place + assignment) % SWITCHES.len();
            (alias, *name, MetricValue::Int32(*position))
        });
        let metric = move |(alias, name, value): (usize, &str, _)| Metric { alias: Some(alias as u64), ..Metric::new(name, value).at(now) };
        measured.chain(switches).map(metric)
    }

    async fn birth(&mut self) -> anyhow::Result<()> {
        self.seq = 0;
        let own = [Metric::new(BD_SEQ, MetricValue::Int64(0)), Metric::new(REBIRTH, MetricValue::Boolean(false))];
        self.publish(MessageKind::NBirth, "", own.map(|metric| metric.at(now_ms())).into(), Qos::AtMostOnce).await?;
        let metrics = self.metrics().collect();
        self.publish(MessageKind::DBirth, DEVICE, metrics, Qos::AtMostOnce).await
    }

    async fn publish(&mut self, kind: MessageKind, device: &str, metrics: Vec<Metric>, qos: Qos) -> anyhow::Result<()> {
        let payload = Payload { timestamp: Some(now_ms()), seq: Some(self.seq), metrics };
        self.seq = (self.seq + 1) % 256;
        let topic = Topic::edge(GROUP, kind, &self.name, device).to_string();
        Ok(self.publisher.publish(&topic, payload.encode(), qos, false).await?)
    }
}
