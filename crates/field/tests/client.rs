//! Tests the client with a real broker, and with brokers that violate the protocol.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use field::client::{Ack, Event, Events, Incoming, Publisher, Qos, Settings, Will, connect};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const PATIENCE: Duration = Duration::from_mins(1);

/// An empty message of QoS 0 on the topic `t`.
const PUBLISH: [u8; 6] = [0x30, 4, 0, 1, b't', 0];

/// Returns the next event; fails the test if none arrives in time.
async fn next(events: &mut Events) -> Event {
    tokio::time::timeout(PATIENCE, events.next()).await.expect("an event in time").expect("a connection")
}

async fn up(events: &mut Events) -> (u64, bool) {
    loop {
        if let Event::Up { connection, session_present } = next(events).await {
            return (connection, session_present);
        }
    }
}

async fn message(events: &mut Events) -> Incoming {
    loop {
        if let Event::Message(message) = next(events).await {
            return message;
        }
    }
}

fn listener(url: &str, id: &str, filter: &str) -> Settings {
    Settings { subscriptions: vec![(filter.into(), Qos::AtLeastOnce)], ..Settings::new(url, id) }
}

async fn ready(settings: Settings) -> (Publisher, Events) {
    let (publisher, mut events) = connect(settings).expect("good settings");
    up(&mut events).await;
    (publisher, events)
}

#[tokio::test]
async fn everything_behind_a_message_without_acknowledgement_is_delivered_again() {
    let broker = testkit::broker().await;
    let (sender, _sender_events) = ready(Settings::new(broker.url(), "sender")).await;
    let settings = Settings { clean_start: false, session_expiry: Duration::from_mins(1), ..listener(&broker.url(), "ingest", "t/+") };
    let (first, mut events) = ready(settings.clone()).await;
    for text in ["one", "two", "three"] {
        sender.publish("t/x", text, Qos::AtLeastOnce, false).await.expect("up");
    }
    let (one, two, three) = (message(&mut events).await, message(&mut events).await, message(&mut events).await);
    one.ack.expect("QoS 1").done();
    three.ack.expect("QoS 1").done();
    assert_eq!(&two.payload[..], b"two");
    first.close().await;
    assert!(first.publish("t/x", "late", Qos::AtMostOnce, false).await.is_err());

    let (_second, mut events) = connect(settings).expect("good settings");
    // The broker delivers them before it grants the subscription again. Their meaning depends on the interruption, so `Event::Up` comes first.
    assert!(matches!(next(&mut events).await, Event::Up { session_present: true, .. }));
    let again = [message(&mut events).await, message(&mut events).await];
    assert_eq!(again.each_ref().map(|message| &message.payload[..]), [b"two".as_slice(), b"three"]);
    // This acknowledgement belongs to the first connection and has no effect on the second one.
    two.ack.expect("QoS 1").done();
    for message in again {
        message.ack.expect("QoS 1").done();
    }
    sender.publish("t/x", "four", Qos::AtLeastOnce, false).await.expect("up");
    assert_eq!(&message(&mut events).await.payload[..], b"four");
}

#[tokio::test]
async fn the_will_is_made_for_each_connection_and_published_only_without_goodbye() {
    let broker = testkit::broker().await;
    let (_watcher, mut seen) = ready(listener(&broker.url(), "watcher", "will")).await;
    let make = |number: u64| Will { topic: "will".into(), payload: number.to_string().into(), qos: Qos::AtLeastOnce, retain: false };
    let settings = Settings { will: Some(Arc::new(make)), ..Settings::new(broker.url(), "node") };

    let (polite, _events) = ready(settings.clone()).await;
    polite.publish("will", "goodbye", Qos::AtLeastOnce, false).await.expect("up");
    polite.close().await;
    assert_eq!(&message(&mut seen).await.payload[..], b"goodbye");

    let (crashing, _events) = ready(settings.clone()).await;
    crashing.abort();
    assert_eq!(&message(&mut seen).await.payload[..], b"1");

    let (_forgotten, events) = ready(settings).await;
    drop(events);
    assert_eq!(&message(&mut seen).await.payload[..], b"1");
}

