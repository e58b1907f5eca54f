//! A utility with the state of its links, against a real database.

#![allow(clippy::unwrap_used, reason = "a helper of a test fails the test")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{ClientId, GatewayId, Lease, LinkOrder, Micros, Ordinal, PointId, Quality, Reading, Shard, Term};
use network::changes::ChangeSet;
use network::description::{Electrical, Equipment, Measurement, Node, SourceVoltage, Terminal};
use network::{Description, EquipmentKind, Phases, State};
use registry::{Fields, FollowSettings, Networks, Registry, Unreported, follow};
use store::Store;
use store::audit::Origin;
use store::network::VersionNumber;
use store::seed::PointSeed;
use testkit::TestDatabase;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A utility with a gateway and a point, and another without anything.
const SEED: &str = "
    INSERT INTO client (code, name, time_zone) VALUES ('ONE', 'One', 'Asia/Kolkata'), ('TWO', 'Two', 'Asia/Kolkata');
    INSERT INTO node (client_id, level, parent_id, code, name) SELECT id, 1, NULL, 'C', 'Circle' FROM client WHERE code = 'ONE';
    INSERT INTO node (client_id, level, parent_id, code, name) SELECT client_id, 6, id, 'SS', 'Substation' FROM node;
    INSERT INTO gateway (client_id, code, name, location_id) SELECT client_id, 'RTU', 'RTU', id FROM node WHERE level = 6;
    INSERT INTO asset (client_id, location_id, code, name, type_id, class_name, device)
        SELECT client_id, id, 'F3', 'Feeder 3', 1, 'feeder', 'F3' FROM node WHERE level = 6;
    INSERT INTO point (client_id, gateway_id, asset_id, device, metric, code, quantity, unit, decimals)
        SELECT a.client_id, g.id, a.id, 'F3', 'F3/Ir', 'Ir', 'current', 'A', 1 FROM asset a JOIN gateway g ON g.location_id = a.location_id;";

const ONLINE: &str = "UPDATE gateway SET online = true, since = now(), last_seen = now(), link_term = 4, link_count = 7";

struct Site {
    database: TestDatabase,
    registry: Registry,
    fields: Fields,
    leases: Arc<Mutex<Vec<Lease>>>,
    clients: [ClientId; 2],
    gateway: GatewayId,
    point: PointId,
    _following: DropGuard,
}

/// An ingest confirms what was reported from the count `count` of term 4 on.
fn lease(count: i64) -> Lease {
    Lease { shard: Shard::default(), since: LinkOrder { term: Term(4), count } }
}

async fn site() -> Site {
    let database = testkit::database().await;
    database.client().await.batch_execute(SEED).await.unwrap();
    let store = Store::connect(database.url(), 4).await.unwrap();
    let shutdown = CancellationToken::new();
    let registry = follow(store.clone(), FollowSettings::new(database.url()), shutdown.clone()).await.unwrap();
    let leases = Arc::new(Mutex::new(vec![lease(1)]));
    let held = Arc::clone(&leases);
    let fields = Fields::new(registry.clone(), &store, move || held.lock().unwrap().clone());
    let image = registry.image();
    let clients: Vec<ClientId> = image.clients().collect();
    let (gateway, point) = (image.gateways().next().unwrap().id, image.points().next().unwrap().id);
    Site { database, registry, fields, leases, clients: [clients[0], clients[1]], gateway, point, _following: shutdown.drop_guard() }
}

impl Site {
    async fn run(&self, statement: &str) {
        self.database.client().await.batch_execute(statement).await.unwrap();
    }

    /// The quality in which a good reading is shown.
    async fn shown(&self) -> Quality {
        self.shown_of(Ordinal::default()).await
    }

    /// The quality in which the good reading of a message is shown.
    async fn shown_of(&self, ordinal: Ordinal) -> Quality {
        let now = Micros(1_000_000);
        let reading = Reading { value: Some(1.0), quality: Quality::Good, source: now, received: now, ordinal };
        let field = self.fields.get(self.clients[0]).await.unwrap();
        field.picture(vec![(self.point, reading)], now)[&self.point].quality
    }
}

