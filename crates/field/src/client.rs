//! One MQTT 5 connection that heals itself, with bounded queues and acknowledgement by hand.
//!
//! [`connect`] gives two ends: a [`Publisher`] to send with, and [`Events`] to receive from. Behind them one task does nothing but drive the connection.
//! What the pair promises:
//!
//! - Subscriptions and the will belong to the settings and are renewed with every connection; [`Event::Up`] comes when the broker has granted them, or
//!   remembered them with our session. No message of a connection comes before it.
//! - Nothing outlives its connection on the way out: a message that was not sent when the connection broke is dropped, and publishing while down is refused.
//!   Whoever needs it sent keeps it (an outbox, the database) and sends again at the next [`Event::Up`]. An old value must not overtake a new birth.
//! - Incoming messages wait in an inbox bounded by count and bytes. When it is full the connection is not read any more: the broker keeps QoS 1 messages for
//!   us, and after one and a half keep-alives it declares us gone and publishes the will. That is what back-pressure means on MQTT.
//! - A QoS 1 message is acknowledged only by [`Ack::done`], and only on the connection that delivered it, since packet ids are used again.
//! - A client that shares its id with another one loses its session to it. [`Event::Down`] reports that, and with [`Settings::hold_when_taken_over`] there is
//!   no other connection before [`Publisher::resume`]. So two clients of one id do not evict each other again and again.
//! - A message larger than [`Settings::max_packet`] is not delivered by a broker that keeps to MQTT 5. From one that sends it nevertheless it is taken at the next
//!   attempt, or the session is given up: it never breaks the connection for ever.
//!
//! TLS (`mqtts://`) belongs here too, when it comes.

mod ack;
mod dial;
mod drive;
mod error;
mod event;
mod gather;
mod link;
mod order;
mod session;
mod settings;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use rumqttc::mqttbytes::v5::{DisconnectProperties, DisconnectReasonCode, PublishProperties};
use rumqttc::{ClientError, PublishOptions};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

pub use ack::Ack;
use ack::AckOrder;
pub use error::{Error, PublishError};
pub use event::{Event, Incoming};
use link::{Current, Link};
pub use order::InOrder;
pub use settings::{Qos, Settings, Will, WillMaker};

/// Messages that may wait in the inbox, whatever their size, besides those that the broker may send before it hears an acknowledgement: a connection whose
/// messages all wait for theirs goes on being driven.
const INBOX_MESSAGES: usize = 1_024;

/// How long a graceful end may take, the wait for the broker's own end included, before it becomes an abrupt one.
const CLOSING_PATIENCE: Duration = Duration::from_secs(3);

/// The receiving end. Dropping it ends the connection abruptly: the broker publishes the will.
#[derive(Debug)]
pub struct Events {
    inbox: mpsc::Receiver<Event>,
}

impl Events {
    /// The next event; `None` after [`Publisher::close`]. Cancel-safe.
    pub async fn next(&mut self) -> Option<Event> {
        self.inbox.recv().await
    }

    /// The next event if one is waiting.
    pub fn try_next(&mut self) -> Option<Event> {
        self.inbox.try_recv().ok()
    }
}

/// The sending end; clones share the connection.
#[derive(Clone)]
pub struct Publisher {
    link: Arc<Link>,
}

impl Publisher {
    /// Whether a connection is up.
    pub fn is_up(&self) -> bool {
        self.link.get().is_some()
    }

    /// Whether a connection is up and the broker has granted its subscriptions: what it sends from now on is received.
    ///
    /// With a session that the broker remembered, [`Event::Up`] comes before that.
    pub fn is_subscribed(&self) -> bool {
        self.link.get().is_some_and(|current| current.is_subscribed.load(Ordering::Acquire))
    }

    /// Sends a message, waiting while the queue to the broker is full. Don't wait here in the task that takes the [`Events`].
    pub async fn publish(&self, topic: &str, payload: impl Into<Bytes>, qos: Qos, retain: bool) -> Result<(), PublishError> {
        let current = self.link.get().ok_or(PublishError::Down)?;
        let options = PublishOptions::new(qos.into()).retain(retain);
        current.client.publish(topic, payload.into(), options).await.map_err(|error| refusal(&error))
    }

    /// Sends a message if there is room for it in the queue to the broker.
    pub fn try_publish(&self, topic: &str, payload: impl Into<Bytes>, qos: Qos, retain: bool) -> Result<(), PublishError> {
        let current = self.link.get().ok_or(PublishError::Down)?;
        let options = PublishOptions::new(qos.into()).retain(retain);
        current.client.try_publish(topic, payload.into(), options).map_err(|error| refusal(&error))
    }

