//! Tests several ingests with one broker and one database: shards of the gateways, and a standby.

use std::time::Duration;

use bus::Bus;
use field::topic::MessageKind;
use grid::Share;
use ingest::{Deps, IngestConfig, Readiness};
use testkit::Flavour;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use wire::bus::BusMessage;

use crate::rig::{Rig, Rtu, current, followed, now_ms, on_bus};

/// Starts another ingest with the servers of a rig.
async fn another(rig: &Rig, bus: &Bus, config: IngestConfig) -> (JoinHandle<Result<(), ingest::Error>>, CancellationToken) {
    let shutdown = CancellationToken::new();
    let registry = followed(&rig.store, &rig.database_url, &shutdown).await;
    let (database_url, store) = (rig.database_url.clone(), rig.store.clone());
    let deps = Deps { database_url, store, registry, bus: bus.clone(), readiness: Readiness::default() };
    (tokio::spawn(ingest::run(config, deps, shutdown.clone())), shutdown)
}

#[tokio::test]
async fn each_gateway_is_taken_by_the_shard_it_falls_to() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let share = |part| Share::new(part, 2);
    let mut rig = Rig::start_with(database.url(), &broker.url(), move |config| IngestConfig { share: share(1), ..config }).await;
    let second_bus = Bus::local(1_000);
    let second = IngestConfig { client_id: "second".into(), host_id: "second".into(), share: share(2), ..rig.config() };
    let (mut first_messages, mut second_messages) = (rig.bus.subscribe(), second_bus.subscribe());
    let (running, shutdown) = another(&rig, &second_bus, second).await;
    let fields = on_bus(&mut second_messages, |message| match message {
        BusMessage::Alive { ingest, share, .. } => Some((ingest.clone(), *share)),
        _ => None,
    })
    .await;
    assert_eq!(fields, ("second".to_owned(), Some((2, 2))));
    let names: Vec<String> = (1..=6).map(|number| format!("RTU{number}")).collect();
    let of = |part: u32| names.iter().filter(|name| Share::new(part, 2).is_some_and(|share| share.covers(name))).count();
    assert!(of(1) > 0 && of(2) > 0, "both have something to do");
    let start = now_ms() - 10_000;
    for name in &names {
        let mut rtu = Rtu::connect(&broker.url(), name).await;
        rtu.birth(true).await;
        rtu.send(MessageKind::DBirth, "F3", vec![]).await;
        rtu.boxed(1, false, vec![current(1.0, start)]).await;
        rtu.acknowledged(1).await;
    }
    assert_eq!(rig.count("sample").await, 6);
    assert_eq!(rig.count("gateway WHERE online").await, 6);
    for (received, part) in [(&mut first_messages, 1), (&mut second_messages, 2)] {
        for _ in 0..of(part) {
            on_bus(received, |message| matches!(message, BusMessage::Gateway { online: true, .. }).then_some(())).await;
        }
    }
    shutdown.cancel();
    running.await.expect("no panic").expect("an orderly end");
    rig.stop_ingest().await;
}

#[tokio::test]
async fn a_second_process_of_a_shard_stands_by_and_takes_over() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let mut rig = Rig::start(database.url(), &broker.url()).await;
    let standby_bus = Bus::local(1_000);
    let mut messages = standby_bus.subscribe();
    let (running, shutdown) = another(&rig, &standby_bus, rig.config()).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 10_000;
    rtu.birth(true).await;
    rtu.boxed(1, false, vec![current(1.0, start)]).await;
    rtu.acknowledged(1).await;
    let silent = tokio::time::timeout(Duration::from_millis(1_500), messages.next()).await;
    assert!(silent.is_err(), "the second one takes nothing while the first is there");
    rig.kill_ingest().await;
    on_bus(&mut messages, |message| matches!(message, BusMessage::Alive { .. }).then_some(())).await;
    rtu.boxed(2, false, vec![current(2.0, start + 1)]).await;
    rtu.acknowledged(2).await;
    shutdown.cancel();
    running.await.expect("no panic").expect("an orderly end");
}

/// Sends a signal to all processes of a database server, to stop or to continue it.
fn signal(postgres: &testkit::TestPostgres, signal: &str) {
    let pid = postgres.pid().expect("it runs").to_string();
    for arguments in [vec!["pkill", signal, "-P", &pid], vec!["kill", signal, &pid]] {
        let done = std::process::Command::new(arguments[0]).args(&arguments[1..]).status().expect("a program");
        assert!(done.success(), "{arguments:?}");
    }
}

#[tokio::test]
async fn database_that_stood_still_keeps_the_leader() {
    let (postgres, broker) = (testkit::postgres_server(Flavour::Timescale).await, testkit::broker().await);
    store::migrate(&postgres.url()).await.expect("a schema");
    let quick = |config| IngestConfig { lead_pause: Duration::from_millis(250), ..config };
    let mut rig = Rig::start_with(&postgres.url(), &broker.url(), quick).await;
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    let start = now_ms() - 10_000;
    rtu.birth(true).await;
    rtu.boxed(1, false, vec![current(1.0, start)]).await;
    rtu.acknowledged(1).await;
    signal(&postgres, "-STOP");
    tokio::time::sleep(Duration::from_secs(1)).await;
    signal(&postgres, "-CONT");
    // Longer than all attempts to take the leadership again.
    for seq in 2..=30 {
        tokio::time::sleep(Duration::from_millis(150)).await;
        rtu.boxed(seq, false, vec![current(1.0, start + seq)]).await;
        rtu.acknowledged_at_least(seq).await;
    }
    rig.stop_ingest().await;
}
