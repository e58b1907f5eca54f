//! The state shared by both ends of a client and the task that drives its connections.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, PoisonError, RwLock};

use rumqttc::AsyncClient;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::ack::AckOrder;

/// The state of the connection.
#[derive(Default)]
pub(super) struct Link {
    /// The connection that is up.
    current: RwLock<Option<Current>>,
    /// Allows the next connection after a takeover of the session.
    pub(super) resume: Notify,
    /// Acknowledgements that wait for an earlier one.
    pub(super) waiting_acks: AtomicUsize,
    /// Acknowledgements sent, on all connections.
    pub(super) sent_acks: AtomicU64,
    /// Cancelled to close the client.
    pub(super) closing: CancellationToken,
    /// Cancelled when the driving task has ended.
    pub(super) ended: CancellationToken,
}

/// The connection that is up.
#[derive(Clone)]
pub(super) struct Current {
    pub(super) client: AsyncClient,
    pub(super) acks: mpsc::UnboundedSender<AckOrder>,
    /// Cancelled to replace the connection. Each connection has its own token, so that a late request does not end a
    /// later connection.
    pub(super) renewal: CancellationToken,
    /// Whether the broker has granted the subscriptions.
    pub(super) is_subscribed: Arc<AtomicBool>,
}

impl Link {
    /// Replaces the current connection, or removes it. Returns whether there was one.
    pub(super) fn set(&self, current: Option<Current>) -> bool {
        std::mem::replace(&mut *self.current.write().unwrap_or_else(PoisonError::into_inner), current).is_some()
    }

    pub(super) fn get(&self) -> Option<Current> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
