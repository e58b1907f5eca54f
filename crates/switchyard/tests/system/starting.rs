//! A service that cannot read the registry yet: it is served, says why it is not ready, and ends at once when it is stopped.

use crate::product::Servers;

#[tokio::test]
async fn hub_without_a_readable_registry_answers_and_stops() {
    answers_and_stops("hub").await;
}

#[tokio::test]
async fn api_without_a_readable_registry_answers_and_stops() {
    answers_and_stops("api").await;
}

#[tokio::test]
async fn ingest_without_a_readable_registry_answers_and_stops() {
    answers_and_stops("ingest").await;
}

async fn answers_and_stops(service: &str) {
    let database = testkit::database().await;
    let broker = testkit::broker().await;
    let servers = Servers { database: database.url().to_owned(), mqtt: broker.url() };
    servers.finish(&["migrate"]).await;
    let client = database.client().await;
    client.batch_execute("BEGIN; LOCK TABLE point IN ACCESS EXCLUSIVE MODE").await.expect("a lock");
    let mut started = servers.launch(&[service], testkit::free_port());
    let not_ready = started.not_ready().await;
    assert_eq!(not_ready["registry"], false);
    assert_eq!(not_ready["reasons"]["registry"], "not ready: the registry is being read");
    assert_eq!(started.status("/healthz").await, Some(200));
    client.batch_execute("ALTER TABLE point RENAME TO point_away; COMMIT").await.expect("the table is away");
    started.not_ready_until(|message| message["reasons"]["registry"].as_str().is_some_and(|reason| reason.contains("point"))).await;
    client.batch_execute("BEGIN; LOCK TABLE node IN ACCESS EXCLUSIVE MODE").await.expect("a lock");
    assert!(started.stop().await.success(), "an orderly end while the registry is being read");
    client.batch_execute("ROLLBACK; ALTER TABLE point_away RENAME TO point").await.expect("the table is back");
    servers.start(&[service]).await;
}
