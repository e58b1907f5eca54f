//! Tests the spool: values acknowledged while the database is unavailable are stored afterwards, once and in order.

use std::path::PathBuf;

use field::sparkplug::Metric;
use field::topic::MessageKind;
use ingest::IngestConfig;
use testkit::Flavour;
use wire::bus::BusMessage;

use crate::rig::{Rig, Rtu, current, now_ms, on_bus, switch};

fn folder() -> PathBuf {
    std::env::temp_dir().join(testkit::unique("ingest_spool"))
}

fn values(seq: u64, start: u64) -> Vec<Metric> {
    vec![current(seq as f64, start + seq), switch(if seq.is_multiple_of(2) { 2 } else { 1 }, start + seq)]
}

#[tokio::test]
async fn what_is_acknowledged_from_the_spool_is_stored_once_and_in_order() {
    let (mut postgres, broker, folder) = (testkit::postgres_server(Flavour::Timescale).await, testkit::broker().await, folder());
    store::migrate(&postgres.url()).await.expect("a schema");
    let spool = folder.clone();
    let mut rig =
        Rig::start_with(&postgres.url(), &broker.url(), move |config| IngestConfig { spool_dir: Some(spool.clone()), ..config }).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 60_000;
    rtu.birth(true).await;
    rtu.send(MessageKind::DBirth, "F3", vec![]).await;
    rtu.boxed(1, false, values(1, start)).await;
    rtu.acknowledged(1).await;

    postgres.kill9();
    for seq in 2..=200 {
        rtu.boxed(seq, false, values(seq, start)).await;
    }
    // The database is unavailable, so the acknowledged messages are in the spool.
    rtu.acknowledged(200).await;

    let mut bus = rig.bus.subscribe();
    postgres.restart().await;
    // These messages are stored directly or follow in the spool. Both give the same result.
    for seq in 201..=260 {
        rtu.boxed(seq, false, values(seq, start)).await;
    }
    let mut last = 1;
    while last < 260 {
        last = on_bus(&mut bus, |message| match message {
            BusMessage::Events { from, offset, .. } => {
                assert_eq!(*from, last, "no gap and nothing twice");
                Some(*offset)
            }
            _ => None,
        })
        .await;
    }
    rtu.acknowledged(260).await;
    rig.until_count("sample", 2 * 260).await;
    assert_eq!(rig.count("event").await, 260);
    let order = "(SELECT offset_at, lag(offset_at) OVER (ORDER BY seq) AS before FROM (SELECT seq, \"offset\" AS offset_at FROM event) e) o WHERE before > offset_at";
    assert_eq!(rig.count(order).await, 0, "events keep the order in which they were numbered");
    rig.stop_ingest().await;
    std::fs::remove_dir_all(folder).expect("removable");
}

#[tokio::test]
async fn an_orderly_end_leaves_the_rest_to_the_next_start() {
    let (mut postgres, broker, folder) = (testkit::postgres_server(Flavour::Timescale).await, testkit::broker().await, folder());
    store::migrate(&postgres.url()).await.expect("a schema");
    let spool = folder.clone();
    let mut rig =
        Rig::start_with(&postgres.url(), &broker.url(), move |config| IngestConfig { spool_dir: Some(spool.clone()), ..config }).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 60_000;
    rtu.birth(true).await;
    rtu.boxed(1, false, values(1, start)).await;
    rtu.acknowledged(1).await;
    postgres.kill9();
    for seq in 2..=50 {
        rtu.boxed(seq, false, values(seq, start)).await;
    }
    rtu.acknowledged(50).await;
    rig.stop_ingest().await;
    postgres.restart().await;
    assert_eq!(rig.count("sample").await, 2);
    rig.start_ingest().await;
    rig.until_count("sample", 2 * 50).await;
    assert_eq!(rig.count("event").await, 50);
    rig.stop_ingest().await;
    std::fs::remove_dir_all(folder).expect("removable");
}

#[tokio::test]
async fn a_spool_without_room_leaves_it_to_the_hold_and_the_outbox() {
    let (mut postgres, broker, folder) = (testkit::postgres_server(Flavour::Timescale).await, testkit::broker().await, folder());
    store::migrate(&postgres.url()).await.expect("a schema");
    let spool = folder.clone();
    let tight = move |config| IngestConfig { spool_dir: Some(spool.clone()), spool_bytes: 8_000, hold_bytes: 200_000, ..config };
    let mut rig = Rig::start_with(&postgres.url(), &broker.url(), tight).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 60_000;
    rtu.birth(true).await;
    rtu.boxed(1, false, values(1, start)).await;
    rtu.acknowledged(1).await;
    postgres.kill9();
    for seq in 2..=1_000 {
        rtu.boxed(seq, false, values(seq, start)).await;
        if seq == 5 {
            rtu.acknowledged(5).await;
        }
    }
    assert!(rtu.acked < 1_000, "no more than there is room for");
    postgres.restart().await;
    rtu.acknowledged_at_least(1_000).await;
    rig.until_count("sample", 2 * 1_000).await;
    assert_eq!(rig.count("event").await, 1_000);
    rig.stop_ingest().await;
    std::fs::remove_dir_all(folder).expect("removable");
}
