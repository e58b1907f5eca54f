//! A small utility in a new database, with a substation, an incomer, two feeders with breakers and relays, with or without a drawing; and
//! the service running on it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use analytics::{AnalyticsConfig, Deps};
use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, ClientId, GatewayId, Level, Micros, NodeId, Ordinal, PointId, Quality, Reading};
use registry::FollowSettings;
use serde_json::json;
use store::outage::OutageRecord;
use store::seed::{AssetSeed, ClientSeed, GatewaySeed, NodeSeed, PointSeed};
use store::writer::{Batch, NewEvent, Sample};
use store::{Store, Writer};
use testkit::TestDatabase;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) const OPEN: f64 = 1.0;
pub(crate) const CLOSED: f64 = 2.0;

pub(crate) struct Site {
    pub(crate) database: TestDatabase,
    pub(crate) store: Store,
    pub(crate) client: ClientId,
    pub(crate) location: NodeId,
    pub(crate) gateway: GatewayId,
    pub(crate) feeders: [AssetId; 2],
    pub(crate) breakers: [AssetId; 2],
    /// Positions of the breakers of the feeders and of the incomer.
    pub(crate) positions: [PointId; 2],
    pub(crate) incoming: PointId,
    /// The overcurrent relays, and the under-frequency relay of the second feeder.
    pub(crate) relays: [PointId; 2],
    pub(crate) frequency: PointId,
    /// A voltage of the incomer, whose nominal voltage is 11 kV.
    pub(crate) voltage: PointId,
    writer: Writer,
    seq: i64,
}

pub(crate) struct Service {
    task: JoinHandle<()>,
    shutdown: CancellationToken,
}

impl Service {
    /// Returns a service that has ended.
    pub(crate) fn none() -> Self {
        Self { task: tokio::spawn(async {}), shutdown: CancellationToken::new() }
    }

    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        self.task.await.expect("ended");
    }

    /// Aborts the service at any point.
    pub(crate) async fn kill(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}

/// Returns the current time.
pub(crate) fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_micros() as i64)
}

impl Site {
    pub(crate) async fn new() -> Self {
        let database = testkit::database().await;
        let store = Store::connect(database.url(), 4).await.expect("a database");
        let client = ClientSeed { code: "OWN".into(), name: "Own".into(), time_zone: "Asia/Kolkata".into(), config: json!({}) };
        let client = store.put_client(&client).await.expect("a utility");
        let mut path: Vec<NodeId> = Vec::new();
        for level in Level::ALL {
            let seed = NodeSeed {
                client,
                level,
                parent: path.last().copied(),
                code: "N".into(),
                name: level.as_str().into(),
                kv: None,
                lat: None,
                lon: None,
            };
            path.push(store.put_node(&seed).await.expect("a node"));
        }
        let location = *path.last().expect("a substation");
        let asset = |(code, type_id, class, device): (&str, i32, &str, &str)| AssetSeed {
            device: device.into(),
            kv: Some(11.0),
            customers: 100,
            is_sbo_supported: true,
            ..AssetSeed::new(client, location, code, type_id, class)
        };
        let assets = [
            ("F1", 1, "feeder", "F1"),
            ("F1CB", 3, "breaker", "F1"),
            ("F1R", 7, "relay", "F1"),
            ("F2", 1, "feeder", "F2"),
            ("F2CB", 3, "breaker", "F2"),
            ("F2R", 7, "relay", "F2"),
            ("INC", 4, "feeder", "INC"),
            ("INCCB", 3, "breaker", "INC"),
            ("F2 81", 7, "relay", "F2"),
        ];
        let assets = store.put_assets(&assets.map(asset)).await.expect("assets");
        let gateway = GatewaySeed { client, code: "RTU".into(), name: "RTU".into(), location };
        let gateway = store.put_gateway(&gateway).await.expect("a gateway");
        let expected = [
            (1, "F1", "F1CB/Pos"),
            (4, "F2", "F2CB/Pos"),
            (7, "INC", "INCCB/Pos"),
            (2, "F1", "F1R/Op"),
            (5, "F2", "F2R/Op"),
            (8, "F2", "F2U/Op"),
            (6, "INC", "INC/Vry"),
        ];
        let points = expected.map(|(asset, device, metric)| {
            let code = metric.rsplit('/').next().expect("a code");
            PointSeed {
                client,
                gateway,
                device: device.into(),
                metric: metric.into(),
                code: code.into(),
                asset: assets[asset],
                kind: kind_of_code(code),
                quantity: Quantity::of_code(code),
                unit: String::new(),
                decimals: 0,
                scale: 1.0,
                expected_ms: None,
            }
        });
        let points = store.put_points(&points).await.expect("points");
        let writer = Writer::connect(database.url()).await.expect("a writer");
        Self {
            database,
            store,
            client,
            location,
            gateway,
            feeders: [assets[0], assets[3]],
            breakers: [assets[1], assets[4]],
            positions: [points[0], points[1]],
            incoming: points[2],
            relays: [points[3], points[4]],
            frequency: points[5],
            voltage: points[6],
            writer,
            seq: 0,
        }
    }

