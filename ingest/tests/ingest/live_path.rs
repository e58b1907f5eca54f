//! Tests the path of a value from a gateway over MQTT to the database and the bus, and the acknowledgement to the
//! gateway.

use std::time::Duration;

use crate::rig::{GROUP, Rig, Rtu, Watcher, current, now_ms, on_bus, switch};
use field::client::Qos;
use field::sparkplug::{ACK_SEQ, DataType, Metric, MetricValue, Payload, REBIRTH, read_state};
use field::topic::MessageKind;
use ingest::IngestConfig;
use testkit::Flavour;
use wire::bus::BusMessage;

#[tokio::test]
async fn data_is_stored_shown_and_acknowledged_and_a_resend_doubles_nothing() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let mut bus = rig.bus.subscribe();
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 10_000;
    rtu.birth(true).await;
    rtu.send(MessageKind::DBirth, "F3", vec![current(1.0, start), switch(1, start)]).await;
    for seq in 1..=20 {
        rtu.boxed(seq, false, vec![current(seq as f64, start + seq), switch(if seq % 2 == 0 { 1 } else { 2 }, start + seq)]).await;
    }
    rtu.acknowledged(20).await;
    assert_eq!(rig.count("sample").await, 42);
    assert_eq!(rig.count("event").await, 20);

    let mut rows = 0;
    let mut last = 0;
    while rows < 20 {
        rows += on_bus(&mut bus, |message| match message {
            BusMessage::Events { from, offset, rows, .. } => {
                assert_eq!((*from, *offset - *from), (last, rows.len() as i64));
                last = *offset;
                Some(rows.len())
            }
            _ => None,
        })
        .await;
    }

    rtu.acked = 0;
    for seq in 1..=20 {
        rtu.boxed(seq, true, vec![current(seq as f64, start + seq), switch(if seq % 2 == 0 { 1 } else { 2 }, start + seq)]).await;
    }
    rtu.boxed(21, false, vec![current(99.0, start + 21)]).await;
    rtu.acknowledged_at_least(21).await;
    assert_eq!(rig.count("sample").await, 43);
    assert_eq!(rig.count("event").await, 20);
    assert_eq!(rig.count("dead_letter").await, 0);

    let registry = rig.store.registry(Some(rig.client)).await.expect("a registry");
    let [gateway] = &registry.gateways[..] else { panic!("{:?}", registry.gateways) };
    assert_eq!((gateway.code.as_str(), gateway.online, gateway.discovered), ("RTU1", true, true));
    rig.stop_ingest().await;
    // Measurands wait up to one second before they are written. The shutdown has written them.
    let latest = rig.store.latest_of(rig.client, None).await.expect("values");
    assert!(latest.iter().any(|(_, reading)| reading.value == Some(99.0)), "{latest:?}");
}

#[tokio::test]
async fn a_plain_client_with_aliases_is_discovered_and_stored() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let rig = Rig::start(database.url(), &broker.url()).await;
    let mut bus = rig.bus.subscribe();
    let mut rtu = Rtu::connect(&broker.url(), "PLAIN").await;
    rtu.birth(false).await;
    let power = Metric { alias: Some(7), datatype: Some(DataType::Int32), ..Metric::new("TX1/P", MetricValue::Int32(5)) };
    rtu.send(MessageKind::DBirth, "TX1", vec![power, Metric::new("Vendor", MetricValue::Text("X".into()))]).await;
    rig.until_count("sample", 1).await;
    // Identified by its alias only, and without a source time.
    rtu.send(MessageKind::DData, "TX1", vec![Metric { alias: Some(7), value: MetricValue::Int32(-3), ..Metric::default() }]).await;
    let change = on_bus(&mut bus, |message| match message {
        BusMessage::Changes { changes, .. } => changes.iter().find(|change| change.value == Some(-3.0)).copied(),
        _ => None,
    })
    .await;
    rig.until_count("sample WHERE value = -3", 1).await;
    let registry = rig.store.registry(Some(rig.client)).await.expect("a registry");
    let [point] = &registry.points[..] else { panic!("{:?}", registry.points) };
    assert_eq!((point.id.0, point.device.as_str(), point.metric.as_str(), point.unit.as_str()), (change.point, "TX1", "TX1/P", "MW"));
    rtu.send(MessageKind::NDeath, "", vec![]).await;
    on_bus(&mut bus, |message| matches!(message, BusMessage::Gateway { online: false, .. }).then_some(())).await;
    rig.until_count("gateway WHERE NOT online", 1).await;
}

