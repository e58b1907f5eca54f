//! Diagrams besides values: energised nodes, in the same delta as the position that changes them, and flashing points.

use std::collections::BTreeMap;

use grid::{MemberId, NodeId};
use serde_json::{Value, json};
use store::audit::Origin;
use wire::bus::BusMessage;

use crate::client::Client;
use crate::seeding;
use crate::site::Site;

/// A source, the breaker and the feeder on one line: nodes 0 and 1.
fn drawing(breaker_at: i32) -> Value {
    json!({ "format": "switchyard-sld", "version": 1, "name": "S", "size": { "width": 100, "height": 300 }, "elements": [
        { "id": "s", "class": "source", "x": 0, "y": 0 },
        { "id": "l", "class": "line", "path": [[0, 0], [0, 200]] },
        { "id": "b", "class": "breaker", "x": 0, "y": breaker_at, "orientation": "vertical", "position": { "point": "F1/CB1/Pos" } },
        { "id": "f", "class": "feeder", "x": 0, "y": 200 }
    ] })
}

/// A client's copy of one diagram.
struct Picture {
    client: Client,
    stream: String,
    place: i64,
    nodes: BTreeMap<i64, i64>,
    flashes: Value,
    wiring: Value,
}

impl Picture {
    async fn open(port: u16, token: &str, location: NodeId) -> Self {
        let mut client = Client::sign_in(port, token).await;
        let stream = format!("sld/{location}");
        let joined = client.subscribe(&stream).await;
        let place = joined["offset"].as_i64().expect("an offset");
        let [flashes, wiring] = ["flashes", "wiring"].map(|key| joined["snapshot"][key].clone());
        let mut picture = Self { client, stream, place, nodes: BTreeMap::new(), flashes, wiring };
        picture.take_nodes(&joined["snapshot"]["nodes"]);
        picture
    }

    fn take_nodes(&mut self, nodes: &Value) {
        for node in nodes.as_array().into_iter().flatten() {
            self.nodes.insert(node[0].as_i64().expect("a number"), node[1].as_i64().expect("a state"));
        }
    }

    /// Returns the next delta of this diagram.
    async fn next(&mut self) -> Value {
        loop {
            let delta = self.client.event("delta").await;
            if delta["stream"] != json!(self.stream) {
                continue;
            }
            assert_eq!(delta["from"].as_i64(), Some(self.place), "{delta}");
            self.place = delta["offset"].as_i64().expect("an offset");
            assert_eq!(delta["nodes"].is_null(), delta["wiring"].is_null(), "nodes are told with the wiring that they are of: {delta}");
            if !delta["wiring"].is_null() {
                self.wiring = delta["wiring"].clone();
            }
            self.take_nodes(&delta["nodes"]);
            if !delta["flashes"].is_null() {
                self.flashes = delta["flashes"].clone();
            }
            return delta;
        }
    }

    /// Applies deltas until the nodes have these states. Returns the last delta.
    async fn until_nodes(&mut self, states: &[i64]) -> Value {
        let mut last = Value::Null;
        while !self.nodes.values().eq(states) {
            last = self.next().await;
        }
        last
    }

    async fn until_flashes(&mut self, is_expected: impl Fn(&[Value]) -> bool) {
        while !is_expected(self.flashes.as_array().expect("a list")) {
            self.next().await;
        }
    }
}

async fn site() -> Site {
    let site = Site::start(|config| config).await;
    site.store.put_drawing(site.own.client, site.own.location, "S", &drawing(80)).await.expect("stored");
    site.bus.publish(BusMessage::Registry { client: site.own.client.0 });
    site
}

#[tokio::test]
async fn nodes_change_in_the_delta_of_the_position() {
    let site = site().await;
    let (token, location, position) = (site.token().await, site.own.location, site.own.position);
    let mut picture = Picture::open(site.port, &token, location).await;
    assert_eq!(picture.flashes, json!([]));
    picture.until_nodes(&[0, 0]).await;
    for (value, states, changed) in [(2.0, [1, 1], json!([[0, 1], [1, 1]])), (1.0, [1, 2], json!([[1, 2]])), (0.0, [1, 0], json!([[1, 0]]))]
    {
        site.change(position, value);
        let delta = picture.until_nodes(&states).await;
        assert_eq!(delta["nodes"], changed, "only those that changed: {delta}");
        let position = delta["changes"].as_array().expect("changes").iter().find(|change| change[0] == json!(position.0)).cloned();
        assert_eq!(position.expect("the position is in the same delta")[1], json!(value));
    }
    // A measurand or an unchanged position changes no nodes.
    for (point, value) in [(site.own.currents[0], 7.0), (position, 0.0)] {
        site.change(point, value);
        let delta = picture.next().await;
        assert_eq!((delta.get("nodes"), delta.get("flashes")), (None, None), "{delta}");
    }
    site.change(position, 2.0);
    picture.until_nodes(&[1, 1]).await;
    let late = Picture::open(site.port, &token, location).await;
    assert_eq!(late.nodes, picture.nodes, "the snapshot has all of them");
}

