//! The network of the demo's first utility in the database: a trip of the only 132 kV infeed, followed over REST, over the stream, and in the outages and
//! reliability indices.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use grid::point::PointKind;
use grid::position::Encoding;
use grid::{AssetId, ClientId, GatewayId, Level, Micros, NodeId, Ordinal, PointId, Quality, Reading};
use network::changes::ChangeSet;
use network::description::{Electrical, POSITION};
use network::{Contact, Description, NetworkState, State};
use serde_json::{Value, json};
use simulators::utility::{Client, Substation};
use store::audit::Origin;
use store::seed::{AssetSeed, ClientSeed, GatewaySeed, MemberSeed, NodeSeed, PointSeed};
use store::writer::{Batch, GatewayMark, NewEvent, Sample};
use store::{Store, Writer};
use tokio_util::sync::CancellationToken;
use wire::bus::{BusMessage, Change};

use crate::field::PASSWORD;
use crate::live_tables::Socket;
use crate::server::Server;

/// Asset type of a feeder.
const FEEDER: i32 = 1;
const MINUTE_MS: i64 = 60_000;
/// Time limit of a wait.
const PATIENCE: Duration = Duration::from_mins(1);

/// Points with the encoding of their positions, by name.
type PointsByName = HashMap<String, (PointId, Option<Encoding>)>;

/// The demo's first utility in the database, with an api, a hub and the service of the outages.
struct Demo {
    server: Server,
    store: Store,
    writer: Writer,
    client: ClientId,
    time_zone: String,
    token: String,
    description: Description,
    /// The network with the positions that were stored.
    state: NetworkState,
    points: PointsByName,
    /// The feeders, by `STATION/F1`.
    feeders: BTreeMap<String, AssetId>,
    seq: i64,
    stop: CancellationToken,
}

impl Drop for Demo {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn now() -> Micros {
    Micros(jiff::Timestamp::now().as_microsecond())
}

fn raw(encoding: Encoding, is_open: bool) -> f64 {
    match (encoding, is_open) {
        (Encoding::DoublePoint, true) => 1.0,
        (Encoding::DoublePoint, false) => 2.0,
        (_, is_open) => f64::from(u8::from(!is_open)),
    }
}

/// Returns the breaker of the line from the transmission grid.
fn infeed(client: &Client) -> String {
    let station = client.substations.iter().find(|substation| substation.plan.kv_high > 100.0).expect("a substation at 132 kV");
    format!("{}/INC1CB", station.code)
}

impl Demo {
    /// Stores the utility with all switches in their normal positions since `since`.
    async fn start(since: Micros) -> Self {
        let from = simulators::utility::demo(33).clients.remove(0);
        let server = Server::start().await;
        let store = Store::connect(server.database.url(), 4).await.expect("connected");
        let seed = ClientSeed { code: from.code.clone(), name: from.name.clone(), time_zone: from.time_zone.clone(), config: json!({}) };
        let client = store.put_client(&seed).await.expect("a utility");
        let mut above: Option<NodeId> = None;
        for level in Level::ALL.into_iter().filter(|level| *level != Level::Substation) {
            let name = format!("The {}", level.as_str());
            let seed = NodeSeed { client, level, parent: above, code: "N".to_owned(), name, kv: None, lat: None, lon: None };
            above = Some(store.put_node(&seed).await.expect("a node"));
        }
        let (mut points, mut feeders, mut gateways) = (HashMap::new(), BTreeMap::new(), Vec::new());
        for substation in &from.substations {
            gateways.push(place(&store, client, above, substation, (&mut points, &mut feeders)).await);
        }
        let description = simulators::utility::network(&from);
        let plan = store.plan_network(client, Some(0), ChangeSet::Whole(description.clone())).await.expect("a plan");
        let origin = Origin { client: Some(client), from: "console".to_owned(), ..Origin::default() };
        let version = store.apply_network(client, &plan, "", now(), &origin).await.expect("stored").expect("a version");
        store.activate_network(client, version, since.plus_millis(-MINUTE_MS), now(), &origin).await.expect("active");
        let username = "demo-admin".to_owned();
        let member = MemberSeed {
            client,
            email: format!("{username}@example.org"),
            username,
            first_name: "A".to_owned(),
            last_name: "B".to_owned(),
            role_id: 2,
            role_name: "Admin".to_owned(),
            password_hash: auth::hash_password(PASSWORD.to_owned()).await.expect("hashed"),
            node: None,
            can_operate: true,
            demo: false,
        };
        store.put_member(&member).await.expect("a member");
        server.registry.refresh().await;
        let writer = Writer::connect(server.database.url()).await.expect("a writer");
        let token = server.sign_in("demo-admin").await;
        let (state, stop) = (NetworkState::new(Arc::new(description.to_model().expect("a model"))), CancellationToken::new());
        let time_zone = from.time_zone;
        let mut demo = Self { server, store, writer, client, time_zone, token, description, state, points, feeders, seq: 0, stop };
        demo.store_normal_state(&gateways, since).await;
        demo.follow_outages().await;
        demo
    }

