//! The connection of an edge node to its broker: births after connecting, data from a source, and repetition of unacknowledged messages.

use std::time::Duration;

use field::client::{self, Event, Events, Publisher, Qos, Settings, Will};
use field::sparkplug::{Metric, Payload, read_state};
use field::topic::{MessageKind, Topic};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::node::{EdgeNode, NodeCommand, OUTBOX_LIMIT};
use super::outbox::{OutboxError, Outboxes};

/// Time without an acknowledgement after which unacknowledged messages are sent again, because QoS 0 can lose them. As long as no message is acknowledged, the
/// time doubles with each repetition, up to a maximum.
const RESEND_AFTER: Duration = Duration::from_secs(5);
const RESEND_AFTER_AT_MOST: Duration = Duration::from_mins(1);
/// Maximum number of repeated messages without acknowledgement. Further messages are repeated when these are acknowledged.
const RESEND_WINDOW: u64 = 500;
/// Largest number of values that wait for the link. At this number the source waits.
const INBOX: usize = 256;
/// Maximum number of commands that wait for the RTU. Further commands are dropped, because a command that waits too long would be refused anyway.
const ORDERS: usize = 64;

/// New values of one device.
#[derive(Debug, Clone)]
pub struct Data {
    /// The device.
    pub device: String,
    /// Its values.
    pub metrics: Vec<Metric>,
}

/// The broker, and the identity of the node.
#[derive(Debug, Clone)]
pub struct LinkConfig {
    /// The broker.
    pub mqtt_url: String,
    /// Sparkplug group: the utility's code.
    pub group: String,
    /// Sparkplug edge node: the RTU's code.
    pub node: String,
    /// Storage of the outbox; default: in memory.
    pub outboxes: Option<Outboxes>,
}

/// The source's side of a link.
#[derive(Debug)]
pub struct Link {
    /// Sender for new values.
    pub data: mpsc::Sender<Data>,
    /// Number of messages that wait for their acknowledgement.
    pub waiting: watch::Receiver<usize>,
    /// Commands to the node's devices.
    pub orders: mpsc::Receiver<Ordered>,
    /// Whether the broker is connected and has received the births.
    pub up: watch::Receiver<bool>,
    /// Ends the link like a crash: without a death certificate, so that the broker publishes the will.
    pub kill: CancellationToken,
}

impl Link {
    /// Waits until the link has ended, after its shutdown or when everything is acknowledged. Before that, the broker may not have received the death
    /// certificate.
    pub async fn ended(&mut self) {
        while self.waiting.changed().await.is_ok() {}
    }
}

/// A message on the topic for commands to a device.
#[derive(Debug)]
pub struct Ordered {
    /// The device.
    pub device: String,
    /// The message.
    pub payload: Payload,
    /// Whether the broker delivered it as a retained message.
    pub retained: bool,
}

/// Returns the present values of all points by device, for births.
pub type Births = Box<dyn Fn() -> Vec<(String, Vec<Metric>)> + Send + Sync>;

/// Returns the wall clock time, epoch ms.
pub fn now_ms() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Returns the subscriptions of an edge node, at QoS 1 (Sparkplug 3.0, tck-id-message-flow-edge-node-ncmd-subscribe and
/// tck-id-message-flow-device-dcmd-subscribe). Hosts publish commands at QoS 0, so that none arrives late or twice.
fn subscriptions(node: &EdgeNode) -> Vec<(String, Qos)> {
    [node.command_topic(), node.order_topics(), "spBv1.0/STATE/+".to_owned()].map(|topic| (topic, Qos::AtLeastOnce)).into()
}

/// Starts a link. It runs until `shutdown`, or until the source's side is dropped and everything is acknowledged.
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
                    Some(event) => self.handle(event).await,
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

    /// Ends the connection as Sparkplug requires (3.0, 6.4.25): an NDEATH, then a disconnect with which the broker publishes the will, which is the
    /// same message.
    async fn say_goodbye(&self) {
        if let Some(connection) = self.connection {
            let death = EdgeNode::death(&self.config.group, &self.config.node, connection);
            // If there is no space for it, the will alone reports the end.
            let _ = self.publisher.try_publish(&death.topic, death.payload, Qos::AtLeastOnce, false);
        }
        self.publisher.close_with_will().await;
    }

    async fn handle(&mut self, event: Event) {
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
                    // The host is back: messages without acknowledgement may not have reached it.
                    if let (Some((true, _)), Some(connection), false) = (read_state(&message.payload), self.connection, message.retain) {
                        self.birth(connection);
                    }
                } else if let Ok(Topic::Edge { kind: MessageKind::DCmd, device, .. }) = Topic::parse(&message.topic) {
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
                        NodeCommand::Rebirth => {
                            if let Some(connection) = self.connection {
                                self.birth(connection);
                            }
                        }
                        NodeCommand::Acknowledged(count) if count > 0 => {
                            self.progress = Instant::now();
                            self.patience = RESEND_AFTER;
                            if let Some(outboxes) = &self.config.outboxes {
                                outboxes.acknowledged(&self.outbox_name(), self.node.acknowledged()).await;
                            }
                            self.resend();
                        }
                        NodeCommand::Acknowledged(_) => {}
                        NodeCommand::Nothing => tracing::debug!(topic = %message.topic, "a command that this RTU does not know"),
                    }
                }
                if let Some(ack) = message.ack {
                    ack.done();
                }
            }
        }
    }

    /// Sends the births, then the unacknowledged messages as historical ones.
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

    /// Sends lost messages again as historical ones. Historical messages do not change the process image, so a birth with the present values is sent first.
    fn resend_if_due(&mut self) {
        if let (Some(connection), true) = (self.connection, self.node.waiting() > 0 && self.progress.elapsed() > self.patience) {
            self.patience = (self.patience * 2).min(RESEND_AFTER_AT_MOST);
            self.birth(connection);
        }
    }

    /// Stores new values in the outbox, then sends them. If a value cannot be stored, it is not sent.
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

    /// Sends a message if there is room in the queue. Otherwise it stays in the outbox and is sent later.
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
