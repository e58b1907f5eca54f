//! A hub on a free port with two utilities in its database, and the writers of their data.

use std::net::SocketAddr;
use std::time::Duration;

use bus::Bus;
use grid::{AssetId, ClientId, GatewayId, MemberId, Micros, NodeId, Ordinal, PointId, Quality, Reading};
use hub::HubConfig;
use registry::{FollowSettings, Registry};
use serde_json::json;
use store::seed::{GatewaySeed, PointSeed};
use store::writer::{Batch, GatewayMark, NewEvent, Sample};
use store::{Store, Writer};
use testkit::TestDatabase;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use wire::bus::{BusMessage, Change};
use wire::rows::EventRow;

use crate::client::Client;
use crate::seeding::now;
use crate::{equipment, seeding};

/// One utility: a substation with a feeder and its breaker.
pub(crate) struct Utility {
    pub(crate) client: ClientId,
    pub(crate) circle: NodeId,
    pub(crate) location: NodeId,
    pub(crate) feeder: AssetId,
    pub(crate) gateway: GatewayId,
    pub(crate) position: PointId,
    pub(crate) currents: Vec<PointId>,
    pub(crate) member: MemberId,
}

/// A hub and its surroundings.
pub(crate) struct Site {
    pub(crate) database: TestDatabase,
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) port: u16,
    pub(crate) own: Utility,
    pub(crate) other: Utility,
    pub(crate) shutdown: CancellationToken,
    /// Checks whether the first hub works.
    pub(crate) probe: hub::Probe,
    /// The core of the first hub.
    pub(crate) core: JoinHandle<()>,
    writer: Writer,
    alive: JoinHandle<()>,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.alive.abort();
        self.shutdown.cancel();
    }
}