#[tokio::test]
async fn close_waits_until_the_broker_has_closed() {
    let server = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("mqtt://{}", server.local_addr().expect("a port"));
    let closed = Arc::new(AtomicBool::new(false));
    let is_closed = Arc::clone(&closed);
    let broker = tokio::spawn(async move {
        let (mut stream, _) = server.accept().await.expect("a client");
        let mut bytes = [0; 512];
        let _ = stream.read(&mut bytes).await.expect("CONNECT");
        stream.write_all(&[0x20, 3, 0, 0, 0]).await.expect("CONNACK");
        let mut last_words = Vec::new();
        stream.read_to_end(&mut last_words).await.expect("an orderly end");
        // Simulates a busy broker.
        tokio::time::sleep(Duration::from_millis(300)).await;
        is_closed.store(true, Ordering::Release);
        last_words
    });
    let (publisher, _events) = ready(Settings::new(url, "c")).await;
    publisher.publish("t", "last", Qos::AtMostOnce, false).await.expect("up");
    publisher.close().await;
    assert!(closed.load(Ordering::Acquire), "a process that ends now resets the connection");
    let last_words = broker.await.expect("no panic");
    assert!(last_words.windows(4).any(|bytes| bytes == b"last") && last_words.contains(&0xE0), "{last_words:?}");
}

#[tokio::test]
async fn taken_over_session_is_held_until_it_is_resumed() {
    let broker = testkit::broker().await;
    let settings = Settings { hold_when_taken_over: true, ..Settings::new(broker.url(), "shared") };
    let (first, mut first_events) = ready(settings.clone()).await;
    let (_second, mut second_events) = ready(settings).await;
    let down = next(&mut first_events).await;
    assert!(matches!(down, Event::Down { taken_over: true, .. }), "{down:?}");
    assert!(!first.is_up());
    let quiet = tokio::time::timeout(Duration::from_secs(1), async {
        tokio::select! {
            event = first_events.next() => event,
            event = second_events.next() => event,
        }
    });
    assert!(quiet.await.is_err(), "neither evicts the other");
    first.resume();
    up(&mut first_events).await;
    let down = next(&mut second_events).await;
    assert!(matches!(down, Event::Down { taken_over: true, .. }), "{down:?}");
}

#[tokio::test]
async fn delayed_will_is_published_unless_the_client_is_back() {
    let broker = testkit::broker().await;
    let (_watcher, mut seen) = ready(listener(&broker.url(), "watcher", "will")).await;
    let make = |number: u64| Will { topic: "will".into(), payload: number.to_string().into(), qos: Qos::AtLeastOnce, retain: false };
    let settings = Settings {
        will: Some(Arc::new(make)),
        will_delay: Duration::from_secs(2),
        clean_start: false,
        session_expiry: Duration::from_mins(1),
        ..Settings::new(broker.url(), "node")
    };
    let (crashing, _events) = ready(settings.clone()).await;
    crashing.abort();
    let (back, _events) = ready(settings).await;
    let silent = tokio::time::timeout(Duration::from_secs(4), seen.next()).await;
    assert!(silent.is_err(), "{silent:?}");
    back.abort();
    assert_eq!(&message(&mut seen).await.payload[..], b"1");
}

#[tokio::test]
async fn a_broker_that_dies_is_found_again_and_subscriptions_with_it() {
    let mut broker = testkit::broker().await;
    let (publisher, mut events) = connect(listener(&broker.url(), "node", "t")).expect("good settings");
    let (before, _) = up(&mut events).await;
    broker.kill();
    while !matches!(next(&mut events).await, Event::Down { .. }) {}
    assert!(publisher.publish("t", "lost", Qos::AtMostOnce, false).await.is_err());
    broker.restart().await;
    let (after, _) = up(&mut events).await;
    assert!(after > before);
    publisher.publish("t", "found", Qos::AtMostOnce, false).await.expect("up");
    assert_eq!(&message(&mut events).await.payload[..], b"found");
}

