//! The task that drives the connections, one after the other: it polls, delivers events, and connects again. It waits
//! only for room in the inbox.
//!
//! Each connection has a new MQTT client. So no queued message is sent on a later connection, and no acknowledgement either: there its packet id would belong
//! to a different message.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rumqttc::mqttbytes::Error as PacketError;
use rumqttc::mqttbytes::v5::{DisconnectReasonCode, Packet, Publish, SubAck, SubscribeReasonCode};
use rumqttc::{AsyncClient, ConnectionError, EventLoop, ManualAck, MqttOptions, StateError, SubscribeFilterInput};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ack::{Ack, AckOrder};
use super::error::Error;
use super::event::{Event, Incoming};
use super::gather::Endings;
use super::link::{Current, Link};
use super::order::InOrder;
use super::session::NothingUnderWay;
use super::settings::Settings;

/// Maximum number of messages and acknowledgements that wait to be written.
const OUTBOX_MESSAGES: usize = 4_096;

/// Each message renews the time limit for the answer to the subscriptions. The total time is at most this many times the limit.
const GRANT_LIMITS_MAX: u32 = 10;

/// The first pause after a failed connection; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Maximum size of a packet from a broker that ignores the requested limit. Such a packet must be accepted, because without an acknowledgement it would be sent
/// again forever.
const PACKET_CEILING: usize = 16 * 1024 * 1024;

pub(super) struct Drive {
    settings: Settings,
    options: MqttOptions,
    inbox: mpsc::Sender<Event>,
    room: Arc<Semaphore>,
    link: Arc<Link>,
    endings: Endings,
}

/// One connection, from the attempt to connect until its end.
struct Connection<'a> {
    drive: &'a Drive,
    number: u64,
    event_loop: EventLoop,
    client: AsyncClient,
    acks: mpsc::UnboundedSender<AckOrder>,
    /// The task that sends acknowledgements. If it ended, the broker would stop sending messages.
    acknowledging: JoinSet<()>,
    /// Number of QoS 1 messages so far.
    received: u64,
    session_present: bool,
    /// The time limit for the answer to the subscriptions; `None` while no answer is due.
    grant_due: Option<Instant>,
    /// The latest possible `grant_due` of this connection.
    grant_due_max: Instant,
    /// Cancelled to replace the connection.
    renewal: CancellationToken,
    /// Whether the broker has granted the subscriptions.
    is_subscribed: Arc<AtomicBool>,
}

/// Why a connection ended.
enum End {
    /// The connection broke, or could not be established.
    Broken(String),
    /// The broker refused a subscription, or did not answer it in time. Without the subscription no messages would arrive, or only those of earlier
    /// subscriptions. So the error is reported, and another connection is tried.
    Refused(String),
    /// The broker sent a packet of this size despite the limit.
    Oversize(usize),
    /// The broker gave the session to another client with the same id. The other client cannot be the next connection of this client, because that one starts
    /// only after this connection has ended.
    TakenOver,
    /// The client was closed.
    Unwanted,
}

impl Drive {
    pub(super) fn new(settings: Settings, inbox: mpsc::Sender<Event>, link: Arc<Link>) -> Result<Self, Error> {
        let endings = Endings::default();
        let options = settings.options(&endings)?;
        let room = Arc::new(Semaphore::new(settings.inbox_bytes.max(1) as usize));
        let drive = Self { settings, options, inbox, room, link, endings };
        // Report invalid settings now and not in the task.
        drive.connection(0).map(|_| ())?;
        Ok(drive)
    }

    fn connection(&self, number: u64) -> Result<Connection<'_>, Error> {
        let mut options = self.options.clone();
        if !options.clean_start() {
            options.set_session_store(NothingUnderWay::new(&options));
        }
        if number > 0
            && let Some(will) = self.settings.last_will(number)
        {
            options.set_last_will(will);
        }
        let (client, event_loop) =
            AsyncClient::builder(options).capacity(OUTBOX_MESSAGES).try_build().map_err(|error| Error::Settings(error.to_string()))?;
        let (acks, queue) = mpsc::unbounded_channel();
        let mut acknowledging = JoinSet::new();
        if number > 0 {
            acknowledging.spawn(acknowledge(queue, client.clone(), Arc::clone(&self.link)));
        }
        Ok(Connection {
            drive: self,
            number,
            event_loop,
            client,
            acks,
            acknowledging,
            received: 0,
            session_present: false,
            grant_due: None,
            grant_due_max: Instant::now(),
            renewal: CancellationToken::new(),
            is_subscribed: Arc::default(),
        })
    }

    fn allow(&mut self, size: usize) -> String {
        if size <= PACKET_CEILING {
            self.options.set_max_packet_size(Some(size as u32));
            return format!("the broker sent {size} bytes in one packet in spite of the limit; taking it at the next attempt");
        }
        let client = &self.settings.client_id;
        tracing::error!(
            client,
            size,
            "the broker keeps sending a packet beyond every limit: its session is given up, with what waits in it"
        );
        self.options.set_clean_start(true);
        format!("the broker sent {size} bytes in one packet")
    }
}

