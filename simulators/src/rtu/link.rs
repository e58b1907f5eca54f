//! An edge node on its broker: one connection, births when it comes up, data from a source, resends until acknowledged.

use std::time::Duration;

use field::client::{self, Event, Events, Publisher, Qos, Settings, Will};
use field::sparkplug::{Metric, Payload, read_state};
use field::topic::{Kind, Topic};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::node::{Asked, EdgeNode, OUTBOX_LIMIT};
use super::outbox::{OutboxError, Outboxes};

/// Unacknowledged messages are sent again after this long without an acknowledgement: QoS 0 may lose them without a trace. The time doubles up to the
/// longer one while nothing is acknowledged at all.
const RESEND_AFTER: Duration = Duration::from_secs(5);
const RESEND_AFTER_AT_MOST: Duration = Duration::from_mins(1);
/// Messages sent again that are on their way at a time; the next follow when these are acknowledged.
const RESEND_WINDOW: u64 = 500;
/// New values that wait for the link; the source waits at the bound.
const INBOX: usize = 256;
/// Orders that wait for the RTU. What comes beyond is dropped: an order that waits long is refused anyway.
const ORDERS: usize = 64;

/// New values of one device.
#[derive(Debug, Clone)]
pub struct Data {
    /// The device.
    pub device: String,
    /// Its values.
    pub metrics: Vec<Metric>,
}

/// Where and as whom the node connects.
#[derive(Debug, Clone)]
pub struct LinkConfig {
    /// The broker.
    pub mqtt_url: String,
    /// Sparkplug group: the utility's code.
    pub group: String,
    /// Sparkplug edge node: the RTU's code.
    pub node: String,
    /// Where the outbox is kept; without it, in memory.
    pub outboxes: Option<Outboxes>,
}

/// The source's end of a link.
#[derive(Debug)]
pub struct Link {
    /// New values go in here.
    pub data: mpsc::Sender<Data>,
    /// How many messages wait for their acknowledgement.
    pub waiting: watch::Receiver<usize>,
    /// Orders to the node's devices.
    pub orders: mpsc::Receiver<Ordered>,
    /// Whether the broker is there and has had the births.
    pub up: watch::Receiver<bool>,
    /// Ends the link as a crash would: without goodbye, so that the broker publishes the death.
    pub kill: CancellationToken,
}

impl Link {
    /// Waits until the link has ended, after its shutdown or when everything is acknowledged: until then the broker may not have its goodbye.
    pub async fn ended(&mut self) {
        while self.waiting.changed().await.is_ok() {}
    }
}

/// A message on the topic for orders to a device.
#[derive(Debug)]
pub struct Ordered {
    /// The device.
    pub device: String,
    /// What it says.
    pub payload: Payload,
    /// The broker had kept it from before.
    pub retained: bool,
}

/// What a device would say of all its points now, for births.
pub type Births = Box<dyn Fn() -> Vec<(String, Vec<Metric>)> + Send + Sync>;

/// The wall clock, epoch ms.
pub fn now_ms() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// What an edge node subscribes to, at QoS 1 (Sparkplug 3.0, tck-id-message-flow-edge-node-ncmd-subscribe and tck-id-message-flow-device-dcmd-subscribe).
/// Hosts publish commands at QoS 0, so none comes late or twice.
fn subscriptions(node: &EdgeNode) -> Vec<(String, Qos)> {
    [node.command_topic(), node.order_topics(), "spBv1.0/STATE/+".to_owned()].map(|topic| (topic, Qos::AtLeastOnce)).into()
}