impl Site {
    pub(crate) async fn start(adapt: impl Fn(HubConfig) -> HubConfig) -> Self {
        let database = testkit::database().await;
        let store = Store::connect(database.url(), 4).await.expect("a database");
        let own = utility(&store, "OWN", 40).await;
        let other = utility(&store, "OTHER", 1).await;
        let mut writer = Writer::connect(database.url()).await.expect("a writer");
        let marks = [&own, &other].map(|utility| GatewayMark {
            gateway: utility.gateway,
            online: Some(true),
            at: now(),
            order: grid::LinkOrder::default(),
            entered: true,
        });
        writer.commit(&Batch { gateways: marks.to_vec(), ..Batch::default() }).await.expect("stored");
        let bus = Bus::local(10_000);
        let shutdown = CancellationToken::new();
        let registry = follow(database.url(), &store, &shutdown).await;
        let (port, probe, core) = serve(adapt(unhurried()), registry, &store, &bus, &shutdown).await;
        // Ingest's heartbeat.
        let heart = bus.clone();
        let alive = tokio::spawn(async move {
            loop {
                heart.publish(BusMessage::Alive { ingest: "test".into(), clients: Vec::new(), share: None, since: (0, 0) });
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        });
        let site = Self { database, store, bus, port, own, other, shutdown, probe, core, writer, alive };
        site.loaded(port).await;
        site
    }

    /// Waits until a hub has loaded the registry.
    pub(crate) async fn loaded(&self, port: u16) {
        self.knows(port, &self.other, self.other.location).await;
    }

    /// Waits until a hub has loaded the registry with a substation. It refuses the streams of a substation that it does not know yet.
    pub(crate) async fn knows(&self, port: u16, utility: &Utility, location: NodeId) {
        let (_, token) = self.session(utility.member).await;
        let mut client = Client::sign_in(port, &token).await;
        while client.subscribe(&format!("sld/{location}")).await["ok"] != json!(true) {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Starts another hub on the same database and bus, and waits until it has loaded the registry.
    pub(crate) async fn second(&self) -> u16 {
        let port = self.second_with(|config| config).await;
        self.loaded(port).await;
        port
    }

    /// Starts another hub with other settings. It may not have loaded the registry when this returns.
    pub(crate) async fn second_with(&self, adapt: impl Fn(HubConfig) -> HubConfig) -> u16 {
        self.second_followed(adapt).await.0
    }

    /// Starts a second hub and returns also the registry that it follows.
    pub(crate) async fn second_followed(&self, adapt: impl Fn(HubConfig) -> HubConfig) -> (u16, Registry) {
        let registry = follow(self.database.url(), &self.store, &self.shutdown).await;
        let served = serve(adapt(unhurried()), registry.clone(), &self.store, &self.bus, &self.shutdown).await;
        (served.0, registry)
    }

    /// Creates a session. Returns its number and its token.
    pub(crate) async fn session(&self, member: MemberId) -> (i64, String) {
        seeding::session(&self.store, member).await
    }

    pub(crate) async fn token(&self) -> String {
        self.session(self.own.member).await.1
    }

    /// Adds a second substation to the utility, with an online gateway, and a user who is confined to the first
    /// substation. Waits until the hub knows the substation.
    pub(crate) async fn beside(&mut self) -> (GatewayId, MemberId) {
        let Utility { client, location, .. } = self.own;
        let row =
            self.database.client().await.query_one("SELECT parent_id FROM node WHERE id = $1", &[&location.0]).await.expect("a section");
        let parent = Some(NodeId(row.get(0)));
        let beside = seeding::substation(&self.store, client, parent, "BESIDE").await;
        let gateway = self
            .store
            .put_gateway(&GatewaySeed { client, code: "BESIDE".into(), name: "Beside".into(), location: beside })
            .await
            .expect("a gateway");
        let mark = GatewayMark { gateway, online: Some(true), at: now(), order: grid::LinkOrder::default(), entered: true };
        self.writer.commit(&Batch { gateways: vec![mark], ..Batch::default() }).await.expect("stored");
        let confined = seeding::member(&self.store, client, "CONFINED", 8, Some(location)).await;
        self.bus.publish(BusMessage::Registry { client: client.0 });
        self.knows(self.port, &self.own, beside).await;
        (gateway, confined)
    }

    /// Publishes a link state of a gateway of the utility, without storing it.
    pub(crate) fn report_link(&self, gateway: GatewayId, online: bool) {
        let at = now().0;
        let (client, gateway) = (self.own.client.0, gateway.0);
        self.bus.publish(BusMessage::Gateway { client, gateway, online, since: at, order: (1, at), changed: true });
    }

    /// Publishes a new value without storing it.
    pub(crate) fn change(&self, point: PointId, value: f64) {
        self.changes(&[(point, value)]);
    }

    pub(crate) fn changes(&self, values: &[(PointId, f64)]) {
        let at = now();
        let change = |&(point, value): &(PointId, f64)| Change {
            point: point.0,
            value: Some(value),
            quality: Quality::Good.code(),
            source: at.0,
            received: at.0,
            epoch: 1,
            seq: at.0,
        };
        self.bus.publish(BusMessage::Changes { client: self.own.client.0, changes: values.iter().map(change).collect() });
    }

    /// The newest value of a point, as ingest numbers it, measured so many milliseconds from now.
    pub(crate) fn change_at(&self, point: PointId, value: f64, count: i64, from_now_ms: i64) {
        let Ordinal { epoch, seq } = Ordinal::of_term(grid::Term(1), count);
        let (source, received) = (now().plus_millis(from_now_ms).0, now().0);
        let change = Change { point: point.0, value: Some(value), quality: Quality::Good.code(), source, received, epoch, seq };
        self.bus.publish(BusMessage::Changes { client: self.own.client.0, changes: vec![change] });
    }

    /// Operates the breaker this many times: stored, and published if `tell`.
    pub(crate) async fn operate(&mut self, times: usize, is_published: bool) {
        let client = self.own.client;
        let mut batch = Batch::default();
        let start = now();
        for number in 0..times {
            let at = Micros(start.0 + number as i64);
            let ordinal = Ordinal { epoch: 1, seq: at.0 };
            let value = Some(if number % 2 == 0 { 1.0 } else { 2.0 });
            let reading = Reading { value, quality: Quality::Good, source: at, received: at, ordinal };
            batch.samples.push(Sample { point: self.own.position, client, reading, historical: false, repeated: false });
            batch.events.push(NewEvent { point: self.own.position, client, index: 0, reading });
        }
        let committed = self.writer.commit(&batch).await.expect("stored");
        for events in committed.events.iter().filter(|_| is_published) {
            let rows = events.rows.iter().map(EventRow::from).collect();
            let (epoch, from, offset) = (events.epoch.clone(), events.from, events.offset);
            self.bus.publish(BusMessage::Events { client: client.0, epoch, from, offset, rows });
        }
    }

    /// Stores a value without publishing it; the receive time is by the clock of the ingest.
    pub(crate) async fn store_only(&mut self, point: PointId, value: f64, received: Micros) {
        let source = now();
        let ordinal = Ordinal { epoch: 1, seq: source.0 };
        let reading = Reading { value: Some(value), quality: Quality::Good, source, received, ordinal };
        let sample = Sample { point, client: self.own.client, reading, historical: false, repeated: false };
        self.writer.commit(&Batch { samples: vec![sample], ..Batch::default() }).await.expect("stored");
    }

    /// Starts a new epoch, as after a restore from a backup.
    pub(crate) async fn begin_another_history(&self) {
        let client = self.database.client().await;
        client.execute("UPDATE stream SET epoch = 'another'", &[]).await.expect("updated");
    }

    pub(crate) fn silence(&self) {
        self.alive.abort();
    }
}

/// Settings with limits that no slow test reaches. The test of a limit sets that limit.
fn unhurried() -> HubConfig {
    let never = Duration::from_hours(1);
    HubConfig {
        ping_timeout: never,
        auth_timeout: never,
        question_limit: never,
        outbox_age: never,
        messages_per_s: 1_000,
        reconcile: Duration::from_millis(300),
        ..HubConfig::default()
    }
}

async fn follow(database_url: &str, store: &Store, shutdown: &CancellationToken) -> Registry {
    // Without periodic checks: changes arrive by notice, or because a test requests a check.
    let settings = FollowSettings { poll: Duration::from_hours(1), ..FollowSettings::new(database_url) };
    registry::follow(store.clone(), settings, shutdown.clone()).await.expect("followed")
}

async fn serve(
    config: HubConfig,
    registry: Registry,
    store: &Store,
    bus: &Bus,
    shutdown: &CancellationToken,
) -> (u16, hub::Probe, JoinHandle<()>) {
    let deps = hub::Deps { store: store.clone(), registry, bus: bus.clone() };
    let hub::Running { routes, probe, core } = hub::start(config, deps, shutdown.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move { axum::serve(listener, routes.into_make_service_with_connect_info::<SocketAddr>()).await });
    (port, probe, core)
}

async fn utility(store: &Store, code: &str, feeder_points: usize) -> Utility {
    let (client, path) = seeding::utility(store, code).await;
    let location = seeding::substation(store, client, path.last().copied(), "N").await;
    let assets = [("F1", 1, "feeder"), ("CB1", 3, "breaker")];
    let assets = assets.map(|(code, type_id, class)| equipment::asset(client, location, "F1", code, type_id, class));
    let assets = store.put_assets(&assets).await.expect("assets");
    let gateway = GatewaySeed { client, code: "RTU".into(), name: "RTU".into(), location };
    let gateway = store.put_gateway(&gateway).await.expect("a gateway");
    let mut names: Vec<(usize, String)> = vec![(1, "CB1/Pos".into()), (0, "F1/Ir".into())];
    names.extend((0..feeder_points).map(|number| (0, format!("F1/X{number}"))));
    let points: Vec<PointSeed> =
        names.iter().map(|(asset, metric)| equipment::point(client, gateway, "F1", assets[*asset], metric)).collect();
    let points = store.put_points(&points).await.expect("points");
    let member = seeding::member(store, client, code, 2, None).await;
    Utility { client, circle: path[0], location, feeder: assets[0], gateway, position: points[0], currents: points[1..].to_vec(), member }
}
