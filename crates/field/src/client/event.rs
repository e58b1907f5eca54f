//! The events of a connection: messages, and whether it is up.

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use super::ack::Ack;

/// An event of a connection.
#[derive(Debug)]
pub enum Event {
    /// Connected. In a new session, every subscription is granted. In a resumed session, the event is sent before the
    /// messages that the broker kept; if the broker later refuses a subscription, the connection ends. Connections are
    /// counted from 1, including failed attempts.
    Up {
        /// The number that [`WillMaker`] was given for this connection.
        connection: u64,
        /// Whether the broker resumed the session.
        session_present: bool,
    },
    /// The connection has ended, or an attempt failed. The next attempt follows automatically.
    Down {
        /// The connection that ended.
        connection: u64,
        /// The reason, for users.
        reason: String,
        /// Whether the broker gave the session to another client with the same id.
        taken_over: bool,
    },
    /// A message.
    Message(Incoming),
}

/// A received message. It uses room in the inbox until it is dropped.
#[derive(Debug)]
pub struct Incoming {
    /// Its topic.
    pub topic: String,
    /// Its content.
    pub payload: Bytes,
    /// Whether it is a retained message from before the subscription.
    pub retain: bool,
    /// Acknowledges the message; `None` at QoS 0. If it is dropped unused, the broker delivers this message and all
    /// later ones again on the next connection.
    pub ack: Option<Ack>,
    pub(super) _room: Option<OwnedSemaphorePermit>,
}

impl Incoming {
    /// Creates a message without a connection and an inbox, for simulations.
    pub fn detached(topic: String, payload: Bytes, retain: bool, ack: Option<Ack>) -> Self {
        Self { topic, payload, retain, ack, _room: None }
    }
}