/// Starts a link; it runs until `shutdown` or until the source's end is dropped and everything is acknowledged.
pub fn start(config: &LinkConfig, births: Births, shutdown: CancellationToken) -> Result<Link, client::Error> {
    let mut settings = Settings::new(config.mqtt_url.clone(), format!("rtu-{}-{}", config.group, config.node));
    settings.keep_alive = Duration::from_secs(5);
    settings.subscriptions = subscriptions(&EdgeNode::new(&config.group, &config.node, 0));
    let (group, name) = (config.group.clone(), config.node.clone());
    settings.will = Some(std::sync::Arc::new(move |connection| {
        let death = EdgeNode::death(&group, &name, connection);
        Will { topic: death.topic, payload: death.payload.into(), qos: Qos::AtLeastOnce, retain: false }
    }));
    let (publisher, events) = client::connect(settings)?;
    let (data, inbox) = mpsc::channel(INBOX);
    let (waiting_sender, waiting) = watch::channel(0);
    let (order_sender, orders) = mpsc::channel(ORDERS);
    let (up_sender, up) = watch::channel(false);
    let kill = CancellationToken::new();
    let node = EdgeNode::new(&config.group, &config.node, now_ms());
    let runner = Runner {
        config: config.clone(),
        node,
        publisher,
        births,
        connection: None,
        progress: Instant::now(),
        patience: RESEND_AFTER,
        waiting: waiting_sender,
        orders: order_sender,
        up: up_sender,
        kill: kill.clone(),
    };
    tokio::spawn(runner.run(events, inbox, shutdown));
    Ok(Link { data, waiting, orders, up, kill })
}

struct Runner {
    config: LinkConfig,
    node: EdgeNode,
    publisher: Publisher,
    births: Births,
    connection: Option<u64>,
    progress: Instant,
    patience: Duration,
    waiting: watch::Sender<usize>,
    orders: mpsc::Sender<Ordered>,
    up: watch::Sender<bool>,
    kill: CancellationToken,
}

impl Runner {
    async fn run(mut self, mut events: Events, mut inbox: mpsc::Receiver<Data>, shutdown: CancellationToken) {
        if let Some(outboxes) = &self.config.outboxes {
            match outboxes.load(&self.outbox_name(), now_ms()).await {
                Ok(found) => self.node = EdgeNode::with(&self.config.group, &self.config.node, found),
                Err(error) => return tracing::error!(%error, rtu = self.config.node, "the RTU has no outbox and stays off"),
            }
        }
        let mut watch = interval(Duration::from_secs(1));
        watch.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut source_open = true;
        while source_open || self.node.waiting() > 0 {
            tokio::select! {
                biased;
                () = self.kill.cancelled() => return self.publisher.abort(),
                () = shutdown.cancelled() => break,
                event = events.next() => match event {
                    None => return,
                    Some(event) => self.hear(event).await,
                },
                _ = watch.tick() => self.resend_if_due(),
                data = inbox.recv(), if source_open && self.node.waiting() < OUTBOX_LIMIT => match data {
                    Some(data) => if self.send(&data).await.is_err() {
                        return tracing::error!(rtu = self.config.node, "the RTU cannot keep what it measures and stops");
                    },
                    None => source_open = false,
                },
            }
            self.waiting.send_replace(self.node.waiting());
        }
        self.say_goodbye().await;
        self.waiting.send_replace(self.node.waiting());
    }

    /// Ends the connection as Sparkplug demands (3.0, 6.4.25): an NDEATH, then a goodbye upon which the broker publishes the will, which is the same.
    async fn say_goodbye(&self) {
        if let Some(connection) = self.connection {
            let death = EdgeNode::death(&self.config.group, &self.config.node, connection);
            // Without room for it the will alone reports the end.
            let _ = self.publisher.try_publish(&death.topic, death.payload, Qos::AtLeastOnce, false);
        }
        self.publisher.close_with_will().await;
    }