#[tokio::test]
async fn gateway_is_online_while_a_lease_confirms_its_state() {
    let site = site().await;
    site.run(ONLINE).await;
    let link = site.fields.get(site.clients[0]).await.unwrap().link(site.gateway);
    assert!(link.online && link.since.is_some() && link.last_seen.is_some());
    assert_eq!(site.shown().await, Quality::Good);
    *site.leases.lock().unwrap() = vec![lease(8)];
    let link = site.fields.get(site.clients[0]).await.unwrap().link(site.gateway);
    assert!(!link.online, "reported before the connection of the ingest began");
    assert_eq!(link.since, None, "the time of the loss is unknown");
    assert_eq!(site.shown().await, Quality::CommLost);
    site.run("UPDATE gateway SET online = false, since = '2026-01-01T00:00:00Z', link_count = 9").await;
    site.leases.lock().unwrap().clear();
    let link = site.fields.get(site.clients[0]).await.unwrap().link(site.gateway);
    assert!(!link.online && link.since.is_some(), "it was reported offline");
}

#[tokio::test]
async fn reading_of_a_later_ingest_is_lost_until_that_ingest_confirms_the_gateway() {
    let site = site().await;
    site.run(ONLINE).await;
    let resent = Ordinal::of_term(Term(5), 1);
    assert_eq!(site.shown_of(resent).await, Quality::CommLost, "the broker may have sent an old message again");
    assert_eq!(site.shown_of(Ordinal::of_term(Term(4), 9)).await, Quality::Good);
    site.run("UPDATE gateway SET link_term = 5, link_count = 1").await;
    *site.leases.lock().unwrap() = vec![Lease { shard: Shard::default(), since: LinkOrder { term: Term(5), count: 1 } }];
    assert_eq!(site.shown_of(resent).await, Quality::Good);
}

#[tokio::test]
async fn entered_value_is_shown_instead_of_an_older_reading() {
    let site = site().await;
    // Nothing is online: what a user has read on site is known nevertheless.
    assert_eq!(site.shown().await, Quality::CommLost);
    site.run(
        "INSERT INTO manual_entry (client_id, point_id, quantity, value, reason, entered_by, entered, observed)
         SELECT client_id, id, 'Ir', 410, 'read on site', 'Asha Rao', now(), now() FROM point",
    )
    .await;
    site.fields.refresh_network(site.clients[0]).await;
    assert_eq!(site.shown().await, Quality::Substituted);
    let field = site.fields.get(site.clients[0]).await.unwrap();
    assert_eq!(field.picture(Vec::new(), Micros(1_000_000))[&site.point].value, Some(410.0), "it was never reported");
    let later = Micros(i64::MAX / 2);
    let newer = Reading { value: Some(80.0), quality: Quality::Good, source: later, received: later, ordinal: Ordinal::default() };
    assert_eq!(field.picture(vec![(site.point, newer)], later)[&site.point].value, Some(80.0));
    site.run("UPDATE manual_entry SET withdrawn = now(), withdrawn_by = 'Asha Rao', withdrawn_reason = 'done'").await;
    site.fields.refresh_network(site.clients[0]).await;
    assert_eq!(site.shown().await, Quality::CommLost);
}

#[tokio::test]
async fn points_of_an_offline_device_are_shown_as_communication_lost() {
    let site = site().await;
    site.run(ONLINE).await;
    site.run("INSERT INTO device (client_id, gateway_id, code, online, since) SELECT client_id, id, 'F3', false, now() FROM gateway").await;
    assert_eq!(site.shown().await, Quality::CommLost);
    site.run("UPDATE device SET online = true").await;
    *site.leases.lock().unwrap() = vec![lease(2)];
    assert_eq!(site.shown().await, Quality::Good);
}

