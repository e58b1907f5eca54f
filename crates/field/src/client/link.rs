//! What both ends of a client and the task that drives its connections share.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, PoisonError, RwLock};

use rumqttc::AsyncClient;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::ack::AckOrder;

/// What both ends and the driving task know of the connection.
#[derive(Default)]
pub(super) struct Link {
    /// The connection that is up.
    current: RwLock<Option<Current>>,
    /// The next connection may be made although the session was taken over.
    pub(super) resume: Notify,
    /// Acknowledgements that wait for an earlier one.
    pub(super) waiting_acks: AtomicUsize,
    /// Acknowledgements that have left, of all connections.
    pub(super) sent_acks: AtomicU64,
    /// No further connection is wanted.
    pub(super) closing: CancellationToken,
    /// The driving task has ended.
    pub(super) ended: CancellationToken,
}

/// The connection that is up.
#[derive(Clone)]
pub(super) struct Current {
    pub(super) client: AsyncClient,
    pub(super) acks: mpsc::UnboundedSender<AckOrder>,
    /// It is to be replaced by another one. A token of its own, so that a late request ends no later connection.
    pub(super) renewal: CancellationToken,
    /// The broker has granted its subscriptions.
    pub(super) is_subscribed: Arc<AtomicBool>,
}

impl Link {
    /// Puts another connection, or none, in place of the one that is up; whether one was.
    pub(super) fn set(&self, current: Option<Current>) -> bool {
        std::mem::replace(&mut *self.current.write().unwrap_or_else(PoisonError::into_inner), current).is_some()
    }

    pub(super) fn get(&self) -> Option<Current> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