    /// Sends an order that must not come late: at QoS 0, not kept, and thrown away by the broker where it could not be delivered within `expiry_s`. Nothing
    /// waits here for a connection or for an absent gateway.
    pub fn try_order(&self, topic: &str, payload: impl Into<Bytes>, expiry_s: u32) -> Result<(), PublishError> {
        let current = self.link.get().ok_or(PublishError::Down)?;
        let properties = PublishProperties { message_expiry_interval: Some(expiry_s), ..PublishProperties::default() };
        let options = PublishOptions::new(Qos::AtMostOnce.into()).properties(properties);
        current.client.try_publish(topic, payload.into(), options).map_err(|error| refusal(&error))
    }

    /// How many messages are done whose acknowledgements wait for that of an earlier message. The broker stops sending when they reach the receive maximum.
    pub fn waiting_acknowledgements(&self) -> usize {
        self.link.waiting_acks.load(Ordering::Relaxed)
    }

    /// How many acknowledgements have left since the start, on all connections together.
    pub fn sent_acknowledgements(&self) -> u64 {
        self.link.sent_acks.load(Ordering::Relaxed)
    }

    /// Allows the next connection after the session was taken over, see [`Settings::hold_when_taken_over`].
    pub fn resume(&self) {
        self.link.resume.notify_one();
    }

    /// Ends the connection that is up and makes another one, with a will of its own. What is queued is dropped.
    pub fn renew(&self) {
        if let Some(current) = self.link.get() {
            current.renewal.cancel();
        }
    }

    /// Sends what is queued, says goodbye (so the broker drops the will), waits until the broker has closed, and ends both ends. Takes at most a few seconds.
    pub async fn close(&self) {
        self.close_within(CLOSING_PATIENCE).await;
    }

    /// The same with a goodbye upon which the broker publishes the will, as Sparkplug demands of an edge node on MQTT 5 (3.0, 6.4.25).
    pub async fn close_with_will(&self) {
        self.end(DisconnectReasonCode::DisconnectWithWillMessage, CLOSING_PATIENCE).await;
    }

    /// Closes as [`Publisher::close`] does, with a limit. What is not sent by then is dropped: a broker that does not read must not keep the process.
    pub async fn close_within(&self, limit: Duration) {
        self.end(DisconnectReasonCode::NormalDisconnection, limit).await;
    }

    async fn end(&self, reason: DisconnectReasonCode, limit: Duration) {
        let deadline = Instant::now() + limit;
        if let Some(current) = self.link.get() {
            // The rest of the time is for what is held below the MQTT client.
            let _ = timeout_at(deadline - gather::LINGER.min(limit / 2), self.goodbye(current, reason, limit)).await;
        }
        self.link.closing.cancel();
        let _ = timeout_at(deadline, self.link.ended.cancelled()).await;
    }

    /// Ends the connection at once and without goodbye, as a crash would: the broker publishes the will.
    pub fn abort(&self) {
        self.link.closing.cancel();
    }

    async fn goodbye(&self, current: Current, reason: DisconnectReasonCode, limit: Duration) {
        let (flushed, seen) = oneshot::channel();
        let properties = DisconnectProperties {
            session_expiry_interval: None,
            reason_string: None,
            user_properties: Vec::new(),
            server_reference: None,
        };
        // An error on the way means that the connection is gone, and then there is nobody to say goodbye to.
        if current.acks.send(AckOrder::Flush(flushed)).is_ok()
            && seen.await.is_ok()
            && current.client.disconnect_with_properties_timeout(reason, properties, limit).await.is_ok()
        {
            self.link.ended.cancelled().await;
        }
    }
}

fn refusal(error: &ClientError) -> PublishError {
    match error {
        ClientError::RequestChannelFull(_) => PublishError::Full,
        ClientError::InvalidRequest(_) => PublishError::Topic,
        _ => PublishError::Down,
    }
}

/// Sets up a connection and starts to drive it. Fails only for settings that can never work; a broker that is away is waited for.
pub fn connect(settings: Settings) -> Result<(Publisher, Events), Error> {
    let (inbox, events) = mpsc::channel(INBOX_MESSAGES + usize::from(settings.receive_maximum));
    let link = Arc::new(Link::default());
    tokio::spawn(drive::run(drive::Drive::new(settings, inbox, Arc::clone(&link))?));
    Ok((Publisher { link }, Events { inbox: events }))
}
