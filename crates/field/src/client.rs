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

mod dial;
mod drive;
mod gather;
mod order;
mod session;
mod settings;

use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use rumqttc::mqttbytes::v5::{DisconnectProperties, DisconnectReasonCode, PublishProperties};
use rumqttc::{AsyncClient, ClientError, ManualAck, PublishOptions};
use tokio::sync::{Notify, OwnedSemaphorePermit, mpsc, oneshot};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

pub use order::InOrder;
pub use settings::{Qos, Settings, Will, WillMaker};

/// Messages that may wait in the inbox, whatever their size, besides those that the broker may send before it hears an acknowledgement: a connection whose
/// messages all wait for theirs goes on being driven.
const INBOX_MESSAGES: usize = 1_024;

/// Messages and acknowledgements that may wait to be written.
const OUTBOX_MESSAGES: usize = 4_096;

/// How long a graceful end may take, the wait for the broker's own end included, before it becomes an abrupt one.
const CLOSING_PATIENCE: Duration = Duration::from_secs(3);

/// Why a connection cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Not an address this client can use.
    #[error("MQTT address {0:?} is not of the form mqtt://[user:password@]host[:port]")]
    Address(String),
    /// Settings that no broker could accept.
    #[error("MQTT settings: {0}")]
    Settings(String),
}

/// Why a message was not taken for sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// There is no connection. Send again after the next [`Event::Up`].
    #[error("not connected to the MQTT broker")]
    Down,
    /// The broker takes messages more slowly than they come.
    #[error("the queue to the MQTT broker is full")]
    Full,
    /// The topic cannot be published to.
    #[error("not a topic to publish to")]
    Topic,
}

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
    _room: Option<OwnedSemaphorePermit>,
}

impl Incoming {
    /// Returns a message that comes from no connection and takes no room in an inbox, for simulations.
    pub fn detached(topic: String, payload: Bytes, retain: bool, ack: Option<Ack>) -> Self {
        Self { topic, payload, retain, ack, _room: None }
    }
}

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
enum AckOrder {
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

/// What both ends and the driving task know of the connection.
#[derive(Default)]
struct Link {
    /// The connection that is up.
    current: RwLock<Option<Current>>,
    /// The next connection may be made although the session was taken over.
    resume: Notify,
    /// The connection that is up is to be replaced by another one.
    renew: Notify,
    /// Acknowledgements that wait for an earlier one.
    waiting_acks: AtomicUsize,
    /// Acknowledgements that have left, of all connections.
    sent_acks: AtomicU64,
    /// No further connection is wanted.
    closing: CancellationToken,
    /// The driving task has ended.
    ended: CancellationToken,
}

/// The connection that is up.
#[derive(Clone)]
struct Current {
    client: AsyncClient,
    acks: mpsc::UnboundedSender<AckOrder>,
}

impl Link {
    /// Puts another connection, or none, in place of the one that is up; whether one was.
    fn set(&self, current: Option<Current>) -> bool {
        std::mem::replace(&mut *self.current.write().unwrap_or_else(PoisonError::into_inner), current).is_some()
    }

    fn get(&self) -> Option<Current> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Publisher {
    /// Whether a connection is up.
    pub fn is_up(&self) -> bool {
        self.link.get().is_some()
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
        if self.is_up() {
            self.link.renew.notify_one();
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