#[tokio::test]
async fn an_oversize_message_does_not_disturb_the_connection() {
    let broker = testkit::broker().await;
    let (sender, _sender_events) = ready(Settings::new(broker.url(), "sender")).await;
    let (_receiver, mut events) = ready(Settings { max_packet: 100_000, ..listener(&broker.url(), "receiver", "t") }).await;
    sender.publish("t", vec![0; 200_000], Qos::AtLeastOnce, false).await.expect("up");
    sender.publish("t", vec![1; 90_000], Qos::AtLeastOnce, false).await.expect("up");
    let event = next(&mut events).await;
    assert!(matches!(&event, Event::Message(message) if message.payload.len() == 90_000), "{event:?}");
}

#[tokio::test]
async fn renewal_ends_no_later_connection() {
    let broker = testkit::broker().await;
    let (publisher, mut events) = connect(listener(&broker.url(), "node", "t")).expect("good settings");
    let (before, _) = up(&mut events).await;
    publisher.renew();
    publisher.renew();
    let down = next(&mut events).await;
    assert!(matches!(down, Event::Down { connection, .. } if connection == before), "{down:?}");
    let up = next(&mut events).await;
    assert!(matches!(up, Event::Up { connection, .. } if connection == before + 1), "{up:?}");
}

#[tokio::test]
async fn resumed_session_is_subscribed_when_the_broker_grants() {
    let server = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("mqtt://{}", server.local_addr().expect("a port"));
    let settings = Settings { clean_start: false, session_expiry: Duration::from_mins(1), ..listener(&url, "c", "t") };
    let (client, mut events) = connect(settings).expect("good settings");
    let (mut stream, _) = server.accept().await.expect("a client");
    let _ = stream.read(&mut [0; 512]).await.expect("CONNECT");
    stream.write_all(&[0x20, 3, 1, 0, 0]).await.expect("CONNACK of a session that is there");
    let mut subscribe = [0; 512];
    let _ = stream.read(&mut subscribe).await.expect("SUBSCRIBE");
    stream.write_all(&PUBLISH).await.expect("PUBLISH");
    assert!(matches!(next(&mut events).await, Event::Up { session_present: true, .. }));
    message(&mut events).await;
    assert!(client.is_up() && !client.is_subscribed());
    stream.write_all(&[0x90, 4, subscribe[2], subscribe[3], 0, 1]).await.expect("SUBACK");
    stream.write_all(&PUBLISH).await.expect("PUBLISH");
    message(&mut events).await;
    assert!(client.is_subscribed());
    drop(stream);
    assert!(matches!(next(&mut events).await, Event::Down { .. }));
    assert!(!client.is_subscribed());
}

#[tokio::test]
async fn broker_that_does_not_answer_a_subscription_is_left() {
    const SESSION_PRESENT: u8 = 1;
    for session in [0, SESSION_PRESENT] {
        let server = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("mqtt://{}", server.local_addr().expect("a port"));
        let settings = Settings { clean_start: false, subscribe_limit: Duration::from_millis(100), ..listener(&url, "c", "t") };
        let (client, mut events) = connect(settings).expect("good settings");
        let (mut stream, _) = server.accept().await.expect("a client");
        let _ = stream.read(&mut [0; 512]).await.expect("CONNECT");
        stream.write_all(&[0x20, 3, session, 0, 0]).await.expect("CONNACK");
        if session == SESSION_PRESENT {
            assert!(matches!(next(&mut events).await, Event::Up { session_present: true, .. }));
        }
        let Event::Down { reason, .. } = next(&mut events).await else { panic!("the connection is given up") };
        assert!(reason.contains("has not answered the subscription"), "{reason}");
        assert!(!client.is_up());
        let _again = server.accept().await.expect("the next attempt");
    }
}

/// A broker that greets, and sends one packet without regard to limits as soon as it is greeted.
async fn rude_connection(server: &TcpListener, payload: usize) -> TcpStream {
    let (mut stream, _) = server.accept().await.expect("a client");
    let mut connect = [0; 512];
    let _ = stream.read(&mut connect).await.expect("CONNECT");
    let mut packet = vec![0x20, 3, 0, 0, 0, 0x30];
    let mut remaining = payload + 4;
    while remaining > 0 {
        packet.push((remaining % 128) as u8 | if remaining >= 128 { 0x80 } else { 0 });
        remaining /= 128;
    }
    packet.extend([0, 1, b't', 0]);
    packet.resize(packet.len() + payload, 0);
    // The client may close the connection before it has received the whole packet.
    let _ = stream.write_all(&packet).await;
    stream
}

