//! Tests the registry with a real database: after each change its image equals that of a new load.

#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::sync::Arc;
use std::time::Duration;

use grid::measure::Quantity;
use grid::point::PointKind;
use grid::{ClientId, GatewayId, Level, NodeId, PointId};
use registry::{FollowSettings, Image, Registry, follow};
use store::Store;
use store::seed::{AssetSeed, ClientSeed, GatewaySeed, NodeSeed, PointSeed};
use testkit::TestDatabase;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A database with two utilities.
struct Site {
    database: TestDatabase,
    store: Store,
    clients: [ClientId; 2],
    location: NodeId,
    gateway: GatewayId,
    points: Vec<PointId>,
}

async fn put_node(store: &Store, client: ClientId, level: Level, parent: Option<NodeId>, code: &str) -> NodeId {
    let seed = NodeSeed { client, level, parent, code: code.to_owned(), name: code.to_owned(), kv: None, lat: None, lon: None };
    store.put_node(&seed).await.unwrap()
}

async fn site() -> Site {
    let database = testkit::database().await;
    let store = Store::connect(database.url(), 4).await.unwrap();
    let mut entered = Vec::new();
    for code in ["ONE", "TWO"] {
        let seed = ClientSeed { code: code.into(), name: code.into(), time_zone: "Asia/Kolkata".into(), config: serde_json::json!({}) };
        let client = store.put_client(&seed).await.unwrap();
        let mut parent = None;
        for level in Level::ALL {
            parent = Some(put_node(&store, client, level, parent, "N1").await);
        }
        let location = parent.unwrap();
        let gateway = store.put_gateway(&GatewaySeed { client, code: "RTU".into(), name: "RTU".into(), location }).await.unwrap();
        let points = put_feeder(&store, client, location, gateway, "F1", 3).await;
        entered.push((client, location, gateway, points));
    }
    let (client, location, gateway, points) = entered.swap_remove(0);
    Site { clients: [client, entered[0].0], database, store, location, gateway, points }
}

async fn put_feeder(store: &Store, client: ClientId, location: NodeId, gateway: GatewayId, code: &str, points: usize) -> Vec<PointId> {
    let seed = AssetSeed { kv: Some(11.0), ..AssetSeed::new(client, location, code, 1, "feeder") };
    let asset = store.put_assets(&[seed]).await.unwrap()[0];
    let points: Vec<PointSeed> = (0..points)
        .map(|number| PointSeed {
            client,
            gateway,
            asset,
            device: code.into(),
            metric: format!("{code}/I{number}"),
            code: format!("I{number}"),
            kind: PointKind::Measurand,
            quantity: Quantity::Current,
            unit: "A".into(),
            decimals: 1,
            scale: 1.0,
            expected_ms: None,
        })
        .collect();
    store.put_points(&points).await.unwrap()
}

impl Site {
    /// Follows without periodic polls: changes arrive only by notification or by a refresh.
    async fn follow(&self) -> (Registry, DropGuard) {
        let shutdown = CancellationToken::new();
        let settings = FollowSettings { poll: Duration::from_hours(1), ..FollowSettings::new(self.database.url()) };
        let registry = follow(self.store.clone(), settings, shutdown.clone()).await.unwrap();
        (registry, shutdown.drop_guard())
    }

    /// Returns the image of a new load.
    async fn fresh(&self) -> Arc<Image> {
        self.follow().await.0.image()
    }

    async fn run(&self, statement: &str) {
        self.database.client().await.batch_execute(statement).await.unwrap();
    }
}

/// Waits for an image for which `is_there` returns true.
async fn until(registry: &mut Registry, is_there: impl Fn(&Image) -> bool) -> Arc<Image> {
    let found = tokio::time::timeout(Duration::from_mins(1), async {
        while !is_there(&registry.image()) {
            assert!(registry.changed().await, "the registry is followed");
        }
        registry.image()
    });
    found.await.expect("the change arrives")
}

/// Returns whether an image contains a change.
type IsThere = fn(&Image, &Site) -> bool;

