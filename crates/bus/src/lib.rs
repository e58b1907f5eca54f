//! Changes on their way from ingest to the hubs: in one process, or over internal topics of the MQTT broker.
//!
//! The bus promises speed, not completeness: publishing never waits. Who falls behind, or whose broker was away, is told so by
//! [`Received::Lagged`] and reads what it missed from the database. Nothing on the bus exists there alone.

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
    /// Where subscribers of this process listen. At the bound the oldest messages are overwritten and slow subscribers get `Lagged`.
    local: broadcast::Sender<Received>,
    remote: Option<Arc<remote::Remote>>,
}

impl Bus {
    /// A bus within this process. `capacity` messages wait for the slowest subscriber; what is beyond is lost to it, and it is told.
    pub fn local(capacity: usize) -> Self {
        Self { local: broadcast::channel(capacity.max(1)).0, remote: None }
    }

    /// A bus over the MQTT broker, the same for all processes that use the same prefix. `capacity` as for [`Bus::local`].
    pub fn mqtt(settings: RemoteSettings, capacity: usize) -> Result<Self, Error> {
        let local = broadcast::channel(capacity.max(1)).0;
        let remote = remote::Remote::connect(settings, local.clone())?;
        Ok(Self { local, remote: Some(Arc::new(remote)) })
    }

    /// Sends a message to all subscribers, here and elsewhere. Never waits.
    pub fn publish(&self, message: BusMessage) {
        match &self.remote {
            // Comes back from the broker like everyone else's, so that all see the same order.
            Some(remote) => remote.publish(&message),
            // No subscriber is no error.
            None => drop(self.local.send(Received::Message(Arc::new(message)))),
        }
    }

    /// Listens from now on.
    pub fn subscribe(&self) -> Subscription {
        Subscription { inbox: self.local.subscribe() }
    }

    /// Waits until the bus can carry messages, at most `patience`; whether it can. A local bus always can.
    pub async fn ready(&self, patience: std::time::Duration) -> bool {
        match &self.remote {
            Some(remote) => remote.ready(patience).await,
            None => true,
        }
    }

    /// Ends the connection to the broker, if there is one, after what is queued has been sent.
    pub async fn close(&self) {
        if let Some(remote) = &self.remote {
            remote.close().await;
        }
    }
}

/// One subscriber's end.
#[derive(Debug)]
pub struct Subscription {
    inbox: broadcast::Receiver<Received>,
}

impl Subscription {
    /// The next message; `None` when the bus is no more. Cancel-safe.
    pub async fn next(&mut self) -> Option<Received> {
        match self.inbox.recv().await {
            Ok(received) => Some(received),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(Received::Lagged),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// The next message if it is there already.
    pub fn try_next(&mut self) -> Option<Received> {
        match self.inbox.try_recv() {
            Ok(received) => Some(received),
            Err(broadcast::error::TryRecvError::Lagged(_)) => Some(Received::Lagged),
            Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => None,
        }
    }
}