    /// Stores a drawing with a source, the incoming breaker, a busbar, and the feeders, each with an earth switch that never reports.
    pub(crate) async fn draw(&self) {
        let breaker = |x: i32, y: i32, code: &str, device: &str| json!({ "class": "breaker", "x": x, "y": y, "asset": code, "position": { "point": format!("{device}/{code}/Pos") } });
        let mut elements = vec![
            json!({ "class": "source", "x": 100, "y": 0, "asset": "INC" }),
            json!({ "class": "line", "path": [[100, 0], [100, 200]] }),
            breaker(100, 100, "INCCB", "INC"),
            json!({ "class": "busbar", "x1": 0, "y1": 200, "x2": 300, "y2": 200, "asset": "BUS" }),
        ];
        for (x, code) in [(50, "F1"), (250, "F2")] {
            elements.push(json!({ "class": "line", "path": [[x, 200], [x, 400]] }));
            elements.push(breaker(x, 300, &format!("{code}CB"), code));
            elements.push(json!({ "class": "isolator", "category": "earthSwitchRight", "x": x, "y": 350 }));
            elements.push(json!({ "class": "feeder", "x": x, "y": 400, "asset": code }));
        }
        let body =
            json!({ "format": "switchyard-sld", "version": 1, "name": "S", "size": { "width": 400, "height": 500 }, "elements": elements });
        self.store.put_drawing(self.client, self.location, "S", &body).await.expect("stored");
    }

    /// Stores a drawing of the first feeder on a busbar with two sources: through the incoming breaker, and through the second feeder's
    /// breaker as a coupler.
    pub(crate) async fn draw_fed_twice(&self) {
        let mut elements = vec![json!({ "class": "busbar", "x1": 0, "y1": 200, "x2": 300, "y2": 200, "asset": "BUS" })];
        for (x, code, device) in [(100, "INCCB", "INC"), (250, "F2CB", "F2")] {
            elements.push(json!({ "class": "source", "x": x, "y": 0, "asset": device }));
            elements.push(json!({ "class": "line", "path": [[x, 0], [x, 200]] }));
            let position = json!({ "point": format!("{device}/{code}/Pos") });
            elements.push(json!({ "class": "breaker", "x": x, "y": 100, "asset": code, "position": position }));
        }
        elements.push(json!({ "class": "line", "path": [[50, 200], [50, 400]] }));
        elements.push(json!({ "class": "feeder", "x": 50, "y": 400, "asset": "F1" }));
        let body =
            json!({ "format": "switchyard-sld", "version": 1, "name": "S", "size": { "width": 400, "height": 500 }, "elements": elements });
        self.store.put_drawing(self.client, self.location, "S", &body).await.expect("stored");
    }

    /// Starts the service.
    pub(crate) fn start(&self, page: i64) -> Service {
        let config = AnalyticsConfig {
            poll: Duration::from_millis(20),
            page,
            reread: Duration::from_millis(40),
            lead: Duration::from_millis(50),
            ..<_>::default()
        };
        let (database_url, store) = (self.database.url().to_owned(), self.store.clone());
        let shutdown = CancellationToken::new();
        let stop = shutdown.clone();
        let task = tokio::spawn(async move {
            let registry =
                registry::follow(store.clone(), FollowSettings::new(database_url.as_str()), stop.clone()).await.expect("followed");
            Box::pin(analytics::outages::run(config, Deps { database_url, store, registry, clock: || Micros(0) }, stop)).await;
        });
        Service { task, shutdown }
    }

    /// Waits until all events have been processed.
    pub(crate) async fn settled(&self) {
        let (epoch, top) = self.store.event_stream(self.client).await.expect("read");
        loop {
            let cursor = self.store.outage_cursor(self.client).await.expect("read");
            if cursor.is_some_and(|cursor| cursor.epoch == epoch && cursor.through >= top) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Stores the events of switches in this order, received now, and their newest values if they are `latest`.
    pub(crate) async fn store_events(&mut self, events: &[(PointId, f64, Micros)]) {
        let mut batch = Batch::default();
        for (point, value, at) in events {
            self.seq += 1;
            let reading = Reading {
                value: Some(*value),
                quality: Quality::Good,
                source: *at,
                received: now(),
                ordinal: Ordinal { epoch: 1, seq: self.seq },
            };
            batch.events.push(NewEvent { point: *point, client: self.client, index: 0, reading });
        }
        self.writer.commit(&batch).await.expect("stored");
    }

    /// Stores newest values without events.
    pub(crate) async fn store_values(&mut self, values: &[(PointId, f64, Micros)]) {
        let mut batch = Batch::default();
        for (point, value, at) in values {
            self.seq += 1;
            let ordinal = Ordinal { epoch: 1, seq: self.seq };
            let reading = Reading { value: Some(*value), quality: Quality::Good, source: *at, received: now(), ordinal };
            batch.samples.push(Sample { point: *point, client: self.client, reading, historical: false, repeated: false });
        }
        self.writer.commit(&batch).await.expect("stored");
        self.writer.flush().await.expect("flushed");
    }

    /// All outages, oldest first.
    pub(crate) async fn outages(&self) -> Vec<OutageRecord> {
        let mut all = self.store.outages(self.client, &self.feeders, (Micros(0), now()), 1_000_000).await.expect("read");
        all.reverse();
        all
    }

    /// Returns all outages as feeder, start, end and cause, with times in seconds since an instant.
    pub(crate) async fn outages_since(&self, since: Micros) -> Vec<(usize, i64, Option<i64>, &'static str)> {
        let seconds = |at: Micros| at.millis_since(since) / 1_000;
        let number = |asset| self.feeders.iter().position(|feeder| *feeder == asset).expect("a feeder") + 1;
        let all = self.outages().await;
        let reported =
            all.iter().map(|outage| (number(outage.asset), seconds(outage.started), outage.ended.map(seconds), outage.cause().as_str()));
        let mut reported: Vec<_> = reported.collect();
        reported.sort_unstable();
        reported
    }
}
