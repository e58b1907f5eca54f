//! A small utility in a fresh database: one circle down to two substations, each with a gateway, a feeder and its breaker.

use grid::measure::Quantity;
use grid::point::PointKind;
use grid::position::Encoding;
use grid::{AssetId, ClientId, GatewayId, Level, Micros, NodeId, Ordinal, PointId, Quality, Reading};
use store::seed::{AssetSeed, ClientSeed, GatewaySeed, NodeSeed, PointSeed};
use store::writer::{Batch, NewEvent, Sample};
use store::{Store, Writer};
use testkit::{Flavour, TestDatabase};

/// 2026-07-01 06:00 UTC.
pub(crate) const START: Micros = Micros(1_782_885_600_000_000);

pub(crate) struct Utility {
    pub(crate) database: TestDatabase,
    pub(crate) store: Store,
    pub(crate) client: ClientId,
    pub(crate) circle: NodeId,
    pub(crate) sites: Vec<Site>,
}

pub(crate) struct Site {
    pub(crate) location: NodeId,
    pub(crate) gateway: GatewayId,
    pub(crate) breaker: AssetId,
    pub(crate) current: PointId,
    pub(crate) position: PointId,
}

pub(crate) async fn utility() -> Utility {
    utility_on(Flavour::Timescale).await
}

pub(crate) async fn utility_on(flavour: Flavour) -> Utility {
    let database = testkit::database_on(flavour).await;
    let store = Store::connect(database.url(), 4).await.unwrap();
    let (client, circle, sites) = enter(&store, "APDL").await;
    Utility { database, store, client, circle, sites }
}

/// Seeds the utility under a code; seeding it again changes nothing.
pub(crate) async fn enter(store: &Store, code: &str) -> (ClientId, NodeId, Vec<Site>) {
    let seed = ClientSeed {
        code: code.to_owned(),
        name: "A utility".to_owned(),
        time_zone: "Asia/Kolkata".to_owned(),
        config: serde_json::json!({ "appBrand": code }),
    };
    let client = store.put_client(&seed).await.unwrap();
    let mut parent = None;
    let mut path = Vec::new();
    for level in Level::ALL.into_iter().filter(|&level| level != Level::Substation) {
        parent = Some(put_node(store, client, level, parent, "N1").await);
        path.extend(parent);
    }
    let mut sites = Vec::new();
    for name in ["AUTONAGAR", "MVP"] {
        let location = put_node(store, client, Level::Substation, parent, name).await;
        sites.push(site(store, client, location, name).await);
    }
    (client, path[0], sites)
}

async fn put_node(store: &Store, client: ClientId, level: Level, parent: Option<NodeId>, code: &str) -> NodeId {
    let seed = NodeSeed { client, level, parent, code: code.to_owned(), name: code.to_owned(), kv: None, lat: None, lon: None };
    store.put_node(&seed).await.unwrap()
}

async fn site(store: &Store, client: ClientId, location: NodeId, code: &str) -> Site {
    let seed = GatewaySeed { client, code: code.to_owned(), name: format!("{code} RTU"), location };
    let gateway = store.put_gateway(&seed).await.unwrap();
    let assets =
        store.put_assets(&[asset(client, location, "F3", 1, "feeder"), asset(client, location, "F3CB", 3, "breaker")]).await.unwrap();
    let points = [
        point(client, gateway, assets[0], "F3/Ir", PointKind::Measurand, Quantity::Current),
        point(client, gateway, assets[1], "F3CB/Pos", PointKind::Status(Encoding::DoublePoint), Quantity::Status),
    ];
    let points = store.put_points(&points).await.unwrap();
    Site { location, gateway, breaker: assets[1], current: points[0], position: points[1] }
}

pub(crate) fn asset(client: ClientId, location: NodeId, code: &str, type_id: i32, class_name: &str) -> AssetSeed {
    AssetSeed {
        name: format!("{code} of {location}"),
        device: "F3".to_owned(),
        kv: Some(11.0),
        customers: 120,
        is_sbo_supported: class_name == "breaker",
        ..AssetSeed::new(client, location, code, type_id, class_name)
    }
}

pub(crate) fn point(client: ClientId, gateway: GatewayId, asset: AssetId, metric: &str, kind: PointKind, quantity: Quantity) -> PointSeed {
    PointSeed {
        client,
        gateway,
        device: "F3".to_owned(),
        metric: metric.to_owned(),
        code: metric.rsplit('/').next().unwrap_or_default().to_owned(),
        asset,
        kind,
        quantity,
        unit: quantity.unit().to_owned(),
        decimals: quantity.decimals(),
        scale: 1.0,
        expected_ms: Some(10_000),
    }
}

/// A good reading, `second` seconds after the start, with that number as its order in epoch 1.
pub(crate) fn reading(second: i64, value: f64) -> Reading {
    let source = START.plus_millis(second * 1_000);
    Reading {
        value: Some(value),
        quality: Quality::Good,
        source,
        received: source.plus_millis(200),
        ordinal: Ordinal { epoch: 1, seq: second },
    }
}

impl Utility {
    pub(crate) async fn writer(&self) -> Writer {
        Writer::connect(self.database.url()).await.unwrap()
    }

    pub(crate) fn sample(&self, point: PointId, second: i64, value: f64) -> Sample {
        Sample { point, client: self.client, reading: reading(second, value), historical: false, repeated: false }
    }

    /// Currents of the first site, one value each second.
    pub(crate) fn currents(&self, seconds: impl IntoIterator<Item = i64>) -> Batch {
        let samples = seconds.into_iter().map(|second| self.sample(self.sites[0].current, second, second as f64)).collect();
        Batch { samples, ..Batch::default() }
    }

    pub(crate) fn event(&self, site: usize, second: i64, value: f64) -> NewEvent {
        NewEvent { point: self.sites[site].position, client: self.client, index: 0, reading: reading(second, value) }
    }

    pub(crate) fn events(&self, site: usize, seconds: impl IntoIterator<Item = i64>) -> Batch {
        let events = seconds.into_iter().map(|second| self.event(site, second, (1 + second % 2) as f64)).collect();
        Batch { events, ..Batch::default() }
    }

    pub(crate) async fn count(&self, table: &str) -> i64 {
        self.database.client().await.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.unwrap().get(0)
    }

    /// The latest value and source second of a point.
    pub(crate) async fn latest(&self, point: PointId) -> Option<(Option<f64>, i64)> {
        let all = self.store.latest_of(self.client, None).await.unwrap();
        let found = all.into_iter().find(|(id, _)| *id == point)?;
        Some((found.1.value, found.1.source.millis_since(START) / 1_000))
    }
}
