//! What a connection brings: messages, and whether it is up.

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use super::ack::Ack;

/// What a connection has to say.
#[derive(Debug)]
pub enum Event {
    /// Connected, and every subscription granted. Where the broker remembered our session, it comes before the messages that were kept for us, and a
    /// subscription that is then refused ends the connection. Connections are counted from 1, attempts that failed included.
    Up {
        /// The number that [`WillMaker`] was given for this connection.
        connection: u64,
        /// Whether the broker remembered our session.
        session_present: bool,
    },
    /// Not connected any more, or not in spite of an attempt. The next attempt follows by itself.
    Down {
        /// The connection that ended.
        connection: u64,
        /// Why, for people.
        reason: String,
        /// Whether the broker gave the session to another client of the same id.
        taken_over: bool,
    },
    /// A message.
    Message(Incoming),
}

/// A message that came in. It takes room in the inbox until it is dropped.
#[derive(Debug)]
pub struct Incoming {
    /// Its topic.
    pub topic: String,
    /// Its content.
    pub payload: Bytes,
    /// Whether it was kept by the broker from before our subscription.
    pub retain: bool,
    /// To be used when the message is taken care of; `None` at QoS 0. Dropped unused, the broker delivers the message and all later ones again on the next
    /// connection.
    pub ack: Option<Ack>,
    pub(super) _room: Option<OwnedSemaphorePermit>,
}

impl Incoming {
    /// Returns a message that comes from no connection and takes no room in an inbox, for simulations.
    pub fn detached(topic: String, payload: Bytes, retain: bool, ack: Option<Ack>) -> Self {
        Self { topic, payload, retain, ack, _room: None }
    }
}