    async fn store_normal_state(&mut self, gateways: &[GatewayId], since: Micros) {
        let positions = self.description.equipment.iter().filter_map(|equipment| {
            let Electrical::Switch(switch) = &equipment.electrical else { return None };
            let (point, encoding) = self.position_of(&equipment.id)?;
            Some((point, raw(encoding, switch.is_normally_open), since))
        });
        let positions: Vec<_> = positions.collect();
        let online = |gateway: &GatewayId| GatewayMark {
            gateway: *gateway,
            online: Some(true),
            at: since,
            order: grid::LinkOrder::default(),
            entered: true,
        };
        self.writer.commit(&Batch { gateways: gateways.iter().map(online).collect(), ..Batch::default() }).await.expect("stored");
        self.store_values(&positions, false).await;
    }

    /// Starts the service of the outages.
    async fn follow_outages(&self) {
        let config = analytics::AnalyticsConfig { poll: Duration::from_millis(50), ..<_>::default() };
        let (store, database_url) = (self.store.clone(), self.server.database.url().to_owned());
        let follow = registry::FollowSettings::new(&database_url);
        let registry = registry::follow(store.clone(), follow, self.stop.clone()).await.expect("followed");
        let deps = analytics::Deps { database_url, store, registry, clock: || Micros(0) };
        tokio::spawn(analytics::outages::run(config, deps, self.stop.clone()));
    }

    fn position_of(&self, equipment: &str) -> Option<(PointId, Encoding)> {
        let measured = self.description.measurements.iter().find(|of| of.equipment == equipment && of.quantity == POSITION)?;
        let (point, encoding) = *self.points.get(measured.point.as_ref()?)?;
        Some((point, encoding.expect("a status")))
    }

    /// Stores values as ingest does, and publishes them.
    async fn store_values(&mut self, values: &[(PointId, f64, Micros)], are_events: bool) {
        let (mut batch, mut changes) = (Batch::default(), Vec::new());
        for (point, value, at) in values {
            self.seq += 1;
            let ordinal = Ordinal { epoch: 1, seq: self.seq };
            let reading = Reading { value: Some(*value), quality: Quality::Good, source: *at, received: now(), ordinal };
            batch.samples.push(Sample { point: *point, client: self.client, reading, historical: false, repeated: false });
            if are_events {
                batch.events.push(NewEvent { point: *point, client: self.client, index: 0, reading });
            }
            let (value, quality) = (reading.value, reading.quality.code());
            changes.push(Change { point: point.0, value, quality, source: at.0, received: reading.received.0, epoch: 1, seq: self.seq });
        }
        self.writer.commit(&batch).await.expect("stored");
        self.writer.flush().await.expect("flushed");
        self.server.bus.publish(BusMessage::Changes { client: self.client.0, changes });
    }

    /// Stores present voltages of all lines from other networks. Without them, nobody knows whether these have supply.
    async fn measure_sources(&mut self) {
        let kv: HashMap<&str, f64> = self.description.nodes.iter().filter_map(|node| Some((node.id.as_str(), node.nominal_kv?))).collect();
        let sources = self.description.equipment.iter().filter(|equipment| matches!(equipment.electrical, Electrical::Source(_)));
        let volts = sources.flat_map(|source| {
            let measured = self.description.measurements.iter().filter(|of| of.equipment == source.id && of.quantity != POSITION);
            measured.filter_map(|of| Some((self.points.get(of.point.as_ref()?)?.0, kv[source.terminals[0].node.as_str()], now())))
        });
        let volts: Vec<_> = volts.collect();
        self.store_values(&volts, false).await;
    }

    /// Moves a switch, and waits until the outages follow. Returns the customers that lose their supply.
    async fn operate(&mut self, switch: &str, contact: Contact, at: Micros) -> u64 {
        let equipment = self.state.model().equipment(switch).expect("a switch");
        let lost = self.state.consequences(equipment, contact).lost.customers;
        self.state.set_contact(equipment, contact);
        self.state.settle();
        let (point, encoding) = self.position_of(switch).expect("a position");
        self.store_values(&[(point, raw(encoding, contact == Contact::Open), at)], true).await;
        let settled = async {
            let (epoch, top) = self.store.event_stream(self.client).await.expect("read");
            while self.store.outage_cursor(self.client).await.expect("read").is_none_or(|at| at.epoch != epoch || at.through < top) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, settled).await.expect("the outages follow");
        lost
    }

