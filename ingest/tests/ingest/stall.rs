//! Tests a row that does not become durable although the database is available.

use std::time::Duration;

use ingest::readiness::State;
use ingest::{Deps, IngestConfig, Readiness};
use tokio_util::sync::CancellationToken;

use crate::rig::{PATIENCE, Rig, Rtu, current, database_client, followed, now_ms};

#[tokio::test]
async fn ingest_is_not_ready_while_a_row_is_stuck_on_its_way() {
    let (database, broker) = (testkit::database().await, testkit::broker().await);
    let patient = |config| IngestConfig { commit_timeout: PATIENCE * 2, unstored_limit: Duration::from_millis(500), ..config };
    let rig = Rig::prepare(database.url(), &broker.url(), patient).await;
    let (readiness, shutdown) = (Readiness::default(), CancellationToken::new());
    let registry = followed(&rig.store, &rig.database_url, &shutdown).await;
    let (database_url, store, bus) = (rig.database_url.clone(), rig.store.clone(), rig.bus.clone());
    let deps = Deps { database_url, store, registry, bus, readiness: readiness.clone() };
    let running = tokio::spawn(ingest::run(rig.config(), deps, shutdown.clone()));
    let reached = |state| tokio::time::timeout(PATIENCE, readiness.reached(state));
    reached(State::Subscribed).await.expect("subscriptions in time");
    let mut rtu = Rtu::connect(&broker.url(), "RTU1").await;
    rtu.birth(true).await;
    rtu.boxed(1, false, vec![current(1.0, now_ms())]).await;
    rtu.acknowledged(1).await;

    let locking = database_client(database.url()).await;
    locking.batch_execute("BEGIN; LOCK TABLE latest IN EXCLUSIVE MODE").await.expect("a lock");
    rtu.boxed(2, false, vec![current(2.0, now_ms())]).await;
    reached(State::Stalled).await.expect("it reports the stall");
    assert!(!readiness.is_ready());
    locking.batch_execute("ROLLBACK").await.expect("unlocked");
    rtu.acknowledged(2).await;
    reached(State::Subscribed).await.expect("it is ready again");
    shutdown.cancel();
    running.await.expect("no panic").expect("an orderly end");
}
