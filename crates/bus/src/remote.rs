//! The bus over MQTT: topics `{prefix}/{client}/{kind}`, JSON, QoS 0, not retained. Each sender numbers its messages,
//! so that subscribers detect losses.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use field::client::{Event, Events, PublishError, Publisher, Qos, Settings};
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinHandle;
use wire::bus::BusMessage;

use crate::error::Error;
use crate::received::Received;

/// Maximum size of a bus message, bytes. Batches of senders are much smaller.
const MAX_PACKET: u32 = 8 * 1024 * 1024;

/// Maximum number of senders whose numbers are remembered. There are usually only a few. At the limit, all of them are
/// removed.
const SENDERS: usize = 256;

/// A message with its sender and number.
#[derive(Serialize, Deserialize)]
struct Envelope<M> {
    /// The sending process: client id and start time.
    sender: String,
    /// Increases by one with each message of the sender.
    number: u64,
    message: M,
}

/// The broker and the topics.
#[derive(Debug, Clone)]
pub struct RemoteSettings {
    /// `mqtt://[user:password@]host[:port]`
    pub url: String,
    /// Unique among the broker's clients.
    pub client_id: String,
    /// Used unless the URL contains a user name.
    pub username: Option<String>,
    /// Password of `username`.
    pub password: Option<String>,
    /// Prefix of the topics; `switchyard/live` unless several systems share a broker.
    pub prefix: String,
}

impl RemoteSettings {
    /// Returns settings with the default prefix, and without a user name or password outside of the URL.
    pub fn new(url: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self { url: url.into(), client_id: client_id.into(), username: None, password: None, prefix: "switchyard/live".into() }
    }
}

pub(crate) struct Remote {
    publisher: Publisher,
    prefix: String,
    up: watch::Receiver<bool>,
    /// The task that delivers received messages. It ends when the bus is closed.
    delivering: JoinHandle<()>,
    sender: String,
    sent: AtomicU64,
}

impl Remote {
    pub(crate) fn connect(settings: RemoteSettings, local: broadcast::Sender<Received>) -> Result<Self, Error> {
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_micros());
        let sender = format!("{}@{began}", settings.client_id);
        let connection = Settings {
            username: settings.username,
            password: settings.password,
            max_packet: MAX_PACKET,
            subscriptions: vec![(format!("{}/+/+", settings.prefix), Qos::AtMostOnce)],
            ..Settings::new(settings.url, settings.client_id)
        };
        let (publisher, events) = field::client::connect(connection)?;
        let (up, is_up) = watch::channel(false);
        let delivering = tokio::spawn(deliver(events, local, up));
        Ok(Self { publisher, prefix: settings.prefix, up: is_up, delivering, sender, sent: AtomicU64::new(0) })
    }

    pub(crate) fn publish(&self, message: &BusMessage) {
        let topic = format!("{}/{}/{}", self.prefix, message.client(), kind(message));
        // Also counted if sending fails: subscribers detect the dropped message by the gap.
        let number = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        let payload = match serde_json::to_vec(&Envelope { sender: self.sender.clone(), number, message }) {
            Ok(payload) => payload,
            Err(error) => return tracing::error!(%error, "a bus message that cannot be written as JSON is lost"),
        };
        match self.publisher.try_publish(&topic, payload, Qos::AtMostOnce, false) {
            // The loss of the connection is logged once, when it happens.
            Ok(()) | Err(PublishError::Down) => {}
            Err(error) => tracing::warn!(%error, topic, "a bus message is dropped"),
        }
    }

    pub(crate) async fn ready(&self, patience: Duration) -> bool {
        let is_up = tokio::time::timeout(patience, self.up.clone().wait_for(|up| *up)).await.is_ok_and(|up| up.is_ok());
        // A task that has panicked does not update `up` any more.
        is_up && !self.delivering.is_finished()
    }

    pub(crate) async fn close(&self) {
        self.publisher.close().await;
    }
}

async fn deliver(mut events: Events, local: broadcast::Sender<Received>, up: watch::Sender<bool>) {
    let mut numbers = Numbers::default();
    // A missing subscriber is not an error.
    let send = |received| drop(local.send(received));
    while let Some(event) = events.next().await {
        match event {
            // Messages of the time without a connection are lost; before the first connection that is all of them.
            Event::Up { .. } => {
                up.send_replace(true);
                send(Received::Lagged);
            }
            Event::Down { reason, .. } => {
                if up.send_replace(false) {
                    tracing::warn!(reason, "the bus has lost its broker");
                }
            }
            Event::Message(incoming) => match serde_json::from_slice::<Envelope<BusMessage>>(&incoming.payload) {
                Ok(envelope) => {
                    if !numbers.continues(&envelope.sender, envelope.number) {
                        send(Received::Lagged);
                    }
                    send(Received::Message(Arc::new(envelope.message)));
                }
                Err(error) => {
                    tracing::warn!(%error, topic = incoming.topic, "a message on the bus cannot be parsed; its receivers read the database again");
                    send(Received::Lagged);
                }
            },
        }
    }
}

/// The last number of each sender.
#[derive(Default)]
struct Numbers(HashMap<String, u64>);

impl Numbers {
    /// Returns whether no message of this sender is missing before this one. The first message of a new sender
    /// continues.
    fn continues(&mut self, sender: &str, number: u64) -> bool {
        if let Some(last) = self.0.get_mut(sender) {
            return std::mem::replace(last, number).wrapping_add(1) == number;
        }
        if self.0.len() >= SENDERS {
            self.0.clear();
        }
        self.0.insert(sender.to_owned(), number);
        true
    }
}

fn kind(message: &BusMessage) -> &'static str {
    match message {
        BusMessage::Changes { .. } => "changes",
        BusMessage::Events { .. } => "events",
        BusMessage::Gateway { .. } => "gateway",
        BusMessage::Device { .. } => "device",
        BusMessage::Registry { .. } => "registry",
        BusMessage::Session { .. } => "session",
        BusMessage::CommandAnswer { .. } => "answer",
        BusMessage::CommandEpoch { .. } => "epoch",
        BusMessage::Commands { .. } => "commands",
        BusMessage::Tags { .. } => "tags",
        BusMessage::Areas { .. } => "areas",
        BusMessage::Alarms { .. } => "alarms",
        BusMessage::Faults { .. } => "faults",
        BusMessage::AlarmRules { .. } => "rules",
        BusMessage::AlarmsAlive { .. } => "alarming",
        BusMessage::Acknowledged { .. } => "acknowledged",
        BusMessage::Alive { .. } => "alive",
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_in_one_senders_numbers_is_seen() {
        let mut numbers = Numbers::default();
        for (sender, number, continues) in
            [("a", 7, true), ("a", 8, true), ("b", 1, true), ("a", 10, false), ("a", 11, true), ("b", 2, true)]
        {
            assert_eq!(numbers.continues(sender, number), continues, "{sender} {number}");
        }
    }
}
