//! One alarm for one cause in the network of the demo: 132 kV to 11 kV, over many substations.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use grid::alarm::{AlarmKind, AlarmRecord, Rule, State};
use grid::measure::Quantity;
use grid::position::Encoding;
use grid::{GatewayId, Level, Micros, NodeId, PointId, Quality};
use network::changes::ChangeSet;
use network::description::{Electrical, POSITION};
use network::{Contact, Description, NetworkState};
use simulators::utility::{Client, Substation};
use store::audit::Origin;
use store::seed::{AssetSeed, ClientSeed, GatewaySeed, NodeSeed, PointSeed};
use store::writer::{Batch, GatewayMark};
use wire::bus::BusMessage;

use crate::site::{Service, Site, now};

/// The demo's first utility in the database.
struct Demo {
    site: Site,
    description: Description,
    points: HashMap<String, (PointId, Option<Encoding>)>,
    gateways: HashMap<String, GatewayId>,
    /// The only breaker between the transmission grid and the network, and the points of its line's voltage.
    breaker: String,
    line_volts: Vec<PointId>,
    /// A rule at one voltage of each feeder, with the point and whether the trip leaves it without supply.
    volts: Vec<(PointId, bool)>,
}

/// Returns the substation that the transmission grid feeds.
fn infeed(client: &Client) -> &Substation {
    client.substations.iter().find(|substation| substation.plan.kv_high > 100.0).expect("a substation at 132 kV")
}

impl Demo {
    async fn new() -> Self {
        let client = simulators::utility::demo(33).clients.remove(0);
        let mut site = Site::new(0).await;
        let store = site.store.clone();
        let (code, name, time_zone) = (client.code.clone(), client.name.clone(), client.time_zone.clone());
        let id = store.put_client(&ClientSeed { code, name, time_zone, config: serde_json::json!({}) }).await.expect("a utility");
        site.client = id;
        let mut above: Option<NodeId> = None;
        for level in Level::ALL.into_iter().filter(|level| *level != Level::Substation) {
            let (code, name) = ("N".to_owned(), format!("The {}", level.as_str()));
            let seed = NodeSeed { client: id, level, parent: above, code, name, kv: None, lat: None, lon: None };
            above = Some(store.put_node(&seed).await.expect("a node"));
        }
        let (mut points, mut gateways) = (HashMap::new(), HashMap::new());
        for substation in &client.substations {
            let (code, name) = (substation.code.clone(), substation.name.clone());
            let level = Level::Substation;
            let node =
                NodeSeed { client: id, level, parent: above, code: code.clone(), name: name.clone(), kv: None, lat: None, lon: None };
            let location = store.put_node(&node).await.expect("a substation");
            let seeds: Vec<AssetSeed> = substation
                .assets
                .iter()
                .map(|asset| AssetSeed {
                    device: asset.device.clone(),
                    kv: asset.kv,
                    customers: asset.customers,
                    ..AssetSeed::new(id, location, &asset.code, asset.type_id, asset.class_name)
                })
                .collect();
            let ids = store.put_assets(&seeds).await.expect("assets");
            let assets: HashMap<&str, _> = substation.assets.iter().map(|asset| asset.code.as_str()).zip(ids).collect();
            let gateway = GatewaySeed { client: id, code: code.clone(), name, location };
            let gateway = store.put_gateway(&gateway).await.expect("a gateway");
            let seeds: Vec<PointSeed> = substation
                .points
                .iter()
                .map(|point| PointSeed {
                    client: id,
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
                })
                .collect();
            let ids = store.put_points(&seeds).await.expect("points");
            for (point, id) in substation.points.iter().zip(ids) {
                let encoding = match point.kind {
                    grid::point::PointKind::Status(encoding) => Some(encoding),
                    grid::point::PointKind::Measurand => None,
                };
                points.insert(format!("{code}/{}/{}", point.device, point.metric()), (id, encoding));
            }
            gateways.insert(code, gateway);
        }
        let description = simulators::utility::network(&client);
        let plan = store.plan_network(id, Some(0), ChangeSet::Whole(description.clone())).await.expect("a plan");
        let (at, origin) = (now(), Origin { client: Some(id), from: "console".to_owned(), ..Origin::default() });
        let version = store.apply_network(id, &plan, "", at, &origin).await.expect("stored").expect("a version");
        store.activate_network(id, version, at.plus_millis(-3_600_000), at, &origin).await.expect("active");
        let station = infeed(&client).code.clone();
        let breaker = format!("{station}/INC1CB");
        let line_volts = ["Vry", "Vyb", "Vbr"].map(|code| points[&format!("{station}/INC1/INC1/{code}")].0).to_vec();
        let volts = voltages(&description, &points, &breaker);
        Self { site, description, points, gateways, breaker, line_volts, volts }
    }