#[tokio::test]
async fn what_is_not_heard_is_not_known() {
    let site = site().await;
    let mut picture = Picture::open(site.port, &site.token().await, site.own.location).await;
    picture.until_nodes(&[0, 0]).await;
    site.change(site.own.position, 1.0);
    picture.until_nodes(&[1, 2]).await;
    site.report_link(site.own.gateway, false);
    let delta = picture.until_nodes(&[0, 0]).await;
    let lost = |change: &Value| change[0] == json!(site.own.position.0) && change[2] == json!(5);
    assert!(delta["changes"].as_array().expect("changes").iter().any(lost), "together with the qualities: {delta}");
    site.report_link(site.own.gateway, true);
    picture.until_nodes(&[1, 2]).await;
    site.silence();
    picture.until_nodes(&[0, 0]).await;
}

#[tokio::test]
async fn substation_without_gateway_and_points_is_not_known() {
    let site = Site::start(|config| config).await;
    let client = site.own.client;
    let row = site
        .database
        .client()
        .await
        .query_one("SELECT parent_id FROM node WHERE id = $1", &[&site.own.location.0])
        .await
        .expect("a section");
    let silent = seeding::substation(&site.store, client, Some(NodeId(row.get(0))), "SILENT").await;
    let silent_drawing = json!({ "format": "switchyard-sld", "version": 1, "name": "S", "size": { "width": 100, "height": 300 }, "elements": [
        { "id": "s", "class": "source", "x": 0, "y": 0 },
        { "id": "l", "class": "line", "path": [[0, 0], [0, 200]] },
        { "id": "b", "class": "breaker", "x": 0, "y": 80, "orientation": "vertical" },
        { "id": "f", "class": "feeder", "x": 0, "y": 200 }
    ] });
    site.store.put_drawing(client, silent, "S", &silent_drawing).await.expect("stored");
    site.bus.publish(BusMessage::Registry { client: client.0 });
    site.knows(site.port, &site.own, silent).await;
    let mut socket = Client::sign_in(site.port, &site.token().await).await;
    let nodes = loop {
        let joined = socket.subscribe(&format!("sld/{silent}")).await;
        assert_eq!(joined["snapshot"]["points"], json!([]), "{joined}");
        let nodes = joined["snapshot"]["nodes"].clone();
        if nodes.as_array().is_some_and(|nodes| !nodes.is_empty()) {
            break nodes;
        }
        // Its drawing is read a moment after the substation itself.
        socket.event("delta").await;
    };
    let states: Vec<&Value> = nodes.as_array().into_iter().flatten().map(|node| &node[1]).collect();
    assert_eq!(states, [&json!(0), &json!(0)], "neither energised nor dead: {nodes}");
}

#[tokio::test]
async fn a_drawing_that_changes_is_read_again() {
    let site = site().await;
    let mut picture = Picture::open(site.port, &site.token().await, site.own.location).await;
    picture.until_nodes(&[0, 0]).await;
    site.change(site.own.position, 1.0);
    picture.until_nodes(&[1, 2]).await;
    let before = picture.wiring.clone();
    // The hub gets no notice. The breaker is now beside the line: its terminals are connected to nothing.
    site.store.put_drawing(site.own.client, site.own.location, "S", &drawing(900)).await.expect("stored");
    picture.until_nodes(&[1, 2, 2]).await;
    assert_ne!(picture.wiring, before, "who has drawn the other one can tell");
    // A drawing without nodes is a change as well.
    let before = picture.wiring.clone();
    site.store.put_drawing(site.own.client, site.own.location, "S", &json!({ "elements": [] })).await.expect("stored");
    while picture.wiring == before {
        picture.next().await;
    }
}

async fn acknowledge(site: &Site, member: MemberId) {
    let origin = Origin { client: Some(site.own.client), actor: Some(member), from: "test".into(), ..Origin::default() };
    let done = site.store.acknowledge(site.own.client, site.own.location, None, member, &origin, |_| Vec::new()).await.expect("stored");
    assert_eq!(done, [site.own.position]);
    site.bus.publish(BusMessage::Acknowledged { client: site.own.client.0, location: site.own.location.0 });
}

#[tokio::test]
async fn what_changes_flashes_until_it_is_acknowledged() {
    let mut site = site().await;
    let (token, location, position) = (site.token().await, site.own.location, site.own.position);
    let mut picture = Picture::open(site.port, &token, location).await;
    // Open, then closed again: still a trip.
    site.operate(2, true).await;
    let trip = move |flashes: &[Value]| matches!(flashes, [flash] if flash[0] == json!(position.0) && flash[1] == json!("trip"));
    picture.until_flashes(trip).await;
    // A later client, and a client at a hub that has not seen the events.
    let late = Picture::open(site.port, &token, location).await;
    assert_eq!(late.flashes, picture.flashes);
    let second = site.second().await;
    let mut elsewhere = Picture::open(second, &token, location).await;
    elsewhere.until_flashes(trip).await;
    acknowledge(&site, site.own.member).await;
    for picture in [&mut picture, &mut elsewhere] {
        picture.until_flashes(<[Value]>::is_empty).await;
    }
    // Events that were not published flash as well.
    site.operate(1, false).await;
    picture.until_flashes(trip).await;
}
