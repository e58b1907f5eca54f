//! An MQTT 5 broker within the process, for machines without one. Sessions and retained messages are kept in memory.
//!
//! Losing them when the process ends is harmless: gateways keep messages that ingest has not acknowledged, and publish
//! their births again.
//!
//! The broker is a separate crate so that its library is compiled in parallel with the other crates and not with the
//! executable, which is compiled last.

use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use mqtt5::broker::config::{BrokerConfig, StorageBackend, StorageConfig};
use mqtt5::broker::{BrokerShutdownHandle, MqttBroker};

/// Maximum packet size, larger than any birth. A larger packet closes the sender's connection.
const PACKET_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Maximum number of messages that are queued for each client and QoS. Beyond it, QoS 0 messages are dropped (gateways
/// with an outbox send them again), and QoS 1 messages wait in the session.
const QUEUE_MAX: usize = 20_000;
/// Maximum number of messages that are queued for a disconnected or slow client. Beyond it, the oldest messages are
/// dropped.
const SESSION_QUEUE_MAX: usize = 200_000;
const SESSION_QUEUE_MAX_BYTES: usize = 128 * 1024 * 1024;

/// Why the broker cannot run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another program uses the port.
    #[error(
        "cannot listen for MQTT on {listen} ({cause}): stop what uses the port, use it as the broker by MQTT_URL=mqtt://{listen}, \
         or choose another port by SWITCHYARD__MQTT__LISTEN"
    )]
    Listen {
        /// The configured address.
        listen: SocketAddr,
        /// The error of the system.
        cause: std::io::Error,
    },
    /// The library refuses the configuration.
    #[error("the broker in process cannot be configured: {0}")]
    Configuration(#[from] mqtt5::MqttError),
    /// The broker ended before it accepted a connection.
    #[error("the broker in process did not start on {0}")]
    Start(SocketAddr),
}

/// A future that is compiled in this crate and not in the crate that awaits it.
type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A running broker.
pub struct Broker {
    address: SocketAddr,
    shutdown: BrokerShutdownHandle,
    running: tokio::task::JoinHandle<()>,
}

impl Broker {
    /// Starts to listen; returns when clients can connect.
    pub fn start(listen: SocketAddr) -> Boxed<Result<Self, Error>> {
        Box::pin(Self::listen(listen))
    }

    async fn listen(listen: SocketAddr) -> Result<Self, Error> {
        // Bind here first, for an error message that says what to do.
        if let Err(cause) = std::net::TcpListener::bind(listen) {
            return Err(Error::Listen { listen, cause });
        }
        let storage = StorageConfig::new()
            .with_backend(StorageBackend::Memory)
            .with_max_queued_messages_per_client(SESSION_QUEUE_MAX)
            .with_max_queued_bytes_per_client(SESSION_QUEUE_MAX_BYTES);
        let config = BrokerConfig::new()
            .with_bind_addresses(vec![listen])
            .with_session_expiry(Duration::from_hours(24))
            .with_max_packet_size(PACKET_MAX_BYTES)
            .with_client_channel_capacity(QUEUE_MAX)
            .with_max_outbound_inflight(1_000)
            .with_storage(storage)
            .with_sys_topics_enabled(false);
        let mut broker = MqttBroker::with_config(config).await?;
        let address = broker.local_addr().unwrap_or(listen);
        let shutdown = broker.shutdown_handle();
        let mut ready = broker.ready_receiver();
        let running = tokio::spawn(async move {
            if let Err(error) = broker.run().await {
                tracing::error!("the broker in process has failed: {error}");
            }
        });
        if ready.wait_for(|ready| *ready).await.is_err() {
            return Err(Error::Start(listen));
        }
        Ok(Self { address, shutdown, running })
    }

    /// Returns the URL for clients on this machine.
    pub fn url(&self) -> String {
        format!("mqtt://{}", self.address)
    }