#[tokio::test]
async fn each_kind_of_change_arrives_by_notice_and_equals_a_fresh_load() {
    let site = site().await;
    let (mut registry, _guard) = site.follow().await;
    let before = registry.image();
    assert_eq!(before.points_len(), 6);
    let one = site.clients[0];
    let changes: [(&str, IsThere); 7] = [
        ("UPDATE client SET name = 'Another name' WHERE code = 'ONE'", |image, site| {
            Arc::new(image.clone()).utility(site.clients[0]).unwrap().client().name == "Another name"
        }),
        ("UPDATE node SET name = 'Renamed' WHERE code = 'N1' AND level = 6", |image, site| {
            image.node(site.location).unwrap().name == "Renamed"
        }),
        ("UPDATE asset SET name = 'Feeder 1' WHERE code = 'F1'", |image, site| {
            site.points.iter().all(|point| image.point(*point).unwrap().asset_name == "Feeder 1")
        }),
        ("UPDATE gateway SET name = 'Gateway'", |image, site| image.gateway(site.gateway).unwrap().name == "Gateway"),
        ("UPDATE point SET unit = 'kA' WHERE metric = 'F1/I0'", |image, site| image.point(site.points[0]).unwrap().unit == "kA"),
        (
            "INSERT INTO drawing (client_id, location_id, name, body) SELECT client_id, id, 'drawing', '{}' FROM node WHERE level = 6",
            |image, site| image.node(site.location).unwrap().drawing_stored.is_some(),
        ),
        ("DELETE FROM point WHERE metric = 'F1/I2'", |image, site| image.point(site.points[2]).is_none()),
    ];
    for (statement, is_there) in changes {
        assert!(!is_there(&registry.image(), &site), "not yet: {statement}");
        site.run(statement).await;
        let image = until(&mut registry, |image| is_there(image, &site)).await;
        assert_eq!(image, site.fresh().await, "after {statement}");
    }
    put_feeder(&site.store, one, site.location, site.gateway, "F2", 1).await;
    let image = until(&mut registry, |image| image.points_len() == 5).await;
    assert_eq!(image, site.fresh().await);
    assert_eq!(before.points_len(), 6, "an image that somebody holds stays as it is");
}

#[tokio::test]
async fn change_of_one_point_leaves_all_other_rows_shared() {
    let site = site().await;
    let (mut registry, _guard) = site.follow().await;
    let before = registry.image();
    site.run(&format!("UPDATE point SET decimals = 3 WHERE id = {}", site.points[1])).await;
    let after = until(&mut registry, |image| image.point(site.points[1]).unwrap().decimals == 3).await;
    for point in before.points().filter(|point| point.id != site.points[1]) {
        assert!(Arc::ptr_eq(point, after.point(point.id).unwrap()), "point {} is shared", point.id);
    }
    assert!(Arc::ptr_eq(before.node(site.location).unwrap(), after.node(site.location).unwrap()));
}

#[tokio::test]
async fn moved_node_gives_everything_below_another_path() {
    let site = site().await;
    let (mut registry, _guard) = site.follow().await;
    let utility = registry.utility(site.clients[0]).unwrap();
    let path = utility.node(site.location).unwrap().path.clone();
    let section = path[path.len() - 2];
    let other = put_node(&site.store, site.clients[0], Level::Section, Some(path[path.len() - 3]), "N2").await;
    site.run(&format!("UPDATE node SET parent_id = {other} WHERE id = {}", site.location)).await;
    let image = until(&mut registry, |image| image.node(site.location).unwrap().parent == Some(other)).await;
    assert!(image.node(site.location).unwrap().path.contains(&other) && !image.node(site.location).unwrap().path.contains(&section));
    assert_eq!(image, site.fresh().await);
}

#[tokio::test]
async fn statement_that_changes_very_many_rows_reloads_the_utility() {
    let site = site().await;
    let (mut registry, _guard) = site.follow().await;
    let points = put_feeder(&site.store, site.clients[0], site.location, site.gateway, "BIG", 1_500).await;
    let image = until(&mut registry, |image| image.points_len() == 1_506).await;
    assert_eq!(image, site.fresh().await);
    let logged = "SELECT count(*) FILTER (WHERE subject_id IS NULL), count(*) FILTER (WHERE kind = 'point' AND subject_id >= $1) FROM registry_change";
    let row = site.database.client().await.query_one(logged, &[&points[0].0]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (1, 0), "one entry for the whole statement");
    site.run("BEGIN; DELETE FROM point WHERE metric LIKE 'BIG/%'; DELETE FROM asset WHERE code = 'BIG'; COMMIT").await;
    assert_eq!(until(&mut registry, |image| image.points_len() == 6).await, site.fresh().await);
}

