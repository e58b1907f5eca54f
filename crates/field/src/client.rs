//! One MQTT 5 connection that reconnects by itself, with bounded queues and manual acknowledgement.
//!
//! [`connect`] returns two ends: a [`Publisher`] to send with, and [`Events`] to receive from. One task behind them
//! drives the connection. They guarantee:
//!
//! - Subscriptions and the will belong to the settings and are renewed with every connection. [`Event::Up`] follows
//!   when the broker has granted the subscriptions, or resumed the session that has them. No message of a connection
//!   arrives before it.
//! - Outgoing messages end with their connection: a message that was not sent before an interruption is dropped, and
//!   publishing without a connection is refused. If a message must be sent, the caller keeps it (in an outbox or the
//!   database) and sends it again at the next [`Event::Up`]. An old value must not arrive after a new birth.
//! - Incoming messages wait in an inbox bounded by count and bytes. When it is full, the connection is not read: the
//!   broker keeps QoS 1 messages, and after one and a half keep-alives it closes the connection and publishes the will.
//!   This is the back-pressure of MQTT.
//! - A QoS 1 message is acknowledged only by [`Ack::done`], and only on the connection that delivered it, since packet
//!   ids are reused.
//! - A client that shares its id with another one loses its session to it. [`Event::Down`] reports that, and with
//!   [`Settings::hold_when_taken_over`] there is no further connection before [`Publisher::resume`]. So two clients
//!   with one id do not disconnect each other again and again.
//! - An MQTT 5 broker does not deliver a message larger than [`Settings::max_packet`]. If a broker nevertheless sends
//!   such a message, it is accepted at the next attempt, or the session is dropped. So it cannot block the connection
//!   forever.
//!
//! TLS (`mqtts://`) is not implemented; it belongs in this module.

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

/// Maximum number of messages in the inbox, of any size, in addition to those that the broker may send without
/// acknowledgement. So the inbox has room even if all these messages wait for their acknowledgement, and the connection
/// is still driven.
const INBOX_MESSAGES: usize = 1_024;

/// Maximum time of an orderly close, including the wait for the broker to close. After this time the connection is
/// dropped.
const CLOSING_PATIENCE: Duration = Duration::from_secs(3);

/// Receives the events of a connection. Dropping it ends the connection abruptly: the broker publishes the will.
#[derive(Debug)]
pub struct Events {
    inbox: mpsc::Receiver<Event>,
}

impl Events {
    /// Returns the next event; `None` after [`Publisher::close`]. Cancel-safe.
    pub async fn next(&mut self) -> Option<Event> {
        self.inbox.recv().await
    }

    /// Returns the next event if one is waiting.
    pub fn try_next(&mut self) -> Option<Event> {
        self.inbox.try_recv().ok()
    }
}

/// Sends messages; clones share the connection.
#[derive(Clone)]
pub struct Publisher {
    link: Arc<Link>,
}

impl Publisher {
    /// Returns whether a connection is up.
    pub fn is_up(&self) -> bool {
        self.link.get().is_some()
    }

    /// Returns whether a connection is up and the broker has granted its subscriptions, so that later messages are
    /// received.
    ///
    /// If the broker resumed the session, [`Event::Up`] is sent before that.
    pub fn is_subscribed(&self) -> bool {
        self.link.get().is_some_and(|current| current.is_subscribed.load(Ordering::Acquire))
    }

    /// Sends a message. Waits while the queue to the broker is full, so it must not be called in the task that receives
    /// the [`Events`].
    pub async fn publish(&self, topic: &str, payload: impl Into<Bytes>, qos: Qos, retain: bool) -> Result<(), PublishError> {
        let current = self.link.get().ok_or(PublishError::Down)?;
        let options = PublishOptions::new(qos.into()).retain(retain);
        current.client.publish(topic, payload.into(), options).await.map_err(|error| refusal(&error))
    }

