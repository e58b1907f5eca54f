//! The task that drives one connection: it polls, hands over what came, and connects again. It never waits for anything but the inbox.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rumqttc::mqttbytes::Error as PacketError;
use rumqttc::mqttbytes::v5::{Packet, Publish, SubAck, SubscribeReasonCode};
use rumqttc::{AsyncClient, ConnectionError, EventLoop, StateError, SubscribeFilterInput};
use tokio::sync::{Semaphore, mpsc};

use super::{Ack, AckOrder, Event, Incoming, Link, Settings};

/// The first pause after a failed connection; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The largest packet that is taken from a broker that ignores our limit. It cannot be refused: unacknowledged it would come again for ever.
const PACKET_CEILING: usize = 16 * 1024 * 1024;

pub(super) struct Drive {
    settings: Settings,
    event_loop: EventLoop,
    client: AsyncClient,
    inbox: mpsc::Sender<Event>,
    room: Arc<Semaphore>,
    link: Arc<Link>,
    acks: mpsc::UnboundedSender<AckOrder>,
    /// Counts attempts, from 1.
    connection: u64,
    session_present: bool,
}

/// How one connection ended.
enum End {
    /// It broke, or could not be made.
    Broken(String),
    /// The broker sent a packet of this size in spite of our limit.
    Oversize(usize),
    /// Nobody wants it any more.
    Unwanted,
}

impl Drive {
    pub(super) fn new(
        settings: Settings,
        event_loop: EventLoop,
        client: AsyncClient,
        inbox: mpsc::Sender<Event>,
        acks: mpsc::UnboundedSender<AckOrder>,
        link: Arc<Link>,
    ) -> Self {
        let room = Arc::new(Semaphore::new(settings.inbox_bytes.max(1) as usize));
        Self { settings, event_loop, client, inbox, room, link, acks, connection: 0, session_present: false }
    }
}

/// Acknowledgements have a task of their own: they may wait for the connection, and their sender must not.
pub(super) async fn acknowledge(mut queue: mpsc::UnboundedReceiver<AckOrder>, client: AsyncClient, link: Arc<Link>) {
    while let Some(order) = queue.recv().await {
        match order {
            // Packet ids begin anew with each connection: one of an older connection would acknowledge another message.
            AckOrder::Send(connection, packet) if link.made.load(Ordering::Acquire) == connection => {
                if client.manual_ack(packet).await.is_err() {
                    return;
                }
            }
            AckOrder::Send(..) => {}
            AckOrder::Flush(flushed) => {
                // Nobody waits for it any more: just as well.
                let _ = flushed.send(());
            }
        }
    }
}

