//! The broker in process, for a machine that has none: MQTT 5, sessions and retained messages in memory.
//!
//! What it forgets when the program ends does no harm: gateways keep what ingest has not confirmed, and send their births again.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::bail;
use mqtt5::broker::config::{BrokerConfig, StorageBackend, StorageConfig};
use mqtt5::broker::{BrokerShutdownHandle, MqttBroker};

/// Larger than any birth certificate; larger packets close the sender's connection.
const PACKET_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Per client and delivery level. Beyond it QoS 0 is dropped (tier A gateways send it again) and QoS 1 waits in the session.
const QUEUE_MAX: usize = 20_000;
/// Per absent or slow client; the oldest is dropped.
const SESSION_QUEUE_MAX: usize = 200_000;
const SESSION_QUEUE_MAX_BYTES: usize = 128 * 1024 * 1024;

/// A running broker.
pub(crate) struct Broker {
    address: SocketAddr,
    shutdown: BrokerShutdownHandle,
    running: tokio::task::JoinHandle<()>,
}

impl Broker {
    /// Listens, and returns when clients can connect.
    pub(crate) async fn start(listen: SocketAddr) -> anyhow::Result<Self> {
        // Bound here first, for a message that says what to do; the broker's own says what happened.
        if let Err(error) = std::net::TcpListener::bind(listen) {
            bail!(
                "cannot listen for MQTT on {listen} ({error}): stop what uses the port, use it as the broker by MQTT_URL=mqtt://{listen}, \
                 or choose another port by SWITCHYARD__MQTT__LISTEN"
            );
        }
        let storage = StorageConfig::new()
            .with_backend(StorageBackend::Memory)
            .with_max_queued_messages_per_client(SESSION_QUEUE_MAX)
            .with_max_queued_bytes_per_client(SESSION_QUEUE_MAX_BYTES);
        let config = BrokerConfig::new()
            .with_bind_addresses(vec![listen])
            .with_session_expiry(Duration::from_secs(24 * 3_600))
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
            bail!("the broker in process did not start on {listen}");
        }
        Ok(Self { address, shutdown, running })
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> String {
        format!("mqtt://{}", self.address)
    }

    /// Closes its connections.
    pub(crate) async fn stop(mut self) {
        self.shutdown.shutdown();
        if tokio::time::timeout(Duration::from_secs(3), &mut self.running).await.is_err() {
            self.running.abort();
        }
    }
}