#[tokio::test]
async fn change_committed_after_later_ones_is_not_left_out() {
    let site = site().await;
    let (mut registry, _guard) = site.follow().await;
    let mut slow = site.database.client().await;
    let early = slow.transaction().await.unwrap();
    early.batch_execute("UPDATE client SET name = 'early' WHERE code = 'ONE'").await.unwrap();
    // Two later transactions become visible first.
    for name in ["later", "last"] {
        site.run(&format!("UPDATE client SET name = '{name}' WHERE code = 'TWO'")).await;
        until(&mut registry, |image| Arc::new(image.clone()).utility(site.clients[1]).unwrap().client().name == name).await;
    }
    early.commit().await.unwrap();
    let image = until(&mut registry, |image| Arc::new(image.clone()).utility(site.clients[0]).unwrap().client().name == "early").await;
    assert_eq!(image, site.fresh().await);
}

#[tokio::test]
async fn change_that_is_read_twice_is_no_other_image() {
    let site = site().await;
    // While this transaction is open, all later changes are read again.
    let mut other = site.database.client().await;
    let open = other.transaction().await.unwrap();
    open.batch_execute("CREATE TABLE keeps_a_transaction_open ()").await.unwrap();
    site.run("UPDATE point SET unit = 'V'").await;
    let (mut registry, _guard) = site.follow().await;
    let before = registry.image();
    for _ in 0..3 {
        registry.refresh().await;
    }
    assert!(!registry.has_changed() && Arc::ptr_eq(&before, &registry.image()));
}

#[tokio::test]
async fn restored_database_is_read_whole() {
    let site = site().await;
    let (registry, _guard) = site.follow().await;
    // Like a restore to an earlier state: the rows differ, and the change log has no entry for it.
    site.run("SET session_replication_role = replica; UPDATE point SET unit = 'V'").await;
    registry.refresh().await;
    assert!(registry.image().points().all(|point| point.unit == "A"));
    site.run("INSERT INTO stream (client_id, kind) SELECT id, 'event' FROM client ON CONFLICT DO NOTHING; UPDATE stream SET epoch = gen_random_uuid()::text").await;
    registry.refresh().await;
    assert_eq!(registry.image(), site.fresh().await);
    assert!(registry.image().points().all(|point| point.unit == "V"));
}

#[tokio::test]
async fn link_states_and_updates_that_change_nothing_are_not_logged() {
    let site = site().await;
    let count =
        async || -> i64 { site.database.client().await.query_one("SELECT count(*) FROM registry_change", &[]).await.unwrap().get(0) };
    let before = count().await;
    site.run("UPDATE gateway SET online = true, since = now(), last_seen = now()").await;
    site.run("UPDATE point SET unit = unit; UPDATE node SET name = name; UPDATE gateway SET name = name").await;
    assert_eq!(count().await, before);
    site.run("BEGIN; UPDATE point SET unit = 'V'; ROLLBACK").await;
    assert_eq!(count().await, before, "what was rolled back has not happened");
}

#[tokio::test]
async fn refresh_contains_what_was_committed_before_it() {
    let site = site().await;
    let (registry, _guard) = site.follow().await;
    for number in 0..20 {
        site.run(&format!("UPDATE client SET name = 'name {number}' WHERE code = 'ONE'")).await;
        registry.refresh().await;
        assert_eq!(registry.utility(site.clients[0]).unwrap().client().name, format!("name {number}"));
    }
}

#[tokio::test]
async fn lost_notices_and_lost_connections_are_made_good() {
    let site = site().await;
    let shutdown = CancellationToken::new();
    let _guard = shutdown.clone().drop_guard();
    let settings = FollowSettings {
        poll: Duration::from_millis(50),
        retry: Duration::from_millis(50),
        // No notification arrives from this address.
        database_url: "postgres://nobody@127.0.0.1:1/none".to_owned(),
    };
    let mut registry = follow(site.store.clone(), settings, shutdown).await.unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    site.run(&format!("UPDATE point SET unit = 'V'; {end}")).await;
    let image = until(&mut registry, |image| image.points().all(|point| point.unit == "V")).await;
    assert_eq!(image, site.fresh().await);
}

#[tokio::test]
async fn utility_finds_nothing_of_another() {
    let site = site().await;
    let image = site.fresh().await;
    let two = image.utility(site.clients[1]).unwrap();
    assert!(two.point(site.points[0]).is_none() && two.gateway(site.gateway).is_none() && two.node(site.location).is_none());
    let asset = image.point(site.points[0]).unwrap().asset;
    assert!(two.asset(asset).is_none());
    assert_eq!(two.points_at(site.location).count() + two.assets_at(site.location).count() + two.points_of(asset).count(), 0);
    assert_eq!((two.nodes().count(), two.assets().count(), two.points().count(), two.gateways().count()), (6, 1, 3, 1));
    assert!(image.utility(ClientId(i64::MAX)).is_none());
}