    /// Sends a message if the queue to the broker has room.
    pub fn try_publish(&self, topic: &str, payload: impl Into<Bytes>, qos: Qos, retain: bool) -> Result<(), PublishError> {
        let current = self.link.get().ok_or(PublishError::Down)?;
        let options = PublishOptions::new(qos.into()).retain(retain);
        current.client.try_publish(topic, payload.into(), options).map_err(|error| refusal(&error))
    }

    /// Sends a command that must not arrive late: QoS 0, not retained, and dropped by the broker if it cannot be
    /// delivered within `expiry_s` seconds. It does not wait for a connection.
    pub fn try_order(&self, topic: &str, payload: impl Into<Bytes>, expiry_s: u32) -> Result<(), PublishError> {
        let current = self.link.get().ok_or(PublishError::Down)?;
        let properties = PublishProperties { message_expiry_interval: Some(expiry_s), ..PublishProperties::default() };
        let options = PublishOptions::new(Qos::AtMostOnce.into()).properties(properties);
        current.client.try_publish(topic, payload.into(), options).map_err(|error| refusal(&error))
    }

    /// Returns the number of acknowledgements that wait for the acknowledgement of an earlier message. The broker stops
    /// sending when it reaches the receive maximum.
    pub fn waiting_acknowledgements(&self) -> usize {
        self.link.waiting_acks.load(Ordering::Relaxed)
    }

    /// Returns the number of acknowledgements sent since the start, on all connections.
    pub fn sent_acknowledgements(&self) -> u64 {
        self.link.sent_acks.load(Ordering::Relaxed)
    }

    /// Allows the next connection after the session was taken over, see [`Settings::hold_when_taken_over`].
    pub fn resume(&self) {
        self.link.resume.notify_one();
    }

    /// Replaces the connection by a new one with a new will. Queued messages are dropped.
    pub fn renew(&self) {
        if let Some(current) = self.link.get() {
            current.renewal.cancel();
        }
    }

    /// Sends the queued messages, disconnects (so the broker drops the will), and waits until the broker has closed the
    /// connection. Takes at most 3 s.
    pub async fn close(&self) {
        self.close_within(CLOSING_PATIENCE).await;
    }

    /// Like [`Publisher::close`], but the broker publishes the will, as Sparkplug requires of an edge node on MQTT 5
    /// (3.0, 6.4.25).
    pub async fn close_with_will(&self) {
        self.end(DisconnectReasonCode::DisconnectWithWillMessage, CLOSING_PATIENCE).await;
    }

    /// Like [`Publisher::close`], with a time limit. Messages that are not sent within this time are dropped, because a
    /// broker that does not read must not block the process.
    pub async fn close_within(&self, limit: Duration) {
        self.end(DisconnectReasonCode::NormalDisconnection, limit).await;
    }

    async fn end(&self, reason: DisconnectReasonCode, limit: Duration) {
        let deadline = Instant::now() + limit;
        if let Some(current) = self.link.get() {
            // The remaining time is for bytes held below the MQTT client.
            let _ = timeout_at(deadline - gather::LINGER.min(limit / 2), self.goodbye(current, reason, limit)).await;
        }
        self.link.closing.cancel();
        let _ = timeout_at(deadline, self.link.ended.cancelled()).await;
    }

    /// Ends the connection at once without a DISCONNECT, like a crash: the broker publishes the will.
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
        // An error means that the connection has ended already.
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

/// Starts a connection. Fails only if the settings can never work. Waits for an unavailable broker.
pub fn connect(settings: Settings) -> Result<(Publisher, Events), Error> {
    let (inbox, events) = mpsc::channel(INBOX_MESSAGES + usize::from(settings.receive_maximum));
    let link = Arc::new(Link::default());
    tokio::spawn(drive::run(drive::Drive::new(settings, inbox, Arc::clone(&link))?));
    Ok((Publisher { link }, Events { inbox: events }))
}
