//! A small utility in a new database, with a substation, a feeder, its breaker and relays, and a transformer; and the service running on
//! it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alarms::{AlarmsConfig, Deps};
use bus::{Bus, Received, Subscription};
use grid::alarm::Rule;
use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, ClientId, GatewayId, Level, Micros, NodeId, Ordinal, PointId, Quality, Reading};
use store::seed::{AssetSeed, ClientSeed, GatewaySeed, NodeSeed, PointSeed};
use store::writer::{Batch, GatewayMark, NewEvent, Sample};
use store::{Store, Writer};
use testkit::TestDatabase;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use wire::alarms::AlarmRow;
use wire::bus::{BusMessage, Change};

pub(crate) struct Site {
    pub(crate) database: TestDatabase,
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) client: ClientId,
    pub(crate) location: NodeId,
    pub(crate) feeder: AssetId,
    pub(crate) breaker: AssetId,
    pub(crate) gateway: GatewayId,
    /// Position of the breaker, its relay, the three fault currents, oil temperature, and more relays.
    pub(crate) position: PointId,
    pub(crate) relay: PointId,
    pub(crate) fault_currents: [PointId; 3],
    pub(crate) oil: PointId,
    /// Position of the incoming line's breaker, and the voltages of the feeder.
    pub(crate) incomer: PointId,
    pub(crate) volts: [PointId; 3],
    pub(crate) relays: Vec<PointId>,
    pub(crate) writer: Writer,
}

/// The time now.
pub(crate) fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_micros() as i64)
}

/// A running service.
pub(crate) struct Service {
    pub(crate) task: JoinHandle<()>,
    shutdown: CancellationToken,
}

impl Service {
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        self.task.await.expect("ended");
    }

    /// Aborts the service at any point, like a killed process.
    pub(crate) async fn kill(self) {
        self.task.abort();
        assert!(self.task.await.expect_err("killed").is_cancelled());
    }
}

impl Site {
    pub(crate) async fn new(more_relays: usize) -> Self {
        let database = testkit::database().await;
        let store = Store::connect(database.url(), 4).await.expect("a database");
        let client = ClientSeed { code: "OWN".into(), name: "Own".into(), time_zone: "Asia/Kolkata".into(), config: serde_json::json!({}) };
        let client = store.put_client(&client).await.expect("a utility");
        let mut path: Vec<NodeId> = Vec::new();
        for level in Level::ALL {
            let (code, name) = ("N".to_owned(), format!("The {}", level.as_str()));
            let seed = NodeSeed { client, level, parent: path.last().copied(), code, name, kv: None, lat: None, lon: None };
            path.push(store.put_node(&seed).await.expect("a node"));
        }
        let location = *path.last().expect("a substation");
        let asset = |(code, type_id, class, device): (&str, i32, &str, &str)| AssetSeed {
            device: device.into(),
            kv: Some(11.0),
            customers: 1_200,
            is_sbo_supported: true,
            ..AssetSeed::new(client, location, code, type_id, class)
        };
        let assets = [
            ("F1", 1, "feeder", "F1"),
            ("F1CB", 3, "breaker", "F1"),
            ("F1R", 7, "relay", "F1"),
            ("TX1", 2, "transformer", "TX1"),
            ("INC1CB", 3, "breaker", "INC1"),
        ];
        let assets = store.put_assets(&assets.map(asset)).await.expect("assets");
        let gateway = GatewaySeed { client, code: "RTU".into(), name: "RTU One".into(), location };
        let gateway = store.put_gateway(&gateway).await.expect("a gateway");
        let mut expected: Vec<(usize, &str, String)> = vec![
            (1, "F1", "F1CB/Pos".into()),
            (2, "F1", "F1R/Op".into()),
            (0, "F1", "F1/FIr".into()),
            (0, "F1", "F1/FIy".into()),
            (0, "F1", "F1/FIb".into()),
            (3, "TX1", "TX1/OTI".into()),
            (4, "INC1", "INC1CB/Pos".into()),
            (0, "F1", "F1/Vr".into()),
            (0, "F1", "F1/Vy".into()),
            (0, "F1", "F1/Vb".into()),
        ];
        expected.extend((0..more_relays).map(|number| (3, "TX1", format!("R{number}/Op"))));
        let points: Vec<PointSeed> = expected
            .iter()
            .map(|(asset, device, metric)| {
                let code = metric.rsplit('/').next().expect("a code");
                let quantity = Quantity::of_code(code);
                PointSeed {
                    client,
                    gateway,
                    device: (*device).to_owned(),
                    metric: metric.clone(),
                    code: code.into(),
                    asset: assets[*asset],
                    kind: kind_of_code(code),
                    quantity,
                    unit: quantity.unit().into(),
                    decimals: 1,
                    scale: 1.0,
                    expected_ms: None,
                }
            })
            .collect();
        let points = store.put_points(&points).await.expect("points");
        let mut writer = Writer::connect(database.url()).await.expect("a writer");
        let mark = GatewayMark { gateway, online: Some(true), at: now(), order: grid::LinkOrder::default(), entered: true };
        writer.commit(&Batch { gateways: vec![mark], ..Batch::default() }).await.expect("stored");
        Self {
            database,
            store,
            bus: Bus::local(20_000),
            client,
            location,
            feeder: assets[0],
            breaker: assets[1],
            gateway,
            position: points[0],
            relay: points[1],
            fault_currents: [points[2], points[3], points[4]],
            oil: points[5],
            incomer: points[6],
            volts: [points[7], points[8], points[9]],
            relays: points[10..].to_vec(),
            writer,
        }
    }

