//! The acknowledgement of a message, whole or in parts.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rumqttc::ManualAck;
use tokio::sync::oneshot;

/// The right to acknowledge one message, once, or to take part in it. Acknowledgements leave in the order of receipt, whatever order they are given in, and
/// none leaves after a message that is not acknowledged.
#[derive(Debug)]
pub struct Ack {
    message: Arc<Unacknowledged>,
}

/// What is called once when a message has been taken care of, or dropped unacknowledged.
type Settle = Box<dyn FnOnce(bool) + Send + Sync>;

/// A message that waits to be taken care of.
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

/// What the acknowledging task is asked to do, in order.
#[derive(Debug)]
pub(super) enum AckOrder {
    /// The message of this number is taken care of; without a packet it never will be on this connection.
    Settle(u64, Option<ManualAck>),
    /// Say when everything before is on its way.
    Flush(oneshot::Sender<()>),
}

impl Ack {
    /// Returns the right to acknowledge one message. `settle` is called once: with true when all parts are done, with false when one is dropped unused.
    pub fn new(settle: impl FnOnce(bool) + Send + Sync + 'static) -> Self {
        Self { message: Arc::new(Unacknowledged { settle: Some(Box::new(settle)), left: AtomicUsize::new(1) }) }
    }

    /// The same in parts: the message is taken care of when all of them are done. Without parts it is at once.
    pub fn split(self, count: usize) -> Vec<Self> {
        if count == 0 {
            self.done();
            return Vec::new();
        }
        self.message.left.fetch_add(count - 1, Ordering::AcqRel);
        (0..count).map(|_| Self { message: Arc::clone(&self.message) }).collect()
    }

    /// Tells the broker that the message is taken care of. Without effect when the connection that brought it is gone.
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
