//! Tests a shutdown of ingest while it works through a backlog.

use std::collections::HashSet;
use std::time::Duration;

use field::client::{Event, Qos, Settings, connect};
use field::sparkplug::Payload;
use ingest::IngestConfig;

use crate::rig::{GROUP, PATIENCE, Rig, Rtu, current, database_client, now_ms};

/// Several times the number of messages that the broker sends before they are acknowledged.
const WAITING: u64 = 12_000;

#[tokio::test]
async fn an_orderly_end_leaves_at_the_broker_whatever_is_not_stored() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 1_000_000;
    rtu.birth(false).await;
    publish_value(&rtu, start).await;
    rig.until_count("sample", 1).await;
    rig.stop_ingest().await;
    for number in 1..WAITING {
        publish_value(&rtu, start + number).await;
    }

    rig.start_ingest().await;
    while rig.count("sample").await < 2 {}
    rig.stop_ingest().await;
    publish_value(&rtu, start + WAITING).await;
    let left = left_at_the_broker(&broker.url(), start + WAITING).await;
    let stored = "SELECT (extract(epoch FROM ts) * 1000)::bigint FROM sample";
    let rows = database_client(database.url()).await.query(stored, &[]).await.expect("the stored ones");
    let stored: HashSet<u64> = rows.iter().map(|row| row.get::<_, i64>(0) as u64).collect();
    assert_eq!(stored.intersection(&left).count(), 0, "the last acknowledgements are lost");
    let missing: Vec<u64> = (start..=start + WAITING).filter(|at| !stored.contains(at) && !left.contains(at)).collect();
    assert!(missing.is_empty(), "{} of {WAITING} are neither stored nor left, from {:?} on", missing.len(), missing.first());
}

/// Publishes one value at QoS 1 without outbox numbers: only the broker can deliver it again.
async fn publish_value(rtu: &Rtu, at: u64) {
    let payload = Payload { timestamp: None, seq: None, metrics: vec![current(at as f64, at)] };
    rtu.raw(&format!("spBv1.0/{GROUP}/DDATA/RTU1/F3"), payload.encode()).await;
}

/// Returns the times of the messages that the broker still keeps for ingest, up to the message with the time `last`.
async fn left_at_the_broker(url: &str, last: u64) -> HashSet<u64> {
    let ingest = IngestConfig::default();
    let settings = Settings {
        clean_start: false,
        session_expiry: ingest.session_expiry,
        subscriptions: field::topic::telemetry_filters(&[]).into_iter().map(|filter| (filter, Qos::AtLeastOnce)).collect(),
        ..Settings::new(url, ingest.client_id)
    };
    let (_publisher, mut events) = connect(settings).expect("a good address");
    let counting = async {
        let mut left = HashSet::new();
        loop {
            let Event::Message(message) = events.next().await.expect("a connection") else { continue };
            let Some(ack) = message.ack else { continue };
            ack.done();
            // The host's own STATE message of its shutdown.
            if message.topic.starts_with("spBv1.0/STATE/") {
                continue;
            }
            let payload = Payload::decode(&message.payload).expect("a payload");
            left.extend(payload.metrics.iter().filter_map(|metric| metric.timestamp));
            if left.contains(&last) {
                return left;
            }
        }
    };
    tokio::time::timeout(PATIENCE + Duration::from_secs(20), counting).await.expect("the last message")
}