#[tokio::test]
async fn poison_lands_among_the_dead_letters_and_good_traffic_goes_on() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let rig = Rig::start(database.url(), &broker.url()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let now = now_ms();
    rtu.birth(true).await;
    rtu.boxed(1, false, vec![current(1.0, now)]).await;
    rtu.acknowledged(1).await;

    let metric = |name: &str, value: f64, at: u64| Payload {
        timestamp: Some(now),
        metrics: vec![Metric::new(name, MetricValue::Double(value)).at(at)],
        seq: None,
    };
    let topic = format!("spBv1.0/{GROUP}/DDATA/RTU1/F3");
    rtu.raw(&topic, b"\xff\xfe no protobuf".to_vec()).await;
    rtu.raw(&topic, metric("F3/Ir", f64::NAN, now + 1).encode()).await;
    rtu.raw(&topic, metric("F3/Ir", 1.0, now + 3_600_000).encode()).await;
    rtu.raw(&topic, metric("F3/Ir", 1.0, 5).encode()).await;
    rtu.raw(&topic, metric("F3/\u{0}", 1.0, now).encode()).await;
    rtu.raw(&topic, vec![0x12; 1024 * 1024]).await;
    // The broker drops a message above the packet limit. Neither the connection nor the other messages are affected.
    rtu.raw(&topic, vec![0x12; 5 * 1024 * 1024]).await;
    rtu.raw("spBv1.0/NOBODY/DDATA/RTU1/F3", metric("F3/Ir", 1.0, now).encode()).await;
    rtu.publisher.publish(&topic, metric("F3/Ir", 7.0, now + 2).encode(), Qos::AtLeastOnce, true).await.expect("up");
    rtu.boxed(2, false, vec![current(2.0, now + 4)]).await;
    rtu.acknowledged(2).await;
    rig.until_count("dead_letter", 7).await;
    assert_eq!(rig.dead_letters().await, ["ancient", "future", "malformed", "metric_name", "not_finite", "oversize", "unknown_group"]);
}