#[tokio::test]
async fn a_broker_that_ignores_the_limit_cannot_loop_the_connection() {
    let server = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("mqtt://{}", server.local_addr().expect("a port"));
    let (_client, mut events) = connect(Settings { max_packet: 10_000, ..Settings::new(url, "c") }).expect("good settings");
    let _first = rude_connection(&server, 50_000).await;
    let _second = rude_connection(&server, 50_000).await;
    assert_eq!(message(&mut events).await.payload.len(), 50_000);
}

/// Returns the packet ids of the next `count` acknowledgements from a client.
async fn acknowledged(stream: &mut TcpStream, count: usize) -> Vec<u16> {
    const PUBACK: u8 = 0x40;
    let mut ids = Vec::new();
    while ids.len() < count {
        let kind = stream.read_u8().await.expect("a packet");
        let length = stream.read_u8().await.expect("a short packet");
        let mut body = vec![0; length.into()];
        stream.read_exact(&mut body).await.expect("a whole packet");
        if kind == PUBACK {
            ids.push(u16::from_be_bytes([body[0], body[1]]));
        }
    }
    ids
}

#[tokio::test]
async fn acknowledgements_are_sent_in_order_of_receipt() {
    let server = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("mqtt://{}", server.local_addr().expect("a port"));
    let (_client, mut events) = connect(Settings::new(url, "c")).expect("good settings");
    let (mut stream, _) = server.accept().await.expect("a client");
    let _ = stream.read(&mut [0; 512]).await.expect("CONNECT");
    stream.write_all(&[0x20, 3, 0, 0, 0]).await.expect("CONNACK");
    for id in 1..=4 {
        stream.write_all(&[0x32, 6, 0, 1, b't', 0, id, 0]).await.expect("PUBLISH");
    }
    let mut acks = Vec::new();
    for _ in 0..4 {
        acks.push(message(&mut events).await.ack.expect("QoS 1"));
    }
    let [first, second, third, fourth] = <[_; 4]>::try_from(acks).expect("four");
    fourth.done();
    let mut parts = second.split(2);
    parts.pop().expect("a part").done();
    first.done();
    assert_eq!(acknowledged(&mut stream, 1).await, [1]);
    parts.pop().expect("a part").done();
    assert_eq!(acknowledged(&mut stream, 1).await, [2]);
    third.done();
    assert_eq!(acknowledged(&mut stream, 2).await, [3, 4]);
}

#[test]
fn message_is_taken_care_of_with_its_last_part() {
    for (parts, done, expected) in [(0, 0, true), (1, 1, true), (3, 3, true), (3, 2, false)] {
        let (sender, settled) = std::sync::mpsc::channel();
        let mut acks = Ack::new(move |is_done| sender.send(is_done).expect("somebody listens")).split(parts);
        assert_eq!(acks.len(), parts);
        acks.drain(..done).for_each(Ack::done);
        drop(acks);
        assert_eq!(settled.try_iter().collect::<Vec<_>>(), [expected], "{done} of {parts}");
    }
}

#[tokio::test]
async fn a_full_inbox_stops_the_reading_and_loses_nothing() {
    let broker = testkit::broker().await;
    let (sender, _sender_events) = ready(Settings::new(broker.url(), "sender")).await;
    let (_receiver, mut events) = ready(Settings { inbox_bytes: 10_000, ..listener(&broker.url(), "receiver", "t") }).await;
    for number in 0..100_u8 {
        sender.publish("t", vec![number; 4_000], Qos::AtLeastOnce, false).await.expect("up");
    }
    let (first, second) = (message(&mut events).await, message(&mut events).await);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(events.try_next().is_none(), "there was room for two only");
    drop((first, second));
    for number in 2..100 {
        let message = message(&mut events).await;
        assert_eq!(message.payload[0], number);
    }
}
