//! An end in the middle of a backlog.

use std::time::Duration;

use field::client::{Event, Qos, Settings, connect};
use field::sparkplug::Payload;
use ingest::IngestConfig;

use crate::rig::{GROUP, PATIENCE, Rig, Rtu, current, now_ms};

/// Several times what may be on the way to ingest.
const WAITING: u64 = 12_000;

#[tokio::test]
async fn an_orderly_end_leaves_at_the_broker_exactly_what_is_not_stored() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 1_000_000;
    rtu.birth(false).await;
    said(&rtu, start).await;
    rig.until_count("sample", 1).await;
    rig.stop_ingest().await;
    for number in 1..WAITING {
        said(&rtu, start + number).await;
    }

    rig.start_ingest().await;
    while rig.count("sample").await < 2 {}
    rig.stop_ingest().await;
    let stored = rig.count("sample").await as u64;
    said(&rtu, start + WAITING).await;
    let left = left_at_the_broker(&broker.url(), start + WAITING).await;
    assert_eq!(stored + left, WAITING + 1, "{stored} stored, {left} left");
}

/// One value by QoS 1, without an outbox: whether it comes again is between ingest and the broker.
async fn said(rtu: &Rtu, at: u64) {
    let payload = Payload { timestamp: None, seq: None, metrics: vec![current(at as f64, at)] };
    rtu.raw(&format!("spBv1.0/{GROUP}/DDATA/RTU1/F3"), payload.encode()).await;
}

/// How many messages the broker still has for ingest, up to the one of this time.
async fn left_at_the_broker(url: &str, last: u64) -> u64 {
    let ingest = IngestConfig::default();
    let settings = Settings {
        clean_start: false,
        session_expiry: ingest.session_expiry,
        subscriptions: field::topic::telemetry_filters(&[]).into_iter().map(|filter| (filter, Qos::AtLeastOnce)).collect(),
        ..Settings::new(url, ingest.client_id)
    };
    let (_publisher, mut events) = connect(settings).expect("a good address");
    let counting = async {
        let mut left = 0;
        loop {
            let Event::Message(message) = events.next().await.expect("a connection") else { continue };
            let Some(ack) = message.ack else { continue };
            ack.done();
            left += 1;
            let payload = Payload::decode(&message.payload).expect("a payload");
            if payload.metrics.iter().any(|metric| metric.timestamp == Some(last)) {
                return left;
            }
        }
    };
    tokio::time::timeout(PATIENCE + Duration::from_secs(20), counting).await.expect("the last message")
}
