//! The data that clients subscribe to: one utility, its stations with feeders, a history of events and alarms, and signed-in users.

use grid::{AssetId, ClientId, NodeId, Ordinal, PointId, Quality, Reading};
use store::seed::GatewaySeed;
use store::writer::{Batch, NewEvent};
use store::{Store, Writer};
use testkit::TestDatabase;

use crate::seeding::now;
use crate::{Size, equipment, seeding};

/// Number of streams per socket.
pub(crate) const STREAMS: usize = 20;
/// Number of feeders per station whose readings are subscribed to.
const FEEDERS: usize = 5;
/// Number of sockets per session of a user.
const SOCKETS_OF_SESSION: usize = 2;
/// One station in this many has an event while the hub is down.
const ONE_IN: usize = 10;

struct Station {
    location: NodeId,
    feeders: Vec<AssetId>,
    position: PointId,
}

/// The inserted data.
pub(crate) struct Field {
    client: ClientId,
    circle: NodeId,
    stations: Vec<Station>,
    tokens: Vec<String>,
    sockets: usize,
    writer: Writer,
    event: i64,
}

impl Field {
    pub(crate) async fn seed(store: &Store, database: &TestDatabase, size: Size) -> Self {
        let (client, path) = seeding::utility(store, "B").await;
        let mut stations = Vec::new();
        for number in 0..size.stations {
            let code = format!("S{number}");
            let location = seeding::substation(store, client, path.last().copied(), &code).await;
            stations.push(station(store, client, location, &code).await);
        }
        let mut tokens = Vec::new();
        for number in 0..size.sockets.div_ceil(SOCKETS_OF_SESSION) {
            let member = seeding::member(store, client, &format!("bench{number}"), 2, None).await;
            tokens.push(seeding::session(store, member).await.1);
        }
        let writer = Writer::connect(database.url()).await.unwrap();
        let (circle, sockets) = (path[0], size.sockets);
        let mut field = Self { client, circle, stations, tokens, sockets, writer, event: 0 };
        for _ in 0..3 {
            field.operate(&(0..size.stations).collect::<Vec<_>>()).await;
        }
        // The events of one station alone fill the history that a hub keeps in memory.
        for _ in 0..size.history / 500 {
            field.operate(&[0; 500]).await;
        }
        field.raise_alarms(database, size.history).await;
        // Without it the statistics of the new tables would be wrong for some time.
        database.client().await.batch_execute("ANALYZE").await.unwrap();
        field
    }

    /// Inserts one alarm of each station, and then many changes of one alarm.
    async fn raise_alarms(&self, database: &TestDatabase, changes: usize) {
        let client = database.client().await;
        let locations: Vec<i64> = self.stations.iter().map(|station| station.location.0).collect();
        let alarms = "INSERT INTO alarm (client_id, source, kind, priority, location_id, text, unit, customers, state, count, \"offset\", raised_offset, raised)
            SELECT $1, 'bench:' || n, 'state', 1, location, 'bench', '', 0, 'active_unacked', 1, n, n, now() FROM unnest($2::bigint[]) WITH ORDINALITY AS l (location, n)";
        client.execute(alarms, &[&self.client.0, &locations]).await.unwrap();
        let events = "INSERT INTO alarm_event (client_id, \"offset\", alarm_id, change, kind, priority, location_id, text, unit, customers, state, count, raised_offset, raised)
            SELECT a.client_id, n, a.id, 'raised', a.kind, a.priority, a.location_id, a.text, '', 0, a.state, 1, a.raised_offset, a.raised
            FROM generate_series(1, $2::bigint) n JOIN alarm a ON a.client_id = $1 AND a.source = 'bench:' || CASE WHEN n <= $3 THEN n ELSE 1 END";
        let (stations, top) = (locations.len() as i64, (locations.len() + changes) as i64);
        client.execute(events, &[&self.client.0, &top, &stations]).await.unwrap();
        let stream =
            "INSERT INTO stream (client_id, kind, top) VALUES ($1, 'alarm', $2) ON CONFLICT (client_id, kind) DO UPDATE SET top = $2";
        client.execute(stream, &[&self.client.0, &top]).await.unwrap();
        client
            .execute("UPDATE alarm SET \"offset\" = $2 WHERE client_id = $1 AND source = 'bench:1'", &[&self.client.0, &top])
            .await
            .unwrap();
    }

    /// Inserts one event of each given station.
    async fn operate(&mut self, stations: &[usize]) {
        let mut batch = Batch::default();
        for station in stations {
            self.event += 1;
            let (at, seq) = (now(), self.event);
            let value = Some((seq % 2 + 1) as f64);
            let reading = Reading { value, quality: Quality::Good, source: at, received: at, ordinal: Ordinal { epoch: 1, seq } };
            batch.events.push(NewEvent { point: self.stations[*station].position, client: self.client, index: 0, reading });
        }
        self.writer.commit(&batch).await.unwrap();
    }

    /// Inserts one event of each tenth station. Returns the number of events.
    pub(crate) async fn operate_some(&mut self) -> usize {
        let some: Vec<usize> = (0..self.stations.len()).step_by(ONE_IN).collect();
        self.operate(&some).await;
        some.len()
    }

    /// Returns how often an event of one station is delivered: once to each socket of the station in the station's stream, and once to every socket
    /// in the stream of the circle.
    pub(crate) fn sockets_at_each_station(&self) -> usize {
        self.sockets + self.sockets / self.stations.len()
    }

    pub(crate) fn sockets(&self) -> usize {
        self.sockets
    }

    pub(crate) fn token(&self, socket: usize) -> &str {
        &self.tokens[socket / SOCKETS_OF_SESSION]
    }

    /// Returns the streams of a socket: those of one station, and those that all sockets share.
    pub(crate) fn streams(&self, socket: usize) -> Vec<String> {
        let Station { location, feeders, .. } = &self.stations[socket % self.stations.len()];
        let (client, circle) = (self.client, self.circle);
        let mut streams: Vec<String> = ["energy", "pq", "assets", "loadcurrent", "comms", "events", "alarms", "faults"]
            .map(|kind| format!("{kind}/location/{location}"))
            .into();
        streams.extend([format!("sld/{location}"), format!("commands/{location}"), format!("events/circle/{circle}")]);
        streams.extend(["overview", "comms", "alarms", "faults"].map(|kind| format!("{kind}/client/{client}")));
        streams.extend(feeders.iter().map(|feeder| format!("readings/{feeder}")));
        assert_eq!(streams.len(), STREAMS);
        streams
    }
}

async fn station(store: &Store, client: ClientId, location: NodeId, code: &str) -> Station {
    let feeder = |number: usize| equipment::asset(client, location, "D", &format!("F{number}"), 1, "feeder");
    let feeders = store.put_assets(&(0..FEEDERS).map(feeder).collect::<Vec<_>>()).await.unwrap();
    let gateway = GatewaySeed { client, code: code.to_owned(), name: code.to_owned(), location };
    let gateway = store.put_gateway(&gateway).await.unwrap();
    let mut points = Vec::new();
    for (number, asset) in feeders.iter().enumerate() {
        for code in ["Pos", "Ir", "Iy", "Ib", "Vr", "Vy", "Vb", "P"] {
            points.push(equipment::point(client, gateway, "D", *asset, &format!("F{number}/{code}")));
        }
    }
    let points = store.put_points(&points).await.unwrap();
    Station { location, feeders, position: points[0] }
}
