//! Tests of the testkit: databases are separate and are removed, killed servers restart with their durable data.

use std::process::Command;

use testkit::{Flavour, TestBroker, broker, database_on, empty_database, postgres_server};
use tokio_postgres::NoTls;

#[tokio::test]
async fn a_database_is_migrated_its_own_and_gone_afterwards() {
    for flavour in Flavour::ALL {
        let (one, other) = (database_on(flavour).await, database_on(flavour).await);
        let client = one.client().await;
        let migrated = client.query_one("SELECT count(*) FROM sample", &[]).await.unwrap();
        assert_eq!(migrated.get::<_, i64>(0), 0, "{flavour:?}: migrated and empty");
        client.batch_execute("CREATE TABLE only_here ()").await.unwrap();
        let seen = other.client().await.query_one("SELECT to_regclass('only_here') IS NULL", &[]).await.unwrap();
        assert!(seen.get::<_, bool>(0), "{flavour:?}: a table crossed over");

        let name = one.name().to_owned();
        drop(one);
        let left = other.client().await.query("SELECT FROM pg_database WHERE datname = $1", &[&name]).await.unwrap();
        assert!(left.is_empty(), "{flavour:?}: {name} is still there");
    }
}

#[tokio::test]
async fn the_flavours_are_what_they_say() {
    for (flavour, expected) in [(Flavour::Timescale, "timescaledb"), (Flavour::Plain, "")] {
        let preloaded = empty_database(flavour).await.client().await.query_one("SHOW shared_preload_libraries", &[]).await.unwrap();
        assert_eq!(preloaded.get::<_, String>(0).contains("timescaledb"), !expected.is_empty(), "{flavour:?}");
    }
}

#[tokio::test]
async fn a_killed_postgres_comes_back_with_what_it_committed() {
    let mut server = postgres_server(Flavour::Timescale).await;
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)").await.unwrap();
    server.kill9();
    assert!(tokio_postgres::connect(&server.url(), NoTls).await.is_err(), "dead is dead");
    server.restart().await;
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    let kept = client.query_one("SELECT n FROM kept", &[]).await.unwrap();
    assert_eq!(kept.get::<_, i32>(0), 7);
}

#[tokio::test]
async fn a_killed_broker_comes_back_on_its_port() {
    let mut broker = broker().await;
    publish(&broker, "before");
    broker.kill();
    broker.restart().await;
    publish(&broker, "after");
    assert_eq!(retained(&broker), "after");
}

fn publish(broker: &TestBroker, text: &str) {
    broker.tool("mosquitto_pub", &["-t", "switchyard/kit", "-r", "-q", "1", "-m", text]).expect("the broker takes it");
}

fn retained(broker: &TestBroker) -> String {
    broker.tool("mosquitto_sub", &["-t", "switchyard/kit", "-C", "1", "-W", "60"]).expect("a retained message").trim().to_owned()
}

#[test]
fn nothing_but_a_clear_line_when_no_server_is_installed() {
    let nowhere = std::env::temp_dir().join("switchyard-none");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/services");
    let done = Command::new(script).arg("home").env("SWITCHYARD_CACHE", nowhere).output().unwrap();
    // If servers are installed on this machine, there is no error to check.
    if !done.status.success() {
        let message = String::from_utf8_lossy(&done.stderr);
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.contains("make test"), "{message}");
    }
}
