//! Tests the guarantees of the bus in both forms: within one process, and over MQTT.

use std::time::Duration;

use bus::{Bus, Received, RemoteSettings, Subscription};
use wire::bus::{BusMessage, Change};

const PATIENCE: Duration = Duration::from_mins(1);
const CAPACITY: usize = 16;

fn remote(url: &str, id: &str) -> Bus {
    Bus::mqtt(RemoteSettings::new(url, id), CAPACITY).expect("a good address")
}

fn change(point: i64) -> BusMessage {
    let change = Change { point, value: Some(0.5), quality: 0, source: 1, received: 2, epoch: 3, seq: 4 };
    BusMessage::Changes { client: 1, changes: vec![change] }
}

async fn next(subscription: &mut Subscription) -> Received {
    tokio::time::timeout(PATIENCE, subscription.next()).await.expect("in time").expect("a bus")
}

/// Returns the point of the next message; `None` if messages were missed.
async fn next_point(subscription: &mut Subscription) -> Option<i64> {
    match next(subscription).await {
        Received::Lagged => None,
        Received::Message(message) => match &*message {
            BusMessage::Changes { changes, .. } => Some(changes[0].point),
            other => panic!("unexpected {other:?}"),
        },
    }
}

/// Checks the guarantees with two handles: of one process, or of two processes.
async fn keeps_its_promises(sender: Bus, receiver: Bus) {
    assert!(sender.ready(PATIENCE).await && receiver.ready(PATIENCE).await);
    let mut first = receiver.subscribe();
    let mut second = receiver.subscribe();
    for point in 1..=3 {
        sender.publish(change(point));
    }
    for point in 1..=3 {
        assert_eq!(next_point(&mut first).await, Some(point));
        assert_eq!(next_point(&mut second).await, Some(point));
    }
    sender.publish(BusMessage::Events { client: 1, epoch: "e".into(), from: 4, offset: 5, rows: vec![] });
    assert!(matches!(next(&mut first).await, Received::Message(message) if matches!(*message, BusMessage::Events { offset: 5, .. })));

    // A subscriber that does not read delays no other subscriber. It is informed that it has missed messages.
    for point in 0..100 {
        sender.publish(change(point));
        assert_eq!(next_point(&mut first).await, Some(point));
    }
    assert_eq!(next_point(&mut second).await, None);
    let newest = loop {
        let point = next_point(&mut second).await.expect("no second gap");
        if point == 99 {
            break point;
        }
    };
    assert_eq!(newest, 99);
    sender.close().await;
    receiver.close().await;
}

#[tokio::test]
async fn within_one_process() {
    let bus = Bus::local(CAPACITY);
    keeps_its_promises(bus.clone(), bus).await;
}

#[tokio::test]
async fn over_the_broker() {
    let broker = testkit::broker().await;
    keeps_its_promises(remote(&broker.url(), "ingest"), remote(&broker.url(), "hub")).await;
}

#[tokio::test]
async fn after_the_broker_was_away_subscribers_are_told() {
    let mut broker = testkit::broker().await;
    let (sender, receiver) = (remote(&broker.url(), "ingest"), remote(&broker.url(), "hub"));
    assert!(sender.ready(PATIENCE).await && receiver.ready(PATIENCE).await);
    let mut subscription = receiver.subscribe();
    broker.restart().await;
    assert!(matches!(next(&mut subscription).await, Received::Lagged));
    // The sender may not be connected yet. Until then its messages are lost.
    let arrives = async |subscription: &mut Subscription| while next_point(subscription).await != Some(7) {};
    loop {
        sender.publish(change(7));
        if tokio::time::timeout(Duration::from_millis(100), arrives(&mut subscription)).await.is_ok() {
            break;
        }
    }
}

#[tokio::test]
async fn what_is_no_message_is_no_disaster() {
    let broker = testkit::broker().await;
    let bus = remote(&broker.url(), "hub");
    assert!(bus.ready(PATIENCE).await);
    let mut subscription = bus.subscribe();
    let (stranger, mut events) = field::client::connect(field::client::Settings::new(broker.url(), "stranger")).expect("a good address");
    events.next().await.expect("up");
    stranger.publish("switchyard/live/1/changes", "{", field::client::Qos::AtMostOnce, false).await.expect("up");
    assert!(matches!(next(&mut subscription).await, Received::Lagged));
    bus.publish(change(8));
    assert_eq!(next_point(&mut subscription).await, Some(8));
}

#[tokio::test]
async fn bus_that_receives_nothing_more_is_not_ready() {
    let broker = testkit::broker().await;
    let bus = remote(&broker.url(), "hub");
    assert!(bus.ready(PATIENCE).await);
    // The connection ends for good, like after a panic of its task.
    bus.close().await;
    let noticed = async {
        while bus.ready(Duration::from_millis(1)).await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, noticed).await.expect("not ready");
}