    async fn result(&self, path: &str) -> Value {
        let answer = self.server.get_as(&self.token, path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()["result"].clone()
    }

    /// Waits until the rows of the substations have a sum of customers without supply, over REST. Returns the rows.
    async fn rows_when(&mut self, customers: u64) -> Value {
        let (path, began) = (format!("/api/overview/client/{}", self.client), std::time::Instant::now());
        loop {
            self.measure_sources().await;
            let rows = self.result(&path).await;
            let found = without_supply(&rows);
            let is_known = |row: &Value| row["online"] == json!(true) && row["energised"] != json!("unknown");
            if found == customers && rows.as_array().is_some_and(|rows| rows.iter().all(is_known)) {
                return rows;
            }
            assert!(began.elapsed() < PATIENCE, "{found} customers without supply, expected {customers}");
        }
    }

    async fn outages(&self) -> Vec<Value> {
        let listed = self.result(&format!("/api/analytics/outages/client/{}", self.client)).await;
        listed["rows"].as_array().expect("rows").clone()
    }

    /// Returns the feeders whose line has supply, by the network with the positions that were stored.
    fn supplied_feeders(&self) -> BTreeSet<AssetId> {
        let model = self.state.model();
        let is_supplied = |id: &str| {
            let node = model.node(&format!("{id}/line")).expect("the line side of a feeder");
            self.state.state(node) == State::Energised
        };
        self.feeders.iter().filter(|(id, _)| is_supplied(id)).map(|(_, asset)| *asset).collect()
    }

    /// Returns the customers of each feeder's own consumers, by `STATION/F1`.
    fn own_customers(&self) -> BTreeMap<&str, u64> {
        let mut own = BTreeMap::new();
        for equipment in &self.description.equipment {
            if let (Electrical::Consumer(consumed), Some(container)) = (&equipment.electrical, &equipment.container) {
                *own.entry(container.as_str()).or_insert(0) += consumed.customers;
            }
        }
        own
    }
}

fn without_supply(rows: &Value) -> u64 {
    rows.as_array().expect("rows").iter().map(|row| row["customersWithoutSupply"].as_u64().expect("a number")).sum()
}

/// Stores a substation with its assets, points and drawing.
async fn place(
    store: &Store,
    client: ClientId,
    above: Option<NodeId>,
    from: &Substation,
    (points, feeders): (&mut PointsByName, &mut BTreeMap<String, AssetId>),
) -> GatewayId {
    let (code, name, kv) = (from.code.clone(), from.name.clone(), Some(from.kv.clone()));
    let (lat, lon) = (Some(from.lat), Some(from.lon));
    let node = NodeSeed { client, level: Level::Substation, parent: above, code: code.clone(), name: name.clone(), kv, lat, lon };
    let location = store.put_node(&node).await.expect("a substation");
    let seeds = from.assets.iter().map(|asset| AssetSeed {
        device: asset.device.clone(),
        kv: asset.kv,
        customers: asset.customers,
        customers_known: asset.class_name == "feeder",
        ..AssetSeed::new(client, location, &asset.code, asset.type_id, asset.class_name)
    });
    let ids = store.put_assets(&seeds.collect::<Vec<_>>()).await.expect("assets");
    let assets: HashMap<&str, AssetId> = from.assets.iter().map(|asset| asset.code.as_str()).zip(ids).collect();
    let of_type = from.assets.iter().filter(|asset| asset.type_id == FEEDER);
    feeders.extend(of_type.map(|asset| (format!("{code}/{}", asset.code), assets[asset.code.as_str()])));
    let gateway = store.put_gateway(&GatewaySeed { client, code: code.clone(), name, location }).await.expect("a gateway");
    let seeds = from.points.iter().map(|point| PointSeed {
        client,
        gateway,
        device: point.device.clone(),
        metric: point.metric(),
        code: point.code.clone(),
        asset: assets[point.asset.as_str()],
        kind: point.kind,
        quantity: point.quantity,
        unit: point.unit.to_owned(),
        decimals: point.decimals,
        scale: 1.0,
        expected_ms: point.expected_ms,
    });
    let ids = store.put_points(&seeds.collect::<Vec<_>>()).await.expect("points");
    for (point, id) in from.points.iter().zip(ids) {
        let encoding = match point.kind {
            PointKind::Status(encoding) => Some(encoding),
            PointKind::Measurand => None,
        };
        points.insert(format!("{code}/{}/{}", point.device, point.metric()), (id, encoding));
    }
    let drawing = serde_json::to_value(&from.drawing).expect("a drawing");
    store.put_drawing(client, location, &from.drawing.name, &drawing).await.expect("stored");
    gateway
}

#[tokio::test]
async fn trip_of_the_infeed_counts_the_customers_below_and_closing_restores_all() {
    const FIRST: &str = "QUAYSIDE/F1";
    let breaker = infeed(&simulators::utility::demo(33).clients[0]);
    let start = now().plus_millis(-120 * MINUTE_MS);
    let minute = |minute: i64| start.plus_millis(minute * MINUTE_MS);
    let mut demo = Demo::start(start).await;
    let (overview, first_breaker) = (format!("overview/client/{}", demo.client), format!("{FIRST}CB"));
    let rows = demo.rows_when(0).await;
    let socket = Socket::open(&demo.server, &demo.store, &demo.token).await;
    socket.until(&overview, &rows).await;

    // One feeder is without supply already.
    let first = demo.operate(&first_breaker, Contact::Open, minute(5)).await;
    assert!(first > 0, "{FIRST} has customers");
    demo.rows_when(first).await;
    let expected = demo.supplied_feeders();
    let downstream = demo.operate(&breaker, Contact::Open, minute(10)).await;
    let rows = demo.rows_when(first + downstream).await;
    let live = socket.until(&overview, &rows).await;
    println!("customers without supply: {first} before the trip, {} after it, {downstream} downstream", without_supply(&live["rows"]));
    let outages = demo.outages().await;
    let (own, tripped): (Vec<&Value>, Vec<&Value>) = outages.iter().partition(|row| row["assetId"] == demo.feeders[FIRST].0);
    assert_eq!((own.len(), &own[0]["started"]), (1, &json!(wire::time::iso(minute(5)))));
    let found: BTreeSet<AssetId> = tripped.iter().map(|row| AssetId(row["assetId"].as_i64().expect("an id"))).collect();
    assert_eq!((found, tripped.len()), (expected.clone(), expected.len()), "each feeder below has one outage");
    assert!(expected.len() > 20, "{} feeders", expected.len());
    for row in &tripped {
        assert_eq!((&row["started"], &row["ended"]), (&json!(wire::time::iso(minute(10))), &Value::Null), "{row}");
        assert_eq!((&row["cause"], &row["incidentId"]), (&json!("upstream"), &tripped[0]["incidentId"]), "{row}");
    }

    demo.operate(&breaker, Contact::Closed, minute(45)).await;
    demo.rows_when(first).await;
    demo.operate(&first_breaker, Contact::Closed, minute(65)).await;
    let rows = demo.rows_when(0).await;
    socket.until(&overview, &rows).await;
    let outages = demo.outages().await;
    assert_eq!(outages.len(), expected.len() + 1);
    for row in &outages {
        let ended = if row["assetId"] == demo.feeders[FIRST].0 { minute(65) } else { minute(45) };
        assert_eq!(row["ended"], wire::time::iso(ended), "{row}");
    }

    // By hand: each customer counts at its own feeder, from the opening to the closing.
    let (mut served, mut interrupted, mut customer_minutes) = (0, 0, 0);
    println!("feeder            customers  minutes  customer minutes");
    for (feeder, customers) in demo.own_customers() {
        let minutes = if feeder == FIRST { 60 } else { 35 };
        println!("{feeder:<16}  {customers:>9}  {minutes:>7}  {:>16}", customers * minutes);
        served += customers;
        interrupted += customers;
        customer_minutes += customers * minutes;
    }
    let (served, interrupted, customer_minutes) = (served as f64, interrupted as f64, customer_minutes as f64);
    let (saidi, saifi, caidi) = (customer_minutes / served, interrupted / served, customer_minutes / interrupted);
    println!("sum               {interrupted:>9}           {customer_minutes:>16}");
    println!("SAIDI {saidi} min = {customer_minutes} / {served}; SAIFI {saifi} = {interrupted} / {served}; CAIDI {caidi} min");
    let zone = jiff::tz::TimeZoneDatabase::bundled().get(&demo.time_zone).expect("a zone");
    let month = jiff::Timestamp::from_microsecond(minute(5).0).expect("a time").to_zoned(zone).strftime("%Y%m").to_string();
    let scores = demo.result(&format!("/api/analytics/getreliabilityscores/client/{}/{month}", demo.client)).await;
    for (key, expected) in [
        ("customersServed", served),
        ("customerInterruptions", interrupted),
        ("customerMinutes", customer_minutes),
        ("saidi", saidi),
        ("saifi", saifi),
        ("caidi", caidi),
        ("openOutages", 0.0),
    ] {
        let found = scores[key].as_f64().unwrap_or_else(|| panic!("{key} of {scores}"));
        assert!((found - expected).abs() < 1e-9 * expected.max(1.0), "{key}: {found}, by hand {expected}");
    }
}