    async fn hear(&mut self, event: Event) {
        match event {
            Event::Up { connection, .. } => {
                self.connection = Some(connection);
                self.birth(connection);
                self.up.send_replace(true);
            }
            Event::Down { reason, .. } => {
                self.up.send_replace(false);
                if self.connection.take().is_some() {
                    tracing::info!(%reason, "an RTU lost its broker");
                }
            }
            Event::Message(message) => {
                if message.topic.starts_with("spBv1.0/STATE/") {
                    // The host is back: what it has not acknowledged may never have reached it.
                    if let (Some((true, _)), Some(connection), false) = (read_state(&message.payload), self.connection, message.retain) {
                        self.birth(connection);
                    }
                } else if let Ok(Topic::Edge { kind: Kind::DCmd, device, .. }) = Topic::parse(&message.topic) {
                    match Payload::decode(&message.payload) {
                        Ok(payload) => {
                            if self.orders.try_send(Ordered { device, payload, retained: message.retain }).is_err() {
                                tracing::warn!(topic = %message.topic, "an order that this RTU does not take");
                            }
                        }
                        Err(error) => tracing::warn!(%error, topic = %message.topic, "not an order"),
                    }
                } else if let Ok(payload) = Payload::decode(&message.payload) {
                    match self.node.command(&payload) {
                        Asked::Rebirth => {
                            if let Some(connection) = self.connection {
                                self.birth(connection);
                            }
                        }
                        Asked::Acknowledged(count) if count > 0 => {
                            self.progress = Instant::now();
                            self.patience = RESEND_AFTER;
                            if let Some(outboxes) = &self.config.outboxes {
                                outboxes.acknowledged(&self.outbox_name(), self.node.acknowledged()).await;
                            }
                            self.resend();
                        }
                        Asked::Acknowledged(_) => {}
                        Asked::Nothing => tracing::debug!(topic = %message.topic, "a command that this RTU does not know"),
                    }
                }
                if let Some(ack) = message.ack {
                    ack.done();
                }
            }
        }
    }

    /// Births, then what is unacknowledged, as history.
    fn birth(&mut self, connection: u64) {
        let devices = (self.births)();
        for message in self.node.births(connection, &devices, now_ms()) {
            self.publish(&message.topic, message.payload);
        }
        self.node.begin_resend();
        self.progress = Instant::now();
        self.resend();
    }

    fn resend(&mut self) {
        for message in self.node.resend(RESEND_WINDOW, now_ms()) {
            self.publish(&message.topic, message.payload);
        }
    }

    /// What was lost on its way comes again as history, which moves no picture: a birth goes before it, with the values of now.
    fn resend_if_due(&mut self) {
        if let (Some(connection), true) = (self.connection, self.node.waiting() > 0 && self.progress.elapsed() > self.patience) {
            self.patience = (self.patience * 2).min(RESEND_AFTER_AT_MOST);
            self.birth(connection);
        }
    }

    /// Keeps new values, then sends them: what was not kept is never sent.
    async fn send(&mut self, data: &Data) -> Result<(), OutboxError> {
        let first = self.node.waiting() == 0;
        let Ok(message) = self.node.data(&data.device, data.metrics.clone(), now_ms()) else { return Ok(()) };
        if first {
            self.progress = Instant::now();
        }
        if let (Some(outboxes), Some(kept)) = (&self.config.outboxes, self.node.newest()) {
            outboxes.put(&self.outbox_name(), kept).await?;
        }
        if self.connection.is_some() {
            self.publish(&message.topic, message.payload);
        }
        Ok(())
    }

    fn outbox_name(&self) -> String {
        format!("{}/{}", self.config.group, self.config.node)
    }

    /// Sends if there is room; what finds none stays in the outbox and is sent again.
    fn publish(&self, topic: &str, payload: Vec<u8>) {
        let _ = self.publisher.try_publish(topic, payload, Qos::AtMostOnce, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_subscribed_at_qos_1() {
        let subscribed = subscriptions(&EdgeNode::new("G", "N", 0));
        for topic in ["spBv1.0/G/NCMD/N", "spBv1.0/G/DCMD/N/+", "spBv1.0/STATE/+"] {
            assert!(subscribed.contains(&(topic.to_owned(), Qos::AtLeastOnce)), "{topic}: {subscribed:?}");
        }
    }
}