    /// Stores the default rules of every point.
    pub(crate) async fn usual_rules(&self) {
        let registry = self.store.registry(Some(self.client)).await.expect("read");
        let rules: Vec<Rule> = registry.points.iter().flat_map(|point| grid::alarm::usual::rules(point, <_>::default())).collect();
        self.store.add_alarm_rules(self.client, &rules).await.expect("stored");
    }

    /// Starts the service and waits until it processes events.
    pub(crate) async fn start(&self, adapt: impl Fn(AlarmsConfig) -> AlarmsConfig) -> Service {
        let config = AlarmsConfig {
            turn: Duration::from_millis(20),
            poll: Duration::from_millis(50),
            lead: Duration::from_millis(100),
            silent_s: 0,
            ..AlarmsConfig::default()
        };
        let shutdown = CancellationToken::new();
        let follow = registry::FollowSettings::new(self.database.url());
        let registry = registry::follow(self.store.clone(), follow, shutdown.clone()).await.expect("followed");
        let deps = Deps { database_url: self.database.url().to_owned(), store: self.store.clone(), registry, bus: self.bus.clone() };
        let task = tokio::spawn(alarms::run(adapt(config), deps, shutdown.clone()));
        while self.store.alarm_cursor(self.client).await.expect("read").is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Service { task, shutdown }
    }

    /// A good value of a point.
    pub(crate) fn reading(value: f64, at: Micros, seq: i64) -> Reading {
        Reading { value: Some(value), quality: Quality::Good, source: at, received: at, ordinal: Ordinal { epoch: 1, seq } }
    }

    /// Publishes a value on the bus, as ingest does before it is durable.
    pub(crate) fn publish_value(&self, point: PointId, value: f64, quality: Quality, at: Micros) {
        let change =
            Change { point: point.0, value: Some(value), quality: quality.code(), source: at.0, received: at.0, epoch: 1, seq: at.0 };
        self.bus.publish(BusMessage::Changes { client: self.client.0, changes: vec![change] });
    }

    /// Stores values.
    pub(crate) async fn store_values(&mut self, values: &[(PointId, f64, Micros)]) {
        let client = self.client;
        let sample = |(point, value, at): &(PointId, f64, Micros)| Sample {
            point: *point,
            client,
            reading: Self::reading(*value, *at, at.0),
            historical: false,
            repeated: false,
        };
        self.writer.commit(&Batch { samples: values.iter().map(sample).collect(), ..Batch::default() }).await.expect("stored");
        self.writer.flush().await.expect("flushed");
    }

    /// Stores events, in this order.
    pub(crate) async fn store_events(&mut self, events: &[(PointId, f64, Micros)]) {
        self.store_events_late(events, 0).await;
    }

    /// Stores events, in this order, with a delay of `late_ms` between source time and receive time.
    pub(crate) async fn store_events_late(&mut self, events: &[(PointId, f64, Micros)], late_ms: i64) {
        let client = self.client;
        let reading = |value: f64, at: Micros| Reading { received: at.plus_millis(late_ms), ..Self::reading(value, at, at.0) };
        let event =
            |(point, value, at): &(PointId, f64, Micros)| NewEvent { point: *point, client, index: 0, reading: reading(*value, *at) };
        let samples = events.iter().map(|(point, value, at)| Sample {
            point: *point,
            client,
            reading: reading(*value, *at),
            historical: false,
            repeated: false,
        });
        let batch = Batch { events: events.iter().map(event).collect(), samples: samples.collect(), ..Batch::default() };
        self.writer.commit(&batch).await.expect("stored");
    }
}

/// Returns the next rows of alarms on the bus, in the order of their offsets. Waits until there are `count` rows.
pub(crate) async fn published_alarms(bus: &mut Subscription, count: usize) -> Vec<AlarmRow> {
    let mut reported = Vec::new();
    while reported.len() < count {
        let next = tokio::time::timeout(Duration::from_mins(1), bus.next()).await.expect("in time").expect("a bus");
        if let Received::Message(message) = next
            && let BusMessage::Alarms { rows, .. } = &*message
        {
            reported.extend(rows.iter().cloned());
        }
    }
    reported
}