    fn position_of(&self, equipment: &str) -> (PointId, Encoding) {
        let measured = self.description.measurements.iter().find(|of| of.equipment == equipment && of.quantity == POSITION);
        let point = measured.and_then(|of| of.point.as_ref()).expect("a position");
        let (point, encoding) = self.points[point];
        (point, encoding.expect("a status"))
    }

    /// Stores the normal positions, live infeeds and rules, and starts the service.
    async fn start(&mut self, at: Micros) -> Service {
        let mut values = Vec::new();
        for equipment in &self.description.equipment {
            let Electrical::Switch(switch) = &equipment.electrical else { continue };
            if self.description.measurements.iter().any(|of| of.equipment == equipment.id && of.quantity == POSITION) {
                let (point, encoding) = self.position_of(&equipment.id);
                values.push((point, raw(encoding, switch.is_normally_open), at));
            }
        }
        values.extend(self.source_volts().into_iter().map(|(point, kv)| (point, kv, at)));
        values.extend(self.volts.iter().map(|(point, _)| (*point, 6.35, at)));
        self.site.store_values(&values).await;
        let rules: Vec<Rule> = self
            .volts
            .iter()
            .map(|(point, _)| Rule {
                point: *point,
                kind: AlarmKind::Low,
                enabled: true,
                limit: Some(5.0),
                deadband: 0.1,
                state_value: None,
                on_delay_s: 0,
                off_delay_s: 0,
                priority: 2,
                text: "Voltage".into(),
            })
            .collect();
        self.site.store.add_alarm_rules(self.site.client, &rules).await.expect("stored");
        let online = |gateway: &GatewayId| GatewayMark {
            gateway: *gateway,
            online: Some(true),
            at,
            order: grid::LinkOrder::default(),
            entered: true,
        };
        let batch = Batch { gateways: self.gateways.values().map(online).collect(), ..Batch::default() };
        self.site.writer.commit(&batch).await.expect("stored");
        self.site.start(|config| config).await
    }

    /// Returns the voltages of all infeeds, each with its nominal value.
    fn source_volts(&self) -> Vec<(PointId, f64)> {
        let kv: HashMap<&str, f64> = self.description.nodes.iter().filter_map(|node| Some((node.id.as_str(), node.nominal_kv?))).collect();
        let sources = self.description.equipment.iter().filter(|equipment| matches!(equipment.electrical, Electrical::Source(_)));
        let of = sources.flat_map(|source| {
            let measured = self.description.measurements.iter().filter(|of| of.equipment == source.id && of.quantity != POSITION);
            measured.filter_map(|of| Some((self.points.get(of.point.as_ref()?)?.0, kv[source.terminals[0].node.as_str()])))
        });
        of.collect()
    }

    /// Publishes live voltages of all infeeds; old ones would be unknown.
    fn publish_infeeds(&self) {
        let at = now();
        self.source_volts().into_iter().for_each(|(point, kv)| self.site.publish_value(point, kv, Quality::Good, at));
    }

    fn publish(&self, kv: impl Fn(PointId, bool) -> Option<f64>, at: Micros) {
        for (point, is_below) in &self.volts {
            if let Some(kv) = kv(*point, *is_below) {
                self.site.publish_value(*point, kv, Quality::Good, at);
            }
        }
    }

    async fn alarms(&self) -> Vec<AlarmRecord> {
        self.site.store.open_alarms(self.site.client, None, 10_000).await.expect("read")
    }