/// Sends acknowledgements in a separate task, because they may wait for the connection and their caller must not wait. The task ends with the connection.
async fn acknowledge(mut queue: mpsc::UnboundedReceiver<AckOrder>, client: AsyncClient, link: Arc<Link>) {
    let mut order = InOrder::default();
    link.waiting_acks.store(0, Ordering::Relaxed);
    while let Some(next) = queue.recv().await {
        let (ready, flushed) = match next {
            AckOrder::Settle(number, packet) => {
                order.put(number, packet);
                (std::iter::from_fn(|| order.take()).collect(), None)
            }
            AckOrder::Flush(flushed) => (Vec::new(), Some(flushed)),
        };
        link.waiting_acks.store(order.waiting(), Ordering::Relaxed);
        for packet in ready {
            if client.manual_ack(packet).await.is_err() {
                return;
            }
            link.sent_acks.fetch_add(1, Ordering::Relaxed);
        }
        // The caller may have stopped waiting.
        let _ = flushed.map(|flushed: oneshot::Sender<()>| flushed.send(()));
    }
}

pub(super) async fn run(mut drive: Drive) {
    let mut pause = FIRST_PAUSE;
    for number in 1.. {
        let end = match drive.connection(number) {
            Ok(connection) => connection.run().await,
            Err(error) => End::Broken(error.to_string()),
        };
        if drive.link.set(None) {
            // A refusal follows each attempt, so it does not reset the pause.
            if !matches!(end, End::Refused(_)) {
                pause = FIRST_PAUSE;
            }
            drive.options.set_clean_start(drive.settings.clean_start);
        }
        let end = match (end, drive.endings.take_reason()) {
            (End::Broken(_), Some(reason)) if reason == DisconnectReasonCode::SessionTakenOver as u8 => End::TakenOver,
            (end, _) => end,
        };
        let taken_over = matches!(end, End::TakenOver);
        let reason = match end {
            End::Unwanted => break,
            End::Oversize(size) => drive.allow(size),
            End::Broken(reason) | End::Refused(reason) => reason,
            End::TakenOver => "the broker gave the session to another client of this id".to_owned(),
        };
        tracing::debug!(client = drive.settings.client_id, number, reason, "MQTT connection is down");
        let down = drive.inbox.send(Event::Down { connection: number, reason, taken_over });
        let may_connect = async {
            if taken_over && drive.settings.hold_when_taken_over {
                drive.link.resume.notified().await;
            } else {
                tokio::time::sleep(pause).await;
            }
        };
        tokio::select! {
            sent = async { let sent = down.await; may_connect.await; sent } => if sent.is_err() { break },
            () = drive.inbox.closed() => break,
            () = drive.link.closing.cancelled() => break,
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    let (link, lingering) = (Arc::clone(&drive.link), drive.endings.lingering.clone());
    // Dropping the inbox ends the receiver.
    drop(drive);
    lingering.close();
    lingering.wait().await;
    link.ended.cancel();
}

impl Connection<'_> {
    /// Drives the connection until it ends. When the connection is dropped afterwards, its socket is closed. If no DISCONNECT was sent, the broker publishes
    /// the will.
    async fn run(mut self) -> End {
        loop {
            let polled = tokio::select! {
                biased;
                () = self.drive.link.closing.cancelled() => return End::Unwanted,
                () = self.drive.inbox.closed() => return End::Unwanted,
                () = self.renewal.cancelled() => return End::Broken("given up for another connection".to_owned()),
                Some(ended) = self.acknowledging.join_next() => match ended {
                    Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                    _ => return End::Broken("acknowledgements are not taken any more".to_owned()),
                },
                polled = self.event_loop.poll() => polled,
                () = until(self.grant_due) => return self.unanswered(),
            };
            let polled_at = Instant::now();
            let packet = match polled {
                Ok(rumqttc::Event::Incoming(packet)) => packet,
                Ok(_) => continue,
                Err(error) => return ending(&error),
            };
            let taken = match packet {
                Packet::Publish(publish) => self.hand_over(publish).await,
                Packet::ConnAck(ack) => {
                    self.session_present = ack.session_present;
                    // The session store was needed only for the CONNECT; consulting it at every read would take 5 % of
                    // the time.
                    self.event_loop.options.clear_session_store();
                    self.subscribe().await
                }
                Packet::SubAck(ack) => self.subscribed(&ack).await,
                Packet::Disconnect(disconnect) if disconnect.reason_code == DisconnectReasonCode::SessionTakenOver => Err(End::TakenOver),
                _ => Ok(()),
            };
            if let Err(end) = taken {
                return end;
            }
            // The answer may wait behind messages for which the inbox had no room.
            self.grant_due = self.grant_due.map(|due| due + polled_at.elapsed());
            self.grant_due_max += polled_at.elapsed();
        }
    }

    fn unanswered(&self) -> End {
        let Settings { client_id, subscribe_limit, .. } = &self.drive.settings;
        metrics::counter!("mqtt_subscriptions_unanswered_total").increment(1);
        tracing::warn!(client = client_id, limit = ?subscribe_limit, "the MQTT broker does not answer the subscriptions; connecting again");
        End::Refused(format!("the broker has not answered the subscriptions within {subscribe_limit:?}"))
    }

    async fn subscribe(&mut self) -> Result<(), End> {
        let filters = &self.drive.settings.subscriptions;
        if filters.is_empty() {
            self.is_subscribed.store(true, Ordering::Release);
            return self.up().await;
        }
        let filters = filters.iter().map(|(filter, qos)| SubscribeFilterInput::new(filter.clone(), (*qos).into()));
        // The queue is empty before the connection is up, so there is room. This task must not wait for its own queue.
        self.client.try_subscribe_many(filters).map_err(|error| End::Broken(error.to_string()))?;
        let limit = self.drive.settings.subscribe_limit;
        self.grant_due = Some(Instant::now() + limit);
        self.grant_due_max = Instant::now() + limit * GRANT_LIMITS_MAX;
        // A broker that resumes a session sends the kept messages at once, before it grants the subscriptions again.
        if self.session_present { self.up().await } else { Ok(()) }
    }

    async fn subscribed(&mut self, ack: &SubAck) -> Result<(), End> {
        self.grant_due = None;
        let granted = ack.return_codes.iter().zip(&self.drive.settings.subscriptions);
        if let Some((code, (filter, _))) = granted.into_iter().find(|(code, _)| !matches!(code, SubscribeReasonCode::Success(_))) {
            return Err(End::Refused(format!("the broker refuses the subscription {filter}: {code:?}")));
        }
        self.is_subscribed.store(true, Ordering::Release);
        if self.session_present { Ok(()) } else { self.up().await }
    }

    async fn up(&mut self) -> Result<(), End> {
        let (client, acks) = (self.client.clone(), self.acks.clone());
        let (renewal, is_subscribed) = (self.renewal.clone(), Arc::clone(&self.is_subscribed));
        self.drive.link.set(Some(Current { client, acks, renewal, is_subscribed }));
        self.deliver(Event::Up { connection: self.number, session_present: self.session_present }).await
    }

    async fn hand_over(&mut self, publish: Publish) -> Result<(), End> {
        // The answer may follow thousands of kept messages, which take long on a slow line. Each of them shows that the broker works.
        self.grant_due = self.grant_due.map(|_| (Instant::now() + self.drive.settings.subscribe_limit).min(self.grant_due_max));
        let ack = self.client.prepare_ack(&publish).map(|packet| self.number_ack(packet));
        // A topic is UTF-8; the codec has checked it.
        let topic = String::from_utf8_lossy(&publish.topic).into_owned();
        let size = (topic.len() + publish.payload.len()).clamp(1, self.drive.settings.inbox_bytes.max(1) as usize);
        let room = tokio::select! {
            room = Arc::clone(&self.drive.room).acquire_many_owned(size as u32) => room,
            () = self.drive.inbox.closed() => return Err(End::Unwanted),
            () = self.drive.link.closing.cancelled() => return Err(End::Unwanted),
        };
        let Ok(room) = room else { return Err(End::Unwanted) };
        self.deliver(Event::Message(Incoming { topic, payload: publish.payload, retain: publish.retain, ack, _room: Some(room) })).await
    }

    fn number_ack(&mut self, packet: ManualAck) -> Ack {
        let number = self.received;
        self.received += 1;
        // Not bounded itself: it has one entry for each held message, and these are bounded.
        let queue = self.acks.clone();
        Ack::new(move |is_done| {
            // A closed queue means that the connection has ended, and with it the need to acknowledge.
            let _ = queue.send(AckOrder::Settle(number, is_done.then_some(packet)));
        })
    }

    /// Delivers an event. Nothing is polled until there is room in the inbox: see the module documentation.
    async fn deliver(&mut self, event: Event) -> Result<(), End> {
        tokio::select! {
            sent = self.drive.inbox.send(event) => sent.map_err(|_| End::Unwanted),
            () = self.drive.link.closing.cancelled() => Err(End::Unwanted),
        }
    }
}

/// Waits until `due`; if it is `None`, for ever.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

fn ending(error: &ConnectionError) -> End {
    match error {
        ConnectionError::RequestsDone => End::Unwanted,
        ConnectionError::MqttState(StateError::ServerDisconnect { reason_code: DisconnectReasonCode::SessionTakenOver, .. }) => {
            End::TakenOver
        }
        ConnectionError::MqttState(StateError::Deserialization(PacketError::PayloadSizeLimitExceeded { pkt_size, .. })) => {
            End::Oversize(*pkt_size)
        }
        ConnectionError::MqttState(StateError::IncomingPacketTooLarge { pkt_size, .. }) => End::Oversize(*pkt_size),
        other => End::Broken(other.to_string()),
    }
}