#[tokio::test]
async fn caller_sees_its_own_write_after_a_refresh() {
    let site = site().await;
    for number in 0..10 {
        site.run(&format!("UPDATE client SET name = 'name {number}' WHERE code = 'ONE'")).await;
        site.fields.refresh().await;
        assert_eq!(site.fields.get(site.clients[0]).await.unwrap().client().name, format!("name {number}"));
    }
}

#[tokio::test]
async fn utility_sees_no_links_of_another_and_an_unknown_one_is_an_error() {
    let site = site().await;
    site.run(ONLINE).await;
    assert!(!site.fields.get(site.clients[1]).await.unwrap().link(site.gateway).online);
    assert!(site.fields.get(ClientId(i64::MAX)).await.is_err());
    site.run("INSERT INTO client (code, name, time_zone) VALUES ('NEW', 'New', 'UTC')").await;
    let rows = site.database.client().await.query_one("SELECT id FROM client WHERE code = 'NEW'", &[]).await.unwrap();
    let new = ClientId(rows.get(0));
    assert_eq!(site.fields.get(new).await.unwrap().client().code, "NEW", "a utility that was just added is looked for");
    assert!(site.registry.utility(new).is_some());
}

/// Stores a network of a source.
async fn put_network(store: &Store, client: ClientId) -> VersionNumber {
    let node = Node { id: "bus".into(), name: String::new(), container: None, nominal_kv: Some(11.0), is_internal: false, place: None };
    let source = Equipment {
        id: "G".into(),
        name: String::new(),
        kind: EquipmentKind::EnergySource,
        container: None,
        terminals: vec![Terminal { node: "bus".into(), phases: Phases::ABC }],
        is_in_service: true,
        electrical: Electrical::Source(SourceVoltage::default()),
    };
    let whole = Description { nodes: vec![node], equipment: vec![source], ..Description::default() };
    let plan = store.plan_network(client, None, ChangeSet::Whole(whole)).await.unwrap();
    store.apply_network(client, &plan, "", Micros(0), &origin(client)).await.unwrap().unwrap()
}

fn origin(client: ClientId) -> Origin {
    Origin { client: Some(client), actor: None, session: None, from: "console".into(), correlation: String::new() }
}

/// Activates the only version of each utility.
const ACTIVATE: &str =
    "INSERT INTO network_activation (client_id, since, version, entered) SELECT client_id, created, number, now() FROM network_version";

impl Site {
    /// Waits until the active versions are in memory or cannot be used.
    async fn networks(&self) -> &Networks {
        let networks = self.registry.networks();
        assert!(networks.refresh().await && networks.loaded().await);
        for client in self.clients {
            assert!(networks.settled(client).await);
        }
        networks
    }
}

#[tokio::test]
async fn network_that_cannot_be_used_delays_no_other_and_the_last_one_stays() {
    let site = site().await;
    let store = Store::connect(site.database.url(), 2).await.unwrap();
    let [one, two] = site.clients;
    for client in site.clients {
        put_network(&store, client).await;
    }
    // As if a later release had written it.
    let break_one = format!("UPDATE network_equipment SET kind = 'Elevator' WHERE client_id = {one}");
    let mend_one = format!("UPDATE network_equipment SET kind = 'EnergySource' WHERE client_id = {one}");
    site.run(&break_one).await;
    site.run(ACTIVATE).await;
    let networks = site.networks().await;
    assert!(networks.of(two).is_some() && !networks.is_missing(two));
    assert!(networks.of(one).is_none() && networks.is_missing(one));
    site.run(&mend_one).await;
    until_loaded(networks, one).await;
    let first = networks.of(one).unwrap().since();
    site.run(&break_one).await;
    site.run(&format!("INSERT INTO network_activation (client_id, since, version, entered) VALUES ({one}, now(), 1, now())")).await;
    site.networks().await;
    assert!(networks.is_missing(one));
    assert_eq!(networks.of(one).map(|last| last.since()), Some(first));
    site.run(&mend_one).await;
    until_loaded(networks, one).await;
    assert!(networks.of(one).unwrap().since() > first);
}