    /// Waits for alarms that meet a condition.
    async fn alarms_when(&self, is_met: impl Fn(&[AlarmRecord]) -> bool) -> Vec<AlarmRecord> {
        let mut alarms = Vec::new();
        for _ in 0..600 {
            alarms = self.alarms().await;
            if is_met(&alarms) {
                return alarms;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let shown: Vec<_> = alarms.iter().map(|alarm| (&alarm.source, alarm.life.state, &alarm.cause)).take(20).collect();
        panic!("not in a minute; {} alarms such as {shown:?}", alarms.len());
    }

    fn below(&self) -> usize {
        self.volts.iter().filter(|(_, is_below)| *is_below).count()
    }
}

fn raw(encoding: Encoding, is_open: bool) -> f64 {
    match (encoding, is_open) {
        (Encoding::DoublePoint, true) => 1.0,
        (Encoding::DoublePoint, false) => 2.0,
        (_, is_open) => f64::from(u8::from(!is_open)),
    }
}

/// Returns one measured voltage of each feeder that has supply in the normal state, and whether it has none while `breaker` is open.
fn voltages(description: &Description, points: &HashMap<String, (PointId, Option<Encoding>)>, breaker: &str) -> Vec<(PointId, bool)> {
    let model = std::sync::Arc::new(description.to_model().expect("a model"));
    let mut state = NetworkState::new(std::sync::Arc::clone(&model));
    let measured = description.measurements.iter().filter(|of| of.quantity == "Vr" && Quantity::of_code(&of.quantity) == Quantity::Voltage);
    let at: Vec<(PointId, network::NodeId)> = measured
        .filter_map(|of| {
            let equipment = model.equipment(&of.equipment)?;
            let (node, _) = model.terminals_of(equipment)[usize::from(of.terminal?) - 1];
            Some((points.get(of.point.as_ref()?)?.0, node))
        })
        .filter(|(_, node)| state.state(*node) == network::State::Energised)
        .collect();
    state.set_contact(model.equipment(breaker).expect("a breaker"), Contact::Open);
    state.settle();
    let is_dead = |node: network::NodeId| state.state(node) == network::State::Dead;
    at.into_iter().map(|(point, node)| (point, is_dead(node))).collect()
}

fn own(alarms: &[AlarmRecord]) -> Vec<&AlarmRecord> {
    alarms.iter().filter(|alarm| alarm.life.state != State::Suppressed).collect()
}

#[tokio::test]
async fn trip_of_the_infeed_is_one_alarm_for_the_whole_network() {
    let mut demo = Demo::new().await;
    let service = demo.start(now().plus_millis(-2_000)).await;
    assert!(demo.below() > 20, "{} feeders are below the breaker", demo.below());
    let at = now();
    demo.publish_infeeds();
    // The substations below report before the breaker does.
    demo.publish(|_, is_below| Some(if is_below { 0.0 } else { 6.35 }), at.plus_millis(100));
    let (position, encoding) = demo.position_of(&demo.breaker);
    demo.site.store_events(&[(position, raw(encoding, true), at)]).await;
    let below = demo.below();
    let alarms = demo.alarms_when(|alarms| alarms.len() > below).await;
    let own = own(&alarms);
    assert_eq!(own.iter().map(|alarm| alarm.source.as_str()).collect::<Vec<_>>(), [format!("trip/{position}")], "one at the desk");
    let locations: HashSet<NodeId> = alarms.iter().map(|alarm| alarm.location).collect();
    assert!(locations.len() > 3, "in {} substations", locations.len());
    assert!(alarms.iter().all(|alarm| alarm.id == own[0].id || alarm.cause_id == Some(own[0].id)), "{below} consequences");
    // Nothing of it was ever shown as an alarm of its own.
    let changes = demo.site.store.alarms_after(demo.site.client, None, 0, 10_000).await.expect("read");
    assert_eq!(changes.iter().filter(|change| change.life.state == State::ActiveUnacked).count(), 1);
    // Supply returns, except for one feeder.
    demo.publish_infeeds();
    let wrong = demo.volts.iter().find(|(_, is_below)| *is_below).expect("one").0;
    demo.site.store_events(&[(position, raw(encoding, false), now())]).await;
    demo.alarms_when(|alarms| alarms.iter().any(|alarm| alarm.life.state == State::ClearedUnacked)).await;
    let back = std::time::Instant::now();
    let raised = loop {
        demo.publish(|point, _| Some(if point == wrong { 0.0 } else { 6.35 }), now());
        tokio::time::sleep(Duration::from_millis(200)).await;
        let alarms = demo.alarms().await;
        if let Some(alarm) = alarms.iter().find(|alarm| alarm.kind == AlarmKind::Low && alarm.life.state == State::ActiveUnacked) {
            break alarm.point;
        }
        assert!(back.elapsed() < Duration::from_secs(20), "what is still wrong is shown at once");
    };
    assert_eq!(raised, Some(wrong));
    let alarms = demo.alarms_when(|alarms| alarms.len() == 2).await;
    assert!(alarms.iter().all(|alarm| alarm.cause_id.is_none()), "{alarms:?}");
    service.stop().await;
}

#[tokio::test]
async fn lost_voltage_of_the_infeed_is_one_alarm_for_the_whole_network() {
    let mut demo = Demo::new().await;
    let service = demo.start(now().plus_millis(-2_000)).await;
    demo.publish_infeeds();
    let at = now().plus_millis(10);
    for point in &demo.line_volts {
        demo.site.publish_value(*point, 0.4, Quality::Good, at);
    }
    demo.publish(|_, is_below| Some(if is_below { 0.0 } else { 6.35 }), at.plus_millis(100));
    let below = demo.below();
    let alarms = demo.alarms_when(|alarms| alarms.len() > below).await;
    let own = own(&alarms);
    assert_eq!(own.iter().map(|alarm| alarm.kind).collect::<Vec<_>>(), [AlarmKind::Infeed], "one at the desk");
    assert!(own[0].customers > 1_000, "{} customers", own[0].customers);
    assert!(alarms.iter().all(|alarm| alarm.id == own[0].id || alarm.cause_id == Some(own[0].id)));
    service.stop().await;
}

#[tokio::test]
async fn nothing_is_folded_while_the_rtu_of_the_infeed_is_offline() {
    let mut demo = Demo::new().await;
    let service = demo.start(now().plus_millis(-2_000)).await;
    let station = demo.breaker.split('/').next().expect("a station");
    let (client, gateway, since) = (demo.site.client.0, demo.gateways[station].0, now().0);
    demo.site.bus.publish(BusMessage::Gateway { client, gateway, online: false, since, order: (1, 1), changed: true });
    demo.alarms_when(|alarms| alarms.iter().any(|alarm| alarm.kind == AlarmKind::Comm)).await;
    demo.publish(|_, is_below| is_below.then_some(0.0), now());
    let below = demo.below();
    let alarms = demo.alarms_when(|alarms| alarms.iter().filter(|alarm| alarm.kind == AlarmKind::Low).count() == below).await;
    assert!(alarms.iter().all(|alarm| alarm.life.state == State::ActiveUnacked && alarm.cause_id.is_none()), "each is an alarm of its own");
    service.stop().await;
}

#[tokio::test]
async fn alarm_of_an_infeed_ends_with_its_network() {
    let mut demo = Demo::new().await;
    let service = demo.start(now().plus_millis(-2_000)).await;
    demo.publish_infeeds();
    let at = now().plus_millis(10);
    for point in &demo.line_volts {
        demo.site.publish_value(*point, 0.4, Quality::Good, at);
    }
    demo.alarms_when(|alarms| alarms.iter().any(|alarm| alarm.kind == AlarmKind::Infeed)).await;
    service.stop().await;
    let statement = format!("DELETE FROM network_activation WHERE client_id = {}", demo.site.client);
    demo.site.database.client().await.batch_execute(&statement).await.expect("not active");
    let service = demo.site.start(|config| config).await;
    demo.alarms_when(|alarms| alarms.iter().all(|alarm| alarm.life.state == State::ClearedUnacked)).await;
    service.stop().await;
}