#[tokio::test]
async fn nothing_is_acknowledged_while_the_database_is_away_and_the_picture_lives_on() {
    let (mut postgres, broker) = (testkit::postgres_server(Flavour::Timescale).await, testkit::broker().await);
    store::migrate(&postgres.url()).await.expect("a schema");
    let mut rig = Rig::start(&postgres.url(), &broker.url()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 10_000;
    rtu.birth(true).await;
    rtu.boxed(1, false, vec![current(1.0, start), switch(1, start)]).await;
    rtu.acknowledged(1).await;

    postgres.kill9();
    let mut bus = rig.bus.subscribe();
    for seq in 2..=50 {
        rtu.boxed(seq, false, vec![current(seq as f64, start + seq), switch(if seq % 2 == 0 { 2 } else { 1 }, start + seq)]).await;
    }
    on_bus(&mut bus, |message| match message {
        BusMessage::Changes { changes, .. } => changes.iter().any(|change| change.value == Some(50.0)).then_some(()),
        _ => None,
    })
    .await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(!rtu.has_command(ACK_SEQ));

    postgres.restart().await;
    rtu.acknowledged(50).await;
    assert_eq!(rig.count("sample").await, 100);
    assert_eq!(rig.count("event").await, 50);
    rig.stop_ingest().await;
}

#[tokio::test]
async fn a_gap_asks_for_a_rebirth_and_a_hole_in_the_outbox_too() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let _rig = Rig::start(database.url(), &broker.url()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 10_000;
    rtu.birth(true).await;
    rtu.boxed(1, false, vec![current(1.0, start)]).await;
    rtu.acknowledged(1).await;
    // Sparkplug's sequence has no gap, but number 2 of the outbox is missing.
    rtu.boxed(3, false, vec![current(3.0, start + 3)]).await;
    rtu.command(REBIRTH).await;
    rtu.birth(true).await;
    rtu.boxed(2, true, vec![current(2.0, start + 2)]).await;
    rtu.acknowledged(3).await;

    let gap = Payload { timestamp: None, seq: Some(100), metrics: vec![current(4.0, start + 4)] };
    rtu.raw(&format!("spBv1.0/{GROUP}/DDATA/RTU1/F3"), gap.encode()).await;
    rtu.command(REBIRTH).await;
}

#[tokio::test]
async fn a_restarted_ingest_asks_who_is_there_and_loses_and_doubles_nothing() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 10_000;
    rtu.birth(true).await;
    rtu.boxed(1, false, vec![switch(1, start)]).await;
    rtu.acknowledged(1).await;

    let mut state = Watcher::new(&broker.url(), "spBv1.0/STATE/+").await;
    rig.kill_ingest().await;
    state.until(|message| read_state(&message.payload).is_some_and(|(online, _)| !online)).await;
    // The broker keeps these messages of QoS 1.
    for seq in 2..=30 {
        rtu.boxed(seq, false, vec![switch(if seq % 2 == 0 { 2 } else { 1 }, start + seq)]).await;
    }
    rig.start_ingest().await;
    rtu.acknowledged_at_least(30).await;
    rtu.command(REBIRTH).await;
    assert_eq!(rig.count("event").await, 30);
    assert_eq!(rig.count("sample").await, 30);

    rig.stop_ingest().await;
    state.until(|message| read_state(&message.payload).is_some_and(|(online, _)| !online)).await;
}

#[tokio::test]
async fn a_live_message_that_overtakes_the_resend_acknowledges_nothing_unseen() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let rig = Rig::start(database.url(), &broker.url()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 10_000;
    rtu.acked = 4;
    rtu.boxed(9, false, vec![current(9.0, start + 9)]).await;
    rig.until_count("sample", 1).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!rtu.has_command(ACK_SEQ), "5 to 8 are not here");
    for seq in 5..=8 {
        rtu.boxed(seq, true, vec![current(seq as f64, start + seq)]).await;
    }
    rtu.acknowledged(9).await;
}

