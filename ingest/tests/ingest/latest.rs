//! Tests that latest values which a writer has not written yet are written after its connection is lost.

use std::time::Duration;

use grid::measure::Quantity;
use grid::point::PointKind;
use grid::{Micros, Ordinal, Quality, Reading, Term};
use ingest::writer::Database;
use ingest::writer::connection::Connection;
use store::writer::{Batch, Sample};
use store::{Discovery, NewPoint};

use crate::rig::{GROUP, Rig, Rtu, current, database_client, now_ms};

/// More points than one batch writes to `latest` at once.
const POINTS: i64 = 600;

#[tokio::test]
async fn held_back_latest_values_outlive_lost_connection() {
    let database = testkit::database().await;
    let rig = Rig::prepare(database.url(), "mqtt://127.0.0.1:1", |config| config).await;
    let new = |number: i64| NewPoint {
        device: "F3".into(),
        metric: format!("F3/X{number}"),
        code: format!("X{number}"),
        kind: PointKind::Measurand,
        quantity: Quantity::Current,
        unit: "A".into(),
        expected_ms: None,
    };
    let now = Micros(i64::try_from(now_ms()).expect("a time") * 1_000);
    let points = (0..POINTS).map(new).collect();
    let discovery = Discovery { client: rig.client, gateway_code: format!("{GROUP}-RTU"), points, now };
    let points = rig.store.discover(&discovery).await.expect("points").points;
    // Older than the part of the history from which latest values are restored.
    let reading = Reading {
        value: Some(1.0),
        quality: Quality::Good,
        source: now.plus_millis(-48 * 3_600_000),
        received: now,
        ordinal: Ordinal::of_term(Term(1), 1),
    };
    let sample = |point: &grid::Point| Sample { point: point.id, client: rig.client, reading, historical: false, repeated: false };
    let batch = Batch { samples: points.iter().map(sample).collect(), ..Batch::default() };

    let mut connection = Connection::new(database.url().to_owned(), Duration::from_secs(30));
    connection.up().await;
    let other = database_client(database.url()).await;
    other.batch_execute("BEGIN; LOCK TABLE latest IN EXCLUSIVE MODE").await.expect("a lock");
    connection.commit(&batch, None).await.expect("a commit that does not touch latest");
    let others =
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    other.query(others, &[]).await.expect("the connections are ended");
    assert!(connection.commit(&Batch::default(), None).await.is_err(), "the connection is lost");
    other.batch_execute("ROLLBACK").await.expect("the lock is given back");
    connection.up().await;
    rig.until_count("latest", POINTS).await;
}

#[tokio::test]
async fn doubt_of_a_refused_value_is_stored_until_the_next_value() {
    const HOUR_MS: u64 = 3_600_000;
    let (broker, database) = (testkit::broker().await, testkit::database().await);
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU").await;
    rtu.birth(true).await;
    let now = now_ms();
    rtu.boxed(1, false, vec![current(1.0, now)]).await;
    rtu.acknowledged(1).await;
    let shown = async |rig: &Rig| {
        let latest = rig.store.latest_of(rig.client, None).await.expect("latest");
        latest.iter().map(|(_, reading)| (reading.value, reading.quality)).collect::<Vec<_>>()
    };
    assert_eq!(shown(&rig).await, [(Some(1.0), Quality::Good)]);
    // Its time cannot be accepted, so it is a dead letter, and the value before it may be outdated.
    rtu.boxed(2, false, vec![current(2.0, now + HOUR_MS)]).await;
    rtu.acknowledged(2).await;
    assert_eq!(rig.dead_letters().await, ["future"]);
    assert_eq!(shown(&rig).await, [(Some(1.0), Quality::Questionable)]);
    assert_eq!(rig.count("sample").await, 1, "the history keeps the value as it was sent");
    // In one message: the value, and a newer one that is refused.
    rtu.boxed(3, false, vec![current(3.0, now + 1), current(4.0, now + HOUR_MS)]).await;
    rtu.acknowledged(3).await;
    assert_eq!(shown(&rig).await, [(Some(3.0), Quality::Questionable)]);
    rtu.boxed(4, false, vec![current(5.0, now + 2)]).await;
    rtu.acknowledged(4).await;
    assert_eq!(shown(&rig).await, [(Some(5.0), Quality::Good)], "the next value ends the doubt");
    rig.stop_ingest().await;
}
