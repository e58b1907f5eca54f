//! The acknowledgement of a message, also in several parts.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rumqttc::ManualAck;
use tokio::sync::oneshot;

/// The right to acknowledge one message, or a part of it, once. Acknowledgements are sent in the order of receipt, in
/// whatever order this is called. If a message is not acknowledged, no later message is acknowledged either.
#[derive(Debug)]
pub struct Ack {
    message: Arc<Unacknowledged>,
}

/// A function that is called once: when a message is done, or when its acknowledgement is dropped.
type Settle = Box<dyn FnOnce(bool) + Send + Sync>;

/// A message without acknowledgement.
struct Unacknowledged {
    settle: Option<Settle>,
    /// Parts that are not done.
    left: AtomicUsize,
}

impl fmt::Debug for Unacknowledged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unacknowledged").field("left", &self.left).finish_non_exhaustive()
    }
}

/// Instructions to the acknowledging task, in order.
#[derive(Debug)]
pub(super) enum AckOrder {
    /// The message of this number is done; without a packet it will never be acknowledged on this connection.
    Settle(u64, Option<ManualAck>),
    /// Notifies when all earlier acknowledgements have been sent.
    Flush(oneshot::Sender<()>),
}

impl Ack {
    /// Creates the right to acknowledge one message. `settle` is called once: with true when all parts are done, or
    /// with false when a part is dropped unused.
    pub fn new(settle: impl FnOnce(bool) + Send + Sync + 'static) -> Self {
        Self { message: Arc::new(Unacknowledged { settle: Some(Box::new(settle)), left: AtomicUsize::new(1) }) }
    }

    /// Splits it into parts. The message is done when all parts are done; with zero parts, it is done at once.
    pub fn split(self, count: usize) -> Vec<Self> {
        if count == 0 {
            self.done();
            return Vec::new();
        }
        self.message.left.fetch_add(count - 1, Ordering::AcqRel);
        (0..count).map(|_| Self { message: Arc::clone(&self.message) }).collect()
    }

    /// Acknowledges the message. No effect if its connection has ended.
    pub fn done(self) {
        self.message.left.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Drop for Unacknowledged {
    fn drop(&mut self) {
        let is_done = *self.left.get_mut() == 0;
        if let Some(settle) = self.settle.take() {
            settle(is_done);
        }
    }
}
