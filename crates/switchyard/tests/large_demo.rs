//! Runs `switchyard seed --demo --large`: the large utility is stored, its network of 100,000 nodes is active, and a second run changes nothing.

use std::process::{Command, Output};
use std::time::{SystemTime, UNIX_EPOCH};

use grid::Micros;
use store::Store;
use store::network::VersionNumber;

fn seed(database: &testkit::TestDatabase) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchyard"));
    command.args(["seed", "--demo", "--large"]).env("DATABASE_URL", database.url());
    command.output().expect("it runs")
}

#[tokio::test(flavor = "multi_thread")]
async fn large_utility_is_seeded_once_with_an_active_network() {
    let database = testkit::database().await;
    let first = seed(&database);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let shown = String::from_utf8_lossy(&first.stdout);
    assert!(shown.contains("Vistar Power Distribution: 27 substations"), "{shown}");
    let progress = String::from_utf8_lossy(&first.stderr);
    assert!(progress.contains("storing the network of Vistar Power Distribution: "), "{progress}");

    let store = Store::connect(database.url(), 2).await.expect("connected");
    let large = store.clients().await.expect("read").into_iter().find(|client| client.code == "VISTAR").expect("stored");
    let versions = || async { store.network_versions(large.id, None, 10).await.expect("read") };
    let stored = versions().await;
    assert!(stored.len() == 1 && stored[0].counts.nodes >= 100_000, "{stored:?}");
    let now = Micros(SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_micros() as i64);
    let active = store.active_network(large.id, now).await.expect("read").expect("active");
    assert_eq!(active.version, VersionNumber(1));

    assert!(seed(&database).status.success());
    assert_eq!(versions().await, stored, "a second run changes nothing");
}