#[tokio::test]
async fn a_broker_that_dies_is_found_again() {
    let (database, mut broker) = (testkit::database().await, testkit::broker().await);
    let rig = Rig::start(database.url(), &broker.url()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 10_000;
    rtu.birth(true).await;
    rtu.boxed(1, false, vec![current(1.0, start)]).await;
    rtu.acknowledged(1).await;
    broker.restart().await;
    rtu.up().await;
    let mut state = Watcher::new(&broker.url(), "spBv1.0/STATE/+").await;
    state.until(|message| read_state(&message.payload).is_some_and(|(online, _)| online)).await;
    rtu.birth(true).await;
    rtu.boxed(2, false, vec![current(2.0, start + 1)]).await;
    rtu.acknowledged(2).await;
    assert_eq!(rig.count("sample").await, 2);
}

#[tokio::test]
async fn messages_with_a_new_point_during_an_outage_are_requested_again() {
    let (mut postgres, broker) = (testkit::postgres_server(Flavour::Timescale).await, testkit::broker().await);
    store::migrate(&postgres.url()).await.expect("a schema");
    let impatient = |config| IngestConfig { discovery_patience: Duration::from_millis(100), ..config };
    let mut rig = Rig::start_with(&postgres.url(), &broker.url(), impatient).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 10_000;
    rtu.birth(true).await;
    rtu.boxed(1, false, vec![current(1.0, start)]).await;
    rtu.acknowledged_after_resends(1, |_| vec![current(1.0, start)]).await;

    let mut bus = rig.bus.subscribe();
    postgres.kill9();
    let with_a_new_point = |seq: u64| vec![current(seq as f64, start + seq), switch(1, start + seq)];
    for seq in 2..=5 {
        rtu.boxed(seq, false, with_a_new_point(seq)).await;
    }
    on_bus(&mut bus, |message| match message {
        BusMessage::Changes { changes, .. } => changes.iter().any(|change| change.value == Some(5.0)).then_some(()),
        _ => None,
    })
    .await;
    postgres.restart().await;
    // No later message shows that these four are missing: the discovery leads to the rebirth request.
    rtu.acknowledged_after_resends(5, with_a_new_point).await;
    assert_eq!(rig.count("sample").await, 1 + 2 * 4);
    rig.stop_ingest().await;
}

#[tokio::test]
async fn full_hold_queue_pauses_reading_without_loss() {
    let (mut postgres, broker) = (testkit::postgres_server(Flavour::Timescale).await, testkit::broker().await);
    store::migrate(&postgres.url()).await.expect("a schema");
    let small = |config| IngestConfig { hold_bytes: 200_000, ..config };
    let mut rig = Rig::start_with(&postgres.url(), &broker.url(), small).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 10_000;
    rtu.birth(true).await;
    // Both points are known before the outage. A message with a new point is acknowledged only after it was sent again,
    // and this gateway sends each message once.
    rtu.boxed(1, false, vec![current(1.0, start), switch(1, start)]).await;
    rtu.acknowledged(1).await;

    let mut state = Watcher::new(&broker.url(), "spBv1.0/STATE/+").await;
    postgres.kill9();
    for seq in 2..=900 {
        rtu.boxed(seq, false, vec![current(seq as f64, start + seq), switch(1, start + seq)]).await;
    }
    state.until(|message| read_state(&message.payload).is_some_and(|(online, _)| !online)).await;
    postgres.restart().await;
    state.until(|message| read_state(&message.payload).is_some_and(|(online, _)| online)).await;
    rtu.acknowledged(900).await;
    assert_eq!(rig.count("sample").await, 2 * 900);
    rig.stop_ingest().await;
}

#[tokio::test]
async fn position_after_a_step_of_the_clock_is_the_latest_on_the_bus_and_in_the_database() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let mut bus = rig.bus.subscribe();
    let ahead = || now_ms() + 240_000;
    let mut boxed = Rtu::connect(&broker.url(), "BOXED").await;
    boxed.birth(true).await;
    boxed.boxed(1, false, vec![switch(1, ahead())]).await;
    boxed.boxed(2, false, vec![switch(2, now_ms())]).await;
    let mut plain = Rtu::connect(&broker.url(), "PLAIN").await;
    plain.birth(false).await;
    plain.send(MessageKind::DData, "F3", vec![switch(1, ahead())]).await;
    plain.send(MessageKind::DData, "F3", vec![switch(2, now_ms())]).await;
    let mut shown = std::collections::HashMap::new();
    while shown.len() < 2 || shown.values().any(|values: &Vec<_>| values.len() < 2) {
        on_bus(&mut bus, |message| match message {
            BusMessage::Changes { changes, .. } => {
                for change in changes {
                    shown.entry(change.point).or_default().push(change.value);
                }
                Some(())
            }
            _ => None,
        })
        .await;
    }
    assert!(shown.values().all(|values| *values == [Some(1.0), Some(2.0)]), "{shown:?}");
    rig.until_count("sample", 4).await;
    rig.stop_ingest().await;
    let stored = || async { rig.store.latest_of(rig.client, None).await.expect("values") };
    let values = |latest: Vec<(grid::PointId, grid::Reading)>| latest.into_iter().map(|(_, reading)| reading.value).collect::<Vec<_>>();
    assert_eq!(values(stored().await), [Some(2.0); 2]);
    // The history still has the values with future times. A new writer does not take them as the latest ones.
    drop(store::Writer::connect(database.url()).await.expect("a writer"));
    assert_eq!(values(stored().await), [Some(2.0); 2]);
}