#[tokio::test]
async fn network_that_is_slow_to_read_delays_no_other() {
    let site = site().await;
    let store = Store::connect(site.database.url(), 2).await.unwrap();
    let [one, two] = site.clients;
    for client in site.clients {
        put_network(&store, client).await;
    }
    let mut other = site.database.client().await;
    // The parts of the networks of both utilities cannot be read.
    let lock = other.transaction().await.unwrap();
    lock.batch_execute("LOCK TABLE network_equipment IN ACCESS EXCLUSIVE MODE").await.unwrap();
    site.run(&ACTIVATE.replace("FROM network_version", &format!("FROM network_version WHERE client_id = {one}"))).await;
    let networks = site.registry.networks();
    assert!(networks.refresh().await, "the versions and the entries are read while a network is being read");
    assert!(networks.is_missing(one) && networks.of(one).is_none());
    assert!(site.fields.get(two).await.is_ok());
    lock.commit().await.unwrap();
    site.networks().await;
    assert!(networks.of(one).is_some() && !networks.is_missing(one));
}

/// Waits until the active version of a utility is in memory. A failed read is repeated.
async fn until_loaded(networks: &Networks, client: ClientId) {
    let loaded = async {
        while networks.is_missing(client) {
            assert!(networks.refresh().await);
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), loaded).await.unwrap();
}

#[tokio::test]
async fn present_network_is_changed_in_place_whatever_changes_elsewhere() {
    let site = site().await;
    let store = Store::connect(site.database.url(), 2).await.unwrap();
    let [one, two] = site.clients;
    let version = put_network(&store, one).await;
    store.activate_network(one, version, Micros(0), Micros(1), &origin(one)).await.unwrap();
    site.networks().await;
    // The address of the states: a copy has another one than the original, which exists while it is copied.
    let state = async || {
        let present = site.fields.get(one).await.unwrap().network_with(Vec::new(), &[], Micros(1_000_000), Unreported::Unknown).unwrap();
        std::ptr::from_ref(present.state()).addr()
    };
    let first = state().await;
    assert_eq!(state().await, first, "another request");
    site.run(&format!("INSERT INTO node (client_id, level, code, name) VALUES ({two}, 1, 'C2', 'Circle')")).await;
    site.fields.refresh().await;
    assert!(site.registry.image().nodes().any(|node| node.client == two), "the registry has changed");
    assert_eq!(state().await, first, "a change at another utility");
}

/// A source, a breaker, and behind it a line with a voltage and a second breaker. Points report all of them.
fn feeder() -> Description {
    let node =
        |id: &str| Node { id: id.into(), name: String::new(), container: None, nominal_kv: Some(11.0), is_internal: false, place: None };
    let equipment = |id: &str, kind: EquipmentKind, nodes: &[&str], electrical: Electrical| {
        let terminals = nodes.iter().map(|node| Terminal { node: (*node).into(), phases: Phases::ABC }).collect();
        Equipment { id: id.into(), name: String::new(), kind, container: None, terminals, is_in_service: true, electrical }
    };
    let measured = |equipment: &str, quantity: &str, terminal: Option<u8>| Measurement {
        id: format!("{equipment}/{quantity}"),
        equipment: equipment.into(),
        terminal,
        quantity: quantity.into(),
        phases: Phases::ABC,
        point: Some(format!("RTU/F3/{equipment}/{quantity}")),
    };
    Description {
        nodes: ["bus", "line", "end"].map(node).to_vec(),
        equipment: vec![
            equipment("G", EquipmentKind::EnergySource, &["bus"], Electrical::Source(SourceVoltage::default())),
            equipment("CB", EquipmentKind::Breaker, &["bus", "line"], Electrical::default()),
            equipment("CB2", EquipmentKind::Breaker, &["line", "end"], Electrical::default()),
        ],
        measurements: vec![
            measured("G", "Pos", None),
            measured("CB", "Pos", None),
            measured("CB", "Vry", Some(2)),
            measured("CB2", "Pos", None),
        ],
        ..Description::default()
    }
}

