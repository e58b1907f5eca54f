//! Carries changes from ingest to the hubs: within one process, or over internal topics of the MQTT broker.
//!
//! The bus is fast but not complete: publishing never waits. A subscriber that is too slow, or that lost the broker,
//! receives [`Received::Lagged`] and reads what it missed from the database. All data on the bus are stored in the
//! database, too, before or after they are published.

mod error;
mod received;
mod remote;

use std::sync::Arc;

use tokio::sync::broadcast;
use wire::bus::BusMessage;

pub use error::Error;
pub use received::Received;
pub use remote::RemoteSettings;

/// A handle to the bus; clones are the same bus.
#[derive(Clone)]
pub struct Bus {
    /// Subscribers of this process. At the limit, the oldest messages are overwritten and slow subscribers get
    /// `Lagged`.
    local: broadcast::Sender<Received>,
    remote: Option<Arc<remote::Remote>>,
}

impl Bus {
    /// Creates a bus within this process. At most `capacity` messages wait for the slowest subscriber. If there are
    /// more, it loses the oldest ones and gets `Lagged`.
    pub fn local(capacity: usize) -> Self {
        Self { local: broadcast::channel(capacity.max(1)).0, remote: None }
    }

    /// Creates a bus over the MQTT broker, shared by all processes with the same prefix. `capacity` as for
    /// [`Bus::local`].
    pub fn mqtt(settings: RemoteSettings, capacity: usize) -> Result<Self, Error> {
        let local = broadcast::channel(capacity.max(1)).0;
        let remote = remote::Remote::connect(settings, local.clone())?;
        Ok(Self { local, remote: Some(Arc::new(remote)) })
    }

    /// Sends a message to all subscribers of all processes. Never waits.
    pub fn publish(&self, message: BusMessage) {
        match &self.remote {
            // The broker sends it back, so that all subscribers see the same order.
            Some(remote) => remote.publish(&message),
            // A missing subscriber is not an error.
            None => drop(self.local.send(Received::Message(Arc::new(message)))),
        }
    }

    /// Subscribes to later messages.
    pub fn subscribe(&self) -> Subscription {
        Subscription { inbox: self.local.subscribe() }
    }

    /// Waits at most `patience` until the bus can carry messages. Returns whether it can. A local bus always can.
    pub async fn ready(&self, patience: std::time::Duration) -> bool {
        match &self.remote {
            Some(remote) => remote.ready(patience).await,
            None => true,
        }
    }

    /// Sends what is queued, then closes the connection to the broker, if there is one.
    pub async fn close(&self) {
        if let Some(remote) = &self.remote {
            remote.close().await;
        }
    }
}

/// Receives the messages of one subscriber.
#[derive(Debug)]
pub struct Subscription {
    inbox: broadcast::Receiver<Received>,
}

impl Subscription {
    /// Returns the next message; `None` when the bus has ended. Cancel-safe.
    pub async fn next(&mut self) -> Option<Received> {
        match self.inbox.recv().await {
            Ok(received) => Some(received),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(Received::Lagged),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// Returns the next message if one is waiting.
    pub fn try_next(&mut self) -> Option<Received> {
        match self.inbox.try_recv() {
            Ok(received) => Some(received),
            Err(broadcast::error::TryRecvError::Lagged(_)) => Some(Received::Lagged),
            Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => None,
        }
    }
}