pub(super) async fn run(mut drive: Drive) {
    let mut pause = FIRST_PAUSE;
    loop {
        let end = drive.one_connection(&mut pause).await;
        let was_up = drive.link.up.swap(0, Ordering::AcqRel) != 0;
        drive.link.made.store(0, Ordering::Release);
        // What is still queued belongs to the connection that ended.
        drive.event_loop.reset_session_state();
        let reason = match end {
            End::Unwanted => break,
            End::Oversize(size) => drive.make_room_for(size),
            End::Broken(reason) => reason,
        };
        if was_up {
            pause = FIRST_PAUSE;
        }
        tracing::debug!(client = drive.settings.client_id, connection = drive.connection, reason, "MQTT connection is down");
        let down = drive.inbox.send(Event::Down { connection: drive.connection, reason });
        let closing = drive.link.closing.cancelled();
        tokio::select! {
            sent = async { let sent = down.await; tokio::time::sleep(pause).await; sent } => if sent.is_err() { break },
            () = closing => break,
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    // Dropping the event loop closes the socket, and dropping the inbox tells the receiver.
    let link = Arc::clone(&drive.link);
    drop(drive);
    link.ended.cancel();
}

impl Drive {
    async fn one_connection(&mut self, pause: &mut Duration) -> End {
        self.connection += 1;
        if let Some(make) = &self.settings.will {
            self.event_loop.options.set_last_will(make(self.connection).into());
        }
        let closing = self.link.closing.clone();
        let inbox = self.inbox.clone();
        loop {
            let polled = tokio::select! {
                biased;
                () = closing.cancelled() => return End::Unwanted,
                () = inbox.closed() => return End::Unwanted,
                polled = self.event_loop.poll() => polled,
            };
            let packet = match polled {
                Ok(rumqttc::Event::Incoming(packet)) => packet,
                Ok(_) => continue,
                Err(error) => return ending(&error),
            };
            let taken = match packet {
                Packet::Publish(publish) => self.hand_over(publish).await,
                Packet::ConnAck(ack) => {
                    self.session_present = ack.session_present;
                    self.link.made.store(self.connection, Ordering::Release);
                    self.event_loop.options.set_clean_start(self.settings.clean_start);
                    self.subscribe().await
                }
                Packet::SubAck(ack) => self.subscribed(&ack).await,
                _ => Ok(()),
            };
            if let Err(end) = taken {
                return end;
            }
            if self.link.up.load(Ordering::Acquire) != 0 {
                *pause = FIRST_PAUSE;
            }
        }
    }

    async fn subscribe(&mut self) -> Result<(), End> {
        if self.settings.subscriptions.is_empty() {
            return self.up().await;
        }
        let filters = self.settings.subscriptions.iter().map(|(filter, qos)| SubscribeFilterInput::new(filter.clone(), (*qos).into()));
        // Nothing else is queued before the connection is up, so there is room; and this task must not wait for its own queue.
        self.client.try_subscribe_many(filters).map_err(|error| End::Broken(error.to_string()))
    }

    async fn subscribed(&mut self, ack: &SubAck) -> Result<(), End> {
        let refused =
            ack.return_codes.iter().zip(&self.settings.subscriptions).find(|(code, _)| !matches!(code, SubscribeReasonCode::Success(_)));
        if let Some((code, (filter, _))) = refused {
            // Without it we would sit there and hear nothing: better to say so and try again.
            return Err(End::Broken(format!("the broker refuses the subscription {filter}: {code:?}")));
        }
        self.up().await
    }

    async fn up(&mut self) -> Result<(), End> {
        self.link.up.store(self.connection, Ordering::Release);
        self.deliver(Event::Up { connection: self.connection, session_present: self.session_present }).await
    }

    async fn hand_over(&mut self, publish: Publish) -> Result<(), End> {
        let ack = self.client.prepare_ack(&publish).map(|packet| Ack { connection: self.connection, packet, queue: self.acks.clone() });
        // Bytes that are no UTF-8 are no topic; the codec has checked it already.
        let topic = String::from_utf8_lossy(&publish.topic).into_owned();
        let size = (topic.len() + publish.payload.len()).clamp(1, self.settings.inbox_bytes.max(1) as usize);
        let room = tokio::select! {
            room = Arc::clone(&self.room).acquire_many_owned(size as u32) => room,
            () = self.inbox.closed() => return Err(End::Unwanted),
            () = self.link.closing.cancelled() => return Err(End::Unwanted),
        };
        let Ok(room) = room else { return Err(End::Unwanted) };
        self.deliver(Event::Message(Incoming { topic, payload: publish.payload, retain: publish.retain, ack, _room: room })).await
    }

    /// The inbox full means that nothing is polled until there is room: see the module's promise.
    async fn deliver(&mut self, event: Event) -> Result<(), End> {
        tokio::select! {
            sent = self.inbox.send(event) => sent.map_err(|_| End::Unwanted),
            () = self.link.closing.cancelled() => Err(End::Unwanted),
        }
    }

    fn make_room_for(&mut self, size: usize) -> String {
        if size <= PACKET_CEILING {
            self.event_loop.options.set_max_packet_size(Some(size as u32));
            return format!("the broker sent {size} bytes in one packet in spite of the limit; taking it at the next attempt");
        }
        tracing::error!(
            client = self.settings.client_id,
            size,
            "the broker keeps sending a packet beyond every limit: its session is given up, with what waits in it"
        );
        self.event_loop.options.set_clean_start(true);
        format!("the broker sent {size} bytes in one packet")
    }
}

fn ending(error: &ConnectionError) -> End {
    match error {
        ConnectionError::RequestsDone => End::Unwanted,
        ConnectionError::MqttState(StateError::Deserialization(PacketError::PayloadSizeLimitExceeded { pkt_size, .. })) => {
            End::Oversize(*pkt_size)
        }
        ConnectionError::MqttState(StateError::IncomingPacketTooLarge { pkt_size, .. }) => End::Oversize(*pkt_size),
        other => End::Broken(other.to_string()),
    }
}