    /// Closes all connections. Takes at most 3 s.
    pub async fn stop(mut self) {
        self.shutdown.shutdown();
        if tokio::time::timeout(Duration::from_secs(3), &mut self.running).await.is_err() {
            self.running.abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use field::client::{Event, Events, Incoming, Publisher, Qos, Settings, Will, connect};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    async fn start() -> Broker {
        Broker::start(SocketAddr::from(([127, 0, 0, 1], testkit::free_port()))).await.expect("a broker")
    }

    /// A connection that is up; the broker may already have sent messages before it is.
    struct Client {
        publisher: Publisher,
        events: Events,
        early: std::collections::VecDeque<Incoming>,
        session_present: bool,
    }

    impl Client {
        async fn up(broker: &Broker, id: &str, change: impl FnOnce(Settings) -> Settings) -> Self {
            let (publisher, mut events) = connect(change(Settings::new(broker.url(), id))).expect("settings");
            let mut early = std::collections::VecDeque::new();
            loop {
                match tokio::time::timeout(PATIENCE, events.next()).await.expect("connected in time").expect("going on") {
                    Event::Up { session_present, .. } => return Self { publisher, events, early, session_present },
                    Event::Message(incoming) => early.push_back(incoming),
                    Event::Down { .. } => {}
                }
            }
        }

        async fn message(&mut self) -> (String, Bytes, bool) {
            let incoming = match self.early.pop_front() {
                Some(incoming) => incoming,
                None => loop {
                    let event = tokio::time::timeout(PATIENCE, self.events.next()).await.expect("a message in time");
                    if let Event::Message(incoming) = event.expect("going on") {
                        break incoming;
                    }
                },
            };
            if let Some(ack) = incoming.ack {
                ack.done();
            }
            (incoming.topic, incoming.payload, incoming.retain)
        }
    }

    fn subscribed(settings: Settings, filter: &str) -> Settings {
        Settings { subscriptions: vec![(filter.to_owned(), Qos::AtLeastOnce)], ..settings }
    }

    #[tokio::test]
    async fn retained_messages_reach_who_comes_later_and_a_will_tells_of_a_death() {
        let broker = start().await;
        let will = Will { topic: "a/death".into(), payload: Bytes::from_static(b"gone"), qos: Qos::AtLeastOnce, retain: false };
        let dies = |settings| Settings { will: Some(std::sync::Arc::new(move |_| will.clone())), ..settings };
        let mortal = Client::up(&broker, "mortal", dies).await;
        mortal.publisher.publish("a/state", "online", Qos::AtLeastOnce, true).await.expect("published");
        let mut watcher = Client::up(&broker, "watcher", |settings| subscribed(settings, "a/#")).await;
        assert_eq!(watcher.message().await, ("a/state".to_owned(), Bytes::from_static(b"online"), true));
        mortal.publisher.abort();
        assert_eq!(watcher.message().await, ("a/death".to_owned(), Bytes::from_static(b"gone"), false));
        broker.stop().await;
    }

    #[tokio::test]
    async fn what_comes_while_a_session_is_away_waits_for_it() {
        const MESSAGES: u32 = 3_000;
        let broker = start().await;
        let stays = |settings| Settings { clean_start: false, session_expiry: Duration::from_hours(1), ..subscribed(settings, "b/#") };
        let sleeper = Client::up(&broker, "sleeper", stays).await;
        assert!(!sleeper.session_present);
        sleeper.publisher.close().await;
        let sender = Client::up(&broker, "sender", |settings| settings).await;
        for number in 0..MESSAGES {
            sender.publisher.publish("b/n", number.to_string(), Qos::AtLeastOnce, false).await.expect("published");
        }
        let mut sleeper = Client::up(&broker, "sleeper", stays).await;
        assert!(sleeper.session_present, "the broker remembers the session");
        for number in 0..MESSAGES {
            assert_eq!(sleeper.message().await.1, number.to_string());
        }
        broker.stop().await;
    }

    #[tokio::test]
    async fn a_taken_port_is_explained() {
        let broker = start().await;
        let refusal = Broker::start(broker.address).await.err().expect("taken").to_string();
        assert!(refusal.contains("MQTT_URL") && refusal.contains("SWITCHYARD__MQTT__LISTEN"), "{refusal}");
        broker.stop().await;
    }
}