impl Site {
    /// Adds points to the only asset, by the equipment and the quantity that they measure.
    async fn put_points(&self, store: &Store, of: &[(&str, &str)]) -> Vec<PointId> {
        let asset = self.registry.image().point(self.point).unwrap().asset;
        let seed = |(equipment, code): &(&str, &str)| PointSeed {
            client: self.clients[0],
            gateway: self.gateway,
            device: "F3".into(),
            metric: format!("{equipment}/{code}"),
            code: (*code).into(),
            asset,
            kind: kind_of_code(code),
            quantity: Quantity::of_code(code),
            unit: String::new(),
            decimals: 0,
            scale: 1.0,
            expected_ms: None,
        };
        let put = store.put_points(&of.iter().map(seed).collect::<Vec<_>>()).await.unwrap();
        self.fields.refresh().await;
        put
    }

    /// Shows the networks of all utilities with some readings of the first one. Returns how many networks each has built.
    async fn show(&self, readings: &[(PointId, Reading)]) -> Vec<u64> {
        let mut built = Vec::new();
        for client in self.clients {
            let field = self.fields.get(client).await.unwrap();
            for unreported in [Unreported::Assumed, Unreported::Unknown] {
                field.network_with(readings.to_vec(), &[], Micros(100_000_000), unreported).unwrap();
            }
            field.network_feeders();
            built.push(field.networks_built());
        }
        built
    }
}

#[tokio::test]
async fn change_of_the_registry_builds_only_a_network_with_other_points() {
    let site = site().await;
    site.run(ONLINE).await;
    let store = Store::connect(site.database.url(), 2).await.unwrap();
    let [one, two] = site.clients;
    let plan = store.plan_network(one, None, ChangeSet::Whole(feeder())).await.unwrap();
    let version = store.apply_network(one, &plan, "", Micros(0), &origin(one)).await.unwrap().unwrap();
    store.activate_network(one, version, Micros(0), Micros(1), &origin(one)).await.unwrap();
    let version = put_network(&store, two).await;
    store.activate_network(two, version, Micros(0), Micros(1), &origin(two)).await.unwrap();
    site.networks().await;
    let points = site.put_points(&store, &[("G", "Pos"), ("CB", "Pos"), ("CB", "Vry")]).await;
    let reading = |at: usize, value: f64, source: i64| {
        let (source, ordinal) = (Micros(source), Ordinal::default());
        (points[at], Reading { value: Some(value), quality: Quality::Good, source, received: source, ordinal })
    };
    let live = [reading(0, 2.0, 10_000_000), reading(1, 2.0, 10_000_000), reading(2, 11.0, 20_000_000)];
    let opened = [live[0], reading(1, 1.0, 30_000_000), live[2]];
    assert_eq!(site.show(&live).await, [2, 2], "for display and for decisions");
    assert_eq!(site.show(&opened).await, [2, 2]);
    let line = async || {
        let field = site.fields.get(one).await.unwrap();
        let shown = field.network_with(opened.to_vec(), &[], Micros(100_000_000), Unreported::Assumed).unwrap();
        shown.state().state(shown.active().model().node("line").unwrap())
    };
    assert_eq!(line().await, State::Dead, "the voltage was measured before the breaker was opened");
    for number in 0..5 {
        site.put_points(&store, &[(&format!("X{number}"), "Pos")]).await;
        assert_eq!(site.show(&opened).await, [2, 2], "the network has no such point");
    }
    site.run("UPDATE node SET name = 'Renamed'; UPDATE asset SET name = 'Renamed'").await;
    site.fields.refresh().await;
    assert_eq!(site.show(&opened).await, [2, 2], "names bind nothing");
    site.put_points(&store, &[("CB2", "Pos")]).await;
    assert_eq!(site.show(&opened).await, [4, 2], "its second breaker has a point now");
    assert_eq!(line().await, State::Dead, "it is known since when the breaker is open");
}
